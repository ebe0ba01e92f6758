package mirror

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sync"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/linkgraph"
	"roam-mcp/internal/graph/note"
)

// derived is what follows from the pages of one View. It is computed when it is asked
// for, and shared between Views for which it is the same.
type derived struct {
	pages  map[graphdb.EID]*page
	pageOf func(block graphdb.EID) graphdb.EID // the page that a visible block is on, or 0

	// What follows from titles and uids alone.
	order  func() *order
	names  func() *note.Names
	titles func() map[string]string // by key of a tag
	// What follows from the facts too.
	nodes func() *nodes
	links func() *linkgraph.Graph
	tags  func() *tags
}

// derive returns what follows from pages. Where titles or facts are those of before, what
// follows from them is shared with it.
func derive(pages map[graphdb.EID]*page, pageOf func(graphdb.EID) graphdb.EID, before *derived, sameTitles, sameFacts bool) *derived {
	if before != nil && sameTitles && sameFacts {
		return before
	}
	d := &derived{pages: pages, pageOf: pageOf}
	if before != nil && sameTitles {
		d.order, d.names, d.titles = before.order, before.names, before.titles
	} else {
		d.order = sync.OnceValue(func() *order { return sort(pages) })
		d.names = sync.OnceValue(d.makeNames)
		d.titles = sync.OnceValue(d.makeTitles)
	}
	d.nodes = sync.OnceValue(d.number)
	d.links = sync.OnceValue(d.link)
	d.tags = sync.OnceValue(d.tag)
	return d
}

// order is the node order of all pages. Their places in it are counted from 0.
type order struct {
	pages  []graphdb.EID
	ofPage map[graphdb.EID]int32
	of     map[string]int32 // by uid
	at     map[string]int32 // by title
}

// place returns the place of the page with a title; -1 if there is none.
func (o *order) place(title string) int32 {
	if at, ok := o.at[title]; ok {
		return at
	}
	return -1
}

func sort(pages map[graphdb.EID]*page) *order {
	all := slices.SortedFunc(maps.Values(pages), func(a, b *page) int { return cmp.Or(cmp.Compare(a.fold, b.fold), cmp.Compare(a.uid, b.uid)) })
	o := &order{pages: make([]graphdb.EID, len(all)), ofPage: make(map[graphdb.EID]int32, len(all)), of: make(map[string]int32, len(all)), at: make(map[string]int32, len(all))}
	for i, p := range all {
		o.pages[i], o.ofPage[p.e], o.of[p.uid], o.at[p.title] = p.e, int32(i), int32(i), int32(i)
	}
	return o
}

// sorted lists the pages in node order.
func (d *derived) sorted() iter.Seq[*page] {
	return func(yield func(*page) bool) {
		for _, e := range d.order().pages {
			if !yield(d.pages[e]) {
				return
			}
		}
	}
}

func (d *derived) makeNames() *note.Names {
	return note.NewNames(iter.Seq2[string, string](func(yield func(string, string) bool) {
		for p := range d.sorted() {
			if !yield(p.uid, p.title) {
				return
			}
		}
	}))
}

func (d *derived) makeTitles() map[string]string {
	titles := make(map[string]string, len(d.pages))
	for p := range d.sorted() {
		key := note.Key(p.title)
		if _, taken := titles[key]; !taken {
			titles[key] = p.title
		}
	}
	return titles
}

// nodes are the pages that are nodes of the link graph.
type nodes struct {
	list  []*page
	of    []int32 // by place in the order; -1: no node
	words map[graphdb.EID]bool
}

// number numbers the nodes.
func (d *derived) number() *nodes {
	o := d.order()
	linked, named := make([]bool, len(o.pages)), make([]bool, len(o.pages))
	mark := func(marks []bool, places []int32) {
		for _, at := range places {
			if at >= 0 {
				marks[at] = true
			}
		}
	}
	pages := make([]*page, len(o.pages))
	for _, p := range d.pages {
		r := p.resolve(o)
		pages[r.self] = p
		mark(linked, r.mentions)
		mark(linked, r.named)
		mark(named, r.words)
	}
	n := &nodes{list: make([]*page, 0, len(pages)), of: make([]int32, len(pages)), words: map[graphdb.EID]bool{}}
	for at, p := range pages {
		n.of[at] = -1
		switch {
		case p.kind == note.System:
		case p.kind == note.Plain && !p.exists && named[at] && !linked[at]:
			n.words[p.e] = true
		default:
			n.of[at] = int32(len(n.list))
			n.list = append(n.list, p)
		}
	}
	return n
}

// nodeOf returns the node of a page by its uid.
func (d *derived) nodeOf(uid string) (int32, bool) {
	at, ok := d.order().of[uid]
	if !ok {
		return 0, false
	}
	node := d.nodes().of[at]
	return max(node, 0), node >= 0
}

// page returns a page with its kind in the graph.
func (n *nodes) page(p *page) Page {
	found := Page{UID: p.uid, Title: p.title, Kind: p.kind, Exists: p.exists}
	if n.words[p.e] {
		found.Kind = note.Word
	}
	return found
}

// link makes the link graph. Edges between two pages weigh as much as there are blocks
// that make one.
func (d *derived) link() *linkgraph.Graph {
	n, o := d.nodes(), d.order()
	edges := make([]linkgraph.Edge, 0, len(n.list))
	for from, p := range n.list {
		places := p.resolve(o).mentions
		first := len(edges)
		block := int32(-1) // the edges from first on are those of this block
		for i, m := range p.facts.mentions {
			if m.block != block {
				first, block = len(edges), m.block
			}
			at := places[i]
			if m.e != 0 {
				at = d.placeOf(m.e)
			}
			if at < 0 || n.of[at] < 0 {
				continue
			}
			to := n.of[at]
			if !slices.ContainsFunc(edges[first:], func(e linkgraph.Edge) bool { return e.To == to }) {
				edges = append(edges, linkgraph.Edge{From: int32(from), To: to, Weight: 1})
			}
		}
	}
	return linkgraph.New(len(n.list), edges)
}

// placeOf returns the place of the page that a visible block is on; -1 if there is none.
func (d *derived) placeOf(block graphdb.EID) int32 {
	on := d.pages[d.pageOf(block)]
	if on == nil {
		return -1
	}
	return on.resolve(d.order()).self
}

// tags are the tags of nodes.
type tags struct {
	list  []*tag // in order of key
	byKey map[string]*tag
}

type tag struct {
	key, title string
	pages      []*page // in node order
}

// tag collects the tags. A tag has the title of its page, or else that of its first
// mention.
func (d *derived) tag() *tags {
	t := &tags{byKey: map[string]*tag{}}
	for _, p := range d.nodes().list {
		for _, list := range [][]string{p.facts.declared, p.facts.inline} {
			for _, title := range list {
				key := note.Key(title)
				found := t.byKey[key]
				if found == nil {
					found = &tag{key: key, title: title}
					if known, ok := d.titles()[key]; ok {
						found.title = known
					}
					t.byKey[key] = found
					t.list = append(t.list, found)
				}
				if n := len(found.pages); n == 0 || found.pages[n-1] != p {
					found.pages = append(found.pages, p)
				}
			}
		}
	}
	slices.SortFunc(t.list, func(a, b *tag) int { return cmp.Compare(a.key, b.key) })
	return t
}
