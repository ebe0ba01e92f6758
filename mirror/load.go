package mirror

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/note"
	"roam-mcp/localapi"
	"roam-mcp/problem"
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
func (f *flight) loadLinks(ctx context.Context) error { return f.load(ctx, Links) }

// loadTexts loads stage Texts.
func (f *flight) loadTexts(ctx context.Context) error { return f.load(ctx, Texts) }

// load loads a stage, or goes on with a load that was broken off.
func (f *flight) load(ctx context.Context, need Need) error {
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
func (f *flight) begin(ctx context.Context, need Need, began time.Time, onlyQueries bool) (*store, error) {
	reply, took, err := f.query(ctx, pagesQuery)
	if err != nil {
		return nil, err
	}
	s := newStore(need)
	pages, err := s.decode(reply).entities()
	if err != nil {
		return nil, unreadable(err)
	}
	pages = slices.DeleteFunc(pages, func(x entity) bool { return x.title == "" || x.uid == "" })
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
func (f *flight) upTo(newest int64) int64 {
	return min(newest, f.options.Now().UnixMilli()) - margin
}

// links reads the links of a graph with queries.
func (f *flight) links(ctx context.Context, s *store, pages []entity, began time.Time) error {
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
		if note.Read(b.text, false).Hides {
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

const (
	firstChunk, leastChunk, mostChunk = 1000, 250, 8000
	longChunk, shortChunk             = 150 * time.Millisecond, 25 * time.Millisecond
)

// todo is a page to be read, with the number of entities that are known of it.
type todo struct {
	e      graphdb.EID
	weight int32
}

// chunks reads the pages that are to be read, in parts that follow the clock.
func (f *flight) chunks(ctx context.Context, s *store, need Need) error {
	total := s.done + len(s.todo)
	for first := s.done == 0; len(s.todo) > 0; first = false {
		part := s.next()
		took, newest, err := f.chunk(ctx, s, part)
		if err != nil {
			return err
		}
		s.todo, s.done = s.todo[:len(s.todo)-len(part)], s.done+len(part)
		if first { // what is edited from now on is later than what is newest in this chunk
			s.since = max(s.since, f.upTo(newest))
		}
		f.mirror.mu.Lock()
		f.wholeCost += took
		f.mirror.mu.Unlock()
		if err := f.fits(s, need); err != nil {
			return err
		}
		if len(s.todo) > 0 {
			f.progress(fmt.Sprintf("Reading the graph: %s of %s pages", thousands(s.done), thousands(total)))
			if err := f.pause(ctx, took); err != nil {
				return err
			}
		}
	}
	return nil
}

// next returns the pages of the next chunk.
func (s *store) next() []graphdb.EID {
	ratio := 2.5 // blocks for one that is directly on a page, until it is known
	if s.direct > 0 {
		ratio = max(1, float64(s.below)/float64(s.direct))
	}
	var part []graphdb.EID
	for weight, i := 0.0, len(s.todo)-1; i >= 0; i-- {
		weight += 1 + ratio*float64(s.todo[i].weight-1)
		if weight > float64(s.chunk) && len(part) > 0 {
			break
		}
		part = append(part, s.todo[i].e)
	}
	return part
}

// chunk reads pages as trees.
func (f *flight) chunk(ctx context.Context, s *store, pages []graphdb.EID) (took time.Duration, newest int64, err error) {
	roots, took, err := f.trees(ctx, s, pages)
	if err != nil {
		return 0, 0, err
	}
	for i := range roots {
		x := &roots[i]
		s.direct, s.below = s.direct+len(x.children), s.below+x.count()-1
		newest = max(newest, x.newest())
	}
	switch {
	case took > longChunk:
		s.chunk = max(leastChunk, s.chunk/2)
	case took < shortChunk:
		s.chunk = min(mostChunk, s.chunk*2)
	}
	c := s.change()
	return took, newest, c.apply(ctx, roots)
}

// newest returns the greatest time in a tree.
func (x *entity) newest() int64 {
	at := max(x.edited, x.pageEdited)
	for i := range x.children {
		at = max(at, x.children[i].newest())
	}
	return at
}

// trees asks for pages as trees.
func (f *flight) trees(ctx context.Context, s *store, pages []graphdb.EID) ([]entity, time.Duration, error) {
	pattern := linksTree
	if s.level == Texts {
		pattern = textsTree
	}
	return f.entities(ctx, s, pattern, pages)
}

// entities asks for entities by a pattern, in the way that the build of Roam takes.
func (f *flight) entities(ctx context.Context, s *store, pattern string, of []graphdb.EID) ([]entity, time.Duration, error) {
	f.mirror.mu.Lock()
	many := f.manyPull
	f.mirror.mu.Unlock()
	var reply json.RawMessage
	var took time.Duration
	var err error
	if !many {
		reply, took, err = f.query(ctx, entitiesQuery(pattern), of)
		many = refused(err)
	}
	if many {
		if reply, took, err = f.ask(ctx, "data.pull_many", pattern, of); err == nil {
			f.mirror.mu.Lock()
			f.manyPull = true
			f.mirror.mu.Unlock()
		}
	}
	if err != nil {
		return nil, 0, err
	}
	found, err := s.decode(reply).entities()
	if err != nil {
		return nil, 0, unreadable(err)
	}
	return found, took, nil
}

// refused reports whether Roam has answered that it can't run a query, so that another
// way is worth a try.
func refused(err error) bool {
	failed, ok := problem.As(err)
	if !ok || failed.Status() < 400 || forgets(err) {
		return false
	}
	switch failed.Code {
	case localapi.CodeQueryTimeout, localapi.CodeTimeout, localapi.CodeWindowClosed, localapi.CodeRateLimited, localapi.CodeVersionMismatch:
		return false
	}
	return true
}

// nameUsers asks who has written, if somebody has of whom that is not known.
func (f *flight) nameUsers(ctx context.Context, s *store) error {
	if s.level != Texts {
		return nil
	}
	unknown := false
	for e, asked := range s.users {
		if !asked {
			s.users[e], unknown = true, true
		}
	}
	if !unknown {
		return nil
	}
	reply, _, err := f.query(ctx, usersQuery)
	if err != nil {
		for e := range s.users {
			s.users[e] = false
		}
		return err
	}
	users, err := s.decode(reply).entities()
	if err != nil {
		return unreadable(err)
	}
	_, err = s.conn.Transact(ctx, func(tx *graphdb.Tx) error {
		for _, u := range users {
			if other, taken := tx.Lookup(graphdb.UserUID, graphdb.StringValue(u.uid)); u.uid == "" || taken && other != u.e {
				continue
			}
			if err := tx.Set(u.e, graphdb.UserUID, graphdb.StringValue(u.uid)); err != nil {
				return err
			}
			if u.title != "" {
				if err := tx.Set(u.e, graphdb.UserDisplayName, graphdb.StringValue(u.title)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

// pause leaves Roam's window to others for a moment, the longer the chunk was.
func (f *flight) pause(ctx context.Context, took time.Duration) error {
	timer := time.NewTimer(max(2*time.Millisecond, min(took/8, 50*time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// thousands writes a number with commas between its thousands.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
