package mirror

import (
	"strings"
	"sync/atomic"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
)

// page is what is known of one page. What Views use of it never changes.
type page struct {
	e          graphdb.EID
	uid, title string
	fold       string    // of the title, for node order
	kind       note.Kind // by the title alone: never note.Word
	exists     bool      // has a visible block
	facts      facts
	resolved   atomic.Pointer[resolved]

	// For the store alone.
	edited int64         // the greatest time known of it, in ms since 1970
	direct int32         // number of direct children
	found  []graphdb.EID // Links: its blocks that store.where has
}

// facts are what the visible blocks of a page say.
type facts struct {
	mentions         []mention
	named            []string // titles that are mentioned by Tags:: lines, which make no edge
	words            []string // titles that are mentioned as names of components and attributes
	declared, inline []string // tags
}

// mention is one block's mention of a page, by title, or of a block.
type mention struct {
	block int32 // which block of the page mentions it, by any number
	title string
	e     graphdb.EID // of the block that is mentioned; 0: title is
}

func newPage(e graphdb.EID, uid, title string) *page {
	return &page{e: e, uid: uid, title: title, fold: strings.ToLower(title), kind: note.KindOfTitle(title)}
}

// resolved are the titles of a page's facts as places in an order, -1 for one that no
// page has.
type resolved struct {
	in                     *order
	self                   int32 // the place of the page itself
	mentions, named, words []int32
}

// resolve returns the titles as places. Only the last order is remembered.
func (p *page) resolve(o *order) *resolved {
	if r := p.resolved.Load(); r != nil && r.in == o {
		return r
	}
	places := func(titles []string) []int32 {
		found := make([]int32, len(titles))
		for i, title := range titles {
			found[i] = o.place(title)
		}
		return found
	}
	r := &resolved{in: o, self: o.ofPage[p.e], mentions: make([]int32, len(p.facts.mentions)), named: places(p.facts.named), words: places(p.facts.words)}
	for i, m := range p.facts.mentions {
		if r.mentions[i] = -1; m.e == 0 {
			r.mentions[i] = o.place(m.title)
		}
	}
	p.resolved.Store(r)
	return r
}
