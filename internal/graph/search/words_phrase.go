package search

import (
	"slices"
)

// phrase returns the notes that have tokens side by side in one text.
func (s *wordSearch) phrase(tokens []wanted) []match {
	readers := make([]lister, len(tokens))
	for i, w := range tokens {
		terms := s.termsOf(w)
		switch len(terms) {
		case 0:
			return nil
		case 1:
			readers[i] = &one{s.lists[terms[0]].reader()}
		default:
			readers[i] = s.several(terms)
		}
	}
	var matches []match
	var places, starts []int32
	for doc := int32(0); ; {
		// All readers go to the first note, from doc on, that each of them has.
		for i := 0; i < len(readers); {
			at, ok := readers[i].seek(doc)
			switch {
			case !ok:
				return matches
			case at > doc:
				doc, i = at, 0
			default:
				i++
			}
		}
		if d := &s.docs[doc]; d.key != "" {
			starts = readers[0].places(starts[:0])
			for i, r := range readers[1:] {
				places = r.places(places[:0])
				starts = shifted(starts, places, int32(tokens[i+1].at-tokens[0].at))
			}
			if len(starts) > 0 {
				m := match{doc: doc}
				for _, at := range starts {
					m.count(d, at)
				}
				matches = append(matches, m)
			}
		}
		doc++
	}
}

// shifted keeps the places for which there is another one, so much behind. Both are in
// ascending order.
func shifted(starts, places []int32, by int32) []int32 {
	kept := starts[:0]
	for _, at := range starts {
		for len(places) > 0 && places[0] < at+by {
			places = places[1:]
		}
		if len(places) > 0 && places[0] == at+by {
			kept = append(kept, at)
		}
	}
	return kept
}

// lister gives the notes that have a token of a query.
type lister interface {
	// seek goes to the first note from a number on; false if there is none. Numbers
	// only grow.
	seek(doc int32) (int32, bool)
	// places appends the places of the token in the note, in ascending order.
	places(to []int32) []int32
}

// one is the lister of one term.
type one struct{ reader }

func (o *one) seek(doc int32) (int32, bool) {
	for o.reader.doc < doc {
		if !o.next() {
			return 0, false
		}
	}
	return o.reader.doc, true
}

func (o *one) places(to []int32) []int32 { return appendPlaces(to, o.reader.places) }

// several is the lister of several terms.
type several struct {
	entries []entry // in order of notes
}

// entry is one note of a list.
type entry struct {
	doc    int32
	places []byte
}

func (s *wordSearch) several(terms []int32) *several {
	var all several
	for _, n := range terms {
		for r := s.lists[n].reader(); r.next(); {
			all.entries = append(all.entries, entry{r.doc, r.places})
		}
	}
	slices.SortFunc(all.entries, func(a, b entry) int { return int(a.doc - b.doc) })
	return &all
}

func (s *several) seek(doc int32) (int32, bool) {
	for len(s.entries) > 0 && s.entries[0].doc < doc {
		s.entries = s.entries[1:]
	}
	if len(s.entries) == 0 {
		return 0, false
	}
	return s.entries[0].doc, true
}

func (s *several) places(to []int32) []int32 {
	for _, e := range s.entries {
		if e.doc != s.entries[0].doc {
			break
		}
		to = appendPlaces(to, e.places)
	}
	slices.Sort(to)
	return to
}
