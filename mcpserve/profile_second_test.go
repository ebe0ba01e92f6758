package mcpserve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/surface"
)

// renamedProfile is the profile roam with every tool under another name, and
// without the tool that reads a block.
func renamedProfile() surface.Profile {
	p := roam.Profile()
	p.Name = "renamed"
	p.Tools = slices.DeleteFunc(p.Tools, func(t surface.Tool) bool { return t.Task == problem.ReadBlock })
	for i := range p.Tools {
		p.Tools[i].Name = renamed(p.Tools[i].Name)
	}
	return p
}

// renamed is a name that holds nothing of the one it stands for.
func renamed(name string) string {
	return "do" + strings.ToUpper(strings.NewReplacer("_", "").Replace(name))
}

// namesOfRoam are the names of the profile roam that no other text can hold by
// chance.
func namesOfRoam() []string {
	var names []string
	for _, each := range roamTools() {
		if strings.Contains(each.Name, "_") {
			names = append(names, each.Name)
		}
	}
	return names
}

// checkNames fails where a text names a tool of the profile roam, or the tool
// that the renamed profile lacks.
func checkNames(t *testing.T, what, text string) {
	t.Helper()
	for _, name := range append(namesOfRoam(), renamed("get_block")) {
		for rest := text; ; {
			before, after, found := strings.Cut(rest, name)
			if !found {
				break
			}
			if !strings.HasSuffix(before, "_") && !strings.HasPrefix(after, "_") && !strings.HasPrefix(after, "S") {
				t.Errorf("%s names %s: %.400s", what, name, text)
				break
			}
			rest = after
		}
	}
}

// newRenamedWorld serves the renamed profile with all toolsets.
func newRenamedWorld(t *testing.T, config string, change ...func(*Options)) *world {
	t.Helper()
	return newWorld(t, config, append([]func(*Options){func(o *Options) {
		o.Profile, o.profiles, o.Toolsets = "renamed", []registered{{"renamed", renamedProfile}}, []string{"all"}
	}}, change...)...)
}

func TestASecondProfileNamesOnlyItsOwnTools(t *testing.T) {
	configs := map[string]string{
		"one graph": configText("Work"), "several graphs": configText("Work", "Home"), "no configuration": "", "no graph": `{"version":1,"graphs":[]}`,
		"a disabled graph":  strings.ReplaceAll(configText("Work"), `"accessLevel"`, `"disabled":true,"accessLevel"`),
		"a read-only token": strings.ReplaceAll(configText("Work"), `"full"`, `"read-only"`),
	}
	for name, config := range configs {
		for _, era := range []string{"2025-11-25", statelessVersion} {
			t.Run(name+", "+era, func(t *testing.T) {
				w := newRenamedWorld(t, config)
				c := w.connectVersion(era)
				list, err := c.ListTools(t.Context(), nil)
				require.NoError(t, err)
				if len(list.Tools) == 0 {
					t.Fatal("no tool is offered")
				}
				checkNames(t, "the tool list", string(rawjson.Encode(list)))
				checkNames(t, "the instructions", w.server.promptList().instructions())
				prompts, err := c.ListPrompts(t.Context(), nil)
				require.NoError(t, err)
				checkNames(t, "the list of prompts", string(rawjson.Encode(prompts)))
				for _, prompt := range prompts.Prompts {
					arguments := maps.Clone(promptArguments()[prompt.Name])
					text, err := c.prompt(prompt.Name, arguments)
					require.NoError(t, err)
					checkNames(t, "the prompt "+prompt.Name, text)
					if !strings.Contains(text, renamed("search")) && !strings.Contains(text, renamed("get_page")) {
						t.Errorf("the prompt %s names no tool: %s", prompt.Name, text)
					}
				}
				for _, server := range []string{"list_graphs", "current_graph", "get_graph_guidelines", "setup_new_graph"} {
					reply, err := c.CallTool(t.Context(), callOf(renamed(server), `{}`))
					require.NoError(t, err)
					checkNames(t, "the reply of "+server, string(rawjson.Encode(reply)))
				}
			})
		}
	}
}

