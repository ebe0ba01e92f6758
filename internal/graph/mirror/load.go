package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
)

const (
	// fewPages is up to how many pages a graph is read with all texts at once, also where
	// only links are needed: that takes fewer calls.
	fewPages = 250
	// quickPages is the time that Roam may take for pagesQuery where queries of a whole
	// graph shall not hold its window for long; above it links are read in chunks.
	quickPages = time.Second
	// mostByQueries is how many pages and blocks directly on them a graph may have whose
	// links are read with queries, however quick Roam is.
	mostByQueries = 200_000
	// margin is how far the clocks of Roam and of other devices may differ, in ms.
	margin = 5000
)

// loadLinks loads stage Links.
func (f *refresh) loadLinks(ctx context.Context) error { return f.load(ctx, Links) }

// loadTexts loads stage Texts.
func (f *refresh) loadTexts(ctx context.Context) error { return f.load(ctx, Texts) }

// load loads a stage, or goes on with a load that was broken off.
func (f *refresh) load(ctx context.Context, need Need) error {
	began := f.options.Now()
	f.mirror.mu.Lock()
	s := f.half[need]
	f.mirror.mu.Unlock()
	resumed := s != nil
	if !resumed {
		var err error
		if s, err = f.begin(ctx, need, began, false); err != nil {
			return err
		}
		f.mirror.mu.Lock()
		f.half[need] = s
		f.mirror.mu.Unlock()
	}
	if err := f.chunks(ctx, s, need); err != nil {
		return err
	}
	if err := f.nameUsers(ctx, s); err != nil {
		return err
	}
	s.complete = true
	s.change().publish()
	f.mirror.mu.Lock()
	f.half[need] = nil
	f.scanned, f.scrubbed = began, began
	f.mirror.mu.Unlock()
	f.publish(s, began, resumed)
	return nil
}

// begin reads the pages, and the links too where queries will do for that. With
// onlyQueries it returns nil where they will not.
func (f *refresh) begin(ctx context.Context, need Need, began time.Time, onlyQueries bool) (*store, error) {
	reply, took, err := f.query(ctx, pagesQuery)
	if err != nil {
		return nil, err
	}
	s := newStore(need)
	pages, err := f.entities(ctx, s, reply)
	if err != nil {
		return nil, err
	}
	there := len(pages)
	pages = slices.DeleteFunc(pages, func(x entity) bool { return x.title == "" || x.uid == "" })
	if there > 0 && len(pages) == 0 {
		return nil, unreadable(errors.New("no page has a title and a uid"))
	}
	if need == Links && len(pages) <= f.options.few && !onlyQueries {
		s = newStore(Texts)
	}
	slices.SortFunc(pages, func(a, b entity) int {
		return cmp.Or(cmp.Compare(max(a.edited, a.pageEdited), max(b.edited, b.pageEdited)), cmp.Compare(a.e, b.e))
	})
	weight := 0
	for i := range pages {
		x := &pages[i]
		weight += 1 + len(x.kids)
		s.since = max(s.since, x.edited, x.pageEdited)
		s.todo = append(s.todo, todo{x.e, 1 + int32(len(x.kids))})
	}
	s.since = f.upTo(s.since)
	if s.level == Links && took <= quickPages && weight <= mostByQueries {
		s.todo = nil
		if err := f.links(ctx, s, pages, began); err != nil {
			return nil, err
		}
	} else if onlyQueries {
		return nil, nil
	}
	return s, nil
}

// upTo returns the time up to which edits are known if the newest was made at a time. What
// a device has written whose clock is fast must not hide what others write until then.
func (f *refresh) upTo(newest int64) int64 {
	return min(newest, f.options.Now().UnixMilli()) - margin
}

// links reads the links of a graph with queries.
func (f *refresh) links(ctx context.Context, s *store, pages []entity, began time.Time) error {
	reply, _, err := f.query(ctx, referringQuery)
	if err != nil {
		return err
	}
	l := &linked{store: s, blocks: map[graphdb.EID]*referring{}, on: map[graphdb.EID][]*referring{}, hidden: map[graphdb.EID]bool{}}
	if err := l.referring(reply); err != nil {
		return unreadable(err)
	}
	if reply, _, err = f.query(ctx, referredQuery); err != nil {
		return err
	}
	if err := l.referred(reply); err != nil {
		return unreadable(err)
	}
	// The time of the newest edit is that of now at most, and what was edited since the load
	// began is later than that by the time that the load took.
	s.since = min(s.since, f.upTo(began.UnixMilli())) - f.options.Now().Sub(began).Milliseconds()
	if hiding := l.hiding(); len(hiding) > 0 {
		if reply, _, err = f.query(ctx, belowHiddenQuery, hiding); err != nil {
			return err
		}
		below, err := s.decode(reply).ids()
		if err != nil {
			return unreadable(err)
		}
		for _, e := range below {
			l.hidden[e] = true
		}
	}
	l.finish(pages)
	return nil
}

// linked puts the replies to the queries of links together.
type linked struct {
	*store
	blocks  map[graphdb.EID]*referring
	on      map[graphdb.EID][]*referring // by page
	hidden  map[graphdb.EID]bool
	targets []ref
}

// referring is a block that refers to something.
type referring struct {
	e    graphdb.EID
	text string
	refs []ref // to blocks
}

func (l *linked) referring(reply json.RawMessage) error {
	return l.decode(reply).referring(func(block, page graphdb.EID, text string) {
		b := &referring{e: block, text: text}
		l.blocks[block] = b
		l.on[page] = append(l.on[page], b)
		l.where[block] = place{page: page}
	})
}

func (l *linked) referred(reply json.RawMessage) error {
	return l.decode(reply).referred(func(from, to, page graphdb.EID, edited int64) {
		l.since = max(l.since, edited-margin)
		if b := l.blocks[from]; b != nil {
			b.refs = append(b.refs, ref{to, page})
		}
		l.targets = append(l.targets, ref{to, page})
		l.where[to] = place{page: page}
	})
}

// hiding returns the blocks that hide what is below them.
func (l *linked) hiding() []graphdb.EID {
	for _, b := range l.blocks {
		if note.HidesItself(b.text) {
			l.hidden[b.e] = true
		}
	}
	return ids(l.hidden)
}

// finish makes the pages.
func (l *linked) finish(pages []entity) {
	c := l.change()
	for i := range pages {
		x := &pages[i]
		r := &reading{page: newPage(x.e, x.uid, x.title), intern: c.intern}
		r.page.edited, r.page.direct = max(x.edited, x.pageEdited), int32(len(x.kids))
		direct := make(map[graphdb.EID]bool, len(x.kids))
		for _, k := range x.kids {
			direct[k] = true
			r.page.exists = r.page.exists || !l.hidden[k]
		}
		blocks := l.on[x.e]
		slices.SortFunc(blocks, func(a, b *referring) int { return cmp.Compare(a.e, b.e) })
		for _, b := range blocks {
			slices.SortFunc(b.refs, func(a, b ref) int { return cmp.Compare(a.e, b.e) })
			if !l.hidden[b.e] {
				r.block(b.text, direct[b.e], b.refs)
			}
			r.page.found = append(r.page.found, b.e)
		}
		r.page.facts.mentions = slices.Clip(r.page.facts.mentions)
		c.put(r.page)
	}
	for _, to := range l.targets {
		if on := l.pages[to.page]; on != nil && l.blocks[to.e] == nil {
			on.found = append(on.found, to.e)
		}
	}
	for e := range l.hidden {
		l.where[e] = place{l.where[e].page, true}
	}
}
