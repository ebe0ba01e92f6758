package mcpserve

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/surface"
)

func TestEachToolMatchesItsSnapshot(t *testing.T) {
	for _, p := range Profiles() {
		folder := filepath.Join("testdata", p.Name, "tools")
		written := map[string]bool{}
		for i := range p.Tools {
			each := &p.Tools[i]
			forms := map[string]any{"several": p.Definition(each, true)}
			if !each.Choosing {
				forms["single"] = p.Definition(each, false)
			}
			got, err := json.MarshalIndent(forms, "", "  ")
			require.NoError(t, err)
			written[each.Name+".json"] = true
			golden.File(t, filepath.Join(folder, each.Name+".json"), string(got)+"\n")
		}
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, file := range files {
			if !written[file.Name()] {
				t.Errorf("%s is the snapshot of no tool", file.Name())
			}
		}
	}
}

// listSize returns what a model sees of tools/list, in bytes: names, descriptions and
// input schemas.
func listSize(t *testing.T, profile, config string) (bytes int) {
	t.Helper()
	w := newWorld(t, config, func(o *Options) { o.Profile = profile })
	list, err := w.connect().ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, each := range list.Tools {
		bytes += len(rawjson.With("name", each.Name).With("description", each.Description).With("inputSchema", each.InputSchema).JSON())
	}
	return bytes
}

// The official server's list of 26 tools has 22,000 bytes.
func TestTheDefaultListIsSmall(t *testing.T) {
	for _, p := range Profiles() {
		if size := listSize(t, p.Name, configText("Work")); size > 14_000 {
			t.Errorf("%s: a model sees %d bytes of tools/list", p.Name, size)
		}
		if size := listSize(t, p.Name, configText("Work", "Home")); size > 15_500 { // with graph and ticket
			t.Errorf("%s: with two graphs a model sees %d bytes of tools/list", p.Name, size)
		}
	}
	if n := len(guideText(t)); n > 2800 {
		t.Errorf("the syntax guide has %d characters", n)
	}
	for _, config := range []string{configText("Work"), configText("Work", "Home")} {
		if n := len(newWorld(t, config).server.promptList().instructions()); n > 800 {
			t.Errorf("the instructions have %d characters", n)
		}
	}
}

// A tool that does less than another is called by its name, and not listed: texts name the other.
func TestOneToolOfEachPairIsListed(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.Toolsets = []string{"all"} })
	w.roam.result("data.block.update", `null`)
	c := w.connect()
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	p := w.server.offering.profile
	for less, more := range map[string]string{
		"update_block": "update_blocks", "move_block": "move_blocks", "delete_block": "delete_blocks", "append_to_daily_note": "create_block", "get_change": "my_changes",
	} {
		listed := func(name string) bool {
			return slices.ContainsFunc(list.Tools, func(each *mcp.Tool) bool { return each.Name == name })
		}
		if tool, found := p.Find(less); !found || listed(less) || !listed(more) || p.ToolName(tool.Task) != more {
			t.Errorf("%s and %s: one is to be listed", less, more)
		}
	}
	c.call("update_block", `{"uid":"a","heading":1}`).ok()
	if n := len(w.roam.requests("data.block.update")); n != 1 {
		t.Errorf("%d updates", n)
	}
}

func TestAgentsAreToldWhoUndoesTheChangesOfOthers(t *testing.T) {
	p := roam.Profile()
	for _, name := range []string{"my_changes", "undo_changes"} {
		if tool, _ := p.Find(name); !strings.Contains(p.Definition(tool, false).Description, "roam-mcp undo") {
			t.Errorf("%s does not say it", name)
		}
	}
}

func TestSchemasArePlainAndComplete(t *testing.T) {
	for _, p := range Profiles() {
		require.NoError(t, p.Check())
		if found, err := findProfile(allProfiles(), p.Name); err != nil || found.Name != p.Name || p.About == "" {
			t.Errorf("%s is registered under another name, or says nothing of itself: %v", p.Name, err)
		}
		known := map[string]bool{}
		for _, set := range p.Toolsets {
			known[set.Name] = true
		}
		names := map[string]bool{}
		for i := range p.Tools {
			each := &p.Tools[i]
			if names[each.Name] || !known[each.Toolset] || (each.Run == nil) != (runners()[each.Task] != nil) {
				t.Errorf("%s: double name, unknown toolset, or no handler", each.Name)
			}
			names[each.Name] = true
			// What changes Roam's windows only is neither a read nor a write.
			showsOnly := each.Toolset == "desktop" || each.Name == "reload_dev_extensions" || each.Scope == surface.ScopeSetup
			if each.Effects.ReadOnly && each.Writes() || !each.Effects.ReadOnly && !each.Writes() && !showsOnly {
				t.Errorf("%s: its scope and its read-only hint disagree", each.Name)
			}
			if each.Writes() && each.Output == nil && p.Style != surface.Prose {
				t.Errorf("%s writes without an output schema", each.Name)
			}
			for _, p := range each.Params {
				if p.About.IsZero() && p.Choices == nil {
					t.Errorf("%s.%s is not described", each.Name, p.Name)
				}
			}
			for _, several := range []bool{true, false} {
				definition := p.Definition(each, several)
				checkSchema(t, each.Name, definition.InputSchema, true)
				if definition.OutputSchema != nil {
					checkSchema(t, each.Name, definition.OutputSchema, false)
				}
			}
		}
	}
}

