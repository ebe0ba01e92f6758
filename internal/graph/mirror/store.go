package mirror

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync/atomic"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/search"
)

// store is what is known of a graph. It belongs to one flight at a time. What Views are
// made of is replaced, never changed.
type store struct {
	level   Need
	pages   map[graphdb.EID]*page // replaced where it changes
	conn    *graphdb.Conn         // Texts: all blocks
	meaning *meaning              // Texts
	log     changeLog             // Texts, once it is complete
	// where is known of the blocks that refer to something or are referred to, and of
	// hidden ones. Links only.
	where map[graphdb.EID]place
	users map[graphdb.EID]bool // who has written; true: the name was asked for

	// since is the time of edits, in ms since 1970, up to which all is known.
	since int64
	seen  map[graphdb.EID]uint64 // prints of what was edited after since
	seed  maphash.Seed
	// watched are pages with whose ids each refresh begins; see watch.
	watched []*page

	bytes    int64         // about, without the entities
	scrub    []graphdb.EID // pages that this round of the scrub has not read yet
	hasten   bool          // each refresh reads some of them, until the round is over
	derived  *derived
	complete bool              // all was read
	pending  *changes          // what a refresh that failed has left; nil: nothing
	interned map[string]string // titles, while the store is loaded

	// Of reading pages in chunks.
	todo          []todo // pages that are not read yet, the next ones last
	done          int    // pages that are
	chunk         int    // how many entities a chunk may have
	direct, below int    // blocks that were read: directly on their pages, and all
}

// place is where a block is.
type place struct {
	page   graphdb.EID
	hidden bool
}

func newStore(level Need) *store {
	s := &store{
		level: level, pages: map[graphdb.EID]*page{}, users: map[graphdb.EID]bool{}, chunk: firstChunk,
		seen: map[graphdb.EID]uint64{}, seed: maphash.MakeSeed(),
	}
	if level == Texts {
		s.conn, s.log.of = graphdb.NewConn(graphdb.RoamSchema()), new(lineage)
	} else {
		s.where = map[graphdb.EID]place{}
	}
	return s
}

// decode returns a decoder of a reply.
func (s *store) decode(reply []byte) *decoder {
	return &decoder{scanner: scanner{text: reply}, seed: s.seed}
}

// db returns the newest snapshot of all blocks; nil for Links.
func (s *store) db() *graphdb.DB {
	if s.conn == nil {
		return nil
	}
	return s.conn.DB()
}

// size is about how much memory the store takes.
func (s *store) size() int64 {
	const perWhere, perEntity = 60, 285
	size := s.bytes + int64(perWhere*len(s.where))
	if db := s.db(); db != nil {
		size += perEntity * int64(db.Count(graphdb.BlockUID))
	}
	return size + s.meaning.size()
}

// meaning is the index for the search by meaning.
type meaning struct {
	*search.MeaningIndex
	documents int64
	used      atomic.Bool // the index is empty until it is
}

// mostByMeaning is how many blocks a graph may have whose blocks are found by meaning; of
// larger ones the pages are.
const mostByMeaning = 200_000

func newMeaning(db *graphdb.DB) *meaning {
	if db == nil {
		return nil
	}
	if blocks := db.Count(graphdb.BlockString); blocks <= mostByMeaning {
		return &meaning{MeaningIndex: search.NewMeaningIndex(), documents: int64(db.Count(graphdb.BlockUID))}
	}
	return &meaning{MeaningIndex: search.NewPageMeaningIndex(), documents: int64(db.Count(graphdb.NodeTitle))}
}

// size is about how much memory the index takes.
func (x *meaning) size() int64 {
	const perDocument = 400
	if x == nil || !x.used.Load() {
		return 0
	}
	return perDocument * x.documents
}

// changes collects what a flight changes in a store.
type changes struct {
	*store
	copied bool                 // pages is a copy already
	wanted map[graphdb.EID]bool // pages that are to be read
	lost   map[graphdb.EID]bool // blocks that are no longer where they were
	odd    map[graphdb.EID]bool // entities that are referred to and not known
	reads  map[graphdb.EID]int  // how often each page was read
	// clashes counts the entities whose uid is known of another; checked: they are
	// single ones.
	clashes int
	checked bool
	renamed []renamed
	titles  bool // titles, uids or pages have changed
	facts   bool // facts have changed, or where a block is that is referred to
	intern  func(string) string
	later   func() // is called once all is read
}

// renamed is a page that has another title now.
type renamed struct{ uid, before, after string }

// change returns the changes of one chunk of a load.
func (s *store) change() *changes {
	if s.interned == nil {
		s.interned = map[string]string{}
	}
	return &changes{
		store: s, wanted: map[graphdb.EID]bool{}, lost: map[graphdb.EID]bool{}, odd: map[graphdb.EID]bool{},
		reads:  map[graphdb.EID]int{},
		intern: interner(s.interned),
	}
}

