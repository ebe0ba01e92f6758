package undo

import (
	"context"
	"errors"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// looks gives blocks and pages their texts and all else of their own again. What other steps have
// brought back is as it should be.
func (w *walk) looks(ctx context.Context) error {
	var updates ops.BlockUpdates
	for _, look := range w.steps.Looks {
		uid := look.Want.UID
		now := w.state.Things[uid]
		switch {
		case now.Gone: // with what another step has removed
			continue
		case w.dropped[uid]:
			w.leave(uid, look.Fields[0], Changed)
			continue
		case now.IsPage():
			if err := w.view(ctx, look); err != nil {
				return err
			}
			continue
		}
		if update := updateOf(look, now); !update.IsEmpty() {
			updates = append(updates, update)
		}
	}
	return w.update(ctx, updates)
}

// view gives a page back how its blocks are listed.
func (w *walk) view(ctx context.Context, look Look) error {
	if !slices.Contains(look.Fields, fact.ChildrenView) {
		return nil
	}
	view := look.Want.ChildrenView
	_, err := w.send(ctx, ops.PageUpdate{UID: look.Want.UID, ViewType: view, NoView: view == ""}, 1)
	if view == "" && err != nil && wholly(err) && !errors.Is(err, errMeanwhile) { // a Roam that takes only those it names
		_, err = w.send(ctx, ops.PageUpdate{UID: look.Want.UID, ViewType: "bullet"}, 1)
	}
	if err != nil {
		return w.fail(look.Want.UID, fact.ChildrenView, err)
	}
	return nil
}

// updateOf returns what makes a block what a Look wants.
func updateOf(look Look, now fact.Fact) ops.BlockUpdate {
	want := look.Want
	update := ops.BlockUpdate{UID: want.UID}
	for _, field := range look.Fields {
		switch field {
		case fact.Text:
			if now.Text != want.Text {
				update.String = &want.Text
			}
		case fact.Heading:
			update.Heading = &want.Heading
		case fact.Open:
			open := want.IsOpen()
			update.Open = &open
		case fact.Align:
			update.TextAlign = &want.Align
		case fact.ChildrenView:
			update.ViewType = &want.ChildrenView
		case fact.BlockView:
			update.BlockView = &want.BlockView
		case fact.Props:
			props := ops.Props(want.Props)
			if want.Props == nil {
				props = "null"
			}
			update.Props = &props
		case fact.Existence, fact.Title, fact.Place, fact.Children, fact.Shortcut, fact.List:
		}
	}
	return update
}

// update changes blocks, several in one request; those of a request that is refused as a whole
// one by one.
func (w *walk) update(ctx context.Context, updates ops.BlockUpdates) error {
	for some := range slices.Chunk(updates, ops.MaxBatch) {
		if len(some) > 1 {
			_, err := w.send(ctx, some, len(some))
			if err == nil {
				continue
			}
			if !wholly(err) {
				return err
			}
		}
		for _, each := range some {
			if _, err := w.send(ctx, each, 1); err != nil {
				if err := w.fail(each.UID, fact.Text, err); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// wholly reports whether nothing of a batch was done.
func wholly(err error) bool {
	if errors.Is(err, errMeanwhile) || ops.LacksAction(err) {
		return true
	}
	failed, isCall := problem.AsCall(err)
	return isCall && failed.Sent() && failed.Status() >= 400 && failed.Status() < 500 && failed.Detail(ops.DetailApplied) == nil
}
