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
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
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

// staying says which of the pages that the change itself made stay, since they are in use. Those that
// Roam made for a mention are told by nobody.
func (w *walk) staying() (said []string) {
	if w.undo.Recording == nil {
		return nil
	}
	for _, touch := range w.change.Touches {
		if touch.Role == fact.RoleMade && slices.Contains(w.steps.UnusedPages, touch.UID) {
			said = append(said, fmt.Sprintf("the page %q stays, since it is in use", w.change.After.Things[touch.UID].Title))
		}
	}
	return said
}

// change is a recorded change as it is planned with.
type change struct {
	Change
	id    int64
	done  bool // it was done, or may have been
	note  bool // it says that another one was taken back, and was no request to Roam
	lacks []string
	// unfinished: it is taken back but for the pages that it made, and for what is left.
	unfinished bool
	left       []string
}

// only leaves of what a change touched a page or block alone, with what was below it before or
// after.
func (c *change) only(uid string) {
	of := append([]string{uid}, slices.Concat(c.Before.Below(uid), c.After.Below(uid))...)
	c.Touches = slices.DeleteFunc(slices.Clone(c.Touches), func(t fact.Touch) bool { return !slices.Contains(of, t.UID) })
}

func readChange(record history.ChangeRecord) (change, error) {
	c := change{
		Change: Change{
			Number: fmt.Sprintf("%d.%d", record.Call, record.Seq), Class: record.Class, Touches: record.Touches,
			Kept: record.Request != nil, Known: record.State == history.StateDone,
			Late: record.AfterBy == history.ByLate, Replied: record.Done.UnixMilli(),
		},
		id: record.ID, lacks: record.Lacks,
		done: record.State == history.StateDone || record.State == history.StateUnknown || record.State == history.StateOpen,
		note: record.Action == "", unfinished: record.UndoneBy != 0,
		left: slices.DeleteFunc(slices.Clone(record.UndoneLeft), func(left string) bool { return left == history.PagesLeft }),
	}
	var errBefore, errAfter error
	c.Before, errBefore = fact.Parse(record.Before)
	c.After, errAfter = fact.Parse(record.After)
	if err := errors.Join(errBefore, errAfter); err != nil {
		return change{}, fmt.Errorf("change %s: %w", c.Number, err)
	}
	w, err := ops.ParseWrite(record.Action, record.Request, c.Before)
	if err != nil { // it is none that says what it left
		return c, nil //nolint:nilerr // as above
	}
	if !c.Known && len(c.After.Things) == 0 {
		c.After = ops.Supposed(w, c.Before)
	}
	if c.Class.Makes() {
		c.Texts = ops.Texts(w)
	}
	return c, nil
}

// walk takes one change back.
type walk struct {
	undo   *Undo
	graph  *ops.Graph
	change change
	state  fact.State
	steps  Steps
	sent   int
	done   bool // the change is taken back as far as possible
	left   []Left
	// pagesGone are the titles of the pages that were removed since nothing needs them.
	pagesGone []string
	amended   []string        // uids of blocks whose creations did not give them all
	gone      map[string]bool // blocks and pages that could not be made again
	dropped   map[string]bool // whose texts somebody has edited meanwhile
	began     int64           // when the first of the walks did, ms
	back      map[string]bool // pages that this and earlier walks have made again
	earlier   []*walk         // those before it
}

