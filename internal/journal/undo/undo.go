// Package undo takes recorded changes of a graph back (JOURNAL.md, Undo).
//
// It promises that each change is planned from what the graph is right before, and what the
// change left; that nothing is planned or written over what somebody has written since; that
// every step is a write like any other, recorded as one that takes the change back; and that the
// same changes can be taken back again where it was ended in the middle. Plan asks nobody and
// sends nothing. An agent sees in Own nothing of what others changed, and no text, title or uid of
// a block that is hidden from agents. The package does not know tools and replies.
package undo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/ops"
)

// Recording records the steps, and is told what they take back. It is a recording.Recording.
type Recording interface {
	ops.Recorder
	TakeBack(change int64)
	TakenBack(ctx context.Context, class fact.Class, left []string) error
	Number() int64
}

// Undo takes changes of one graph back.
type Undo struct {
	Graph *ops.Graph // without a Recorder
	Ask   fact.Ask   // reads the graph
	// Recording is of one call; nil: nothing is written, and Run plans alone.
	Recording Recording
	// Only is the uid of the block, or page, that is taken back with all that was below it; "": all
	// that the changes touched.
	Only string
	// Under is the uid of a block or page that gets what comes back and has lost what it was below;
	// "": that stays away.
	Under string
	// Over are the fields that are set back although somebody has changed them since.
	Over map[Overwritten]bool
	Tell func(Progress)   // nil: nobody is told
	Now  func() time.Time // nil: time.Now
	// Wait waits for that time; false where ctx ends first. nil: ops.Wait.
	Wait func(ctx context.Context, d time.Duration) bool

	all       int // changes
	walks     []*walk
	oldest    map[string]int64 // ID of the oldest of the changes that touch something, by uid
	pretended fact.State       // what the steps would leave where nothing is sent
	renewed   renewals
	rewritten rewrites
}

// Result is what Run has done, or would do.
type Result struct {
	Changes int      // that are taken back, at least in part; or were so already. None that was ended in the middle
	Undone  []string // their numbers, the newest first
	Steps   int      // pages and blocks that were changed, made and removed
	Pages   []string // titles of pages that were removed, since nothing needs them any more
	Left    []Left   // what stays as it is
	Inexact []string // what can't be as it was, in words
	// Renewed are the uids of blocks that came back with others than they had, by those: Roam
	// gave none again.
	Renewed fact.Renames
	Call    int64 // number under which it is recorded; 0: it is not
}

// Run takes changes back, the newest first, but for those that are taken back already. An error
// is that of a write or a read that failed: what came before it is done, and the same call goes on.
func (u *Undo) Run(ctx context.Context, changes []history.ChangeRecord) (Result, error) {
	all, err := u.changes(changes)
	if err != nil {
		return Result{}, err
	}
	planned := make([]Change, len(all))
	for i := range all {
		planned[i] = all[i].Change
	}
	u.renewed, u.rewritten = renewals{uids: fact.Renames{}}, rewrites{}
	run := NewRun(planned)
	run.Under, run.Over = u.Under, u.Over
	if u.Now == nil {
		u.Now = time.Now
	}
	if u.Wait == nil {
		u.Wait = ops.Wait
	}
	u.all, u.walks, u.oldest = len(all), nil, map[string]int64{}
	for _, c := range all { // the newest first
		for _, touch := range c.Touches {
			u.oldest[touch.UID] = c.id
		}
	}
	if err = u.walkAll(ctx, all, run); err == nil {
		err = u.end(ctx)
	}
	u.tell(0)
	return u.result(), err
}

// walkAll takes changes back one after the other.
func (u *Undo) walkAll(ctx context.Context, all []change, run Run) error {
	u.pretended = fact.State{Things: map[string]fact.Fact{}}
	back, began := map[string]bool{}, u.Now().UnixMilli()
	var note *walk // what it says was done is taken back until the next one
	for _, c := range all {
		u.tell(0)
		w := &walk{undo: u, change: c, earlier: u.walks, gone: map[string]bool{}, dropped: map[string]bool{}, began: began, back: back}
		if u.Recording != nil {
			w.graph = u.Graph.RecordedBy(watcher{u.Recording, w})
			u.Recording.TakeBack(c.id)
		}
		u.walks = append(u.walks, w)
		if c.note {
			if err := note.end(ctx, false); err != nil {
				return err
			}
			note = w
			continue
		}
		err := w.run(ctx, run, &u.pretended)
		if err == nil {
			err = w.finish(ctx)
		}
		if err != nil {
			return err
		}
	}
	return note.end(ctx, false)
}

// tell says how many changes are taken back, and how long Roam is waited for.
func (u *Undo) tell(wait time.Duration) {
	if u.Tell == nil {
		return
	}
	progress := Progress{All: u.all, Wait: wait}
	for _, w := range u.walks {
		if w.done {
			progress.Done++
		}
	}
	u.Tell(progress)
}

// changes returns the changes that are to be taken back, the newest first.
func (u *Undo) changes(records []history.ChangeRecord) (all []change, err error) {
	for _, record := range records {
		c, err := readChange(record)
		if err != nil {
			return nil, err
		}
		if u.Only != "" {
			c.only(u.Only)
		}
		if c.done && !record.IsUndone() && (len(c.Touches) > 0 || u.Only == "") {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return int(b.id - a.id) })
	return all, nil
}

// end removes the pages that the changes made and that something needed until now, and records
// that the changes are taken back.
func (u *Undo) end(ctx context.Context) error {
	if u.Recording == nil {
		return u.pretendPages(ctx)
	}
	if err := u.removeAllPages(ctx, u.walks, func(*walk, string) bool { return true }); err != nil {
		return err
	}
	for _, w := range u.walks {
		if w.done {
			continue
		}
		if err := w.end(ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// result returns what the walks have done.
func (u *Undo) result() (result Result) {
	for _, w := range u.walks {
		result.Steps += w.sent
		result.Left = append(result.Left, w.left...)
		result.Pages = append(result.Pages, w.pagesGone...)
		if w.done && !w.change.note && (w.sent > 0 || len(w.left) == 0) {
			result.Changes++
			result.Undone = append(result.Undone, w.change.Number)
		}
		for _, lack := range slices.Concat(w.change.lacks, w.bare(), w.staying()) {
			result.Inexact = append(result.Inexact, w.change.Number+": "+lack)
		}
	}
	if result.Renewed = u.renewed.uids; len(result.Renewed) > 0 {
		result.Inexact = append(result.Inexact, fmt.Sprintf("%d of the blocks that are back have other uids than they had: Roam gives none again", len(result.Renewed)))
	}
	if u.Recording != nil {
		result.Call = u.Recording.Number()
	}
	return result
}

// removePages removes those of the pages that the changes of walks made which are chosen, if they are
// unused; it reports whether there were any.
func (u *Undo) removePages(ctx context.Context, walks []*walk, chosen func(w *walk, uid string) bool) (some bool, err error) {
	for _, w := range walks {
		pages := slices.DeleteFunc(slices.Clone(w.steps.UnusedPages), func(uid string) bool { return !chosen(w, uid) })
		u.Recording.TakeBack(w.change.id)
		removed, err := w.removeUnused(ctx, pages)
		if err != nil {
			return some, err
		}
		some = some || removed
	}
	return some, nil
}

// removeAllPages is removePages until none of them is unused any more: one may refer to another.
func (u *Undo) removeAllPages(ctx context.Context, walks []*walk, chosen func(w *walk, uid string) bool) error {
	for again := true; again; {
		var err error
		if again, err = u.removePages(ctx, walks, chosen); err != nil {
			return err
		}
	}
	return nil
}
