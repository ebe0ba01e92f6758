package historyview

import (
	"context"
	"slices"
	"time"

	"roam-mcp/internal/journal/history"
)

const (
	settlePatience = 2 * time.Second  // for Roam: the history is shown without, then
	undoPatience   = 30 * time.Second // likewise, before something is undone
	settleAgain    = 30 * time.Second // between two times that the screens have it settled
)

// Settle finds out what became of the calls that servers left open when they ended, as
// far as Roam can be asked, for two seconds at the most.
func (v *View) Settle(ctx context.Context) { v.settleWithin(ctx, settlePatience) }

func (v *View) settleWithin(ctx context.Context, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, g := range v.unsettled(ctx) {
		if caller, _ := v.caller(ctx, g); caller != nil {
			// What is not settled now is listed as it is.
			_ = v.recorder.Settle(ctx, localGraph(g), caller)
		}
	}
}

// settleDoubts looks again for the writes of records whose outcome is unknown, and returns the
// records with what it found.
func (v *View) settleDoubts(ctx context.Context, records []history.Record) ([]history.Record, error) {
	for i, record := range records {
		if !slices.ContainsFunc(record.Changes, func(c history.ChangeRecord) bool { return c.State == history.StateUnknown }) {
			continue
		}
		caller, _ := v.caller(ctx, record.Call.Graph)
		if caller == nil {
			continue
		}
		if err := v.recorder.SettleDoubts(ctx, record.Call.ID, caller); err != nil {
			return nil, err
		}
		again, found, err := v.journal.Record(ctx, record.Call.ID)
		if err != nil {
			return nil, err
		}
		if found { // of which a part may be meant
			again.Changes = slices.DeleteFunc(again.Changes, func(c history.ChangeRecord) bool {
				return !slices.ContainsFunc(record.Changes, func(meant history.ChangeRecord) bool { return meant.ID == c.ID })
			})
			records[i] = again
		}
	}
	return records, nil
}

// settleLater settles in the background, unless that was done lately.
func (v *View) settleLater() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() != nil || time.Since(v.settled) < settleAgain {
		return
	}
	v.settled = time.Now()
	v.running.Go(func() { v.Settle(v.ctx) })
}

// unsettled returns the graphs with calls that servers left open, or of which nobody
// has read what they left.
func (v *View) unsettled(ctx context.Context) (graphs []history.Graph) {
	abandoned, _ := v.journal.Abandoned(ctx, nil) // where it can't be read, the list says so
	unread, _ := v.journal.Unread(ctx, nil)
	for _, open := range append(abandoned, unread...) {
		if !slices.Contains(graphs, open.Graph) {
			graphs = append(graphs, open.Graph)
		}
	}
	return graphs
}
