package graph_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/graph"
)

// seedTools are the tools of the seed, in its order.
func seedTools() []string {
	return []string{"search", "get_node", "get_neighbors", "find_path", "get_hubs", "search_by_tags", "random_node", "create_node", "update_node", "delete_node"}
}

// added are the parameters and the values of parameters that are ours, beside those
// of the seed.
func added() map[string][]string {
	return map[string][]string{
		"search":         {"threshold", "offset"},
		"get_node":       {"offset"},
		"get_neighbors":  {"offset"},
		"find_path":      {"undirected"},
		"get_hubs":       {"metric=pagerank", "offset"},
		"search_by_tags": {"offset"},
	}
}

func seedSchema(t *testing.T, tool string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "seed", tool+".json"))
	require.NoError(t, err)
	return object(t, text)
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var schema map[string]any
	require.NoError(t, json.Unmarshal(text, &schema))
	return schema
}

func TestTheInputSchemasAreTheSeedsButForWhatWeAdded(t *testing.T) {
	p := graph.Profile()
	for _, name := range seedTools() {
		t.Run(name, func(t *testing.T) {
			tool, ok := p.Find(name)
			if !ok {
				t.Fatal("there is no such tool")
			}
			text, err := json.Marshal(p.Definition(tool, false).InputSchema)
			require.NoError(t, err)
			got := object(t, text)
			properties := got["properties"].(map[string]any)
			for _, each := range added()[name] {
				param, value, isValue := strings.Cut(each, "=")
				if !isValue {
					if properties[param] == nil {
						t.Errorf("%s is not published", param)
					}
					delete(properties, param)
					continue
				}
				of := properties[param].(map[string]any)
				values := of["enum"].([]any)
				if values[len(values)-1] != value {
					t.Errorf("%s is not the last of %v", value, values)
				}
				of["enum"] = values[:len(values)-1]
			}
			if want := seedSchema(t, name); !reflect.DeepEqual(got, want) {
				t.Errorf("published without what is ours\n%v\nthe seed has\n%v", got, want)
			}
		})
	}
}

// A schema begins with what is of the seed.
func TestWhatIsOursStandsBehindWhatIsTheSeeds(t *testing.T) {
	p := graph.Profile()
	for name, ours := range added() {
		tool, _ := p.Find(name)
		isOurs := false
		for _, param := range tool.Params {
			if slices.Contains(ours, param.Name) {
				isOurs = true
			} else if isOurs {
				t.Errorf("%s: %s of the seed stands behind what is ours", name, param.Name)
			}
		}
	}
}

// The embedded schemas are those of the seed itself, where it is there.
func TestTheEmbeddedSchemasAreThoseOfTheSeed(t *testing.T) {
	_, specifications, _ := strings.Cut(profiletest.Seed(t, "001"), "## Tool Specifications")
	specifications, _, _ = strings.Cut(specifications, "\n## Error Handling")
	found := regexp.MustCompile("(?s)\n### (\\w+)\n.*?Input Schema:\\*\\*\n```json\n(.*?)```").FindAllStringSubmatch(specifications, -1)
	var names []string
	for _, each := range found {
		names = append(names, each[1])
		embedded, err := os.ReadFile(filepath.Join("testdata", "seed", each[1]+".json"))
		require.NoError(t, err)
		if string(embedded) != each[2] {
			t.Errorf("%s: the embedded schema is not the seed's", each[1])
		}
	}
	if len(names) != len(seedTools()) {
		t.Errorf("the seed has the tools %v", names)
	}
}
