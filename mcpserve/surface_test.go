package mcpserve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/golden"
)

func TestEachToolMatchesItsSnapshot(t *testing.T) {
	var written []string
	for _, p := range profiles() {
		for i := range p.tools {
			each := &p.tools[i]
			forms := map[string]any{"several": each.definition(true)}
			if !each.choosing {
				forms["single"] = each.definition(false)
			}
			got, err := json.MarshalIndent(forms, "", "  ")
			must(t, err)
			golden.File(t, "testdata/tools/"+each.name+".json", string(got)+"\n")
			written = append(written, each.name+".json")
		}
	}
	golden.Only(t, "testdata/tools", ".json", written)
}

// listSize is what tools/list takes, in bytes, and the number of tools.
func listSize(t *testing.T, config string, toolsets ...string) (bytes, tools int) {
	t.Helper()
	w := newWorld(t, config, func(o *Options) { o.Toolsets = toolsets })
	list, err := w.connect().ListTools(t.Context(), nil)
	must(t, err)
	return len(rawjson.Encode(list)), len(list.Tools)
}

func TestTheToolListHasTheSizeOfItsSnapshot(t *testing.T) {
	var got strings.Builder
	fmt.Fprintf(&got, "%-10s %22s %22s\n", "toolsets", "one graph", "several graphs")
	choices := [][]string{nil}
	for _, set := range roamProfile().toolsets {
		choices = append(choices, []string{set.name})
	}
	for _, choice := range append(choices, []string{"all"}) {
		name := "default"
		if len(choice) > 0 {
			name = choice[0]
		}
		oneBytes, oneTools := listSize(t, configText("Work"), choice...)
		moreBytes, moreTools := listSize(t, configText("Work", "Home"), choice...)
		fmt.Fprintf(&got, "%-10s %6d bytes %3d tools %6d bytes %3d tools\n", name, oneBytes, oneTools, moreBytes, moreTools)
	}
	golden.File(t, "testdata/tools-list-bytes.txt", got.String())
}

func TestTheDefaultListForOneGraphIsSmall(t *testing.T) {
	if size, _ := listSize(t, configText("Work")); size >= 10_000 {
		t.Errorf("tools/list has %d bytes", size)
	}
	if n := len(roamSyntax); n > 2800 {
		t.Errorf("the syntax guide has %d characters", n)
	}
	for _, config := range []string{configText("Work"), configText("Work", "Home")} {
		if n := len(newWorld(t, config).server.instructions()); n > 1200 {
			t.Errorf("the instructions have %d characters", n)
		}
	}
}

func TestSchemasArePlainAndComplete(t *testing.T) {
	for _, p := range profiles() {
		known := map[string]bool{}
		for _, set := range p.toolsets {
			known[set.name] = true
		}
		names := map[string]bool{}
		for i := range p.tools {
			each := &p.tools[i]
			if names[each.name] || !known[each.toolset] || each.title == "" || each.description == "" || each.handle == nil {
				t.Errorf("%s: double name, unknown toolset, or no title, description or handler", each.name)
			}
			names[each.name] = true
			// What changes Roam's windows only is neither a read nor a write.
			showsOnly := each.toolset == "desktop" || each.name == "reload_dev_extensions" || each.scope == scopeSetup
			if each.effects.readOnly && each.writes() || !each.effects.readOnly && !each.writes() && !showsOnly {
				t.Errorf("%s: its scope and its read-only hint disagree", each.name)
			}
			if each.writes() && each.output == nil {
				t.Errorf("%s writes without an output schema", each.name)
			}
			for _, p := range each.params {
				if p.about == "" {
					t.Errorf("%s.%s is not described", each.name, p.name)
				}
				if p.required && p.unlisted {
					t.Errorf("%s.%s is required, but not in the list", each.name, p.name)
				}
			}
			for _, several := range []bool{true, false} {
				definition := each.definition(several)
				checkSchema(t, each.name, definition.InputSchema, false)
				if definition.OutputSchema != nil {
					checkSchema(t, each.name, definition.OutputSchema, true)
				}
			}
		}
	}
}

// checkSchema looks for what strict clients refuse.
func checkSchema(t *testing.T, name string, schema any, open bool) {
	t.Helper()
	text, err := json.Marshal(schema)
	must(t, err)
	var root map[string]any
	must(t, json.Unmarshal(text, &root))
	if closed := root["additionalProperties"] == false; root["type"] != "object" || closed == open {
		t.Errorf("%s: the root is no object, or open where it must not be", name)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf", "$ref"} {
		if strings.Contains(string(text), `"`+word+`"`) {
			t.Errorf("%s: the schema uses %s", name, word)
		}
	}
	properties, _ := root["properties"].(map[string]any)
	for key, value := range properties {
		property, ok := value.(map[string]any)
		if !ok {
			t.Errorf("%s.%s is a bare schema", name, key)
			continue
		}
		if kind, ok := property["type"].(string); !ok || !slices.Contains([]string{"string", "integer", "boolean", "array", "object"}, kind) {
			t.Errorf("%s.%s has the type %v", name, key, property["type"])
		}
		if !open && (property["description"] == "" || property["description"] == nil) {
			t.Errorf("%s.%s is not described", name, key)
		}
	}
}

func TestEveryKnownToolsetCanBeNamed(t *testing.T) {
	for _, set := range roamProfile().toolsets {
		if _, err := newSurface(Options{Toolsets: []string{set.name}}); err != nil {
			t.Errorf("%s: %v", set.name, err)
		}
	}
}

func TestInstructionsNameWhatIsEnabled(t *testing.T) {
	for name, tc := range map[string]struct {
		config   string
		readOnly bool
		want     []string
		not      []string
	}{
		"one graph":      {config: configText("Work"), want: []string{`"Work"`, "get_graph_guidelines"}, not: []string{"select_graph", "ticket"}},
		"several graphs": {config: configText("Work", "Home"), want: []string{`"Work"`, `"Home"`, "select_graph", "ticket"}},
		"none":           {config: "", want: []string{"roam-mcp"}},
		"read only":      {config: configText("Work", "Home"), readOnly: true, want: []string{"read-only"}, not: []string{"ticket"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.config, func(o *Options) { o.ReadOnly = tc.readOnly })
			got := w.connect().InitializeResult().Instructions
			for _, word := range tc.want {
				if !strings.Contains(got, word) {
					t.Errorf("%q is missing: %s", word, got)
				}
			}
			for _, word := range tc.not {
				if strings.Contains(got, word) {
					t.Errorf("%q is there: %s", word, got)
				}
			}
		})
	}
}
