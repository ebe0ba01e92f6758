package fact

import (
	"context"
	"encoding/json"

	"roam-mcp/graphdb/roamtext"
	"roam-mcp/localapi"
)

// Mentions returns the titles of the pages that come to be when Roam stores the texts
// and titles, each once and in order: those that they mention, and those that the
// titles of these mention.
func Mentions(texts ...string) []string {
	found := map[string]bool{}
	var add func(text string)
	add = func(text string) {
		for _, span := range roamtext.References(text) {
			title := span.Content(text)
			if span.Kind == roamtext.BlockRef || title == "" || found[title] {
				continue
			}
			found[title] = true
			add(title)
		}
	}
	for _, text := range texts {
		add(text)
	}
	return sorted(found)
}

// implied adds those pages of the titles that were made in [since, until].
func (r *reading) implied(ctx context.Context, since, until int64, titles []string) ([]string, error) {
	if len(titles) == 0 {
		return nil, nil
	}
	answers, err := listed(ctx, r.ask, `[:find ?u ?c :in $ [?v ...] :where [?p :node/title ?v] [?p :block/uid ?u] [?p :create/time ?c]]`, titles)
	if err != nil {
		return nil, localapi.UnsupportedQuery(err)
	}
	var all []created
	for _, answer := range answers {
		var rows []created
		if err := json.Unmarshal(answer, &rows); err != nil {
			return nil, unreadable(queryAction, err)
		}
		all = append(all, rows...)
	}
	return r.madeBy(ctx, all, since, until)
}

// madeBy adds those of the pages that were made in [since, until].
func (r *reading) madeBy(ctx context.Context, rows []created, since, until int64) ([]string, error) {
	made := map[string]bool{}
	for _, row := range rows {
		if since <= row.at && row.at <= until {
			made[row.uid] = true
		}
	}
	uids := sorted(made)
	return uids, r.several(ctx, uids)
}

// created is a page, and when it came to be.
type created struct {
	uid string
	at  int64
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *created) UnmarshalJSON(text []byte) error {
	row := [2]any{&c.uid, &c.at}
	return json.Unmarshal(text, &row)
}
