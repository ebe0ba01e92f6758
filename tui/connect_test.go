package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func TestConnect(t *testing.T) {
	public := request(hosted("help"), localapi.ReadOnly)
	public.Public = true
	chosen := request(hosted("demo"), localapi.ReadAppend)
	chosen.Description += " too"
	play(t, map[string]scene{
		"asks for what was chosen, and saves what was granted": in(fresh).then(
			press("enter", "down", "tab", "ctrl+u"), typed("My demo"), press("tab"), typed(" too"), press("enter"),
			requested(chosen), granted(localapi.ReadAppend), see("Saved as “My demo”"), savedEntry(0, configstore.Entry{
				Name: "demo", Type: localapi.Hosted, Nickname: "My demo", Token: secret("wxyz"),
				AccessLevel: localapi.ReadAppend, LastKnownTokenStatus: localapi.TokenActive,
			}), press("esc"), see("Your graphs")),
		"refuses the name of a connected graph": in(configured).then(
			press("c"), typed("lab-notebook"), press("enter"), see("is connected already, as Lab")),
		"asks for a public graph read only": in(configured).then(
			press("c"), typed("https://roamresearch.com/#/app/help/page/AbC"), press("enter", "enter"), requested(public)),
		"asks with one enter on a form where access can be seen": in(fresh).then(
			press("enter"), shown("› full", "read + append", "read only", "enter ask Roam"), press("enter"), requested(request(hosted("demo"), localapi.Full))),
		"takes a graph for the person's own while Roam is away": in(away).then(
			press("c"), typed("mine"), press("enter", "enter"), requested(request(hosted("mine"), localapi.Full))),
		"refuses the other graph of a connected name": in(configured, func(h *harness) {
			h.roam.open = append(h.roam.open, offline("archive-2019"))
		}).then(press("/"), typed("archive"), press("enter", "down", "enter"), see("only one of the two can be")),
		"asks nobody while the configuration can't be read": in(brokenConfig).then(
			press("enter"), see("never overwrites what it can't read"), unasked, depth(1)),
		"asks for no name while the configuration can't be read": in(brokenConfig).then(
			press("c"), shown("E opens it in an editor"), depth(1)),
	})
}

func TestReauthorize(t *testing.T) {
	old := request(hosted("archive-2019"), localapi.ReadOnly)
	old.Public = true // it may be one that Roam does not list
	other := old
	other.AccessLevel, other.Description = localapi.ReadAppend, old.Description+" again"
	play(t, map[string]scene{
		"keeps the nickname, and the old token until the new one is saved": in(configured).then(
			press("down", "down", "r", "enter"), requested(old), state(exchange.Waiting), uncalled("save", "remove"),
			granted(localapi.ReadOnly), see("Saved as “Old”"), func(h *harness) {
				if got := h.store.config.Entries[2]; got.Token != secret("wxyz") || got.Nickname != "Old" {
					h.t.Errorf("saved is %+v", got)
				}
			}),
		"can ask for another level": in(configured).then(
			press("down", "down", "r", "up", "tab"), typed(" again"), press("enter"), requested(other)),
		"leaves nothing to choose for a public graph": in(configured, func(h *harness) {
			h.roam.available = h.roam.available[:1]
		}).then(press("down", "down", "r"), requested(old)),
		"does not say that a disabled graph is in use": scenes()["reauthorize-disabled"].then(
			shown("It stays disabled: agents can't reach it until you enable it."), doesNotOffer("t test"),
			press("m"), top[*clientsScreen]),
	})
}

func TestRename(t *testing.T) {
	play(t, map[string]scene{
		"refuses a name that is taken while it is typed": in(configured).then(
			press("e", "ctrl+u"), typed("LAB"), see(`The nickname "LAB" belongs to the graph "lab-notebook"`),
			press("enter"), uncalled("rename"), typed(" two"), press("enter"),
			see("Work is now LAB two. Saved in ~/.roam-mcp.json.", "Your graphs")),
	})
}

func TestDisable(t *testing.T) {
	play(t, map[string]scene{
		"and enable with space": in(configured).then(
			press("D"), see("Work is disabled"), press("D"), see("Work is enabled"), func(h *harness) {
				if h.store.config.Entries[0].Disabled {
					h.t.Error("Work is still disabled")
				}
			}),
		"shows an error": in(configured).then(hold(emptied), press("D"), see("No such graph.")),
	})
}

func TestRemove(t *testing.T) {
	remove := func(name string) step {
		return func(h *harness) {
			h.press("g", "x", "y")
			h.untilShown("Removed " + name + ". u puts it back.")
		}
	}
	play(t, map[string]scene{
		"asks, and enter keeps": in(configured).then(
			press("x", "enter"), uncalled("remove"), press("x", "right", "enter"), see("Removed Work. u puts it back."),
			press("u"), see("Work is back."), press("u"), see("Nothing was removed")),
		"is undone newest first": in(configured).then(
			remove("Work"), remove("Personal"), remove("Old"),
			press("u", "u"), // the second one is not about the same graph
			called("put back Personal"), called("put back Old"), press("u"), see("Work is back."), func(h *harness) {
				if got := h.store.log(); strings.Count(got, "put back Old;") != 1 {
					h.t.Errorf("the calls are %s", got)
				}
			}, press("u"), see("Nothing was removed")),
	})
}

func TestImport(t *testing.T) {
	play(t, map[string]scene{
		"adds the graphs of the official tools": in(configured, official).then(
			press("i"), see("import 1 graph", "its token could not be checked"), press("enter"), called("import"), see("Added Recipes."), press("enter"), see("Your graphs")),
		"asks about the tokens, and leaves out what is revoked": in(configured, official, func(h *harness) {
			h.roam.tokens[hosted("recipes")] = localapi.TokenInfo{Status: localapi.TokenRevoked}
		}).then(press("i"), see("Recipes (recipes, hosted, read only): its token was revoked, so it is left out."),
			shown("New", "Connected already – Work (jfb-work-notes-2024, hosted, full)"), unseen("import 1 graph")),
		"says that there is no file": in(func(h *harness) {
			h.graphs.Official = func() ([]configstore.Entry, []configstore.Problem, error) {
				return nil, nil, &problem.Error{Code: configstore.CodeConfigNotFound, Message: "There is no file."}
			}
		}).then(press("i"), see("there is nothing to import")),
		"scrolls to the last of many graphs": func(t *testing.T, _, _ int) *harness {
			return scenes()["import-many"].then(shown("Graph 49", "↑↓ scroll", "enter import 50 graphs"))(t, 60, 16)
		},
		"has the key that scrolls with the first frame that needs it": func(t *testing.T, _, _ int) *harness {
			return scenes()["import-many"].then(unseen("scroll"), func(h *harness) {
				h.root.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
				if frame := ansi.Strip(h.root.View().Content); !strings.Contains(frame, "↑↓ scroll") {
					h.t.Errorf("the frame is\n%s", frame)
				}
			})(t, 80, 70)
		},
	})
}

func TestFixMode(t *testing.T) {
	in(configured, problems).then(press("f"), see("f close it to others"), press("f"), called("fix mode"), see("is now yours alone to read"))(t, 80, 24)
}
