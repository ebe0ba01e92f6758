package ops

import (
	"context"
	"encoding/json"
	"slices"
)

// RefsAround are the uids of what a page or block refers to, and of the blocks that
// refer to it, hidden ones included.
type RefsAround struct{ To, From []string }

// RefsAround returns what a page or block refers to and what refers to it; nothing where
// there is no such thing.
func (g *Graph) RefsAround(ctx context.Context, uid string) (RefsAround, error) {
	type thing struct {
		UID string `json:"uid"`
	}
	var found []struct {
		To   []thing `json:"to"`
		From []thing `json:"from"`
	}
	const query = `[:find [(pull ?e [{[:block/refs :limit nil :as "to"] [:block/uid]} {[:block/_refs :limit nil :as "from"] [:block/uid]}]) ...] :in $ ?u :where [?e :block/uid ?u]]`
	result, err := g.ask(ctx, plainQuery, query, uid)
	if err != nil || json.Unmarshal(result, &found) != nil || len(found) == 0 {
		return RefsAround{}, err
	}
	var around RefsAround
	for _, each := range found[0].To {
		around.To = append(around.To, each.UID)
	}
	for _, each := range found[0].From {
		around.From = append(around.From, each.UID)
	}
	return around, nil
}

// PagesLinking returns the uids of the pages with a block that refers to a page, or to a
// block on it, hidden blocks included. The page itself is left out.
func (g *Graph) PagesLinking(ctx context.Context, uid string) ([]string, error) {
	const query = `[:find [?u ...] :in $ ?of :where [?e :block/uid ?of] ` +
		`(or-join [?e ?b] [?b :block/refs ?e] (and [?on :block/page ?e] [?b :block/refs ?on])) [?b :block/page ?p] [?p :block/uid ?u]]`
	result, err := g.ask(ctx, plainQuery, query, uid)
	var pages []string
	if err == nil {
		err = invalidNote(json.Unmarshal(result, &pages))
	}
	slices.Sort(pages)
	return slices.DeleteFunc(pages, func(page string) bool { return page == uid }), err
}

// timesPattern is what is pulled of a note and of all below it, to know when it was
// edited.
const timesPattern = `[[:block/uid :as "uid"] [:node/title :as "title"] [:edit/time :as "edited"] [:page/edit-time :as "pageEdited"] ` +
	`{[:block/refs :as "refs" :limit nil] [[:block/uid :as "uid"] [:node/title :as "title"]]} {[:block/children :as "children" :limit nil] ...}]`

// LastEdits returns by its uid when each of some pages, or a visible block on it, was
// edited last, in ms since 1970, with one query. What is not there is left out.
func (g *Graph) LastEdits(ctx context.Context, pages []string) (map[string]int64, error) {
	pulled, err := g.pullNotes(ctx, timesPattern, pages)
	if err != nil {
		return nil, err
	}
	times := map[string]int64{}
	for i := range pulled {
		n, err := pulled[i].note()
		if err != nil {
			return nil, invalidNote(err)
		}
		times[n.UID] = n.UpdatedAt()
	}
	return times, nil
}
