package undo

import (
	"context"
	"errors"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/ops"
)

// errMeanwhile refuses a step: what it is about was edited since it was planned.
var errMeanwhile = errors.New("it was edited meanwhile")

// watcher is an ops.Recorder that shows a walk what each of its writes found and left, so that
// a text which somebody has edited meanwhile is told from one that Roam has rewritten.
type watcher struct {
	Recording
	walk *walk
}

// Begin implements ops.Recorder.
func (r watcher) Begin(ctx context.Context, write ops.Recorded) (ops.Record, error) {
	check := write.Check
	write.Check = func(ctx context.Context, before *fact.State) error {
		if before != nil && !r.walk.isAsKnown(write.Write, *before) {
			return errMeanwhile
		}
		return check(ctx, before)
	}
	record, err := r.Recording.Begin(ctx, write)
	if err != nil {
		return nil, err
	}
	if before := record.Before(); before != nil {
		r.walk.found(*before)
	}
	return watched{record, r.walk, write.Write.Footprint().Texts}, nil
}

type watched struct {
	ops.Record
	walk  *walk
	named []string // uids of those whose texts the write itself changes
}

// After implements ops.Record.
func (r watched) After(ctx context.Context) (*fact.State, error) {
	after, err := r.Record.After(ctx)
	if after != nil {
		r.walk.learn(*after)
	}
	if before := r.Before(); before != nil && after != nil {
		r.walk.undo.rewritten.add(*before, *after, r.named)
	}
	return after, err
}

// found compares what a write found with what is known: what differs was edited by somebody.
func (w *walk) found(before fact.State) {
	for uid, is := range before.Things {
		known, read := w.state.Things[uid]
		if read && !known.Gone && !is.Gone && (known.Text != is.Text || known.Title != is.Title) {
			w.dropped[uid] = true
		}
	}
}

// learn notes what a write has left.
func (w *walk) learn(after fact.State) {
	for uid, is := range after.Things {
		if _, known := w.state.Things[uid]; !known && is.IsPage() && is.Created >= w.began && !w.back[uid] {
			w.steps.UnusedPages = append(w.steps.UnusedPages, uid) // Roam made it for a text on the way
		}
		if is.Children == nil {
			is.Children = w.state.Things[uid].Children
		}
		w.state.Things[uid] = is
	}
}

// isAsKnown reports whether a write, of which a look right before it has found something, changes
// and removes nothing but what is known.
func (w *walk) isAsKnown(write ops.Write, before fact.State) bool {
	switch write := write.(type) {
	case ops.BlockUpdate:
		return w.hasText(write, before)
	case ops.BlockUpdates:
		for _, each := range write {
			if !w.hasText(each, before) {
				return false
			}
		}
	case ops.PageUpdate:
		return before.Things[write.UID].Title == w.state.Things[write.UID].Title
	case ops.BlockMove:
		return before.Things[write.UID].Parent == w.state.Things[write.UID].Parent
	case ops.Removal:
		return w.removes(before, write.UID)
	case ops.Removals:
		var uids []string
		for _, each := range write {
			uids = append(uids, each.UID)
		}
		return w.removes(before, uids...)
	}
	return true
}

func (w *walk) hasText(update ops.BlockUpdate, before fact.State) bool {
	return update.String == nil || before.Things[update.UID].Text == w.state.Things[update.UID].Text
}

// removes reports whether nothing goes with pages and blocks, and nothing refers to them, that is
// not known. An unused page goes alone.
func (w *walk) removes(before fact.State, uids ...string) bool {
	for uid, is := range before.Things {
		known, read := w.state.Things[uid]
		switch {
		case is.Gone:
		case is.IsPage() && slices.Contains(uids, uid):
			if len(before.Things) > 1 || len(is.Children) > 0 {
				return false
			}
		case !read, known.Text != is.Text:
			return false
		}
	}
	return true
}
