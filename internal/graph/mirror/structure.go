package mirror

import (
	"context"
	"maps"
	"slices"
	"time"

	"roam-mcp/internal/graph/graphdb"
)

// isDue reports whether the structure is to be compared: it shows what is gone, what was
// moved without a time, and what a device that was offline had edited long before.
func (f *refresh) isDue(now time.Time) bool {
	f.mirror.mu.Lock()
	defer f.mirror.mu.Unlock()
	return f.scanCost <= scanLimit && now.Sub(f.scanned) >= max(scanEvery, scanShare*f.scanCost)
}

// compare wants the pages whose structure in Roam is another one, and drops those that
// are gone. Where that would hold Roam's window for long, it looks at the pages alone, and
// hastens the scrub.
func (f *refresh) compare(ctx context.Context, c *changes) error {
	blocks := c.db().Count(graphdb.BlockString)
	if cost := time.Duration(blocks) * 5 * time.Microsecond; cost > scanLimit {
		f.noteScan(cost)
		c.hastenScrub()
		return f.comparePages(ctx, c)
	}
	reply, took, err := f.query(ctx, structureQuery)
	if err != nil {
		return err
	}
	db := c.db()
	there := make(map[graphdb.EID]bool, blocks)
	want := func(e graphdb.EID) {
		if on := db.Ref(e, graphdb.BlockPage); on != 0 {
			e = on
		}
		if c.pages[e] != nil {
			c.wanted[e] = true
		}
	}
	err = c.decode(reply).structure(func(parent, block graphdb.EID, order int64) {
		there[block] = true
		at, _ := db.Int(block, graphdb.BlockOrder)
		if at != order || !db.HasDatom(parent, graphdb.BlockChildren, graphdb.RefValue(block)) {
			want(block)
			want(parent)
		}
	})
	if err != nil {
		return unreadable(err)
	}
	for parent, block := range db.Entities(graphdb.BlockChildren) {
		if !there[block.Ref()] {
			want(parent)
		}
	}
	times, tookTimes, err := f.query(ctx, timesQuery)
	if err != nil {
		return err
	}
	f.noteScan(took + tookTimes)
	err = c.decode(times).times(func(e graphdb.EID, edited int64) {
		if known, _ := db.Int(e, graphdb.EditTime); known != edited {
			want(e)
		}
	})
	if err != nil {
		return unreadable(err)
	}
	return f.comparePages(ctx, c)
}

// comparePages compares what is known of the pages alone.
func (f *refresh) comparePages(ctx context.Context, c *changes) error {
	if err := f.compareShortcuts(ctx, c); err != nil {
		return err
	}
	return f.compareTitles(ctx, c)
}

// compareShortcuts wants the pages whose place among the shortcuts is another one.
func (f *refresh) compareShortcuts(ctx context.Context, c *changes) error {
	reply, _, err := f.query(ctx, shortcutsQuery)
	if err != nil {
		return err
	}
	places, err := c.decode(reply).places()
	if err != nil {
		return unreadable(err)
	}
	db := c.db()
	for e, place := range places {
		if at, ok := db.Int(e, graphdb.PageSidebar); c.pages[e] != nil && (!ok || at != place) {
			c.wanted[e] = true
		}
	}
	for e := range db.Entities(graphdb.PageSidebar) {
		if _, there := places[e]; !there {
			c.wanted[e] = true
		}
	}
	return nil
}

func (f *refresh) noteScan(cost time.Duration) {
	f.mirror.mu.Lock()
	defer f.mirror.mu.Unlock()
	f.scanCost = cost
}

// compareTitles wants pages that are new or have another title, and drops those that are
// gone.
func (f *refresh) compareTitles(ctx context.Context, c *changes) error {
	reply, _, err := f.query(ctx, titlesQuery)
	if err != nil {
		return err
	}
	titles, err := c.decode(reply).titles()
	if err != nil {
		return unreadable(err)
	}
	for e, title := range titles {
		if p := c.pages[e]; p == nil || p.title != title {
			c.wanted[e] = true
		}
	}
	for e := range c.pages {
		if _, there := titles[e]; !there {
			c.drop(e)
			if err := c.removePage(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// reload reads the links of a graph anew, as the way to see what is gone or was moved
// without a time; nil where that would hold Roam's window for long.
func (f *refresh) reload(ctx context.Context, s *store, began time.Time) (*changes, error) {
	f.mirror.mu.Lock()
	cost := f.scanCost
	f.mirror.mu.Unlock()
	if cost > scanLimit {
		s.hastenScrub()
		return nil, nil
	}
	start := f.options.Now()
	fresh, err := f.begin(ctx, Links, began, true)
	if err != nil {
		return nil, err
	}
	if fresh == nil {
		f.noteScan(scanLimit + 1)
		s.hastenScrub()
		return nil, nil
	}
	f.noteScan(f.options.Now().Sub(start))
	f.mirror.mu.Lock()
	f.scanned = began
	f.mirror.mu.Unlock()
	fresh.seed, fresh.complete, fresh.derived = s.seed, true, s.derived
	if s.pending != nil && s.pending.later != nil {
		s.pending.later()
		fresh.since, fresh.seen = s.since, s.seen
	}
	c := fresh.resume()
	c.titles = len(s.pages) != len(fresh.pages)
	c.facts = true
	for e, now := range fresh.pages {
		switch old := s.pages[e]; {
		case old == nil:
			c.titles = true
		case old.uid != now.uid:
			return nil, errRenumbered
		case old.title != now.title:
			c.titles = true
			c.renamed = append(c.renamed, renamed{now.uid, old.title, now.title})
		}
	}
	c.publish()
	return c, nil
}

// hastenScrub begins a round of the scrub of which each refresh reads a part.
func (s *store) hastenScrub() { s.scrub, s.hasten = nil, true }

// scrubDue wants a few pages that have not been read for long: more often where the scrub
// is what finds out what is gone.
func (f *refresh) scrubDue(c *changes, now time.Time) {
	f.mirror.mu.Lock()
	every := scrubEvery
	if f.scanCost > scanLimit {
		every = scrubOften
	}
	due := c.hasten || now.Sub(f.scrubbed) >= every
	if due {
		f.scrubbed = now
	}
	f.mirror.mu.Unlock()
	if !due {
		return
	}
	if len(c.scrub) == 0 {
		c.scrub = slices.Collect(maps.Keys(c.pages))
	}
	for weight := 0; weight < scrubChunk && len(c.scrub) > 0; {
		e := c.scrub[len(c.scrub)-1]
		c.scrub = c.scrub[:len(c.scrub)-1]
		if p := c.pages[e]; p != nil {
			c.wanted[e] = true
			weight += 1 + 2*int(p.direct)
		}
	}
	c.hasten = c.hasten && len(c.scrub) > 0
}
