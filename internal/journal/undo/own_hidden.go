package undo

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/history"
)

// mostSeen is how many pages and blocks are looked at for one answer.
const mostSeen = 500

// sight knows which pages and blocks an agent may be shown, from what records and the graph have of
// them. What was hidden once is not shown, and neither is what lay below something that is gone, and
// of which nobody knows whether it was hidden in the end.
type sight struct {
	facts    map[string][]fact.Fact // by uid: as it was, and became
	now      map[string]fact.Fact
	lineages map[string][]fact.Fact
	known    map[string]bool // whether it is hidden, by uid
}

// look reads what there is of pages and blocks now, and of what they were below.
func (c *Own) look(ctx context.Context, records []history.Record, uids []string) (*sight, error) {
	s := &sight{facts: map[string][]fact.Fact{}, known: map[string]bool{}}
	for _, record := range records {
		for _, change := range record.Changes {
			for _, text := range [][]byte{change.Before, change.After} {
				state, _ := fact.Parse(text) // what can't be read counts as not kept
				for uid, f := range state.Things {
					s.add(uid, f)
				}
			}
		}
	}
	asked := map[string]bool{}
	for _, uid := range uids {
		asked[uid] = true
		for _, above := range s.above(uid) {
			asked[above] = true
		}
	}
	all := slices.Sorted(maps.Keys(asked))
	var err error
	if s.lineages, err = fact.Lineages(ctx, c.Ask, all); err != nil {
		return nil, err
	}
	now, err := fact.Things(ctx, c.Ask, all)
	if err != nil {
		return nil, err
	}
	s.now = now.Things
	return s, nil
}

func (s *sight) add(uid string, f fact.Fact) {
	if !f.Gone {
		s.facts[uid] = append(s.facts[uid], f)
	}
}

// above returns the uids of all that is known to be, or to have been, above something.
func (s *sight) above(uid string) (uids []string) {
	seen := map[string]bool{uid: true}
	for rest := []string{uid}; len(rest) > 0; rest = rest[1:] {
		for _, f := range s.facts[rest[0]] {
			if f.Parent != "" && !seen[f.Parent] {
				seen[f.Parent] = true
				uids, rest = append(uids, f.Parent), append(rest, f.Parent)
			}
		}
	}
	return uids
}

// hides reports whether something is not to be shown.
func (s *sight) hides(uid string) bool {
	if hidden, known := s.known[uid]; known {
		return hidden
	}
	s.known[uid] = false // facts may lead in a circle
	s.known[uid] = s.hidden(uid)
	return s.known[uid]
}

func (s *sight) hidden(uid string) bool {
	facts := s.facts[uid]
	lineage, there := s.lineages[uid]
	if !there && len(facts) == 0 {
		return true
	}
	for _, is := range append(slices.Clone(lineage), s.now[uid]) {
		if note.HidesItself(is.Text) {
			return true
		}
	}
	for _, f := range facts {
		if !f.IsPage() && (note.HidesItself(f.Text) || f.Parent != "" && s.hides(f.Parent)) {
			return true
		}
	}
	return false
}

// longestStep is how many characters of a title or text are in a path.
const longestStep = 60

// path returns the title of the page that something is on, or was, and the texts above it.
func (s *sight) path(uid string) (path []string) {
	lineage, there := s.lineages[uid]
	for _, f := range lineage {
		path = append(path, cut(f.Title+f.Text, longestStep))
	}
	if there {
		return path
	}
	seen := map[string]bool{}
	for facts := s.facts[uid]; len(facts) > 0 && facts[0].Parent != "" && !seen[facts[0].Parent]; {
		above := facts[0].Parent
		seen[above] = true
		if lineage, there := s.lineages[above]; there {
			end := s.now[above]
			path = append(path, cut(end.Title+end.Text, longestStep))
			for _, f := range slices.Backward(lineage) {
				path = append(path, cut(f.Title+f.Text, longestStep))
			}
			break
		}
		if facts = s.facts[above]; len(facts) > 0 {
			path = append(path, cut(facts[0].Title+facts[0].Text, longestStep))
		}
	}
	slices.Reverse(path)
	return path
}

// cut returns a text of at most so many characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:most-1]), " ") + "…"
}
