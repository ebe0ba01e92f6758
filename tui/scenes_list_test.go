package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// many has more graphs than a screen holds.
func many(h *harness) {
	configured(h)
	for i := range 60 {
		h.roam.available = append(h.roam.available, hosted(fmt.Sprintf("graph-%02d", i)))
	}
}

func listScenes() map[string]scene {
	return map[string]scene{
		"graphs":              after([]world{configured}),
		"graphs-unconnected":  after([]world{configured}, "down", "down", "down", "down"),
		"graphs-many":         after([]world{many}, "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down", "down"),
		"graphs-sorted":       after([]world{configured}, "S", "S", "S"),
		"graphs-marked":       after([]world{configured}, "end", "space", "up", "space"),
		"graphs-filter":       after([]world{many}, "/", "w", "o"),
		"graphs-filter-none":  after([]world{configured}, "/", "z", "z"),
		"graphs-first":        after([]world{fresh}),
		"graphs-empty":        after(nil),
		"graphs-roam-away":    after([]world{away, official}),
		"graphs-away-config":  after([]world{configured, away}),
		"graphs-disabled-api": after([]world{configured, apiDisabled}),
		"graphs-problems":     after([]world{configured, problems}),
		"graphs-broken":       after([]world{brokenConfig}),
		"help":                after([]world{configured}, "?"),
		"help-sandbox":        after([]world{fresh}, "?"),
		"help-rejected":       helpOfRejected,
		"about":               shownFirst("?", "p"),
		"about-long-path":     shownFirst("?", "p", "down", "down", "down"),
		"clients":             after([]world{configured}, "m"),
	}
}

// helpOfRejected has keys with long words.
func helpOfRejected(t *testing.T, width, height int) *harness {
	h := inState(exchangeScenes()[exchange.Rejected])(t, width, height)
	h.press("?")
	return h
}

func apiDisabled(h *harness) {
	h.roam.err = &problem.Error{Code: localapi.CodeDisabled, Call: &problem.Call{Status: 403}, Message: "Roam's Local API is disabled.", Hint: problem.Say("Enable it in Roam's settings.")}
}

func problems(h *harness) {
	h.store.config.Problems = []configstore.Problem{
		{Code: configstore.CodeEntryInvalid, Message: `Entry 3 ("notes") has no token.`, Advice: "Re-authorize the graph, or take the entry out.", Index: 2},
		{Code: configstore.CodeConfigModeOpen, Message: "Other users of this machine can read or change /home/ada/.roam-mcp.json, which holds tokens (mode 644).", Advice: "chmod 600", Index: -1},
	}
}

func brokenConfig(h *harness) {
	h.roam.open = []localapi.Graph{hosted("work")}
	h.store.loadErr = &configstore.Error{Code: configstore.CodeConfigInvalid, Message: "/home/ada/.roam-mcp.json is not valid JSON at line 4, column 7.", Advice: "Mend the file; roam-mcp never overwrites what it can't read."}
}

func unprovable(h *harness) {
	h.ports.Prove = func(context.Context, string) (Proof, error) {
		return Proof{}, &problem.Error{Code: localapi.CodeTokenNotFound, Message: "get_graph_guidelines: Roam does not know this token for this graph.", Hint: problem.Say("Re-authorize the graph.")}
	}
}

// shownFirst waits for the files before the last keys are pressed.
func shownFirst(keys ...string) scene {
	return func(t *testing.T, width, height int) *harness {
		h := newHarness(t, width, height, configured)
		h.press(keys[:2]...)
		h.untilShown("Configuration")
		h.press(keys[2:]...)
		return h
	}
}

// officialMany has more graphs in the file of the official tools than a screen
// holds.
func officialMany(h *harness) {
	h.ports.Official = func() ([]configstore.Entry, []configstore.Problem, error) {
		var entries []configstore.Entry
		for i := range 50 {
			entries = append(entries, entry(fmt.Sprintf("Graph %d", i), hosted(fmt.Sprintf("graph-%d", i)), localapi.Full, "aaaa"))
		}
		return entries, nil, nil
	}
}

// awaitedScenes are those beside an exchange that wait for something on the way.
func awaitedScenes() map[string]scene {
	return map[string]scene{
		"import": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, official)
			h.press("i")
			h.untilShown("Recipes")
			return h
		},
		"import-many": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, officialMany)
			h.press("i")
			h.untilShown("Graph 0")
			h.press("end")
			return h
		},
		"import-done": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, official)
			h.press("i")
			h.untilShown("Recipes")
			h.press("enter")
			h.untilShown("Added Recipes")
			return h
		},
		"clients-proven": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured)
			h.press("m", "t")
			h.untilShown("answered initialize")
			return h
		},
		"clients-not-proven": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, unprovable)
			h.press("m", "t")
			h.untilShown("Re-authorize the graph.")
			return h
		},
	}
}

func TestEveryGraphOfALongImportCanBeSeen(t *testing.T) {
	h := awaitedScenes()["import-many"](t, 60, 16)
	if !h.shows("Graph 49") || !h.shows("↑↓ scroll") || !h.shows("enter import 50 graphs") {
		t.Errorf("the screen is\n%s", h.screen())
	}
}

func TestTheKeyThatScrollsIsThereWithTheFirstFrameThatNeedsIt(t *testing.T) {
	h := awaitedScenes()["import-many"](t, 80, 70)
	if h.shows("scroll") {
		t.Fatalf("there is nothing to scroll:\n%s", h.screen())
	}
	h.root.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if frame := h.root.View().Content; !strings.Contains(ansi.Strip(frame), "↑↓ scroll") {
		t.Errorf("the frame is\n%s", ansi.Strip(frame))
	}
}
