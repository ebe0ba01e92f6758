package tui

import (
	"fmt"
	"strings"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// ExchangeStatus describes the state of a token exchange.
type ExchangeStatus struct {
	Sign     Sign
	Headline string   // without a full stop
	Text     []string // sentences; some may be empty
	Details  []string // what a helper would ask for, of a failure; no token is in it
}

// NotAsked is the status of an exchange that did not begin, since its token could
// not have been saved.
func (w Wording) NotAsked(err error) ExchangeStatus {
	what, todo := w.Explain(err)
	return ExchangeStatus{Sign: SignFailed, Headline: "The token could not be saved, so nobody was asked", Text: []string{what, todo}}
}

// Exchange is the status of an exchange. kept is what became of a granted token; nil
// while it is being saved.
func (w Wording) Exchange(a manage.Authorization, m exchange.Machine, kept *manage.Kept) ExchangeStatus {
	what, todo := "", ""
	if m.Err != nil {
		what, todo = w.Explain(m.Err)
	}
	unchanged := "Nothing was saved."
	if !a.Entry.Token.IsZero() {
		unchanged = "The token you had is kept."
	}
	byHand := !m.Request.Token.IsZero()
	switch m.State {
	case 0, exchange.Locating:
		return ExchangeStatus{SignBusy, "Looking for " + w.Roam(), []string{"Checking that the token can be saved, and that Roam has the graph."}, nil}
	case exchange.Unreachable:
		return w.stalled(m, w.Roam()+" can't be reached", what, todo)
	case exchange.Disabled:
		return w.stalled(m, "Roam's Local API is disabled", what, todo)
	case exchange.Waiting:
		return w.waiting()
	case exchange.Busy:
		return ExchangeStatus{SignBusy, "Roam is busy with another request", []string{"A request for this graph is open there: answer or close its dialog. This one goes out by itself as soon as Roam takes it."}, nil}
	case exchange.Verifying:
		return ExchangeStatus{SignBusy, "Checking the token", []string{"Roam is asked whether it knows this token for this graph."}, nil}
	case exchange.Granted:
		return w.granted(m, kept)
	case exchange.Rejected:
		return ExchangeStatus{SignFailed, "Rejected in Roam", []string{"Deny was chosen for this request. " + unchanged}, nil}
	case exchange.Blocked:
		return ExchangeStatus{SignFailed, "Blocked in Roam", []string{"“Never allow” was chosen for this graph, so Roam refuses without asking. " + unchanged, w.unblocking(a.Entry.Name)}, nil}
	case exchange.TimedOut:
		headline := "No answer in time"
		if m.Err != nil && m.Err.Code == localapi.CodeRequestInProgress {
			headline = "The other request stayed open in Roam"
			what, todo = "This one could not be made.", "Answer or close its dialog in Roam, then press a here."
		}
		return ExchangeStatus{SignFailed, headline, []string{strings.TrimSpace(what + " " + unchanged), todo}, nil}
	case exchange.Cancelled:
		switch {
		case m.Err != nil:
			return ExchangeStatus{SignNone, "Cancelled by Roam", []string{what + " " + unchanged, todo}, nil}
		case byHand:
			return ExchangeStatus{SignNone, "Cancelled", []string{"The token was not checked. " + unchanged}, nil}
		}
		return ExchangeStatus{SignNone, "Cancelled", []string{"The request was dropped. " + unchanged}, nil}
	case exchange.Failed:
	}
	failed := ExchangeStatus{SignFailed, "This did not work", []string{what, todo, unchanged}, w.details(m)}
	if byHand {
		failed.Headline = "The token does not work"
	}
	return failed
}

// stalled is the ExchangeStatus while Roam can't be asked.
func (w Wording) stalled(m exchange.Machine, headline, what, todo string) ExchangeStatus {
	st := ExchangeStatus{Sign: SignStalled, Headline: headline, Text: []string{what, todo}}
	if !m.Ended() {
		st.Text = append(st.Text, "This goes on by itself when Roam answers.")
	}
	return st
}

func (w Wording) waiting() ExchangeStatus {
	st := ExchangeStatus{SignBusy, "Waiting for you in Roam", []string{"Roam has opened the graph and asks whether to allow this.", "Choose “Allow and configure” there."}, nil}
	if w.Sandbox {
		st.Headline = "Waiting for you in Roam (sandbox)"
		st.Text = []string{"Roam would open the graph now and ask whether to allow this.", "The sandbox stands in for it, and asks in the terminal in which it runs."}
	}
	if w.Desk {
		st.Text[1] = "The panel “Roam (sandbox)” stands in for its dialog."
	}
	return st
}

// unblocking says how a blocked graph can be asked for again.
func (w Wording) unblocking(name string) string {
	switch {
	case w.Desk:
		return "It can be unblocked here, and is asked about again then."
	case w.Sandbox:
		return "To unblock it, type in the terminal where the sandbox runs: unblock " + name + ". Then ask again here."
	}
	return "To unblock it, open it in Roam: Settings > Graph > Local API Tokens. Then ask again here."
}

// granted says what was granted, whether it is less than asked, and what became of
// the token.
func (w Wording) granted(m exchange.Machine, kept *manage.Kept) ExchangeStatus {
	level := m.Grant.AccessLevel
	st := ExchangeStatus{SignDone, "Connected", []string{"Agents can " + level.Explain() + "."}, nil}
	if m.Lowered() {
		st = ExchangeStatus{SignWarning, "Connected with less than asked", []string{fmt.Sprintf("You asked for %s access, Roam granted %s. Agents can %s.", m.Request.AccessLevel.Words(), level.Words(), level.Explain())}, nil}
		if !m.Request.Token.IsZero() { // entered by hand, so nobody was asked
			st.Text = []string{fmt.Sprintf("The token gives %s access. Agents can %s.", level.Words(), level.Explain())}
		}
	}
	switch {
	case kept == nil:
	case kept.Err == nil:
		st.Text = append(st.Text, w.saved(*kept))
		if kept.Entry.Disabled {
			st.Text = append(st.Text, "It stays disabled: agents can't reach it until you enable it.")
		}
	case kept.Lost():
		what, todo := w.Explain(kept.Err)
		st.Sign, st.Headline = SignWarning, "Granted, but not saved"
		st.Text = append(st.Text, what, todo, "The token is kept here until you leave this screen; Roam shows it only once.")
	default:
		st.Sign, st.Headline = SignWarning, "Granted, and kept in a file of its own"
		st.Text = append(st.Text, "The token is in "+w.Path(kept.File)+", readable by you alone.",
			w.Todo(problem.Say("Once %s can be written, this takes it over: %s", w.ConfigPath(), problem.Run("import", kept.File))))
	}
	return st
}

// Connected is the status of an exchange whose token is saved, on a screen of its own.
func (w Wording) Connected(a manage.Authorization, m exchange.Machine, kept manage.Kept) ExchangeStatus {
	st := w.Exchange(a, m, &kept)
	switch {
	case m.Lowered():
	case a.Entry.Token.IsZero():
		st.Headline = kept.Entry.Nickname + " is connected"
	default:
		st.Headline = kept.Entry.Nickname + " has a new token"
	}
	if kept.Entry.AccessLevel.CanAppend() && w.HistoryFolder != "" {
		st.Text = append(st.Text, RecordedText)
	}
	return st
}

// ClientNext says what comes after a graph is connected.
func (w Wording) ClientNext(nickname string) string {
	return "Next, have an AI client start roam-mcp, so that agents can use " + nickname + "."
}

func (w Wording) saved(kept manage.Kept) string {
	return "Saved as “" + kept.Entry.Nickname + "” in " + w.ConfigPath() + "."
}

// LateGrant says what became of a token that Roam granted in the moment in which
// its exchange was left.
func (w Wording) LateGrant(kept manage.Kept) string {
	text := "Roam granted " + kept.Entry.Name + " in that moment"
	switch {
	case kept.Err == nil:
		return text + ". " + w.saved(kept)
	case kept.Lost():
		return text + ". " + w.Error(kept.Err)
	}
	return text + ", and the token could not be saved; it is kept in " + kept.File + ". " + w.Todo(problem.Say("This takes it over: %s", problem.Run("import", kept.File)))
}

// details returns what a helper would ask for. It holds no token.
func (w Wording) details(m exchange.Machine) []string {
	lines := []string{"roam-mcp " + w.Version + ", state: " + m.State.String()}
	err := m.Err
	if err == nil {
		return lines
	}
	code := "code " + string(err.Code)
	if err.Status() != 0 {
		code += fmt.Sprintf(", HTTP status %d", err.Status())
	}
	call := err.Call
	if call == nil {
		call = &problem.Call{}
	}
	if call.APIVersion != "" {
		code += ", API " + call.APIVersion
	}
	lines = append(lines, kit.Sanitize(code))
	if call.Action != "" {
		lines = append(lines, kit.Sanitize("call "+call.Action))
	}
	if call.Text != "" {
		lines = append(lines, kit.Sanitize("Roam's text: "+call.Text))
	}
	return lines
}
