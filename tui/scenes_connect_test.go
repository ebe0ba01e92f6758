package tui

import (
	"errors"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func formScenes() map[string]scene {
	return map[string]scene{
		"rename":               in(configured).then(press("e")),
		"rename-clash":         in(configured).then(press("e", "ctrl+u", "o", "l", "d")),
		"reauthorize":          in(configured).then(press("down", "r")),
		"remove":               in(configured).then(press("x")),
		"connect-form":         in(fresh).then(press("enter")),
		"connect-form-access":  in(fresh).then(press("enter", "down")),
		"connect-form-last":    in(fresh).then(press("enter", "tab", "tab")),
		"connect-by-name":      in(configured).then(press("c", "h", "e", "l", "p", "!")),
		"connect-by-name-away": in(away).then(press("c", "n")),
		"connect-public":       in(configured).then(press("c", "h", "e", "l", "p", "enter")),
	}
}

// flowScenes are those of an exchange that wait for something on the way.
func flowScenes() map[string]scene {
	return map[string]scene{
		"by-hand":           asking(configured).then(state(exchange.Blocked), press("v"), pasted("roam-graph-local-token-SECRETabc")),
		"leave-unsaved":     notSaved().then(press("esc")),
		"rescued":           rescued(),
		"granted-not-saved": notSaved(),
		"panel":             waitingWithPanel(),
		"asking-unwritable": in(fresh).then(
			func(h *harness) { h.store.unwritable = errors.New("the disk is full") },
			press("enter", "enter"), see("nobody was asked")),
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
		"asking-blocked-in-the-sandbox": asking(fresh).then(state(exchange.Blocked)),
		"reauthorize-disabled":          in(configured).then(press("down", "down", "down", "r", "enter"), state(exchange.Granted), see("Saved as")),
		"reauthorize-granted":           in(configured).then(press("down", "down", "r", "enter"), granted(localapi.ReadOnly), see("Saved as")),
		"reauthorize-rejected":          in(configured).then(press("down", "down", "r", "enter"), state(exchange.Rejected)),
	}
}

// inState has an exchange in a state, and its token saved where there is one.
func inState(change func(*exchange.Machine)) scene {
	return asking(configured).then(machine(change), func(h *harness) {
		if h.asking().machine.State == exchange.Granted {
			h.untilShown("Saved as")
		}
	})
}

func grant(m *exchange.Machine, level localapi.AccessLevel) {
	m.State = exchange.Granted
	m.Grant = localapi.TokenGrant{Graph: m.Request.Graph, Token: secret("wxyz"), AccessLevel: level}
}

func waiting(m *exchange.Machine) {
	m.State = exchange.Waiting
	m.Since, m.Deadline = start.Add(-48*time.Second), start.Add(4*time.Minute+12*time.Second)
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
			m.Err = failure(localapi.CodeDisabled, 403, "Roam's Local API is disabled.", "Open Settings in Roam Desktop and switch the Local API on, or update Roam: newer builds always have it on.")
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
