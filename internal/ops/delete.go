package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// Thing is what a uid can name.
type Thing string

// The things there are.
const (
	Block Thing = "block"
	Page  Thing = "page"
)

func (t Thing) readAction() string {
	if t == Page {
		return "data.ai.getPage"
	}
	return "data.ai.getBlock"
}

func (t Thing) readTask() problem.Task {
	if t == Page {
		return problem.ReadPage
	}
	return problem.ReadBlock
}

// goneWith says how a thing may have gone without a removal of its own.
func (t Thing) goneWith() string {
	if t == Page {
		return "merged into another page"
	}
	return "with a block above it"
}

// Removal is the deletion of a block or page, with all below it.
type Removal struct {
	Thing Thing
	UID   string
	// WasThere says that a read right before it found the thing.
	WasThere bool

	hidden bool // something above it hides it
}

// Request implements Write.
func (r Removal) Request() (action string, args []any) {
	return "data." + string(r.Thing) + ".delete", []any{map[string]any{string(r.Thing): map[string]any{"uid": r.UID}}}
}

// Footprint implements Write.
func (r Removal) Footprint() Footprint {
	uid := []string{r.UID}
	reach := Footprint{Places: uid, Removed: uid}
	if r.Thing == Page {
		reach.Retitled = uid
	}
	return reach
}

// Capture implements Write.
func (r Removal) Capture() Capture { return captureRemovals(r.UID) }

// Done implements Write.
func (r Removal) Done(reply json.RawMessage) Done {
	deleted := rawjson.Parse(reply).Get("deleted")
	if string(deleted) == "false" {
		return Done{Missing: true, Told: true}
	}
	return Done{What: doneDeleted, UIDs: []string{r.UID}, Told: deleted != nil}
}

func (r Removal) recovered(context.Context, verifier, int64) (rawjson.Object, bool) {
	return rawjson.With("deleted", true).With(Recovered, true), true
}

func parseRemovalOfBlock(s sentWrite) (Write, error) {
	return removalOf(Block, s.Block.UID, s.before), nil
}

func parseRemovalOfPage(s sentWrite) (Write, error) {
	return removalOf(Page, s.Page.UID, s.before), nil
}

// removalOf returns the removal of a thing, of which before tells whether it was there.
func removalOf(thing Thing, uid string, before fact.State) Removal {
	was, known := before.Things[uid]
	return Removal{Thing: thing, UID: uid, WasThere: known && !was.Gone}
}

