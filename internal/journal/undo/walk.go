package undo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

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
