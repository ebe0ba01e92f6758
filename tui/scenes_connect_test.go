package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

func formScenes() map[string]scene {
	return map[string]scene{
		"rename":               after([]world{configured}, "e"),
		"rename-clash":         after([]world{configured}, "e", "ctrl+u", "o", "l", "d"),
		"reauthorize":          after([]world{configured}, "down", "r"),
		"remove":               after([]world{configured}, "x"),
		"connect-form":         after([]world{fresh}, "enter"),
		"connect-form-access":  after([]world{fresh}, "enter", "enter", "down"),
		"connect-form-last":    after([]world{fresh}, "enter", "enter", "enter"),
		"connect-by-name":      after([]world{configured}, "c", "h", "e", "l", "p", "!"),
		"connect-by-name-away": after([]world{away}, "c", "n"),
		"connect-public":       after([]world{configured}, "c", "h", "e", "l", "p", "enter"),
	}
}

// flowScenes are those of an exchange that wait for something on the way.
func flowScenes() map[string]scene {
	return map[string]scene{
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
		"asking-unwritable": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, fresh)
			h.store.unwritable = errors.New("the disk is full")
			h.press("enter", "enter", "enter", "enter")
			h.untilShown("nobody was asked")
			return h
		},
	}
}

// askingScenes are an exchange's states in other circumstances than stateScenes.
func askingScenes() map[string]scene {
	return map[string]scene{
		"asking-lowered": inState(func(m *exchange.Machine) { grant(m, localapi.ReadOnly) }),
		"asking-lowered-by-hand": inState(func(m *exchange.Machine) {
			m.Request.Token = secret("hand")
			grant(m, localapi.ReadOnly)
		}),
		"asking-token-unknown": inState(func(m *exchange.Machine) {
			m.State, m.Request.Token = exchange.Failed, secret("hand")
			m.Err = &problem.Error{Code: localapi.CodeTokenNotFound, Call: &problem.Call{Status: 401, Action: "/api/graphs/tokens/info"}, Message: "Roam does not know this token for this graph.", Hint: problem.Say("Copy it again, or ask for a new one.")}
		}),
		"asking-stayed-busy": inState(func(m *exchange.Machine) {
			m.State = exchange.TimedOut
			m.Err = &problem.Error{Code: localapi.CodeRequestInProgress, Call: &problem.Call{Status: 409}, Message: "Another request for this graph is open in Roam.", Hint: problem.Say("Answer it.")}
		}),
		"asking-cancelled-by-Roam": inState(func(m *exchange.Machine) {
			m.State = exchange.Cancelled
			m.Err = &problem.Error{Code: localapi.CodeCancelled, Call: &problem.Call{Status: 500}, Message: "Roam dropped the request.", Hint: problem.Say("Ask again.")}
		}),
		"asking-blocked-in-the-sandbox": func(t *testing.T, width, height int) *harness {
			h := asked1(t, width, height, fresh)
			h.machine(exchangeScenes()[exchange.Blocked])
			return h
		},
		"reauthorize-disabled": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured)
			h.press("down", "down", "down", "r", "enter")
			h.machine(exchangeScenes()[exchange.Granted])
			h.untilShown("Saved as")
			return h
		},
		"reauthorize-rejected": func(t *testing.T, width, height int) *harness {
			h := newHarness(t, width, height, configured)
			h.press("down", "down", "r", "enter")
			h.machine(exchangeScenes()[exchange.Rejected])
			return h
		},
	}
}

// inState has an exchange in a state, and its token saved where there is one.
func inState(change func(*exchange.Machine)) scene {
	return func(t *testing.T, width, height int) *harness {
		h := asked1(t, width, height, configured)
		h.machine(change)
		if h.asking().machine.State == exchange.Granted {
			h.untilShown("Saved as")
		}
		return h
	}
}

