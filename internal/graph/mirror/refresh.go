package mirror

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

const (
	// smallGraph is how many entities a graph may have that each refresh reads as a whole,
	// however long that takes; mediumGraph is how many if it takes no longer than wholeLimit.
	smallGraph, mediumGraph = 1000, 10_000
	wholeLimit              = 25 * time.Millisecond

	// scanEvery is how often the structure of a graph is compared, where that takes
	// up to a hundredth of the time. Where it takes longer than scanLimit, it is left to the
	// scrub.
	scanEvery, scanShare = 30 * time.Second, 100
	scanLimit            = time.Second
	// scrubEvery is how often a part of the graph is read anew; scrubOften, where its
	// structure is not compared.
	scrubEvery, scrubOften = time.Minute, 5 * time.Second
	scrubChunk             = 2000
	sentinels              = 20
	rounds                 = 8 // of reading what a refresh leads to
)

// errRenumbered says that Roam has given the entities other ids.
var errRenumbered = errors.New("the entities of the graph have other ids")

// refresh makes a store what Roam holds.
func (f *refresh) refresh(ctx context.Context) error {
	m := f.mirror
	began := f.options.Now()
	m.mu.Lock()
	s, wrote, structure := m.live, m.wrote, m.structure
	m.wrote, m.structure = false, false
	m.mu.Unlock()
	if s == nil {
		return nil // a load will come
	}
	published, err := f.renew(ctx, s, structure, began)
	if err != nil {
		m.mu.Lock()
		m.wrote, m.structure = m.wrote || wrote, true
		m.mu.Unlock()
		if errors.Is(err, errRenumbered) {
			f.options.Log.Info("mirror: the graph was loaded anew", "graph", m.graph.Name)
			m.reset()
		}
		return err
	}
	if !wrote {
		m.notice(published.renamed)
	}
	f.publish(published.store, began, false)
	return nil
}

// renew brings a store up to date, or makes a new one.
func (f *refresh) renew(ctx context.Context, s *store, structure bool, began time.Time) (*changes, error) {
	if f.isSmall(s) {
		return f.whole(ctx, s)
	}
	c := s.resume()
	if err := f.changed(ctx, c); err != nil {
		return nil, err
	}
	if structure || f.isDue(began) {
		if s.level == Links {
			if again, err := f.reload(ctx, s, began); again != nil || err != nil {
				return again, err
			}
		} else if err := f.compare(ctx, c); err != nil {
			return nil, err
		}
		f.mirror.mu.Lock()
		f.scanned = began
		f.mirror.mu.Unlock()
	}
	f.scrubDue(c, began)
	if err := f.settle(ctx, c); err != nil {
		return nil, err
	}
	if err := f.nameUsers(ctx, s); err != nil {
		return nil, err
	}
	c.publish()
	return c, nil
}

// isSmall reports whether the graph is read as a whole by each refresh.
func (f *refresh) isSmall(s *store) bool {
	if s.level != Texts {
		return false
	}
	f.mirror.mu.Lock()
	defer f.mirror.mu.Unlock()
	n := s.db().Count(graphdb.BlockUID)
	return n <= f.options.small || n <= mediumGraph && f.options.small > 0 && f.wholeCost <= wholeLimit
}

// whole reads the graph as a whole and compares it.
func (f *refresh) whole(ctx context.Context, s *store) (*changes, error) {
	reply, took, err := f.query(ctx, wholeQuery())
	if err != nil {
		return nil, err
	}
	roots, err := f.entities(ctx, s, reply)
	if err != nil {
		return nil, err
	}
	f.mirror.mu.Lock()
	f.wholeCost = took
	f.mirror.mu.Unlock()
	c := s.resume()
	if c.renumbered(roots) {
		s = newStore(Texts)
		c = s.resume()
	}
	if err := c.apply(ctx, roots); err != nil {
		return nil, err
	}
	there := make(map[graphdb.EID]bool, len(roots))
	newest := int64(0)
	for i := range roots {
		there[roots[i].e] = true
		newest = max(newest, roots[i].newest())
	}
	gone := ids(c.lost)
	for e := range c.pages {
		if !there[e] {
			gone = append(gone, e)
		}
	}
	for _, e := range gone {
		c.drop(e)
	}
	if err := c.remove(ctx, gone); err != nil {
		return nil, err
	}
	if err := f.nameUsers(ctx, s); err != nil {
		return nil, err
	}
	s.since, s.complete = f.upTo(newest), true
	clear(s.seen)
	c.publish()
	return c, nil
}

// renumbered reports whether trees have uids that are known under other ids.
func (c *changes) renumbered(roots []entity) bool {
	db := c.db()
	for i := range roots {
		x := &roots[i]
		if known := db.String(x.e, graphdb.BlockUID); known != "" && known != x.uid {
			return true
		}
		if e := outline.ByUID(db, x.uid); e != 0 && e != x.e {
			return true
		}
	}
	return false
}

