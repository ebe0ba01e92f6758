package ops

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/rawjson"
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

// LastEdits returns by the uid of each of some pages when it, or a block on it, was
// edited last, in ms since 1970. A page of which Roam knows no time is left out.
func (g *Graph) LastEdits(ctx context.Context, pages []string) (map[string]int64, error) {
	const query = `[:find ?u (max ?t) :in $ [?u ...] :where [?p :block/uid ?u] (or-join [?p ?t] [?p :edit/time ?t] (and [?b :block/page ?p] [?b :edit/time ?t]))]`
	result, err := g.ask(ctx, plainQuery, query, pages)
	if err != nil {
		return nil, err
	}
	times := map[string]int64{}
	for _, row := range rawjson.Elements(result) {
		var uid string
		var at int64
		if json.Unmarshal(row, &[]any{&uid, &at}) == nil {
			times[uid] = at
		}
	}
	return times, nil
}
