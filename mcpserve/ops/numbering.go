package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
	"roam-mcp/problem"
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
	lists   outline.NumberedLists
	view    string // of those at the top; empty: as it is
	within  bool   // the topmost block is one alone, and view is for what is below it
	holder  holder
	warning problem.Hint
}

// planNumbering decides how the blocks of a creation are listed, and changes its
// markdown to that: the numbers of a list are taken out of the text where Roam can
// number it. viewType is what the caller wants for the new blocks.
func (g Creates) planNumbering(ctx context.Context, blocks *NewBlocks, viewType string) numbering {
	plan := numbering{lists: outline.FindNumberedLists(blocks.Markdown), view: viewType}
	if viewType == numbered {
		if plan.lists.Topmost == 1 && plan.lists.Blocks > 1 {
			plan.lists = plan.lists.WithOneBelowTop()
		} else {
			plan.lists = plan.lists.WithOneAtTop()
		}
	}
	lists := plan.lists
	if plan.view == "" && lists.Top {
		plan.view = numbered
	}
	switch {
	case plan.view == "":
	case lists.Topmost == 1 && lists.Blocks > 1:
		plan.within = true
	default:
		plan.findHolder(ctx, g.asGraph(), blocks.Location)
	}
	blocks.Markdown = plan.bulleted(blocks.Markdown, plan.view == numbered)
	if !plan.within && plan.view != plan.holder.view {
		blocks.listed = plan.view
	}
	return plan
}

// bulleted returns the markdown without the numbers that Roam is to show; top says
// whether those at the top are among them.
func (n *numbering) bulleted(markdown string, top bool) string {
	if n.lists.Mixed {
		n.warn(problem.Say("Numbers stay in the text where a list is mixed with other blocks or does not count from 1."))
	}
	if n.lists.Top && top || len(n.lists.Holders) > 0 {
		return n.lists.Bulleted(top)
	}
	return markdown
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

// pending reports whether views are to be set once the blocks are there.
func (n *numbering) pending() bool {
	return len(n.lists.Holders) > 0 || n.view != "" && n.view != n.holder.view
}

// setViews sets the views of the blocks that hold the lists, now that all of the
// markdown's blocks are there; top are the uids of the topmost. The text of each list
// is written by then, so what fails is told and not an error.
func (n *numbering) setViews(ctx context.Context, g *Graph, blocks []shownBlock, top []string) {
	views := map[string]string{}
	if n.within && n.view != bullet && len(blocks) > 0 {
		views[blocks[0].UID] = n.view
	}
	for i, at := range n.lists.Holders {
		if len(blocks) != n.lists.Blocks || len(blocks[at].Children) != n.lists.Children[i] {
			n.warn(problem.Say("The numbered lists are bullets now, since their blocks could not be found again.").
				Then("Set childrenViewType of the block above each with %s.", problem.UpdateBlock))
			break
		}
		if _, chosen := views[blocks[at].UID]; !chosen {
			views[blocks[at].UID] = numbered
		}
	}
	g = g.forParts() // they were told of with the blocks
	err := g.setBlockViews(ctx, views)
	if err == nil && n.view != "" && !n.within && n.view != n.holder.view && len(top) > 0 {
		err = g.setHolderView(ctx, n.holder, top[0], n.view)
	}
	if err != nil {
		n.warn(problem.Say("The blocks are written, but their view was not set: %s", Explained(err).Message))
	}
}

// setBlockViews sets the views of the children of blocks, by uid.
func (g Creates) setBlockViews(ctx context.Context, views map[string]string) error {
	var updates BlockUpdates
	for _, uid := range slices.Sorted(maps.Keys(views)) {
		view := views[uid]
		updates = append(updates, BlockUpdate{UID: uid, ViewType: &view})
	}
	if len(updates) == 1 {
		_, err := g.edits().UpdateBlock(ctx, updates[0])
		return err
	}
	for part := range slices.Chunk(updates, MaxBatch) {
		if _, err := g.edits().UpdateBlocks(ctx, part); err != nil {
			return err
		}
	}
	return nil
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