// run plans, and does what is planned. planned is what the changes before leave where nothing is
// sent.
func (w *walk) run(ctx context.Context, run Run, planned *fact.State) error {
	if w.change.unfinished {
		return w.pagesAlone(ctx)
	}
	w.change = w.undo.renewed.applied(w.change)
	now, err := w.now(ctx, *planned)
	if err != nil {
		return err
	}
	if w.undo.Recording != nil {
		referring := now.Referrers.UIDs()
		removed, err := w.undo.removePages(ctx, w.earlier, func(_ *walk, uid string) bool { return slices.Contains(referring, uid) })
		if err == nil && removed {
			now, err = w.now(ctx, *planned)
		}
		if err != nil {
			return err
		}
		w.undo.Recording.TakeBack(w.change.id)
	}
	w.state = now.State
	now.State = w.undo.rewritten.withoutRewrites(now.State, run)
	w.steps = Plan(now, w.change.Change, run)
	w.left = w.steps.Left
	if w.undo.Recording == nil {
		w.sent = w.steps.Count()
		w.pretend(planned)
		return nil
	}
	for _, step := range []func(context.Context) error{w.pages, w.blocks, w.places, w.orders, w.away, w.looks, w.shortcuts, w.files} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pagesAlone plans for the pages of a change whose undo was ended before they were gone.
func (w *walk) pagesAlone(ctx context.Context) error {
	var uids []string
	for _, touch := range w.change.Touches {
		if w.change.After.Things[touch.UID].IsPage() && (touch.Role == fact.RoleMade || touch.Role == fact.RoleImplied) {
			uids = append(uids, touch.UID)
		}
	}
	read, err := fact.Things(ctx, w.undo.Ask, uids)
	for _, uid := range uids {
		if read.Things[uid].Title == w.change.After.Things[uid].Title {
			w.steps.UnusedPages = append(w.steps.UnusedPages, uid)
		}
	}
	w.state = read
	return err
}

// finish removes the pages that the change made, but for those that something needs, or an older
// change is about, and records that the change is taken back.
func (w *walk) finish(ctx context.Context) error {
	if w.undo.Recording == nil {
		w.done = true
		return nil
	}
	w.undo.Recording.TakeBack(w.change.id)
	pages := slices.DeleteFunc(slices.Clone(w.steps.UnusedPages), func(uid string) bool {
		oldest, touched := w.undo.oldest[uid]
		return touched && oldest < w.change.id
	})
	if _, err := w.removeUnused(ctx, pages); err != nil {
		return err
	}
	return w.end(ctx, len(w.steps.UnusedPages) > 0)
}

// end records that the change is taken back, where it is so as a whole; with pagesLeft but for its
// pages, which may be removed later. A nil walk has no change.
func (w *walk) end(ctx context.Context, pagesLeft bool) error {
	if w == nil {
		return nil
	}
	if w.undo.Recording == nil || w.undo.Only != "" {
		w.done = !pagesLeft
		return nil
	}
	reasons := slices.Clone(w.change.left)
	for _, left := range w.left {
		reason := string(left.Why)
		if left.UID != "" {
			reason = left.UID + ": " + reason
		}
		reasons = append(reasons, reason)
	}
	if pagesLeft {
		reasons = append(reasons, history.PagesLeft)
	}
	w.undo.Recording.TakeBack(w.change.id)
	err := w.undo.Recording.TakenBack(ctx, w.change.Class, reasons)
	w.done = err == nil && !pagesLeft
	return err
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

// fail decides about a step that failed: what Roam refused is left, and anything else ends the
// walk.
func (w *walk) fail(uid string, field fact.Field, err error) error {
	if errors.Is(err, errMeanwhile) {
		w.leave(uid, field, Changed)
		return nil
	}
	if ops.IsNotSeen(err) {
		w.leave(uid, field, "Roam says that it did it, and did not")
		return nil
	}
	failed, isCall := problem.AsCall(err)
	if isCall && failed.Code == ops.CodeOutcomeUnknown { // nothing is on its way where Roam itself failed
		if roam, ok := problem.AsCall(failed.Err); ok && roam.Status() == http.StatusInternalServerError {
			w.leave(uid, field, Reason("Roam failed at it: "+roam.Message))
			return nil
		}
	}
	if !isCall || !failed.Sent() || failed.Detail(ops.DetailApplied) != nil {
		return err
	}
	switch failed.Code {
	case localapi.CodeNotFound, localapi.CodeAlreadyExists, localapi.CodeValidation, localapi.CodeInternal:
		w.leave(uid, field, Reason("Roam refused it: "+failed.Message))
		return nil
	}
	return err
}

func (w *walk) leave(uid string, field fact.Field, why Reason) {
	w.left = append(w.left, Left{Change: w.change.Number, UID: uid, Field: field, Why: why})
}
