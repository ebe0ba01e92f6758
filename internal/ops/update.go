package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// BlockUpdate is a change of a block. Fields that are left out stay as they are.
type BlockUpdate struct {
	UID       string
	String    *string // the text as Roam stores it
	Heading   *int    // 1 to 3, 0 for none
	Open      *bool
	ViewType  *string // bullet, numbered or document
	TextAlign *string // left, center, right or justify
	BlockView *string // outline, side, ... (LOCAL_API.md 3.1); "": none
	Props     *Props

	// Shown is the text that the block was shown with to whoever changes it; nil: nobody
	// was shown it. Where it has another one now, nothing is sent.
	Shown *string
}

// Props are the properties of a block, a JSON object as a fact has them; "null": none.
type Props string

// MarshalJSON implements json.Marshaler.
func (p Props) MarshalJSON() ([]byte, error) { return []byte(p), nil }

// Request implements Write.
func (u BlockUpdate) Request() (action string, args []any) {
	return "data.block.update", []any{map[string]any{"block": u.block()}}
}

// block returns the update as Roam takes it.
func (u BlockUpdate) block() request {
	block := request{"uid": u.UID}
	for _, f := range u.changes() {
		block[f.key] = f.value
	}
	return block
}

// changes returns the fields that are to change.
func (u BlockUpdate) changes() []field {
	var changes []field
	changes = appendField(changes, "string", u.String)
	changes = appendField(changes, "heading", u.Heading)
	changes = appendField(changes, "open", u.Open)
	changes = appendField(changes, "children-view-type", u.ViewType)
	changes = appendField(changes, "text-align", u.TextAlign)
	changes = appendField(changes, "block-view-type", u.BlockView)
	return appendField(changes, "props", u.Props)
}

func appendField[T any](fields []field, key string, value *T) []field {
	if value == nil {
		return fields
	}
	return append(fields, field{key, *value})
}

// Footprint implements Write.
func (u BlockUpdate) Footprint() Footprint {
	reach := Footprint{Places: []string{u.UID}}
	if u.String != nil {
		reach.Texts, reach.Stored = reach.Places, []string{*u.String}
	}
	return reach
}

// Capture implements Write.
func (u BlockUpdate) Capture() Capture { return BlockUpdates{u}.Capture() }

// Done implements Write.
func (u BlockUpdate) Done(json.RawMessage) Done {
	return Done{What: doneUpdated, UIDs: []string{u.UID}, Counts: Counts{Changed: 1}}
}

func parseBlockUpdate(s sentWrite) (Write, error) { return s.Block.update(), nil }

// IsEmpty reports whether u changes nothing.
func (u BlockUpdate) IsEmpty() bool { return len(u.changes()) == 0 }

// UpdateBlock changes a block. It returns Roam's reply, nil where there is none.
func (g Edits) UpdateBlock(ctx context.Context, update BlockUpdate) (json.RawMessage, error) {
	return g.write(ctx, update)
}

