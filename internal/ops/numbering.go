package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// The views of children that matter here: the one that Roam numbers, and the one
// that all begin with.
const (
	numbered = "numbered"
	bullet   = "bullet"
)

// holder is the block or page that new blocks go below.
type holder struct {
	uid      string // empty: it is made by the write
	page     bool
	view     string // bullet, numbered or document
	children bool   // whether it has some already
}

// numbering is how new blocks are to be listed.
type numbering struct {
	blocks  []outline.Block // what is to be created
	view    string          // of those at the top; empty: as it is
	within  bool            // the topmost block is one alone, and view is for what is below it
	holder  holder
	warning problem.Hint
}

// planNumbering decides how the blocks of a creation are listed: the numbers of a list are
// taken out of the texts where Roam can number it. viewType is what the caller wants for the
// new blocks.
func (g Creates) planNumbering(ctx context.Context, document markdown.Document, at Location, viewType string) numbering {
	within := len(document.Blocks) == 1 && len(document.Blocks[0].Children) > 0
	lists := document.NumberedLists(viewType == numbered && !within, viewType == numbered && within)
	plan := numbering{blocks: lists.Blocks, view: viewType}
	if plan.view == "" && lists.Top != nil {
		plan.view = numbered
	}
	switch {
	case plan.view == "":
	case within:
		plan.within = true
	default:
		plan.findHolder(ctx, g.asGraph(), at)
	}
	if plan.view == numbered && lists.Top != nil {
		plan.blocks = lists.Top
	}
	if plan.within && plan.view != bullet {
		plan.blocks[0].ChildrenViewType = plan.view
	}
	plan.warnOf(document, lists)
	return plan
}

// warnOf notes what is to be said of a text.
func (n *numbering) warnOf(document markdown.Document, lists markdown.NumberedLists) {
	if document.Unclosed > 0 {
		n.warn(problem.Say("Code that was not closed ends with its list item."))
	}
	if lists.Mixed {
		n.warn(problem.Say("Numbers stay in the text where a list is mixed with other blocks or does not count from 1."))
	}
}

func (n *numbering) warn(what problem.Hint) {
	if n.warning.IsZero() {
		n.warning = what
	}
}

// findHolder looks at what the new blocks go below. One that lists other blocks in
// another way stays as it is, and so does the page of a day.
func (n *numbering) findHolder(ctx context.Context, g *Graph, at Location) {
	found, err := g.holderAt(ctx, at)
	n.holder = found
	switch {
	case err != nil:
		n.warn(problem.Say("The new blocks are listed as before, since the place could not be looked at."))
	case found.view == n.view:
	case at.Day != "" && at.NestUnder == "" || found.page && isDay(found.uid):
		n.warn(problem.Say("The new blocks are not listed as %s, since a day's page is not changed for that. Put them below a block of their own.", n.view))
	case found.children:
		n.warn(problem.Say("The new blocks are not listed as %s, since there are other blocks beside them.", n.view).
			Then("Put them below a block of their own, or change the view of all with %s.", problem.UpdateBlock))
	default:
		return
	}
	if found.view != n.view || err != nil {
		n.view = ""
	}
}

func isDay(uid string) bool {
	_, err := time.Parse(dailyNoteDate, uid)
	return err == nil
}

// holderAt asks for what is at a location; a holder without uid where it is made by
// the write.
func (g Creates) holderAt(ctx context.Context, at Location) (holder, error) {
	where, target := at.target()
	args := []any{target}
	in := "?target"
	if at.NestUnder != "" {
		where, in = where+` [?p :block/children ?h] [?h :block/string ?nest]`, in+" ?nest"
		args = append(args, at.NestUnder)
	} else {
		where += ` [(identity ?p) ?h]`
	}
	var rows [][]pulledHolder
	err := g.glance(ctx, &rows, `[:find (pull ?h [[:block/uid :as "uid"] [:node/title :as "title"] [:children/view-type :as "view"] [:block/order :as "order"] `+
		`[:block/children :as "children" :limit 1]]) :in $ `+in+` :where `+where+`]`, args...)
	if err != nil || len(rows) == 0 {
		return holder{view: bullet}, err
	}
	var found []pulledHolder
	for _, row := range rows {
		found = append(found, row...)
	}
	first := slices.MinFunc(found, func(a, b pulledHolder) int { return cmp.Compare(a.Order, b.Order) })
	return holder{uid: first.UID, page: first.Title != "", view: cmp.Or(stored(first.View), bullet), children: len(first.Children) > 0}, nil
}

// pulledHolder is a block or page as holderAt pulls it.
type pulledHolder struct {
	UID      string            `json:"uid"`
	Title    string            `json:"title"`
	View     string            `json:"view"`
	Order    int               `json:"order"`
	Children []json.RawMessage `json:"children"`
}

// listed is how what the blocks go below is to list its children after; empty: as before.
func (n *numbering) listed() string {
	if n.within || n.view == n.holder.view {
		return ""
	}
	return n.view
}

// setView sets the view of what the blocks were put below, now that they are there; top are the
// uids of the topmost. Their texts are written by then, so what fails is told and not an error.
func (n *numbering) setView(ctx context.Context, g *Graph, top []string) {
	if n.listed() == "" || len(top) == 0 {
		return
	}
	if err := g.forParts().setHolderView(ctx, n.holder, top[0], n.view); err != nil { // they were told of with the blocks
		n.warn(problem.Say("The blocks are written, but their view was not set: %s", Explained(err).Message))
	}
}

// setHolderView sets the view of what a new block is in; at, where it was there
// before.
func (g Creates) setHolderView(ctx context.Context, at holder, child, view string) error {
	if at.uid == "" {
		var rows [][]string
		err := g.glance(ctx, &rows, `[:find ?u ?n :in $ ?child :where [?e :block/uid ?child] [?h :block/children ?e] [?h :block/uid ?u] [(get-else $ ?h :node/title "") ?n]]`, child)
		if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
			return &problem.Error{Code: localapi.CodeInternal, Message: "the block above them was not found.", Err: err}
		}
		at = holder{uid: rows[0][0], page: rows[0][1] != ""}
	}
	if at.page {
		_, err := g.edits().UpdatePage(ctx, PageUpdate{UID: at.uid, ViewType: view})
		return err
	}
	_, err := g.edits().UpdateBlock(ctx, BlockUpdate{UID: at.uid, ViewType: &view})
	return err
}