// changed finds what was edited since the last refresh.
func (f *refresh) changed(ctx context.Context, c *changes) error {
	rows, same, err := f.edited(ctx, c, c.watch())
	if err == nil && len(rows) == 0 && len(c.watched) > 0 { // one that is watched is gone, perhaps
		rows, _, err = f.edited(ctx, c, nil)
		c.watched = nil
	}
	if err != nil {
		return err
	}
	confirmed, clash, some := false, !same, false
	newest := c.since + margin
	for i := range rows {
		x := &rows[i]
		if x.uid == "" {
			continue
		}
		is := c.identity(x)
		confirmed, clash = confirmed || is == known, clash || is == other
		some, newest = true, max(newest, x.edited)
	}
	if clash || !confirmed {
		latest, err := f.sentinels(ctx, c)
		if err != nil {
			return err
		}
		if !some && latest > 0 { // from then on the next refresh finds something
			newest = min(newest, latest-1+margin)
		}
	}
	since := f.upTo(newest)
	seen := map[graphdb.EID]uint64{}
	for i := range rows {
		x := &rows[i]
		if x.uid == "" {
			continue
		}
		if c.seen[x.e] != x.print && !c.has(x) {
			c.wanted[x.pageOrSelf()] = true
			if left := c.pageOfBlock(x.e); left != 0 && left != x.page {
				c.wanted[left] = true // where orders have changed
			}
		}
		if x.edited > since {
			seen[x.e] = x.print
		}
	}
	c.later = func() { c.since, c.seen = since, seen }
	return nil
}

// edited asks what was edited since the last refresh, and reports whether the pages that
// are watched have the ids that are known of them.
func (f *refresh) edited(ctx context.Context, c *changes, watched []*page) (rows []entity, same bool, err error) {
	reply, _, err := f.query(ctx, changesQuery(c.since, watched))
	if err != nil {
		return nil, false, err
	}
	d := c.decode(reply)
	d.print = true
	if rows, same, err = d.changed(watched); err != nil {
		return nil, false, unreadable(err)
	}
	return rows, same, nil
}

// watch returns the pages whose ids each refresh looks at: those with the least and the
// greatest. Where Roam has given the entities other ids, what was edited may have one
// by chance that is known of it.
func (s *store) watch() []*page {
	for _, p := range s.watched {
		if now := s.pages[p.e]; now == nil || now.uid != p.uid {
			s.watched = nil
			break
		}
	}
	if s.watched != nil {
		return s.watched
	}
	var least, greatest *page
	for _, p := range s.pages {
		if strings.ContainsFunc(p.uid, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			continue // it would have to be escaped
		}
		if least == nil || p.e < least.e {
			least = p
		}
		if greatest == nil || p.e > greatest.e {
			greatest = p
		}
	}
	if least != nil {
		s.watched = []*page{least, greatest}
	}
	return s.watched
}

// pageOrSelf returns the page of a block, or the page itself.
func (x *entity) pageOrSelf() graphdb.EID {
	if x.title != "" || x.page == 0 {
		return x.e
	}
	return x.page
}

// pageOfBlock returns the page that a block is on as far as is known, or 0.
func (c *changes) pageOfBlock(e graphdb.EID) graphdb.EID {
	if db := c.db(); db != nil {
		return db.Ref(e, graphdb.BlockPage)
	}
	return c.where[e].page
}

// has reports whether the snapshot has what a row of changesQuery says.
func (c *changes) has(x *entity) bool {
	db := c.db()
	if db == nil {
		return false
	}
	number := func(a graphdb.Attr) int64 {
		n, _ := db.Int(x.e, a)
		return n
	}
	open, _ := db.Get(x.e, graphdb.BlockOpen)
	return db.String(x.e, graphdb.BlockUID) == x.uid && db.String(x.e, graphdb.NodeTitle) == x.title &&
		db.String(x.e, graphdb.BlockString) == x.text && number(graphdb.BlockOrder) == x.order &&
		number(graphdb.BlockHeading) == x.heading && open.Bool() == x.open && number(graphdb.EditTime) == x.edited &&
		(x.title != "" || db.Ref(x.e, graphdb.BlockPage) == x.page)
}

// identity says whether an entity of a reply is the one that is known under its id.
type identity int

const (
	unknown identity = iota
	known
	other
)

func (c *changes) identity(x *entity) identity {
	if db := c.db(); db != nil {
		uid := db.String(x.e, graphdb.BlockUID)
		switch e := outline.ByUID(db, x.uid); {
		case uid == x.uid:
			return known
		case uid != "" || e != 0:
			return other
		}
		return unknown
	}
	e, uid := x.page, x.pageUID
	if x.title != "" {
		e, uid = x.e, x.uid
	}
	switch p := c.pages[e]; {
	case p != nil && p.uid == uid:
		return known
	case p != nil:
		return other
	}
	if _, elsewhere := c.derived.order().of[uid]; elsewhere {
		return other
	}
	return unknown
}

// sentinels looks whether the pages that were edited last have the ids that are known of
// them. It returns the time at which one of them was edited, in ms since 1970, or 0.
func (f *refresh) sentinels(ctx context.Context, c *changes) (int64, error) {
	pages := slices.SortedFunc(maps.Values(c.pages), func(a, b *page) int {
		return cmp.Or(cmp.Compare(b.edited, a.edited), cmp.Compare(b.e, a.e))
	})
	var asked []graphdb.EID
	for _, p := range pages[:min(sentinels, len(pages))] {
		asked = append(asked, p.e)
	}
	if len(asked) == 0 {
		return 0, nil
	}
	found, _, err := f.pulled(ctx, c.store, wherePattern, asked)
	if err != nil {
		return 0, err
	}
	latest := int64(0)
	same := 0
	for i := range found {
		x := &found[i]
		if p := c.pages[x.e]; p == nil || p.uid != x.uid && x.uid != "" {
			return 0, errRenumbered
		} else if x.uid != "" {
			same++
			latest = max(latest, x.edited)
		}
	}
	if same == 0 {
		return 0, errRenumbered
	}
	c.checked = true
	return latest, nil
}
