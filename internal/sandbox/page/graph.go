package page

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/localapi"
)

const (
	pagesShown  = 200   // on one page of the list
	blocksShown = 3_000 // of one page; more would make a browser slow
	mostQuoted  = 200   // characters of a block that is referred to
)

// address returns the address of a graph below that of a session.
func address(base string, graph localapi.Graph) string {
	return base + "/g/" + url.PathEscape(string(graph.Type)) + "/" + url.PathEscape(graph.Name)
}

// reader reads a snapshot of a graph for a page.
type reader struct {
	db   *graphdb.DB
	name string
	base string // address of the graph
	left int    // how many more blocks children may read
}

// page returns the address of the page with a title.
func (r *reader) page(title string) string {
	return r.base + "/page?" + url.Values{"title": {title}}.Encode()
}

// text returns a block's text as it is written, with links to the pages that it mentions
// and the text of the blocks that it refers to.
func (r *reader) text(text string) markup {
	var w writer
	at := 0
	for _, ref := range roamtext.References(text) {
		shown, address := text[ref.Start:ref.End], r.page(ref.Content(text))
		if ref.Kind == roamtext.BlockRef {
			shown, address = r.block(ref.Content(text))
		}
		if ref.Start < at || address == "" { // inside another one, or to a block that is not there
			continue
		}
		w.put(`%s<a href="%s">%s</a>`, text[at:ref.Start], address, shown)
		at = ref.End
	}
	w.put("%s", text[at:])
	return markup(w.String())
}

// block returns the text of a block, shortened, and its address; empty if there is none.
func (r *reader) block(uid string) (text, address string) {
	e := outline.ByUID(r.db, uid)
	if e == 0 {
		return "", ""
	}
	on := e
	if !outline.IsPage(r.db, e) {
		on = r.db.Ref(e, graphdb.BlockPage)
	}
	text = outline.TextOf(r.db, e)
	if runes := []rune(text); len(runes) > mostQuoted {
		text = string(runes[:mostQuoted]) + "…"
	}
	return text, r.page(outline.TextOf(r.db, on)) + "#b-" + url.PathEscape(uid)
}

// block is a block with its children.
type block struct {
	UID      string
	Text     markup
	Heading  int64
	Children []block
}

func (r *reader) children(e graphdb.EID, depth int) []block {
	var list []block
	for _, child := range outline.Children(r.db, e) {
		if r.left <= 0 || depth > outline.MaxDepth {
			return list
		}
		r.left--
		heading, _ := r.db.Int(child, graphdb.BlockHeading)
		list = append(list, block{r.db.String(child, graphdb.BlockUID), r.text(outline.TextOf(r.db, child)), heading, r.children(child, depth+1)})
	}
	return list
}

// document is a page of a graph. One that does not exist, to which links may lead, has
// no blocks.
type document struct {
	Title  string
	Blocks []block
	Cut    bool // not all blocks are shown
	Graph  *reader
}

func (r *reader) document(title string) document {
	r.left = blocksShown
	d := document{Title: title, Graph: r}
	if e := outline.PageByTitle(r.db, title); e != 0 {
		d.Blocks = r.children(e, 0)
	}
	d.Cut = r.left <= 0
	return d
}

// list is a part of a graph's pages.
type list struct {
	Pages []pageEntry
	Total int
	Older string // address of the part behind; empty: none
	Graph *reader
}

// pageEntry is a page in the list.
type pageEntry struct {
	Title  string
	Edited string
}

// pages lists pages, last edited first.
func (r *reader) pages(from int, location *time.Location) list {
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
	from = min(max(0, from), len(all))
	to := min(len(all), from+pagesShown)
	l := list{Total: len(all), Graph: r}
	for _, one := range all[from:to] {
		entry := pageEntry{Title: outline.TextOf(r.db, one.e)}
		if one.at > 0 {
			entry.Edited = time.UnixMilli(one.at).In(location).Format("2 Jan 2006")
		}
		l.Pages = append(l.Pages, entry)
	}
	if to < len(all) {
		l.Older = r.base + "?from=" + strconv.Itoa(to)
	}
	return l
}
