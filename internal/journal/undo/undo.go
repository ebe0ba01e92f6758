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
	"encoding/json"
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
	// Tell is called with the number of changes that are taken back so far; nil: nobody is told.
	Tell func(done, all int)
	Now  func() time.Time // nil: time.Now

	renewed   renewals
	rewritten rewrites
}

// Result is what Run has done, or would do.
type Result struct {
	Changes int      // that are taken back, at least in part; or were so already
	Undone  []string // their numbers, the newest first
	Steps   int      // pages and blocks that were changed, made and removed
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
	run, pretended := NewRun(planned), fact.State{Things: map[string]fact.Fact{}}
	run.Under, run.Over = u.Under, u.Over
	now := u.Now
	if now == nil {
		now = time.Now
	}
	back, began := map[string]bool{}, now().UnixMilli()
	var walks []*walk
	for i, c := range all {
		if u.Tell != nil {
			u.Tell(i, len(all))
		}
		w := &walk{undo: u, change: c, earlier: walks, gone: map[string]bool{}, dropped: map[string]bool{}, began: began, back: back}
		if u.Recording != nil {
			w.graph = u.Graph.RecordedBy(watcher{u.Recording, w})
			u.Recording.TakeBack(c.id)
		}
		err := w.run(ctx, run, &pretended)
		walks = append(walks, w)
		if err == nil && i < len(all)-1 { // the last change is taken back once all pages are gone
			err = w.end(ctx)
		}
		if err != nil {
			return u.result(walks), err
		}
	}
	if err := u.end(ctx, walks); err != nil {
		return u.result(walks), err
	}
	if u.Tell != nil {
		u.Tell(len(all), len(all))
	}
	return u.result(walks), nil
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
		if c.done && (len(c.Touches) > 0 || u.Only == "") {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return int(b.id - a.id) })
	return all, nil
}

// end removes the pages that the changes made, until none of them is unused any more: what older
// changes bring back may need them. With that the last change is taken back.
func (u *Undo) end(ctx context.Context, walks []*walk) error {
	if u.Recording == nil || len(walks) == 0 {
		return nil
	}
	if err := u.removeAllPages(ctx, walks, func(*walk, string) bool { return true }); err != nil {
		return err
	}
	last := walks[len(walks)-1]
	u.Recording.TakeBack(last.change.id)
	return last.end(ctx)
}

// result returns what walks have done.
func (u *Undo) result(walks []*walk) (result Result) {
	for _, w := range walks {
		result.Steps += w.sent
		result.Left = append(result.Left, w.left...)
		if !w.change.note && (w.sent > 0 || len(w.left) == 0 && !w.change.taken) {
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
	taken bool // it is taken back already, but perhaps for the pages that it made
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
		note: record.Action == "", taken: record.UndoneBy != 0,
	}
	var errBefore, errAfter error
	c.Before, errBefore = fact.Parse(record.Before)
	c.After, errAfter = fact.Parse(record.After)
	if err := errors.Join(errBefore, errAfter); err != nil {
		return change{}, fmt.Errorf("change %s: %w", c.Number, err)
	}
	if w, err := ops.ParseWrite(record.Action, record.Request, c.Before); err == nil && !c.Known && len(c.After.Things) == 0 {
		c.After = ops.Supposed(w, c.Before)
	}
	return c, nil
}

// walk takes one change back.
type walk struct {
	undo    *Undo
	graph   *ops.Graph
	change  change
	state   fact.State
	steps   Steps
	sent    int
	left    []Left
	amended []string        // uids of blocks whose creations did not give them all
	gone    map[string]bool // blocks and pages that could not be made again
	dropped map[string]bool // whose texts somebody has edited meanwhile
	began   int64           // when the first of the walks did, ms
	back    map[string]bool // pages that this and earlier walks have made again
	earlier []*walk         // those before it
}

// run plans, and does what is planned. planned is what the changes before leave where nothing is
// sent.
func (w *walk) run(ctx context.Context, run Run, planned *fact.State) error {
	switch {
	case w.change.note:
		return nil
	case w.change.taken:
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

// pagesAlone plans for the pages that a change made which is taken back already: that may have
// been ended before they were gone.
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

// end records that the change is taken back, where it is so as a whole.
func (w *walk) end(ctx context.Context) error {
	if w.undo.Recording == nil || w.undo.Only != "" || w.change.taken {
		return nil
	}
	var reasons []string
	for _, left := range w.left {
		reason := string(left.Why)
		if left.UID != "" {
			reason = left.UID + ": " + reason
		}
		reasons = append(reasons, reason)
	}
	return w.undo.Recording.TakenBack(ctx, w.change.Class, reasons)
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

// send sends a write, and counts what it was for.
func (w *walk) send(ctx context.Context, write ops.Write, counts int) (json.RawMessage, error) {
	reply, err := w.graph.Apply(ctx, write)
	if err == nil {
		w.sent += counts
	}
	return reply, err
}
