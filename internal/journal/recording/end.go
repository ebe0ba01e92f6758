package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// Before implements ops.Record.
func (b *pendingRecord) Before() *fact.State {
	if b.kind.Look == nil {
		return nil
	}
	return &b.before
}

// After implements ops.Record: what a change left is read once, for whoever made it and for
// the journal.
func (b *pendingRecord) After(ctx context.Context) (*fact.State, error) {
	if b.kind.Look == nil || b.kind.Class == fact.ClassShortcut { // of which the page alone is read
		return nil, nil
	}
	b.replied = b.recording.recorder.now().UnixMilli()
	found, err := b.footprint(nil).read(ctx)
	switch {
	case errors.Is(err, fact.ErrTooLarge):
		return nil, nil
	case err != nil:
		return nil, err
	}
	b.left = &found
	return &found.after, nil
}

// End implements ops.Record: it records how a write ended, and has read in the background
// what it left, unless After has read it.
func (b *pendingRecord) End(outcome ops.Outcome) {
	r := b.recording
	ended := history.Outcome{Evidence: outcome.Evidence}
	done := b.write.Write.Done(outcome.Reply)
	ended.State, ended.Code = stateOf(done, outcome)
	var tops []string
	part := -1
	if ended.State == history.StateDone {
		tops = done.Made
		if done.File != "" {
			b.left = &afterImage{after: fact.State{File: done.File}}
		}
		ended.Touches = fact.NewTouches(fact.State{}).Add(fact.RoleMade, tops...).List()
		ended.Evidence = strings.TrimSpace(ended.Evidence + " " + partsNotDone(outcome.Reply))
		part, ended.Summary = r.tally(b, ended.Touches)
	}
	// The caller's context may have ended, and the write is done all the same.
	err := r.recorder.options.Journal.Finish(context.WithoutCancel(r.recorder.ctx), b.change, ended)
	if err != nil {
		r.recorder.log.Warn("the outcome of a write is not recorded yet", "code", problem.CodeOf(err), "change", fmt.Sprintf("%d.%d", b.change.Call, b.change.Seq))
	}
	if b.keeps != NoTexts && ended.State == history.StateDone {
		r.recorder.readAfter(b, part, tops)
	}
	r.recorder.settleOnce(b.write.Graph, r.call.Later)
}

// stateOf returns the state of a change, and the code of its failure.
func stateOf(done ops.Done, outcome ops.Outcome) (history.State, string) {
	code := ""
	if outcome.Err != nil {
		code = string(ops.Explained(outcome.Err).Code)
	}
	switch outcome.Applied {
	case ops.Yes:
		if done.Missing {
			return history.StateRefused, string(localapi.CodeNotFound)
		}
		return history.StateDone, code
	case ops.No:
		if failed, ok := problem.AsCall(outcome.Err); ok && failed.Sent() && outcome.Evidence == "" {
			return history.StateRefused, code
		}
		return history.StateNotDone, code
	case ops.Unknown:
	}
	return history.StateUnknown, code
}

// partsNotDone says how many parts of a batch were not done, as Roam reports it.
func partsNotDone(reply json.RawMessage) string {
	parts := rawjson.Elements(rawjson.Parse(reply).Get("results"))
	failed, unseen := 0, 0
	for _, part := range parts {
		code, _ := rawjson.Parse(part).Text("code")
		switch {
		case string(rawjson.Parse(part).Get("ok")) != "false":
		case code == string(ops.CodeOutcomeUnknown):
			unseen++
		default:
			failed++
		}
	}
	var said []string
	if failed > 0 {
		said = append(said, fmt.Sprintf("%d of %d parts were not done.", failed, len(parts)))
	}
	if unseen > 0 {
		said = append(said, fmt.Sprintf("%d of %d parts are not seen.", unseen, len(parts)))
	}
	return strings.Join(said, " ")
}

// tally adds a change that is done to the summary of the call, and returns its place
// among them for tallyAfter. Where no texts are kept there is no summary.
func (r *Recording) tally(b *pendingRecord, made []fact.Touch) (part int, summary string) {
	if b.keeps == NoTexts {
		return -1, ""
	}
	touches := made
	if b.kind.Touches != nil {
		touches = append(b.kind.Touches(b.before), made...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts = append(r.parts, review.Part{Class: b.kind.Class, Before: b.before, Touches: touches})
	r.name(pagesIn(b.before))
	return len(r.parts) - 1, r.summary()
}

// tallyAfter adds what a change has left; touches are all of its.
func (r *Recording) tallyAfter(part int, after fact.State, touches []fact.Touch, pages map[string]string) (summary string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts[part].After, r.parts[part].Touches = after, touches
	r.name(pages)
	return r.summary()
}

// name notes the titles of pages; mu is held.
func (r *Recording) name(pages map[string]string) {
	if r.pages == nil {
		r.pages = map[string]string{}
	}
	maps.Copy(r.pages, pages)
}

// summary sums up the changes so far; mu is held.
func (r *Recording) summary() string {
	tally := review.Tally{Restores: r.call.Restores}
	for _, part := range r.parts {
		part.Pages = r.pages
		tally.Add(part)
	}
	return tally.String()
}

// Stopped records that the call was refused with a code before anything was sent, by a
// guard or by the user. It does nothing where a write of the call is recorded.
func (r *Recording) Stopped(ctx context.Context, code problem.Code) {
	r.mu.Lock()
	number := r.number
	r.mu.Unlock()
	if number != 0 {
		return
	}
	call := r.call
	err := r.recorder.options.Journal.Stopped(context.WithoutCancel(ctx), history.Intent{
		Who: call.Who, Graph: graphOf(call.Graph), Tool: call.Tool,
	}, string(code))
	if err != nil {
		r.recorder.log.Warn("a call that was stopped is not recorded", "code", problem.CodeOf(err))
	}
}

// graphOf returns a graph as the journal names it.
func graphOf(graph localapi.Graph) history.Graph {
	return history.Graph{Name: graph.Name, Type: string(graph.Type)}
}
