package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"

	"github.com/dustin/go-humanize"
)

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
func (f *refresh) chunks(ctx context.Context, s *store, need Need) error {
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
			f.progress(fmt.Sprintf("Reading the graph: %s of %s pages", humanize.Comma(int64(s.done)), humanize.Comma(int64(total))))
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
func (f *refresh) chunk(ctx context.Context, s *store, pages []graphdb.EID) (took time.Duration, newest int64, err error) {
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
func (f *refresh) trees(ctx context.Context, s *store, pages []graphdb.EID) ([]entity, time.Duration, error) {
	pattern := linksTree
	if s.level == Texts {
		pattern = textsTree
	}
	return f.pulled(ctx, s, pattern, pages)
}

// pulled asks for entities by a pattern, in the way that the build of Roam takes.
func (f *refresh) pulled(ctx context.Context, s *store, pattern string, of []graphdb.EID) ([]entity, time.Duration, error) {
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
	found, err := f.entities(ctx, s, reply)
	return found, took, err
}

// entities returns the entities in a reply. It is an error if a list in them was cut.
func (f *refresh) entities(ctx context.Context, s *store, reply json.RawMessage) ([]entity, error) {
	found, err := s.decode(reply).entities()
	if err != nil {
		return nil, unreadable(err)
	}
	return found, f.checkWhole(ctx, found)
}

// checkWhole returns an error if a list in entities was cut.
func (f *refresh) checkWhole(ctx context.Context, found []entity) error {
	ask := func(query, uid string) (json.RawMessage, error) {
		reply, _, err := f.query(ctx, query, uid)
		return reply, err
	}
	for i := range found {
		x := &found[i]
		err := localapi.CheckWhole(len(x.children)+len(x.kids), x.uid, localapi.Children, ask)
		if err == nil {
			err = localapi.CheckWhole(len(x.refs), x.uid, localapi.Refs, ask)
		}
		if err == nil {
			err = f.checkWhole(ctx, x.children)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
func (f *refresh) nameUsers(ctx context.Context, s *store) error {
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
	return s.transact(ctx, func(tx *graphdb.Tx) error {
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
}

// pause leaves Roam's window to others for a moment, the longer the chunk was.
func (f *refresh) pause(ctx context.Context, took time.Duration) error {
	timer := time.NewTimer(max(2*time.Millisecond, min(took/8, 50*time.Millisecond)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
