package ops

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/rawjson"
)

// CreatePageOf creates a page with exactly these blocks: page.Markdown is not used. A title
// that is taken is ALREADY_EXISTS.
func (g Creates) CreatePageOf(ctx context.Context, page NewPage, blocks []outline.Block) error {
	page.Markdown = ""
	_, _, err := g.createPage(ctx, page, blocks)
	return err
}

// CreateBlocksOf creates exactly these blocks. It returns the uids of the topmost ones; nil
// where Roam does not tell them.
func (g Creates) CreateBlocksOf(ctx context.Context, at Location, blocks []outline.Block) (uids []string, err error) {
	reply, _, err := g.createAll(ctx, NewBlocks{Location: at}, blocks)
	return uidsIn(reply), err
}

// forImporter returns the text that Roam's importer makes these blocks of; false where it is
// not sure to. It is the text that was sent, if that says them to the importer as well.
func forImporter(sent string, blocks []outline.Block) (string, bool) {
	text, ok := markdown.ForImporter(blocks)
	if ok && sent != "" && KeepsMarks(sent) && markdown.Same(markdown.Importer(sent), blocks) {
		return sent, true
	}
	return text, ok
}

// createAll creates blocks: in one write where Roam's importer is sure to make them, and else
// each as it is.
func (g Creates) createAll(ctx context.Context, write NewBlocks, blocks []outline.Block) (rawjson.Object, made, error) {
	if err := g.allowNamed(Footprint{Titles: []string{write.Location.title()}, NestUnder: write.Location.NestUnder, Stored: blockTexts(blocks)}); err != nil {
		return nil, made{}, err
	}
	var ok bool
	if write.Markdown, ok = forImporter(write.Markdown, blocks); ok {
		return g.create(ctx, write, write.Location, blocks)
	}
	parent, err := g.placeOf(ctx, write.Location)
	if err != nil {
		return nil, made{}, err
	}
	uids, err := g.createBelow(ctx, parent, write.Location.Order, write.Open, blocks)
	if err != nil {
		return nil, made{}, err
	}
	m, _ := g.readMadeBelow(ctx, uids) // they are made whether they can be read or not
	return rawjson.With("uids", uids), m, nil
}

// createPage creates a page with blocks.
func (g Creates) createPage(ctx context.Context, page NewPage, blocks []outline.Block) (reply rawjson.Object, m made, err error) {
	if err := g.allowNamed(Footprint{Titles: []string{page.Title}, Stored: blockTexts(blocks)}); err != nil {
		return nil, m, err
	}
	day, daily := outline.DailyUIDOf(strings.TrimSpace(page.Title))
	if page.UID == "" && !daily { // a day's page has the uid of its day
		if page.UID, err = g.NewUID(); err != nil { // by which it is known again for certain
			return nil, m, err
		}
	}
	text, ok := forImporter(page.Markdown, blocks)
	if page.Markdown = text; ok || len(blocks) == 0 {
		return g.create(ctx, page, Location{}, blocks)
	}
	page.Markdown = ""
	if reply, m, err = g.create(ctx, page, Location{}, nil); err != nil {
		return reply, m, err
	}
	uid, _ := reply.Text("uid")
	uids, err := g.forParts().createBelow(ctx, note.Node{UID: cmp.Or(uid, page.UID, day), Title: page.Title}, Order{}, nil, blocks)
	if err == nil {
		m, _ = g.readMadeBelow(ctx, uids)
	}
	return reply, m, err
}

// createBelow creates blocks as they are below a page or block that was read, and returns the
// uids of the topmost; none if they are not known.
func (g Creates) createBelow(ctx context.Context, parent note.Node, order Order, open *bool, blocks []outline.Block) ([]string, error) {
	at := len(parent.Children)
	switch {
	case order.First:
		at = 0
	case order.Index != nil:
		at = min(*order.Index, at)
	}
	if open != nil {
		blocks = slices.Clone(blocks)
		for i := range blocks {
			blocks[i].Collapsed = !*open
		}
	}
	r := newRewriting(g.asGraph(), parent, nil)
	r.plan = outline.Ops{Inserts: []outline.Insert{{Index: at, Blocks: blocks}}}
	if _, err := r.run(ctx); err != nil {
		return nil, err
	}
	kids := r.expected.kids[parent.UID]
	if len(kids) < at+len(blocks) {
		return []string{}, nil
	}
	return kids[at : at+len(blocks)], nil
}

// placeOf reads the page or block that new blocks go below, and makes it if it is missing.
func (g Creates) placeOf(ctx context.Context, at Location) (note.Node, error) {
	uid, title := cmp.Or(at.ParentUID, at.Day), at.title()
	if at.PageTitle != "" {
		uids, err := g.reads().UIDsOf(ctx, []string{title})
		if err != nil {
			return note.Node{}, err
		}
		uid = uids[title]
	}
	var parent note.Node
	found := false
	if uid != "" {
		var err error
		if parent, found, err = g.reads().ReadNote(ctx, uid); err != nil {
			return note.Node{}, err
		}
	}
	switch {
	case !found && title == "":
		return note.Node{}, noSuchBlock(uid)
	case !found:
		reply, _, err := g.createPage(ctx, NewPage{Title: title}, nil)
		if err != nil {
			return note.Node{}, err
		}
		made, _ := reply.Text("uid")
		parent = note.Node{UID: cmp.Or(made, uid), Title: title}
	}
	if at.NestUnder == "" {
		return parent, nil
	}
	for _, child := range parent.Children {
		if child.Text == at.NestUnder {
			return child, nil
		}
	}
	nest := []outline.Block{{String: at.NestUnder}}
	uids, err := g.createBelow(ctx, parent, Order{}, nil, nest)
	switch {
	case err != nil:
		return note.Node{}, err
	case len(uids) != 1: // or the new blocks would go nowhere
		return note.Node{}, storedOtherwise(nest, made{})
	}
	return note.Node{UID: uids[0], Text: at.NestUnder}, nil
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