func (r Removal) find(ctx context.Context, look verifier, _ int64) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?u :in $ ?u :where [?e :block/uid ?u]]`, r.UID)
	noun := string(r.Thing)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(rows) > 0:
		return No, "The " + noun + " is still there."
	case r.WasThere:
		return Yes, "The " + noun + " was there before the call and is gone."
	}
	return Unknown, "The " + noun + " could not be read before the call either."
}

// Affected is what a removal affects, as a read before it shows. Hidden blocks
// are not counted.
type Affected struct {
	Title       string   // of a page
	Known       bool     // whether the thing could be read; else nothing is known
	Descendants []string // uids
	References  int      // number of blocks that link to it or to what is below it
	Was         string   // the first of its blocks, as a read shows them, texts cut short
	// ReferredBy are visible blocks that link to it or to what is below it, MaxReferring
	// at most; nil where Roam does not answer. Those that are removed with it are left out.
	ReferredBy []Referring
}

// MaxReferring is how many referring blocks are named.
const MaxReferring = 20

// maxWas is how many of the blocks that were removed are shown.
const maxWas = 5

// Referring is a block that refers to another one.
type Referring struct {
	UID     string `json:"uid"`
	Page    string `json:"page"`
	Comment bool   `json:"comment,omitempty"` // whether it is a thread of comments
}

// Removed describes something that was removed.
type Removed struct {
	Affected
	Report rawjson.Object // Roam's, nil where an old build sends none
}

// Remove deletes a block or page, with all below it, and tells what that hit.
// Where there is no such thing the error is NOT_FOUND.
func (g Edits) Remove(ctx context.Context, thing Thing, uid string) (Removed, error) {
	removals, affected, before, err := g.reads().readRemovals(ctx, thing, []string{uid})
	if err != nil {
		return Removed{}, err
	}
	report, err := g.remove(ctx, removals[0], before)
	if err == nil {
		g.done.removed(affected[uid].blocks(thing))
	}
	return Removed{affected[uid], report}, err
}

// PreviewRemoval returns what deletions of pages or blocks would do. It sends nothing.
func (g Edits) PreviewRemoval(ctx context.Context, thing Thing, uids []string) (Preview, error) {
	removals, affected, before, err := g.reads().readRemovals(ctx, thing, uids)
	if err != nil {
		return Preview{}, err
	}
	var w Write = removals
	if thing == Page || len(removals) == 1 {
		w = removals[0]
	}
	action, _ := w.Request()
	var there []string
	was := ""
	for _, each := range removals {
		other := before != nil && before.Things[each.UID].IsPage() != (thing == Page)
		if each.WasThere && !other && !slices.Contains(there, each.UID) {
			there = append(there, each.UID)
			was += affected[each.UID].Was
		}
	}
	if len(there) == 0 {
		return Preview{}, notRemoved(thing, uids[0], action, rawjson.With("deleted", false))
	}
	impact, _, err := previewOf(ctx, g, w, there, before)
	if err != nil {
		return Preview{}, err
	}
	return Preview{impact, was}, nil
}

// blocks returns how many blocks go with a page or block, that itself included.
func (a Affected) blocks(thing Thing) int {
	if thing == Page {
		return len(a.Descendants)
	}
	return len(a.Descendants) + 1
}

// remove sends a removal and reads Roam's report on it.
func (g Edits) remove(ctx context.Context, removal Removal, before *fact.State) (rawjson.Object, error) {
	result, err := g.send(ctx, removal, before, nil)
	if err != nil {
		return nil, err
	}
	report := rawjson.Parse(result)
	action, _ := removal.Request()
	if failed := notRemoved(removal.Thing, removal.UID, action, report); failed != nil {
		return nil, failed
	}
	return report, nil
}

// notRemoved returns the error that Roam's report on a removal stands for, nil
// where it stands for none (LOCAL_API.md 3.6). Old builds send no report, and
// are believed.
func notRemoved(thing Thing, uid, action string, report rawjson.Object) *problem.Error {
	if string(report.Get("deleted")) != "false" {
		return nil
	}
	failed := notRetryable(problem.Error{
		Code: localapi.CodeNotFound, Call: &problem.Call{Action: action},
		Details: []problem.Detail{{Name: DetailUID, Value: uid}},
	})
	reason, gone := reasonOf(report)
	if gone {
		failed.Message = fmt.Sprintf("There is no %s %s, so nothing was deleted.", thing, textsafe.Quote(uid))
		failed.Hint = problem.Say("It may be gone already, by an earlier call or %s.", thing.goneWith()).
			Then("Do not try again; where it should exist, find it with %s.", problem.Search).Or("Do not try again.")
		return failed
	}
	failed.Message = fmt.Sprintf("Roam did not delete the %s %s; it gives as reason %s.", thing, textsafe.Quote(uid), reason)
	failed.Hint = problem.Say("Do not assume that it is gone: read it again.")
	failed.Next = thing.readTask()
	return failed
}

// reasonOf reads why something was not deleted, fit for a sentence. gone: there
// is no such thing, or no reason is given.
func reasonOf(report rawjson.Object) (reason string, gone bool) {
	raw := report.Get("reason")
	if raw == nil || string(raw) == "null" {
		return "", true
	}
	text, isText := report.Text("reason")
	if !isText {
		return "something that is not a text", false
	}
	return textsafe.Quote(text), text == "" || text == "not-found"
}
