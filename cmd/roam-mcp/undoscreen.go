package main

import (
	"context"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/tui"
	"roam-mcp/tui/historyview"
	"roam-mcp/tui/kit"
)

// undoableHistory is the history as the setup program reads it, and takes it back.
type undoableHistory struct{ *historyview.View }

var _ tui.History = undoableHistory{}

// PlanUndo implements tui.History.
func (h undoableHistory) PlanUndo(ctx context.Context, wanted tui.Undo) ([]tui.UndoPlan, error) {
	calls, err := historyview.ParseRange(wanted.Calls)
	if err != nil {
		return nil, err
	}
	plans, err := h.View.PlanUndo(ctx, historyview.Undo{Range: &calls, Redo: wanted.Redo})
	if err != nil {
		return nil, err
	}
	var out []tui.UndoPlan
	for _, p := range plans {
		var calls []history.Call
		for _, r := range p.Records {
			calls = append(calls, r.Call)
		}
		out = append(out, tui.UndoPlan{
			Name: p.Name, Calls: calls, Changes: p.Result.Changes, Possible: p.Possible() == nil,
			Text: p.Text,
			Run: func(ctx context.Context, tell func(done, all int, waits time.Duration)) (tui.Undone, error) {
				result, err := h.RunUndo(ctx, p, func(p historyview.Progress) { tell(p.Done, p.All, p.Wait) })
				return tui.Undone{Changes: result.Changes, Text: func(glyphs kit.Glyphs) string { return p.Done(glyphs, result) }}, err
			},
		})
	}
	return out, nil
}
