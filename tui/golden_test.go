package tui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares the screen with its file.
func golden(t *testing.T, h *harness, name string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	got := h.screen()
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("%s has changed; if that is meant, run the test with -update. The screen is\n%s", path, got)
	}
}

// scene sets the program up and leads it to a screen.
type scene func(t *testing.T, width, height int) *harness

// scenes are the screens that have a golden file.
func scenes() map[string]scene {
	all := listScenes()
	maps.Copy(all, formScenes())
	maps.Copy(all, flowScenes())
	return all
}

// after is the scene after some keys.
func after(worlds []world, keys ...string) scene {
	return func(t *testing.T, width, height int) *harness {
		h := newHarness(t, width, height, worlds...)
		h.press(keys...)
		return h
	}
}

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
		"graphs-filter":       after([]world{many}, "/", "w", "o"),
		"graphs-filter-none":  after([]world{configured}, "/", "z", "z"),
		"graphs-first":        after([]world{fresh}),
		"graphs-empty":        after(nil),
		"graphs-roam-away":    after([]world{away, official}),
		"graphs-away-config":  after([]world{configured, away}),
		"graphs-disabled-api": after([]world{configured, apiDisabled}),
		"graphs-problems":     after([]world{configured, problems}),
		"graphs-broken":       after([]world{brokenConfig}),
		"graph":               after([]world{configured}, "enter"),
		"graph-revoked":       after([]world{configured}, "down", "down", "enter"),
		"help":                after([]world{configured}, "?"),
		"help-sandbox":        after([]world{fresh}, "?"),
		"serve":               after([]world{configured}, "s"),
	}
}

func formScenes() map[string]scene {
	return map[string]scene{
		"rename":              after([]world{configured}, "e"),
		"rename-clash":        after([]world{configured}, "e", "ctrl+u", "o", "l", "d"),
		"remove":              after([]world{configured}, "x"),
		"connect-form":        after([]world{fresh}, "enter"),
		"connect-form-access": after([]world{fresh}, "enter", "enter", "down"),
		"connect-form-last":   after([]world{fresh}, "enter", "enter", "enter"),
		"connect-by-name":     after([]world{configured}, "c", "h", "e", "l", "p", "!"),
		"connect-public":      after([]world{configured}, "c", "h", "e", "l", "p", "enter"),
	}
}

// flowScenes are those that wait for something on the way.
func flowScenes() map[string]scene {
	return map[string]scene{
		"import": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, official)
			h.press("i")
			h.untilShown("Recipes")
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
		"serve-proven": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured)
			h.press("s", "t")
			h.untilShown("answered initialize")
			return h
		},
		"serve-not-proven": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured, unprovable)
			h.press("s", "t")
			h.untilShown("Re-authorize the graph.")
			return h
		},
		"by-hand": func(t *testing.T, width, height int) *harness {
			h := asked1(t, width, height, configured)
			h.machine(func(m *exchange.Machine) { m.State = exchange.Blocked })
			h.press("v")
			h.handle(tea.PasteMsg{Content: "roam-graph-local-token-SECRETabc"})
			return h
		},
		"leave-unsaved": func(t *testing.T, width, height int) *harness {
			h := notSaved(t, width, height)
			h.press("esc")
			return h
		},
		"rescued": func(t *testing.T, width, height int) *harness {
			h := notSaved(t, width, height)
			h.press("e")
			h.untilShown("kept in a file of its own")
			return h
		},
		"granted-not-saved": notSaved,
		"panel":             waitingWithPanel,
	}
}

func apiDisabled(h *harness) {
	h.roam.err = &localapi.Error{Code: localapi.CodeDisabled, Status: 403, Message: "Roam's Local API is disabled.", Advice: "Enable it in Roam's settings."}
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
		return Proof{}, &localapi.Error{Code: localapi.CodeTokenNotFound, Message: "get_graph_guidelines: Roam does not know this token for this graph.", Advice: "Re-authorize the graph."}
	}
}

// asked1 has an exchange under way for the first graph that can be asked for.
func asked1(t *testing.T, width, height int, worlds ...world) *harness {
	t.Helper()
	h := newHarness(t, width, height, worlds...)
	for _, r := range h.root.env.rows("") {
		if !r.configured {
			break
		}
		h.press("down")
	}
	h.press("enter", "enter", "enter", "enter")
	h.until("the exchange", func() bool { return h.running() != nil })
	return h
}

func grant(m *exchange.Machine, level localapi.AccessLevel) {
	m.State = exchange.Granted
	m.Grant = localapi.TokenGrant{Graph: m.Request.Graph, Token: secret("wxyz"), AccessLevel: level}
}

func notSaved(t *testing.T, width, height int) *harness {
	h := asked1(t, width, height, configured)
	h.store.saveErr = &configstore.Error{Code: configstore.CodeConfigUnwritable, Message: "/home/ada/.roam-mcp.json can't be written: the disk is full.", Advice: "Make some room and try again."}
	h.machine(func(m *exchange.Machine) { grant(m, localapi.Full) })
	h.untilShown("Granted, but not saved")
	return h
}

func waitingWithPanel(t *testing.T, width, height int) *harness {
	h := asked1(t, width, height, fresh)
	h.machine(waiting)
	h.desk.updates <- []AccessRequest{{ID: "1", Graph: hosted("demo"), Description: "roam-mcp on this computer", AccessLevel: localapi.Full}}
	h.untilShown("asks for full")
	return h
}

func waiting(m *exchange.Machine) {
	m.State = exchange.Waiting
	m.Since, m.Deadline = start.Add(-48*time.Second), start.Add(4*time.Minute+12*time.Second)
}

