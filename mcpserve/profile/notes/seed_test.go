package notes_test

import (
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
	"roam-mcp/mcpserve/profile/notes"
)

// mementoParameters are the parameters of Memento's tools as its document sketches them:
// by tool and by name, "TYPE (optional, default: X) - DESCRIPTION: CHOICES".
func mementoParameters(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "memento-parameters.json"))
	require.NoError(t, err)
	return parseParameters(t, text)
}

func parseParameters(t *testing.T, text []byte) map[string]map[string]string {
	t.Helper()
	parameters := map[string]map[string]string{}
	require.NoError(t, json.Unmarshal(text, &parameters))
	return parameters
}

func TestTheParametersAreThoseOfMementosDocument(t *testing.T) {
	document := profiletest.Seed(t, "002")
	found := map[string]json.RawMessage{}
	for _, section := range strings.Split(document, "### ")[1:] {
		sketch := regexp.MustCompile("^(\\w+) .*?\\*\\*Parameters:\\*\\* ```json (\\{.*?\\}) ```").FindStringSubmatch(section)
		if sketch != nil {
			found[sketch[1]] = json.RawMessage(sketch[2])
		}
	}
	got := parseParameters(t, rawjson.Encode(found))
	want := mementoParameters(t)
	if string(rawjson.Encode(got)) != string(rawjson.Encode(want)) {
		t.Errorf("testdata/memento-parameters.json differs from the document, which has\n%s", rawjson.Encode(got))
	}
}

// sketch is what a line of the document says of a parameter.
var sketch = regexp.MustCompile(`^(string|array|boolean) \((optional|required)(?:, default: '?(\w+)'?)?\) - ([^:]+?)(?:: (.*))?$`)

// elements are the types of the arrays' elements, which the document does not say.
func elements() map[string]string {
	return map[string]string{"checkItems": "object", "labels": "string", "images": "string"}
}

// added are the parameters that Memento does not have.
func added() []string { return []string{"limit", "offset"} }

func TestTheSchemasSayWhatMementosDocumentSays(t *testing.T) {
	type node struct {
		Type, Description string
		Enum              []string
		Default           any
		Items             *struct{ Type string }
	}
	p := notes.Profile()
	for tool, parameters := range mementoParameters(t) {
		t.Run(tool, func(t *testing.T) {
			found, ok := p.Find(tool)
			if !ok {
				t.Fatal("it is missing")
			}
			var schema struct {
				Type       string
				Properties map[string]node
				Required   []string
			}
			require.NoError(t, json.Unmarshal(rawjson.Encode(p.Definition(found, false).InputSchema), &schema))
			for name := range schema.Properties {
				if _, known := parameters[name]; !known && !slices.Contains(added(), name) {
					t.Errorf("%s is not Memento's", name)
				}
			}
			for name, line := range parameters {
				said := sketch.FindStringSubmatch(line)
				if said == nil {
					t.Fatalf("%s is not understood: %s", name, line)
				}
				got, ok := schema.Properties[name]
				if !ok || got.Type != said[1] || slices.Contains(schema.Required, name) != (said[2] == "required") {
					t.Errorf("%s is %+v, and required are %v; the document says %s", name, got, schema.Required, line)
				}
				if got.Type == "array" && (got.Items == nil || got.Items.Type != elements()[name]) {
					t.Errorf("%s has elements %+v", name, got.Items)
				}
				if wanted := map[string]any{"": nil, "false": false, "default": "default", "text": "text"}[said[3]]; got.Default != wanted {
					t.Errorf("%s has the default %v; the document says %s", name, got.Default, line)
				}
				if choices := regexp.MustCompile(`\w+`).FindAllString(strings.ReplaceAll(said[5], " or ", " "), -1); choices != nil && !slices.Equal(got.Enum, choices) {
					t.Errorf("%s has the choices %v; the document says %s", name, got.Enum, line)
				}
				if !strings.HasPrefix(got.Description, said[4]) {
					t.Errorf("%s is described as %q; the document says %s", name, got.Description, line)
				}
			}
		})
	}
}
