package mcpserve

import (
	"encoding/json"
	"fmt"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// setupWords tells a state to the one who waits.
func setupWords(m exchange.Machine) string {
	graph, level := textsafe.Quote(m.Request.Graph.Name), m.Request.AccessLevel.Words()
	switch m.State {
	case exchange.Locating:
		return lookingForRoam
	case exchange.Waiting:
		return fmt.Sprintf("Waiting for the user: Roam asks whether %s may be used with %s access.", graph, level)
	case exchange.Busy:
		return fmt.Sprintf("Another request for %s is open in Roam. Asking again until it is answered.", graph)
	case exchange.Granted:
		return fmt.Sprintf("Roam granted %s access to %s.", m.Grant.AccessLevel.Words(), graph)
	case exchange.Unreachable, exchange.Disabled, exchange.Verifying,
		exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled: // Roam's words
	}
	if m.Err != nil {
		return m.Err.Message
	}
	return "The request was cancelled."
}

// setupDone is the reply once a token was granted; the error is that of saving.
func (c setupCall) setupDone(now requestState) (json.RawMessage, error) {
	if now.kept.Err != nil {
		return nil, now.kept.Err
	}
	graph := setupGraphOf(now.kept.Entry)
	graph.TokenStatus = ""
	reply := rawjson.With("status", "connected").With("graph", graph)
	if now.machine.Lowered() {
		reply = reply.With("requestedAccessLevel", now.machine.Request.AccessLevel).With("warning", fmt.Sprintf("Less was granted than asked: you can %s.", now.kept.Entry.AccessLevel.Explain()))
	}
	instruction := problem.Say("The graph can be used at once.").
		Then("Call %s with graph %s before anything else there.", problem.ReadGuidelines, textsafe.Quote(now.kept.Entry.Nickname))
	if now.kept.Entry.Disabled {
		instruction = problem.Say("The graph is disabled; the user can enable it with: %s", problem.Run("enable", now.kept.Entry.Nickname))
	}
	return reply.With("instruction", c.World().Say(instruction)).JSON(), nil
}

// setupWaiting is the reply where the person has not answered yet.
func (c setupCall) setupWaiting(m exchange.Machine) json.RawMessage {
	reply := rawjson.With("status", "waiting").
		With("graph", m.Request.Graph).
		With("requestedAccessLevel", m.Request.AccessLevel)
	if left := m.Left(time.Now()); left > 0 {
		reply = reply.With("secondsLeft", int(left.Seconds()))
	}
	return reply.With("instruction", c.World().Say(problem.Say(
		"Roam is still asking. Tell the user to answer the dialog in %s, then call this tool again with the same graph: it goes on waiting, and no second dialog opens.", problem.Roam))).JSON()
}

// setupFailure is how an exchange ended without a token.
func setupFailure(m exchange.Machine) error {
	if m.Err == nil {
		return &problem.Error{Code: localapi.CodeCancelled, Message: "The request was cancelled.", Hint: problem.Say("Nothing was saved.")}
	}
	f := ExplainRoam(m.Err)
	if f.Hint.IsZero() {
		f.Hint = problem.Say("Nothing was saved. Where it stays so, the user can make a token in Roam (Settings > Graph > Local API Tokens) and add it with: %s", problem.Run("connect", m.Request.Graph.Name).With("--token-stdin"))
	}
	switch m.State {
	case exchange.Rejected:
		f.Hint = problem.Say("Do not ask again by yourself. Where the user wants less access: call again with accessLevel read-append or read-only.")
	case exchange.TimedOut:
		f.Hint = problem.Say("Ask the user to be at %s, then call again.", problem.Roam)
		f.Retry = problem.RetryNever // a dialog that nobody answers is not to be opened again and again
	case exchange.Failed:
		if f.Code == localapi.CodeConnectionFailed {
			f.Hint = problem.Say("Roam went away while it was asking. Ask the user to start it, then call again; where it asks once more, the first token stays unused.")
		}
	case exchange.Unreachable:
		f.Hint = problem.Say("Ask the user to start %s, then call again.", problem.Roam)
		f.Retry = problem.RetryLater
	case exchange.Disabled:
		f.Hint = problem.Say("Ask the user to enable the Local API in Roam's settings, then call again.")
	case exchange.Busy:
		f.Hint = problem.Say("Ask the user to answer or close the other dialog in Roam, then call again.")
	case exchange.Locating, exchange.Waiting, exchange.Verifying, exchange.Granted, exchange.Blocked, exchange.Cancelled:
	}
	return f
}
