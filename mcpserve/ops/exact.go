package ops

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/roamtext"
)

// CreatePageOf creates a page with exactly these blocks: page.Markdown is not used. A title
// that is taken is ALREADY_EXISTS.
func (g Creates) CreatePageOf(ctx context.Context, page NewPage, blocks []outline.Block) error {
	var err error
	if page.Markdown, err = note.Markdown(blocks); err != nil {
		return err
	}
	_, _, err = g.create(ctx, page, Location{}, blocks)
	return err
}

// CreateBlocksOf creates exactly these blocks. It returns the uids of the topmost ones; nil
// where Roam does not tell them.
func (g Creates) CreateBlocksOf(ctx context.Context, at Location, blocks []outline.Block) (uids []string, err error) {
	markdown, err := note.Markdown(blocks)
	if err != nil {
		return nil, err
	}
	reply, _, err := g.create(ctx, NewBlocks{Location: at, Markdown: markdown}, at, blocks)
	return uidsIn(reply), err
}

// PagesOf returns the pages that names with these keys (note.Key) may mean, by key: those
// whose titles have the key, in the order of their titles.
func (g Reads) PagesOf(ctx context.Context, keys []string) (map[string][]PageFound, error) {
	patterns := make([]string, len(keys))
	for i, key := range keys {
		patterns[i] = strings.ReplaceAll(regexp.QuoteMeta(key), "-", `[\s_-]+`)
	}
	pages, err := g.finds().titlesLike(ctx, caseless("^(?:"+strings.Join(patterns, "|")+")$"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(pages, func(a, b roamtext.NamedPage) int { return cmp.Compare(a.Title, b.Title) })
	found := map[string][]PageFound{}
	for _, page := range pages {
		key := note.Key(page.Title)
		found[key] = append(found[key], PageFound{UID: page.UID, Title: page.Title})
	}
	return found, nil
}

// ParentOf returns the uid of the page or block that a block is directly below; empty
// where there is none.
func (g Reads) ParentOf(ctx context.Context, uid string) (string, error) {
	rows, err := g.rows(ctx, `[:find ?p :in $ ?u :where [?e :block/uid ?u] [?c :block/children ?e] [?c :block/uid ?p]]`, uid)
	if err != nil || len(rows) == 0 || len(rows[0]) != 1 {
		return "", err
	}
	parent, _ := rows[0][0].(string)
	return parent, nil
}

// Section returns the text of the block that a block is directly below and the title of
// the page that is directly above that; false where there are no such two.
func (g Reads) Section(ctx context.Context, uid string) (text, title string, ok bool, err error) {
	rows, err := g.rows(ctx, `[:find ?s ?t :in $ ?u :where [?e :block/uid ?u] [?p :block/children ?e] [?p :block/string ?s] [?g :block/children ?p] [?g :node/title ?t]]`, uid)
	if err != nil || len(rows) != 1 || len(rows[0]) != 2 {
		return "", "", false, err
	}
	text, _ = rows[0][0].(string)
	title, _ = rows[0][1].(string)
	return text, title, true, nil
}

// BlocksReading returns the uids of the blocks that have exactly this text, which refers
// to a page, directly below a block with the text above, and with nothing below them.
func (g Reads) BlocksReading(ctx context.Context, pageUID, text, above string) ([]string, error) {
	rows, err := g.rows(ctx, `[:find ?u :in $ ?page ?text ?above :where [?p :block/uid ?page] [?b :block/refs ?p] [?b :block/string ?text] `+
		`[?a :block/children ?b] [?a :block/string ?above] (not [?b :block/children _]) [?b :block/uid ?u]]`, pageUID, text, above)
	var uids []string
	for _, row := range rows {
		if uid, ok := row[0].(string); ok && len(row) == 1 {
			uids = append(uids, uid)
		}
	}
	return uids, err
}
