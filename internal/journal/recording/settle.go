package recording

import (
	"context"
	"fmt"
	"maps"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// settleWait is how long Settle waits for another process that does the same.
const settleWait = 100 * time.Millisecond

// settleOnce settles what earlier servers have left open of a graph, in the background
// and once.
func (r *Recorder) settleOnce(graph localapi.Graph, caller ops.Caller) {
	g := r.on(graph)
	r.mu.Lock()
	first := !g.settling
	g.settling = true
	r.mu.Unlock()
	if !first {
		return
	}
	r.background("settling what earlier servers left", func(ctx context.Context) {
		if err := r.Settle(ctx, graph, caller); err != nil && ctx.Err() == nil { // else this server ends, and another one goes on
			r.log.Warn("what earlier servers left could not be settled", "code", problem.CodeOf(err))
		}
	})
}

// Settle finds out what became of the writes to a graph whose servers have ended: of
// those that were open, by looking as for a lost reply; and of those that are done, what
// they have left (JOURNAL.md, Settling). Where another process does the same it does
// nothing.
func (r *Recorder) Settle(ctx context.Context, graph localapi.Graph, caller ops.Caller) error {
	journal, named := r.options.Journal, graphOf(graph)
	release, ok, err := journal.Exclusive(ctx, "settle", settleWait)
	if err != nil || !ok {
		return err
	}
	defer release()
	abandoned, err := journal.Abandoned(ctx, &named)
	if err != nil {
		return err
	}
	operations := ops.New(ops.Options{Now: r.now}).On(graph, caller)
	for _, each := range abandoned {
		if _, err := r.settle(ctx, operations, each); err != nil {
			return err
		}
	}
	unread, err := journal.Unread(ctx, &named)
	if err != nil {
		return err
	}
	for _, each := range unread {
		if err := r.readLate(ctx, each, caller); err != nil {
			return err
		}
	}
	return nil
}

// SettleDoubts looks again for the writes of a call whose outcome is unknown, once none
// of them can be under way any more, and reads the facts after those that were done.
func (r *Recorder) SettleDoubts(ctx context.Context, call int64, caller ops.Caller) error {
	doubts, err := r.options.Journal.InDoubt(ctx, call)
	if err != nil {
		return err
	}
	for _, each := range doubts {
		operations := ops.New(ops.Options{Now: r.now}).On(localapi.Graph{Name: each.Graph.Name, Type: localapi.GraphType(each.Graph.Type)}, caller)
		if wait := each.Sent.Add(ops.OnItsWay + time.Millisecond).Sub(r.now()); wait > 0 && !r.options.Wait(ctx, wait) {
			return ctx.Err()
		}
		state, err := r.settle(ctx, operations, each)
		if err == nil && state == history.StateDone {
			err = r.readLate(ctx, each, caller)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settle looks what became of a change that is open.
func (r *Recorder) settle(ctx context.Context, graph *ops.Graph, open history.Open) (history.State, error) {
	ended := history.Outcome{State: history.StateUnknown, Evidence: "What it does can't be seen in the graph."}
	before, err := fact.Parse(open.Before)
	if err == nil && open.Request != nil {
		if w, err := ops.ParseWrite(open.Action, open.Request, before); err == nil {
			seen := graph.Settle(ctx, w, open.Sent.UnixMilli())
			ended.Evidence = seen.Evidence
			switch {
			case seen.Applied == ops.Yes && open.Repeated:
				ended.Evidence = "It is there, but the same write was sent again. " + seen.Evidence
			case seen.Applied == ops.Yes:
				ended.State, ended.Touches = history.StateDone, fact.NewTouches(fact.State{}).Add(fact.RoleMade, w.Done(seen.Reply).Made...).List()
			case seen.Applied == ops.No:
				ended.State = history.StateNotDone
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err // the look may say nothing because of it
	}
	if err := r.options.Journal.Finish(ctx, open.Change, ended); err != nil {
		return "", fmt.Errorf("record what became of change %d.%d: %w", open.Call, open.Seq, err)
	}
	return ended.State, nil
}

// readLate reads what a change left whose server has ended before it was read.
func (r *Recorder) readLate(ctx context.Context, open history.Open, caller ops.Caller) error {
	before, err := fact.Parse(open.Before)
	if err != nil {
		return nil //nolint:nilerr // nothing can be compared with it
	}
	f := afterRead{
		change: open.Change, class: open.Class, by: history.ByLate, before: before, touches: open.Touches,
		since: open.Sent.UnixMilli(), until: open.Done.UnixMilli(), ask: asking(caller),
	}
	for _, touch := range open.Touches {
		if touch.Role == fact.RoleMade {
			f.tops = append(f.tops, touch.UID)
		}
	}
	f.told = func(after fact.State, touches []fact.Touch, pages map[string]string) string {
		return r.lateSummary(ctx, open, review.Part{Class: open.Class, Before: before, After: after, Touches: touches, Pages: pages})
	}
	if w, err := ops.ParseWrite(open.Action, open.Request, before); err == nil {
		f.write = w
		capture := w.Capture()
		if f.titles = capture.Titles; capture.Shortcuts != nil {
			f.shortcuts = capture.Shortcuts(before.Shortcuts)
		}
	}
	return r.readOnce(ctx, f, true)
}

// lateSummary returns the summary of a call whose server has ended: of its changes that are done, as the
// journal has them, and with late for the one that was read just now. It is empty where the journal
// can't be read.
func (r *Recorder) lateSummary(ctx context.Context, open history.Open, late review.Part) string {
	record, ok, err := r.options.Journal.Record(ctx, open.Call)
	if err != nil || !ok {
		return ""
	}
	pages := record.Pages
	if pages == nil {
		pages = map[string]string{}
	}
	maps.Copy(pages, late.Pages)
	var tally review.Tally
	for _, change := range record.Changes {
		if change.ID == open.ID {
			late.Pages = pages
			tally.Add(late)
			continue
		}
		if part, err := review.PartOf(change, pages); err == nil && change.State == history.StateDone {
			tally.Add(part)
		}
	}
	return tally.String()
}
