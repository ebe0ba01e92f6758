package fact

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/graph/roamtext"
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
	found, err := pull(ctx, r.ask, titlePattern, byTitle, titles)
	if err != nil {
		return nil, err
	}
	rows := make([]created, len(found))
	for i, page := range found {
		rows[i] = created{page.uid, page.created}
	}
	return r.madeBy(ctx, rows, since, until)
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