// faultsOfRoam are answers that are explained in a way of their own.
func faultsOfRoam() map[string]func(*fakeRoam, string) {
	fails := func(status int, code, message string) func(*fakeRoam, string) {
		return func(roam *fakeRoam, action string) {
			roam.fails(action, status, fmt.Sprintf(`{"success":false,"error":{"code":%q,"message":%q},"apiVersion":"1.1.5"}`, code, message))
		}
	}
	return map[string]func(*fakeRoam, string){
		"an unknown token":    fails(401, string(localapi.CodeTokenNotFound), "unknown token"),
		"too little access":   fails(403, string(localapi.CodeInsufficientScope), "scope"),
		"nothing there":       fails(500, "", "Couldn't find entity with uid x"),
		"there already":       fails(500, "", "Page with title x already exists"),
		"an unknown action":   fails(404, string(localapi.CodeUnknownAction), "no such action"),
		"too many writes":     fails(500, "", "Rate limit exceeded"),
		"a dropped reply":     func(roam *fakeRoam, action string) { roam.fails(action, 0, "") },
		"nonsense":            func(roam *fakeRoam, action string) { roam.fails(action, 200, "<html>") },
		"nothing":             func(roam *fakeRoam, action string) { roam.result(action, `null`) },
		"a refused delete":    func(roam *fakeRoam, action string) { roam.result(action, `{"deleted":false,"reason":"not-found"}`) },
		"another refusal":     func(roam *fakeRoam, action string) { roam.result(action, `{"deleted":false,"reason":"odd"}`) },
		"a reply to be cut":   func(roam *fakeRoam, action string) { roam.result(action, longReply()) },
		"semantic search off": fails(500, "", "embeddings are not enabled: semantic search"),
	}
}

// longReply has every field that replies are cut at.
func longReply() string {
	markdown, _ := longPage(200)
	object := rawjson.With("uid", "p").With("linkedReferences", json.RawMessage(`{"total":1,"results":[{"uid":"r"}]}`)).With("markdown", markdown)
	var results []json.RawMessage
	for i := range 200 {
		results = append(results, rawjson.With("uid", fmt.Sprintf("u%d", i)).With("parentUid", "p").With("markdown", strings.Repeat("x", 200)).JSON())
	}
	for _, field := range []string{"results", "comments", "suggestions"} {
		object = object.With(field, rawjson.Array(results))
	}
	return string(object.JSON())
}

// Every tool meets every fault, with one graph and with several: what comes back
// names tools of its own profile only.
func TestErrorsOfASecondProfileNameOnlyItsOwnTools(t *testing.T) {
	for _, config := range []string{configText("Work"), configText("Work", "Home")} {
		refused := []string{`{}`, `{"graph":"nope"}`} // whatever Roam says
		for name, fault := range faultsOfRoam() {
			w := newRenamedWorld(t, config, func(o *Options) { o.MaxReply = SmallestReply }) // as many writes to one would wait for their turn
			c := w.connect()
			for i, row := range matrixRows() {
				if row.tool == "get_block" || race.Enabled && i%8 != 0 {
					continue
				}
				actions := []string{"q", "data.fast.q", row.action, "data.ai.getPage", "data.ai.getBlock", localapi.GuidelinesAction}
				for _, action := range actions {
					fault(w.roam, action)
				}
				for _, arguments := range append(refused, row.args, strings.TrimSuffix(row.args, "}")+`,"ticket":"x"}`) {
					reply, err := c.CallTool(t.Context(), callOf(renamed(row.tool), arguments))
					if err != nil {
						continue // arguments that are no JSON
					}
					checkNames(t, row.tool+" with "+name, string(rawjson.Encode(reply)))
				}
			}
			refused = nil
		}
	}
}

func TestAProfileIsChecked(t *testing.T) {
	for name, change := range map[string]func(*surface.Profile){
		"two tools of one name":    func(p *surface.Profile) { p.Tools[1].Name = p.Tools[0].Name },
		"two tools of one task":    func(p *surface.Profile) { p.Tools[1].Task = p.Tools[0].Task },
		"a tool in no toolset":     func(p *surface.Profile) { p.Tools[0].Toolset = "nowhere" },
		"a tool without a title":   func(p *surface.Profile) { p.Tools[0].Title = "" },
		"a tool that says nothing": func(p *surface.Profile) { p.Tools[0].Description = problem.Hint{} },
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			p := roam.Profile()
			change(&p)
			if err := p.Check(); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}
