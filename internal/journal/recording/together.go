package recording

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/fact"
)

// mostTogether is how many topmost blocks of several creations are read at once.
const mostTogether = 40

// takeTogether returns how many of the creations at the head of a list are read at once;
// 1 where the first is none.
func takeTogether(waiting []afterRead) (n int) {
	tops := 0
	for n < len(waiting) && waiting[n].class.Makes() {
		if tops += len(waiting[n].tops); n > 0 && tops > mostTogether {
			break
		}
		n++
	}
	return max(n, 1)
}

// readTogether reads what several creations left with one read. What they have in common,
// such as a page that the first of them made, belongs to the first.
func readTogether(ctx context.Context, all []afterRead) ([]afterImage, error) {
	var tops, titles []string
	since, until := all[0].since, all[0].until
	for _, f := range all {
		tops, titles = append(tops, f.tops...), append(titles, f.titles...)
		since, until = min(since, f.since), max(until, f.until)
	}
	state, made, implied, err := fact.Made(ctx, all[0].ask, tops, titles, since, until)
	if err != nil {
		return nil, err
	}
	s := batchReader{state: state, tops: setOf(tops), made: setOf(made), implied: implied, taken: map[string]bool{}}
	parts := make([]afterImage, len(all))
	for i, f := range all {
		own, mentioned := s.of(f)
		parts[i] = f.leftBy(s.only(own, mentioned), own, mentioned)
	}
	return parts, nil
}

// batchReader gives each of several creations what belongs to it.
type batchReader struct {
	state      fact.State
	tops, made map[string]bool // of all
	implied    []string        // of all
	taken      map[string]bool // what an earlier one has
}

func setOf(uids []string) map[string]bool {
	set := map[string]bool{}
	for _, uid := range uids {
		set[uid] = true
	}
	return set
}

// of returns what a creation made, and the pages that its texts and titles made.
func (s *batchReader) of(f afterRead) (made, implied []string) {
	for rest := slices.Clone(f.tops); len(rest) > 0; rest = rest[1:] {
		thing, there := s.state.Things[rest[0]]
		if !there || s.taken[thing.UID] || !s.made[thing.UID] {
			continue
		}
		s.taken[thing.UID] = true
		made = append(made, thing.UID)
		if !f.below() {
			rest = append(rest, thing.Parent, thing.Page)
		}
		for _, child := range thing.Children {
			if !s.tops[child] { // else it is another one's
				rest = append(rest, child)
			}
		}
	}
	texts := slices.Clone(f.titles)
	for _, uid := range made {
		texts = append(texts, s.state.Things[uid].Title, s.state.Things[uid].Text)
	}
	for found := true; found; {
		found = false
		titles := fact.Mentions(texts...)
		for _, uid := range s.implied {
			if title := s.state.Things[uid].Title; !s.taken[uid] && slices.Contains(titles, title) {
				s.taken[uid], found = true, true
				implied, texts = append(implied, uid), append(texts, title)
			}
		}
	}
	return made, implied
}

// only returns the facts of some uids.
func (s *batchReader) only(uids ...[]string) fact.State {
	part := fact.State{Things: map[string]fact.Fact{}}
	for _, uid := range slices.Concat(uids...) {
		part.Things[uid] = s.state.Things[uid]
	}
	return part
}
