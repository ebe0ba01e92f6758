package page

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
)

const (
	pagesShown     = 200 // on one page of the list
	resultsShown   = 50  // of a search
	backlinksShown = 50
	blocksShown    = 3_000 // of one page; more would make a browser slow
	foundShown     = 50    // below each result of backlinks and search
	daysShown      = 7
)

// address returns the path of a graph's pages.
func address(graph localapi.Graph) string {
	return "/g/" + url.PathEscape(string(graph.Type)) + "/" + url.PathEscape(graph.Name)
}

// reader reads a snapshot of a graph for a page.
type reader struct {
	db   *graphdb.DB
	base string // address of the graph
	left int    // how many more blocks tree and children may read; the caller sets it
}

var _ links = (*reader)(nil)

func (r *reader) page(title string) string {
	if e := outline.PageByTitle(r.db, title); e != 0 {
		return r.addressOf(e)
	}
	return r.base + "/page?" + url.Values{"title": {title}}.Encode()
}

func (r *reader) block(uid string) (text, address string, ok bool) {
	e := outline.ByUID(r.db, uid)
	if e == 0 {
		return "", "", false
	}
	return r.line(e), r.addressOf(e), true
}

func (r *reader) addressOf(e graphdb.EID) string {
	return r.base + "/uid/" + url.PathEscape(r.db.String(e, graphdb.BlockUID))
}

// line returns the text of a page or block with block references resolved, cut to
// 200 characters.
func (r *reader) line(e graphdb.EID) string {
	const most = 200
	text := outline.ReplaceBlockRefs(outline.TextOf(r.db, e), func(uid string) (string, bool) {
		target := outline.ByUID(r.db, uid)
		return outline.TextOf(r.db, target), target != 0
	})
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// block is a block with its children.
type block struct {
	UID      string
	Address  string
	Text     markup
	Heading  int64
	View     string // "numbered" or "document"; empty for bullets
	Closed   bool   // its children are collapsed
	Hidden   bool   // from agents
	Refs     int    // number of references to it
	Children []block
}

func (r *reader) children(e graphdb.EID, hidden bool, depth int) []block {
	var list []block
	for _, child := range outline.Children(r.db, e) {
		if r.left <= 0 || depth > outline.MaxDepth {
			return list
		}
		r.left--
		list = append(list, r.tree(child, hidden, depth))
	}
	return list
}

func (r *reader) tree(e graphdb.EID, hidden bool, depth int) block {
	text := outline.TextOf(r.db, e)
	heading, _ := r.db.Int(e, graphdb.BlockHeading)
	hidden = hidden || outline.Hidden(r.db, e)
	b := block{
		UID: r.db.String(e, graphdb.BlockUID), Address: r.addressOf(e), Text: textHTML(text, r), Heading: heading,
		View: viewOf(r.db, e), Hidden: hidden, Refs: r.db.ReverseCount(graphdb.BlockRefs, e),
		Children: r.children(e, hidden, depth+1),
	}
	if open, ok := r.db.Get(e, graphdb.BlockOpen); ok {
		b.Closed = !open.Bool()
	}
	return b
}

func viewOf(db *graphdb.DB, e graphdb.EID) string {
	switch view := db.String(e, graphdb.ChildrenViewType); view {
	case ":numbered", ":document":
		return view[1:]
	}
	return ""
}

// step is an element of the path to a block.
type step struct {
	Address string
	Text    string
}

func (r *reader) path(e graphdb.EID) []step {
	var steps []step
	for _, above := range outline.Ancestors(r.db, e) {
		steps = append(steps, step{r.addressOf(above), r.line(above)})
	}
	return steps
}

// document is a page, or a block shown by itself.
type document struct {
	UID      string
	Address  string
	Plain    string // the title without links
	IsPage   bool
	Path     []step
	Tree     []block
	View     string
	Cut      bool // not all blocks are shown
	Edited   string
	Editor   string
	Missing  bool // no such page yet
	Linked   []linkedPage
	Mentions int
}

func (r *reader) document(ctx context.Context, e graphdb.EID, location *time.Location) (document, error) {
	r.left = blocksShown
	d := document{
		UID: r.db.String(e, graphdb.BlockUID), Address: r.addressOf(e), Plain: r.line(e),
		IsPage: outline.IsPage(r.db, e), Path: r.path(e), View: viewOf(r.db, e), Tree: r.children(e, outline.Hidden(r.db, e), 0),
	}
	d.Cut = r.left <= 0
	if at, ok := r.db.Int(e, graphdb.EditTime); ok {
		d.Edited = time.UnixMilli(at).In(location).Format("2 January 2006, 15:04")
		d.Editor = r.db.String(r.db.Ref(e, graphdb.EditUser), graphdb.UserDisplayName)
	}
	found, err := outline.FindBacklinks(ctx, r.db, e, outline.BacklinkOptions{Limit: backlinksShown})
	if err != nil {
		return document{}, err
	}
	d.Mentions, d.Linked = found.Total, r.group(found.Results)
	return d, nil
}

// linkedPage is a page with the blocks on it that were found.
type linkedPage struct {
	Address string
	Title   string
	Found   []linkedBlock
}

type linkedBlock struct {
	Path  []step // between page and block
	Block block
}

// group puts blocks under their pages, in their order.
func (r *reader) group(found []graphdb.EID) []linkedPage {
	var pages []linkedPage
	place := map[graphdb.EID]int{}
	for _, e := range found {
		page := e
		if !outline.IsPage(r.db, e) {
			page = r.db.Ref(e, graphdb.BlockPage)
		}
		at, there := place[page]
		if !there {
			at = len(pages)
			place[page] = at
			pages = append(pages, linkedPage{Address: r.addressOf(page), Title: outline.TextOf(r.db, page)})
		}
		if page == e {
			continue // the title itself
		}
		r.left = foundShown
		one := linkedBlock{Block: r.tree(e, false, 0)}
		if path := r.path(e); len(path) > 1 {
			one.Path = path[1:]
		}
		pages[at].Found = append(pages[at].Found, one)
	}
	return pages
}

// pageEntry is a page in the list.
type pageEntry struct {
	Address string
	Title   string
	Refs    int
	Edited  string
}

// pages lists pages, last edited first.
func (r *reader) pages(offset int, location *time.Location) (entries []pageEntry, total int) {
	type dated struct {
		e  graphdb.EID
		at int64
	}
	var all []dated
	for e := range r.db.Entities(graphdb.NodeTitle) {
		at, _ := r.db.Int(e, graphdb.EditTime)
		if paged, ok := r.db.Int(e, graphdb.PageEditTime); ok {
			at = max(at, paged)
		}
		all = append(all, dated{e, at})
	}
	slices.SortFunc(all, func(a, b dated) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.e, b.e)) })
	offset = min(max(0, offset), len(all))
	for _, one := range all[offset:min(len(all), offset+pagesShown)] {
		entry := pageEntry{Address: r.addressOf(one.e), Title: outline.TextOf(r.db, one.e), Refs: r.db.ReverseCount(graphdb.BlockRefs, one.e)}
		if one.at > 0 {
			entry.Edited = time.UnixMilli(one.at).In(location).Format("2 Jan 2006")
		}
		entries = append(entries, entry)
	}
	return entries, len(all)
}

// shortcuts lists the starred pages in their order.
func (r *reader) shortcuts() []step {
	var steps []step
	for _, e := range outline.Shortcuts(r.db) {
		steps = append(steps, step{r.addressOf(e), outline.TextOf(r.db, e)})
	}
	return steps
}