func (u BlockUpdate) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?s ?h ?o ?a ?v ?t :in $ ?uid :where [?e :block/uid ?uid]
			[(get-else $ ?e :block/string "") ?s] [(get-else $ ?e :block/heading 0) ?h] [(get-else $ ?e :block/open true) ?o]
			[(get-else $ ?e :block/text-align "left") ?a] [(get-else $ ?e :children/view-type "bullet") ?v] [(get-else $ ?e :edit/time 0) ?t]]`, u.UID)
	applied, evidence := judgeFields(Block, rows, err, since, u.changes(), "string", "heading", "open", "text-align", "children-view-type")
	if applied == Yes && (u.BlockView != nil || u.Props != nil) {
		return Unknown, evidence + " Its properties, and how it is listed beside others, were not looked at."
	}
	return applied, evidence
}

// PageUpdate is a change of a page. Fields that are empty stay as they are.
type PageUpdate struct {
	UID      string
	Title    string
	ViewType string // bullet, numbered or document
	NoView   bool   // no view is stored: its blocks are listed as is usual
	Merge    bool   // merges it into the page that has the title
}

// Request implements Write.
func (u PageUpdate) Request() (action string, args []any) {
	page := request{"uid": u.UID}
	for _, f := range u.changes() {
		page[f.key] = f.value
	}
	request := request{"page": page}
	if u.Merge {
		request["merge-pages"] = true
	}
	return "data.page.update", []any{request}
}

func (u PageUpdate) changes() []field {
	var changes []field
	if u.Title != "" {
		changes = append(changes, field{"title", u.Title})
	}
	if u.ViewType != "" || u.NoView {
		changes = append(changes, field{"children-view-type", u.ViewType})
	}
	return changes
}

// Footprint implements Write.
func (u PageUpdate) Footprint() Footprint {
	reach := Footprint{Places: []string{u.UID}, Restructures: u.Merge}
	if u.Title != "" {
		reach.Texts, reach.Retitled = reach.Places, reach.Places
		reach.Titles = []string{u.Title}
	}
	return reach
}

// Capture implements Write. A merge takes the page away, the blocks below it get another place,
// and texts that mention it are rewritten.
func (u PageUpdate) Capture() Capture {
	switch {
	case u.Title == "":
		return captureTargets(fact.ClassLook, u.UID)
	case u.Merge:
		return Capture{
			Class: fact.ClassMerge, Titles: []string{u.Title}, Touches: u.merged,
			Look: func(ctx context.Context, ask fact.Ask) (fact.State, error) {
				state, _, err := fact.Merging(ctx, ask, u.UID, u.Title)
				return state, err
			},
		}
	}
	return Capture{
		Class: fact.ClassRename, Titles: []string{u.Title},
		Look: func(ctx context.Context, ask fact.Ask) (fact.State, error) {
			state, _, err := fact.Pages(ctx, ask, []string{u.UID})
			return state, err
		},
		Touches: func(before fact.State) []fact.Touch {
			return fact.NewTouches(before).Add(fact.RoleTarget, u.UID).AddRest(fact.RoleReferrer).List()
		},
	}
}

// merged returns what a merge touches.
func (u PageUpdate) merged(before fact.State) []fact.Touch {
	into := u.other(before)
	if into == "" { // there is none, so it is a new title
		return fact.NewTouches(before).Add(fact.RoleTarget, u.UID).AddRest(fact.RoleReferrer).List()
	}
	touches := fact.NewTouches(before).Add(fact.RoleGone, u.UID).Add(fact.RoleTarget, into)
	return touches.Add(fact.RoleTarget, before.Things[u.UID].Children...).AddRest(fact.RoleReferrer).List()
}

// other returns the uid of another page that has the title; empty where there is none.
func (u PageUpdate) other(before fact.State) string {
	for uid, each := range before.Things {
		if each.Title == u.Title && uid != u.UID {
			return uid
		}
	}
	return ""
}

// Done implements Write.
func (u PageUpdate) Done(json.RawMessage) Done {
	if u.Title != "" {
		return Done{What: "renamed", UIDs: []string{u.UID}}
	}
	return Done{What: doneUpdated, UIDs: []string{u.UID}}
}

func parsePageUpdate(s sentWrite) (Write, error) {
	view := valueOf(s.Page.ViewType)
	return PageUpdate{UID: s.Page.UID, Title: s.Page.Title, ViewType: view, NoView: s.Page.ViewType != nil && view == "", Merge: s.Merge}, nil
}

// IsEmpty reports whether u changes nothing.
func (u PageUpdate) IsEmpty() bool { return len(u.changes()) == 0 }

// UpdatePage renames a page, merges it into another one, or changes its look. It
// returns Roam's reply, nil where there is none. A title that is taken is
// ALREADY_EXISTS, unless the pages are to be merged.
func (g Edits) UpdatePage(ctx context.Context, update PageUpdate) (json.RawMessage, error) {
	result, err := g.write(ctx, update)
	return result, orMerge(err)
}

// orMerge returns an error with what to do where the title of a page is taken.
func orMerge(err error) error {
	taken, ok := titleTaken(err)
	if !ok {
		return err
	}
	taken.Hint = problem.Say("Choose another title, or ask the user whether to merge the two pages.")
	return taken
}

// errSameTitle refuses the change of a title to the one that the page has.
var errSameTitle = errors.New("the page has the title")

// checkTitle refuses to rename a page to the title that it has.
func (u PageUpdate) checkTitle(_ context.Context, before *fact.State) error {
	if before != nil && u.isTitleOf(before.Things[u.UID]) {
		return errSameTitle
	}
	return nil
}

// isTitleOf reports whether the title that the page is to get is the one that it has.
func (u PageUpdate) isTitleOf(page fact.Fact) bool {
	return page.IsPage() && u.Title == page.Title
}

// withoutTitle returns what is left of an update whose title the page has already; nil: nothing.
func withoutTitle(w Write) Write {
	if update, ok := w.(PageUpdate); ok && update.ViewType != "" {
		return PageUpdate{UID: update.UID, ViewType: update.ViewType}
	}
	return nil
}

// PreviewUpdate returns what an update of a page would do. It sends nothing.
func (g Edits) PreviewUpdate(ctx context.Context, update PageUpdate) (Preview, error) {
	impact, now, err := previewOf(ctx, g, update, []string{update.UID}, nil)
	if errors.Is(err, errSameTitle) {
		return Preview{Impact{Undoable: UndoableWhole}, update.Title}, nil
	}
	if err != nil {
		return Preview{}, err
	}
	page := now.Things[update.UID]
	if !page.IsPage() {
		return Preview{}, notRetryable(problem.Error{
			Code: localapi.CodeNotFound, Details: []problem.Detail{{Name: DetailUID, Value: update.UID}},
			Message: fmt.Sprintf("There is no page %s, so nothing would be changed.", textsafe.Quote(update.UID)),
			Hint:    problem.Say("Do not try again; where it should exist, find it with %s.", problem.Search).Or("Do not try again."),
		})
	}
	if update.Title != "" && !update.Merge && !update.isTitleOf(page) {
		pages, err := g.reads().UIDsOf(ctx, []string{update.Title})
		if err != nil {
			return Preview{}, err
		}
		if pages[update.Title] != "" {
			return Preview{}, orMerge(notRetryable(problem.Error{Code: localapi.CodeAlreadyExists, Message: fmt.Sprintf("There is a page %s already.", textsafe.Quote(update.Title))}))
		}
	}
	return Preview{impact, page.Title}, nil
}

func (u PageUpdate) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?n ?v ?t :in $ ?uid :where [?e :block/uid ?uid] [(get-else $ ?e :node/title "") ?n]
		[(get-else $ ?e :children/view-type "bullet") ?v] [(get-else $ ?e :edit/time 0) ?t]]`, u.UID)
	if err == nil && len(rows) == 0 && u.Merge {
		return Unknown, mayBeMerged
	}
	return judgeFields(Page, rows, err, since, u.changes(), "title", "children-view-type")
}

const mayBeMerged = "There is no page with this uid; it may have been merged."