// checkSchema looks for what strict clients refuse.
func checkSchema(t *testing.T, name string, schema any, described bool) {
	t.Helper()
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	var root map[string]any
	require.NoError(t, json.Unmarshal(text, &root))
	if root["type"] != "object" {
		t.Errorf("%s: the root is no object", name)
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
		if kind, ok := property["type"].(string); !ok || !slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object"}, kind) {
			t.Errorf("%s.%s has the type %v", name, key, property["type"])
		}
		// Gemini refuses an object that says nothing of what may be in it.
		if property["type"] == "object" && property["properties"] == nil && property["additionalProperties"] != true {
			t.Errorf("%s.%s is an object of nothing", name, key)
		}
		// The choices say it themselves, and the instructions say what graph and ticket are.
		if told := property["enum"] != nil || key == surface.ParamGraph || key == surface.ParamTicket; described && !told && (property["description"] == "" || property["description"] == nil) {
			t.Errorf("%s.%s is not described", name, key)
		}
	}
}

func TestEveryKnownToolsetCanBeNamed(t *testing.T) {
	for _, set := range roam.Profile().Toolsets {
		if _, err := newOffering(Options{Toolsets: []string{set.Name}}); err != nil {
			t.Errorf("%s: %v", set.Name, err)
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

// guideText is the syntax guide of the guidelines reply.
func guideText(t *testing.T) string {
	t.Helper()
	text := newWorld(t, configText("Work")).connect().call("get_graph_guidelines", `{}`).ok().field("roamSyntax")
	if text == "" {
		t.Error("there is no syntax guide")
	}
	return text
}

func TestInstructionsSayWhatIsEnabled(t *testing.T) {
	var many []string
	for n := range 30 {
		many = append(many, fmt.Sprintf(`{"name":"g%d","token":%q,"nickname":"Graph number %d %s"}`, n, secretOf("x"), n, strings.Repeat("x", 100)))
	}
	disabled := strings.ReplaceAll(configText("Work"), `"accessLevel"`, `"disabled":true,"accessLevel"`)
	journaled := func(o *Options) {
		o.Journal = history.New(history.Options{Folder: journaltest.Folder(t, t.TempDir()), Kind: history.KindStdio})
	}
	onlyRead := strings.ReplaceAll(configText("Work"), `"full"`, `"read-only"`)
	var out strings.Builder
	for _, c := range []struct {
		name, config string
		change       func(*Options)
	}{
		{"no configuration", "", func(*Options) {}},
		{"no graph", `{"version":1,"graphs":[]}`, func(*Options) {}},
		{"all graphs disabled", disabled, func(*Options) {}},
		{"one graph", configText("Work"), func(*Options) {}},
		{"one graph that may only be read", onlyRead, func(*Options) {}},
		{"one graph, started read-only", configText("Work"), func(o *Options) { o.ReadOnly = true }},
		{"one graph, without its guidelines", configText("Work"), func(o *Options) { o.Toolsets = []string{"read", "write"} }},
		{"one graph, with a journal", configText("Work"), journaled},
		{"one graph that may only be read, with a journal", onlyRead, journaled},
		{"several graphs", configText("Work", "Home"), func(*Options) {}},
		{"several graphs, with a journal", configText("Work", "Home"), journaled},
		{"several graphs, reading only", configText("Work", "Home"), func(o *Options) { o.Toolsets = []string{"graphs", "read"} }},
		{"several graphs, started read-only", configText("Work", "Home"), func(o *Options) { o.ReadOnly = true }},
		{"many graphs with long nicknames", `{"version":1,"graphs":[` + strings.Join(many, ",") + `]}`, func(*Options) {}},
	} {
		w := newWorld(t, c.config, c.change)
		text := w.server.promptList().instructions()
		fmt.Fprintf(&out, "### %s\n%s\n\n", c.name, text)
		if len(text) > 1200 {
			t.Errorf("%s: %d characters", c.name, len(text))
		}
		for _, each := range roamTools() {
			if strings.Contains(each.Name, "_") && strings.Contains(text, each.Name) && !w.server.isOffered(each.Name) {
				t.Errorf("%s: names %s, which is not offered", c.name, each.Name)
			}
		}
	}
	golden.File(t, "testdata/roam/instructions.golden", out.String())
}

// TestThePageOfRoamHasItsTools compares docs/profiles/roam.md with the registry; -update
// writes it anew.
func TestThePageOfRoamHasItsTools(t *testing.T) {
	golden.Section(t, "../docs/profiles/roam.md", "<!-- tools -->\n", "<!-- /tools -->", toolTables(roam.Profile()))
}

// toolTables has a section with a table for each toolset that has tools.
func toolTables(p surface.Profile) string {
	var b strings.Builder
	for _, set := range p.Toolsets {
		var rows strings.Builder
		for i := range p.Tools {
			if each := &p.Tools[i]; each.Toolset == set.Name {
				scope := string(each.Scope)
				if each.Scope == surface.ScopeNone {
					scope = "none"
				}
				about := problem.World{Tool: p.ToolName}.Say(each.Description)
				if each.Choosing {
					about += " Not offered where exactly one graph is enabled."
				}
				if each.ListedAs != "" {
					about += " It can be called, and is not listed."
				}
				fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", each.Name, strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(about), scope)
			}
		}
		if rows.Len() == 0 {
			continue
		}
		switched := "off unless named"
		if set.On {
			switched = "on"
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s. It is %s.\n\n| tool | what it does | scope |\n|---|---|---|\n%s", set.Name, strings.ToUpper(set.About[:1])+set.About[1:], switched, rows.String())
	}
	return b.String()
}