// asked1 has an exchange under way for the first graph that can be asked for.
func asked1(t *testing.T, width, height int, worlds ...world) *harness {
	t.Helper()
	h := newHarness(t, width, height, worlds...)
	for _, r := range h.root.env.rows() {
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
	h.store.saveErr = errDiskFull()
	h.machine(func(m *exchange.Machine) { grant(m, localapi.Full) })
	h.untilShown("Granted, but not saved")
	return h
}

func errDiskFull() error {
	return &configstore.Error{Code: configstore.CodeConfigUnwritable, Message: "/home/ada/.roam-mcp.json can't be written: the disk is full.", Advice: "Make some room and try again."}
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

func TestNothingIsAskedWhenTheConfigurationCantBeWritten(t *testing.T) {
	h := scenes()["asking-unwritable"](t, 80, 24)
	if h.running() != nil {
		t.Error("an exchange was started")
	}
	h.store.unwritable = nil
	h.press("r")
	h.until("the exchange", func() bool { return h.running() != nil })
}

// exchangeScenes leads to every state of an exchange; one without fails
// TestEveryExchangeStateHasAScreen.
func exchangeScenes() map[exchange.State]func(*exchange.Machine) {
	failure := func(code problem.Code, status int, what, todo string) *problem.Error {
		return &problem.Error{Code: code, Call: &problem.Call{Status: status, Action: "/api/graphs/tokens/request"}, Message: what, Hint: problem.Say("%s", todo)}
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
			m.State, m.NextTry, m.Since = exchange.Busy, start.Add(4*time.Second), start.Add(-12*time.Second)
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
			m.Err.Call.Text, m.Err.Call.APIVersion = "the window\x1b[2J went away", "1.1.5"
		},
		exchange.Cancelled: func(m *exchange.Machine) { m.State = exchange.Cancelled },
	}
}

func TestAfterAGrantTheKeyOfTheClientsLeadsToThem(t *testing.T) {
	h := inState(exchangeScenes()[exchange.Granted])(t, 80, 24)
	if !h.shows("m connect a client") {
		t.Errorf("it is not offered:\n%s", h.screen())
	}
	h.press("s")
	if _, still := h.root.top().(*exchangeScreen); !still {
		t.Fatalf("s opens %T", h.root.top())
	}
	h.press("m")
	if _, there := h.root.top().(*clientsScreen); !there {
		t.Errorf("m opens %T", h.root.top())
	}
}

func TestWhatWasAskedForIsNotSaidToBeTheAccess(t *testing.T) {
	h := askingScenes()["asking-lowered"](t, 80, 24)
	if !h.shows("Asked for full: read") || h.shows("Access full") {
		t.Errorf("the screen is\n%s", h.screen())
	}
}

func TestInTheSandboxNothingIsAdvisedThatOnlyRoamHas(t *testing.T) {
	h := askingScenes()["asking-blocked-in-the-sandbox"](t, 80, 24)
	h.wants("unblock demo", "roam-mcp sandbox")
	h.press("v")
	h.wants("The sandbox makes no tokens by hand")
	h.press("esc", "esc")
	h.run(h.root.perform(h.root.top(), open{newRemovalQuestion(h.root.env, entry("Demo", hosted("demo"), localapi.Full, "wxyz"))}))
	h.wants("revoke demo")
}

// wants has texts on the screen, and none of the settings of Roam Desktop.
func (h *harness) wants(texts ...string) {
	h.t.Helper()
	for _, text := range texts {
		if !h.shows(text) || h.shows("Settings") {
			h.t.Errorf("there is no %q, or a word on Roam's settings:\n%s", text, h.screen())
		}
	}
}

func TestAGraphIsTakenForAPublicOneOnlyWhereRoamDoesNotListIt(t *testing.T) {
	for name, test := range map[string]struct {
		worlds []world
		public bool
	}{
		"Roam lists others": {[]world{configured}, true},
		"Roam is away":      {[]world{away}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, 80, 24, test.worlds...)
			h.press("c")
			h.typeText("mine")
			h.press("enter", "enter", "enter", "enter")
			h.until("the exchange", func() bool { return h.running() != nil })
			if got := h.running().request; got.Public != test.public || (got.AccessLevel == localapi.ReadOnly) != test.public {
				t.Errorf("the request is %+v", got)
			}
		})
	}
}

func TestAGraphThatStaysDisabledIsNotSaidToBeInUse(t *testing.T) {
	h := askingScenes()["reauthorize-disabled"](t, 80, 24)
	if !h.shows("It stays disabled: agents can't reach it until you enable it.") || h.shows("t test") {
		t.Errorf("the screen is\n%s", h.screen())
	}
	h.press("m", "t")
	if s, ok := h.root.top().(*clientsScreen); !ok || s.nickname == "Lab" {
		t.Errorf("a call on a disabled graph is offered:\n%s", h.screen())
	}
}

func TestEverySentenceHasTheSameQuotes(t *testing.T) {
	h := waitingWithPanel(t, 80, 24)
	if !h.shows("“roam-mcp on this computer” asks for full access") || h.shows(`"`) {
		t.Errorf("the screen is\n%s", h.screen())
	}
	h.root.env.Glyphs = kit.ASCIIGlyphs()
	if !h.shows(`"roam-mcp on this computer" asks for full access`) || h.shows("“") {
		t.Errorf("without curly quotes it is\n%s", h.screen())
	}
	for _, line := range strings.Split(h.screen(), "\n") { // the panel stands below the text
		if strings.HasPrefix(line, " +") {
			t.Errorf("the panel is not in line with the text: %q", line)
		}
	}
}
