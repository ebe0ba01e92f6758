package wiki_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/wiki"
)

// wikiTool is a tool as Wiki-AI's document has it.
type wikiTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// wikiTools are the tools of Wiki-AI's document, in its order.
func wikiTools(t *testing.T) []wikiTool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "wiki-ai-tools.json"))
	require.NoError(t, err)
	var tools []wikiTool
	require.NoError(t, json.Unmarshal(text, &tools))
	return tools
}

func TestTheToolsInTestdataAreThoseOfTheDocument(t *testing.T) {
	document := profiletest.Seed(t, "004")
	sections := regexp.MustCompile("(?s)\n## ([a-z_]+)\n\n([^\n]+?)\n(.*?)### Input Schema\n\n```json\n(.*?)```").FindAllStringSubmatch(document, -1)
	var found []wikiTool
	for _, each := range sections {
		found = append(found, wikiTool{each[1], each[2], json.RawMessage(each[4])})
	}
	got, err := json.Marshal(found)
	require.NoError(t, err)
	if want := rawjson.Encode(wikiTools(t)); string(got) != string(want) {
		t.Errorf("testdata/wiki-ai-tools.json differs from the document, which has\n%s", got)
	}
}

// added are the parameters that Wiki-AI does not have. They stand behind its own.
func added() []string { return []string{"line", "limit", "offset"} }

func TestTheInputSchemasAreThoseOfTheDocument(t *testing.T) {
	p := wiki.Profile()
	for i, want := range wikiTools(t) {
		t.Run(want.Name, func(t *testing.T) {
			if p.Tools[i].Name != want.Name {
				t.Fatalf("in its place stands %s", p.Tools[i].Name)
			}
			definition := p.Definition(&p.Tools[i], false)
			if !strings.HasPrefix(definition.Description, strings.TrimSuffix(want.Description, ".")[:12]) {
				t.Errorf("it is described as %q, and in the document as %q", definition.Description, want.Description)
			}
			schema := rawjson.Parse(want.InputSchema)
			var properties rawjson.Object
			behind := 0
			for name, node := range rawjson.Members(rawjson.Parse(rawjson.Encode(definition.InputSchema)).Get("properties")) {
				switch {
				case rawjson.Parse(schema.Get("properties")).Get(name) == nil:
					if behind++; !slices.Contains(added(), name) {
						t.Errorf("%s is not in the document", name)
					}
				case behind > 0:
					t.Errorf("%s stands behind what is added", name)
				default:
					properties = properties.With(name, node)
				}
			}
			got := rawjson.Parse(rawjson.Encode(definition.InputSchema)).With("properties", properties.JSON()).JSON()
			var compact bytes.Buffer
			require.NoError(t, json.Compact(&compact, want.InputSchema))
			if string(got) != compact.String() {
				t.Errorf("got %s\nthe document has %s", got, compact.String())
			}
		})
	}
}