// resume returns the changes of a refresh, with those that one before could not finish.
func (s *store) resume() *changes {
	if s.pending == nil {
		s.interned = nil
		s.pending = s.change()
	}
	return s.pending
}

// put adds or replaces a page.
func (c *changes) put(p *page) {
	c.copyPages()
	c.bytes += p.bytes() - c.pages[p.e].bytes()
	c.pages[p.e] = p
}

func (c *changes) copyPages() {
	if !c.copied && c.derived != nil {
		c.pages = maps.Clone(c.pages)
	}
	c.copied = true
}

// page takes in a page that was read as a tree.
func (c *changes) page(x *entity) {
	r := readPage(x, c.intern)
	old := c.pages[x.e]
	if c.level == Links {
		c.track(old, r, x)
	}
	c.replace(old, r.page)
}

// replace puts a page in the place of what was known of it.
func (c *changes) replace(old, now *page) {
	switch {
	case old == nil:
		c.titles, c.facts = true, true
	case old.uid != now.uid || old.title != now.title:
		c.titles, c.facts = true, true
		c.renamed = append(c.renamed, renamed{now.uid, old.title, now.title})
		c.mentioning(old.title)
	case !old.same(now):
		c.facts = true
	default: // Views share what is equal
		old.edited, old.direct, old.found = now.edited, now.direct, now.found
		return
	}
	c.put(now)
}

// mentioning wants the pages that say a title: Roam changes the texts without a time,
// perhaps, when a page is renamed or deleted.
func (c *changes) mentioning(title string) {
	for e, p := range c.pages {
		if p.says(title) {
			c.wanted[e] = true
		}
	}
}

// drop forgets a page that is gone.
func (c *changes) drop(e graphdb.EID) {
	old := c.pages[e]
	if old == nil {
		return
	}
	c.copyPages()
	c.bytes -= old.bytes()
	delete(c.pages, e)
	c.titles, c.facts = true, true
	c.mentioning(old.title)
	delete(c.wanted, e)
	for _, b := range old.found {
		if c.where[b].page == e {
			c.lost[b] = true
		}
	}
}

// track brings where in step with a tree.
func (c *changes) track(old *page, r *reading, x *entity) {
	hidden := make(map[graphdb.EID]bool, len(r.hidden))
	for _, e := range r.hidden {
		hidden[e] = true
	}
	r.page.found = r.page.found[:0]
	now := map[graphdb.EID]bool{}
	for k := range x.below() {
		now[k.e] = true
		was, known := c.where[k.e]
		if !known && len(k.refs) == 0 {
			continue
		}
		is := place{x.e, hidden[k.e]}
		if known && was.page != x.e {
			c.wanted[was.page] = true
		}
		if known && was != is {
			c.facts = true
		}
		c.where[k.e] = is
		delete(c.lost, k.e)
		r.page.found = append(r.page.found, k.e)
	}
	r.page.found = slices.Clip(r.page.found)
	for _, to := range r.targets {
		if _, known := c.where[to.e]; !known {
			c.where[to.e] = place{page: to.page}
			if on := c.pages[to.page]; on != nil {
				on.found = append(on.found, to.e)
			}
			c.facts = true
		}
	}
	if old == nil {
		return
	}
	for _, e := range old.found {
		if !now[e] && c.where[e].page == x.e {
			c.lost[e] = true
		}
	}
}

// publish makes what Views are made of, and ends the changes.
func (c *changes) publish() {
	c.pending, c.interned = nil, nil
	if c.meaning == nil {
		c.meaning = newMeaning(c.db())
	}
	if c.derived == nil || c.titles || c.facts {
		c.derived = derive(c.pages, c.pageOf(), c.derived, !c.titles, false)
	}
}

// pageOf returns a function that returns the page that a visible block is on, as it is
// now; 0 for a block that is hidden or not known.
func (c *changes) pageOf() func(graphdb.EID) graphdb.EID {
	if db := c.db(); db != nil {
		return func(e graphdb.EID) graphdb.EID {
			if on := db.Ref(e, graphdb.BlockPage); on != 0 && !outline.Hidden(db, e) {
				return on
			}
			return 0
		}
	}
	targets := map[graphdb.EID]graphdb.EID{}
	for _, p := range c.pages {
		for _, m := range p.facts.mentions {
			if m.e == 0 {
				continue
			}
			if at, ok := c.where[m.e]; ok && !at.hidden {
				targets[m.e] = at.page
			}
		}
	}
	return func(e graphdb.EID) graphdb.EID { return targets[e] }
}
