package ops

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
)

// RefsAround are the uids of what a page or block refers to, and of the blocks that
// refer to it, hidden ones included.
type RefsAround struct{ To, From []string }

// RefsAround returns what a page or block refers to and what refers to it; nothing where
// there is no such thing.
func (g Reads) RefsAround(ctx context.Context, uid string) (RefsAround, error) {
	type thing struct {
		UID string `json:"uid"`
	}
	var found []struct {
		To   []thing `json:"to"`
		From []thing `json:"from"`
	}
	const query = `[:find [(pull ?e [{[:block/refs :limit nil :as "to"] [[:block/uid :as "uid"]]} {[:block/_refs :limit nil :as "from"] [[:block/uid :as "uid"]]}]) ...] :in $ ?u :where [?e :block/uid ?u]]`
	result, err := g.ask(ctx, plainQuery, query, uid)
	if err == nil {
		err = decodePulled(result, &found)
	}
	if err != nil || len(found) == 0 {
		return RefsAround{}, err
	}
	var around RefsAround
	for _, each := range found[0].To {
		around.To = append(around.To, each.UID)
	}
	for _, each := range found[0].From {
		around.From = append(around.From, each.UID)
	}
	if err = g.checkWhole(ctx, len(around.To), uid, localapi.Refs); err == nil {
		err = g.checkWhole(ctx, len(around.From), uid, localapi.Referrers)
	}
	return around, err
}

// PagesLinking returns the uids of the pages with a block that refers to a page, or to a
// block on it, hidden blocks included, and the uid of the page itself, which is not among
// them; that is empty where nothing refers to it.
func (g Reads) PagesLinking(ctx context.Context, of PageRef) (uid string, pages []string, err error) {
	named, name := "[?e :node/title ?of]", of.Title
	if of.UID != "" {
		named, name = "[?e :block/uid ?of]", of.UID
	}
	rows, err := g.rows(ctx, `[:find ?self ?u :in $ ?of :where `+named+` [?e :block/uid ?self] `+
		`(or-join [?e ?b] [?b :block/refs ?e] (and [?on :block/page ?e] [?b :block/refs ?on])) [?b :block/page ?p] [?p :block/uid ?u]]`, name)
	for _, row := range rows {
		if len(row) != 2 {
			continue
		}
		page, _ := row[1].(string)
		if uid, _ = row[0].(string); page != uid {
			pages = append(pages, page)
		}
	}
	slices.Sort(pages)
	return uid, pages, err
}

// PlaceOf returns the uid of the page or block that a block is directly below, and the
// number of visible blocks that refer to it; nothing where there is no such block.
func (g Reads) PlaceOf(ctx context.Context, uid string) (parent string, references int, err error) {
	const query = `[:find [(pull ?e [{[:block/_children :as "above"] [[:block/uid :as "uid"]]} ` +
		`{[:block/_refs :limit nil :as "refs"] [[:block/uid :as "uid"] ` + marksPattern + ` ` + abovePattern + `]}]) ...] :in $ ?u :where [?e :block/uid ?u]]`
	result, err := g.ask(ctx, plainQuery, query, uid)
	var found []pulledNote
	if err == nil {
		err = decodePulled(result, &found)
	}
	if err != nil || len(found) == 0 {
		return "", 0, err
	}
	for _, each := range found[0].Above {
		parent = each.UID
	}
	for _, each := range found[0].Refs {
		if !each.marked() && !slices.ContainsFunc(each.Above, pulledRef.marked) {
			references++
		}
	}
	return parent, references, g.checkWhole(ctx, len(found[0].Refs), uid, localapi.Referrers)
}

// PageOfBlock returns the page that a visible block is on; false where there is none.
func (g Reads) PageOfBlock(ctx context.Context, uid string) (note.Page, bool, error) {
	found, err := g.ReadTexts(ctx, []string{uid})
	n, there := found[uid]
	if err != nil || !there || n.Hidden || n.IsPage() {
		return note.Page{}, false, err
	}
	return note.Page{UID: n.PageUID, Title: n.PageTitle}, true, nil
}