func TestEveryScreenLooksAsItShould(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) { golden(t, scene(t, 80, 24), name+"-80x24") })
	}
	for _, name := range []string{"graphs", "graphs-first", "graphs-roam-away", "connect-form", "panel", "serve-proven", "help", "remove", "graph", "granted-not-saved"} {
		t.Run(name+" wide", func(t *testing.T) { golden(t, scenes()[name](t, 160, 50), name+"-160x50") })
	}
	for _, name := range []string{"graphs", "panel"} {
		t.Run(name+" side by side", func(t *testing.T) { golden(t, scenes()[name](t, 110, 30), name+"-110x30") })
	}
	for _, name := range []string{"graphs", "panel", "connect-form-access", "serve-proven"} {
		t.Run(name+" small", func(t *testing.T) { golden(t, scenes()[name](t, 60, 16), name+"-60x16") })
	}
}

// exchangeScenes gives every state of an exchange; a state without a scene fails
// TestEveryExchangeStateHasAScreen.
func exchangeScenes() map[exchange.State]func(*exchange.Machine) {
	failure := func(code localapi.Code, status int, what, todo string) *localapi.Error {
		return &localapi.Error{Code: code, Status: status, Message: what, Advice: todo, Action: "/api/graphs/tokens/request"}
	}
	return map[exchange.State]func(*exchange.Machine){
		exchange.Locating: func(m *exchange.Machine) { m.State = exchange.Locating },
		exchange.Unreachable: func(m *exchange.Machine) {
			m.State, m.Policy.Wait, m.NextTry = exchange.Unreachable, true, start.Add(3*time.Second)
			m.Err = failure(localapi.CodeConnectionFailed, 0, "Nothing answers on 127.0.0.1:3333.", "Start Roam Desktop.")
		},
		exchange.Disabled: func(m *exchange.Machine) {
			m.State, m.Policy.Wait, m.NextTry = exchange.Disabled, true, start.Add(2*time.Second)
			m.Err = failure(localapi.CodeDisabled, 403, "Roam's Local API is disabled.", "Enable it in Roam's settings.")
		},
		exchange.Waiting: waiting,
		exchange.Busy: func(m *exchange.Machine) {
			m.State, m.NextTry = exchange.Busy, start.Add(4*time.Second)
			m.Err = failure(localapi.CodeRequestInProgress, 409, "Another request for this graph is open in Roam.", "Answer it.")
		},
		exchange.Verifying: func(m *exchange.Machine) { m.State, m.Request.Token = exchange.Verifying, secret("vvvv") },
		exchange.Granted:   func(m *exchange.Machine) { grant(m, localapi.Full) },
		exchange.Rejected: func(m *exchange.Machine) {
			m.State, m.Err = exchange.Rejected, failure(localapi.CodeUserRejected, 403, "The request was rejected in Roam.", "")
		},
		exchange.Blocked: func(m *exchange.Machine) { m.State = exchange.Blocked },
		exchange.TimedOut: func(m *exchange.Machine) {
			m.State, m.Err = exchange.TimedOut, failure(localapi.CodeTimeout, 408, "Nobody answered the request in Roam in time.", "Ask again when you are at Roam.")
		},
		exchange.Failed: func(m *exchange.Machine) {
			m.State, m.Err = exchange.Failed, failure(localapi.CodeInternal, 500, "Roam says: the window went away.", "Try again.")
			m.Err.RoamText, m.Err.APIVersion = "the window\x1b[2J went away", "1.1.5"
		},
		exchange.Cancelled: func(m *exchange.Machine) { m.State = exchange.Cancelled },
	}
}

func TestEveryExchangeStateHasAScreen(t *testing.T) {
	scenes := exchangeScenes()
	headlines := make(map[string]exchange.State)
	for _, state := range exchange.States() {
		t.Run(state.String(), func(t *testing.T) {
			scene, ok := scenes[state]
			if !ok {
				t.Fatalf("the state %q has no scene", state)
			}
			h := asked1(t, 80, 24, configured)
			h.machine(scene)
			if state == exchange.Granted {
				h.untilShown("Saved as")
			}
			s := h.asking()
			headline := s.status().headline
			if other, taken := headlines[headline]; taken || headline == "" {
				t.Errorf("the headline %q is empty, or that of %q", headline, other)
			}
			headlines[headline] = state
			if !slices.ContainsFunc(s.keys(), func(b key.Binding) bool { return slices.Contains(b.Keys(), "esc") }) {
				t.Error("no key leads out")
			}
			golden(t, h, "asking-"+strings.ReplaceAll(strings.ReplaceAll(state.String(), " ", "-"), "'", "")+"-80x24")
		})
	}
}

func TestALowerLevelThanAskedIsSaidPlainly(t *testing.T) {
	h := asked1(t, 80, 24, configured)
	h.machine(func(m *exchange.Machine) { grant(m, localapi.ReadOnly) })
	h.untilShown("Saved as")
	golden(t, h, "asking-lowered-80x24")
}

func TestNothingIsAskedWhenTheConfigurationCantBeWritten(t *testing.T) {
	h := newHarness(t, 80, 24, fresh)
	h.store.unwritable = errors.New("the disk is full")
	h.press("enter", "enter", "enter", "enter")
	h.untilShown("nobody was asked")
	golden(t, h, "asking-unwritable-80x24")
	if h.running() != nil {
		t.Error("an exchange was started")
	}
	h.store.unwritable = nil
	h.press("r")
	h.until("the exchange", func() bool { return h.running() != nil })
}
