package search

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// Hit is a note that was found.
type Hit struct {
	Key   string
	Score float64
}

// WordResult is what a search found.
type WordResult struct {
	Hits    []Hit // best first
	Total   int   // how many there are
	Stemmed bool  // no note has the words: these have words with the same stems

	shown []shown
}

// Search returns the notes that a query finds, from one on, a limited number. The best
// comes first; of equal ones the one that was edited last, then the one with the lesser
// path. Its errors are those of the context.
func (x *WordIndex) Search(ctx context.Context, q *WordQuery, offset, limit int) (WordResult, error) {
	if q.Empty() {
		return WordResult{}, ctx.Err()
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, stems := range []bool{false, true} {
		s := x.newSearch(ctx)
		s.stems = stems
		found := s.find(q.root, true)
		if err := ctx.Err(); err != nil {
			return WordResult{}, err
		}
		total := found.count()
		hits := s.best(found, total, offset, limit)
		x.spare.Put(s.scratch)
		if total > 0 || stems || !s.stemmable {
			return WordResult{Hits: hits, Total: total, Stemmed: stems && total > 0, shown: s.shown}, nil
		}
	}
	return WordResult{}, nil
}

// wordSearch is one evaluation of a query.
type wordSearch struct {
	*WordIndex
	ctx       context.Context
	stems     bool // words match what has the same stem
	stemmable bool // the query has words that could
	shown     []shown
	*scratch
}

// scratch is the memory of a search, which the next one uses again.
type scratch struct {
	scores  []float64 // by number of the note
	sums    []counts  // by number of the note, all zero between uses
	matches []match
}

// newSearch returns a search without scores.
func (x *WordIndex) newSearch(ctx context.Context) *wordSearch {
	m, ok := x.spare.Get().(*scratch)
	if !ok {
		m = &scratch{}
	}
	m.scores = slices.Grow(m.scores[:0], len(x.docs))[:len(x.docs)]
	clear(m.scores)
	return &wordSearch{WordIndex: x, ctx: ctx, scratch: m}
}

// set is a set of notes by number.
type set []uint64

func (x *WordIndex) newSet() set { return make(set, (len(x.docs)+63)/64) }

func (s set) add(n int32) { s[n/64] |= 1 << (n % 64) }

func (s set) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all returns the notes that are not gone.
func (x *WordIndex) all() set {
	s := x.newSet()
	for n := range x.docs {
		if x.docs[n].key != "" {
			s.add(int32(n))
		}
	}
	return s
}

// find returns the notes that an expression finds. The words of one that is not excluded
// add to the scores.
func (s *wordSearch) find(e *expression, scored bool) set {
	if s.ctx.Err() != nil {
		return s.newSet()
	}
	switch e.op {
	case isNot:
		found := s.find(e.parts[0], false)
		every := s.all()
		for i := range found {
			found[i] = every[i] &^ found[i]
		}
		return found
	case isAnd, isOr:
		found := s.find(e.parts[0], scored)
		for _, part := range e.parts[1:] {
			for i, word := range s.find(part, scored) {
				if e.op == isAnd {
					found[i] &= word
				} else {
					found[i] |= word
				}
			}
		}
		return found
	case isTerm:
	}
	switch t := &e.term; t.field {
	case byKey:
		return s.keyed(t)
	case byTime:
		return s.timed(t)
	case inText, inTitle:
		return s.worded(t, scored)
	}
	return s.newSet()
}

// keyed returns the notes with a key.
func (s *wordSearch) keyed(t *term) set {
	found := s.newSet()
	for _, n := range s.termsOf(wanted{text: t.key, prefix: t.prefix}) {
		for r := s.lists[n].reader(); r.next(); {
			if s.docs[r.doc].key != "" {
				found.add(r.doc)
			}
		}
	}
	return found
}

// timed returns the notes that were made or edited at a time.
func (s *wordSearch) timed(t *term) set {
	found := s.newSet()
	for n := range s.docs {
		d := &s.docs[n]
		at := d.updated
		if t.created {
			at = d.created
		}
		if d.key != "" && t.from <= at && at < t.to {
			found.add(int32(n))
		}
	}
	return found
}

// termsOf returns the terms that a token of a query means.
func (x *WordIndex) termsOf(w wanted) []int32 {
	if w.prefix {
		return x.beginning(w.text)
	}
	if n, ok := x.terms[w.text]; ok {
		return []int32{n}
	}
	return nil
}

// stemmed returns the terms with the stem of a word.
func (x *WordIndex) stemmed(word string) []int32 {
	stem := Stem(word)
	var found []int32
	for _, n := range x.beginning(stem[:max(min(2, len(stem)), len(stem)-1)]) { // a stem changes the last letter of what it keeps
		if Stem(x.lists[n].text) == stem {
			found = append(found, n)
		}
	}
	return found
}

// match is a note that has a word or a phrase.
type match struct {
	doc int32
	counts
}

// worded returns the notes that have words side by side.
func (s *wordSearch) worded(t *term, scored bool) set {
	var matches []match
	first := t.tokens[0]
	loose := !t.quoted && len(t.tokens) == 1 && !first.prefix
	s.stemmable = s.stemmable || loose && scored
	show := shown{tokens: t.tokens}
	switch {
	case len(t.tokens) > 1:
		matches = s.phrase(t.tokens)
	case loose && s.stems && scored:
		show.stem = Stem(first.text)
		matches = s.union(s.stemmed(first.text))
	default:
		matches = s.union(s.termsOf(first))
	}
	found := s.newSet()
	kept := matches[:0]
	for _, m := range matches {
		if m.title > 0 || m.content > 0 && t.field == inText {
			found.add(m.doc)
			kept = append(kept, m)
		}
	}
	if scored && len(kept) > 0 {
		show.weight = s.score(kept, t.field)
		if t.field == inText {
			s.shown = append(s.shown, show)
		}
	}
	return found
}

// union returns the notes that have any of some terms.
func (s *wordSearch) union(terms []int32) []match {
	matches := s.matches[:0]
	if len(terms) == 1 {
		matches = slices.Grow(matches, int(s.lists[terms[0]].len))
		for r := s.lists[terms[0]].reader(); r.next(); {
			if s.docs[r.doc].key != "" {
				matches = append(matches, match{r.doc, r.counts})
			}
		}
		s.matches = matches
		return matches
	}
	if len(s.sums) < len(s.docs) {
		s.sums = make([]counts, len(s.docs)+len(s.docs)/8)
	}
	sums := s.sums[:len(s.docs)]
	defer clear(sums)
	for i, n := range terms {
		if i%1024 == 0 && s.ctx.Err() != nil {
			return nil
		}
		for r := s.lists[n].reader(); r.next(); {
			sum := &sums[r.doc]
			sum.title += r.title
			sum.tags += r.tags
			sum.content += r.content
		}
	}
	for n, sum := range sums {
		if sum != (counts{}) && s.docs[n].key != "" {
			matches = append(matches, match{int32(n), sum})
		}
	}
	s.matches = matches
	return matches
}

// Of BM25F (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009): k1; the
// weights of title and tags beside the content's, which is 1; and how much the length of
// title and content counts, which that of the tags does not.
const (
	docSaturation                 = 1.2
	docTitleWeight, tagsWeight    = 3, 2
	docTitleLength, contentLength = 0.5, 0.75
)

// score adds the scores of a word or phrase to the notes that have it. It returns how
// rare it is.
func (s *wordSearch) score(matches []match, in field) float64 {
	live := float64(len(s.numbers))
	idf := math.Log(1 + (live-float64(len(matches))+0.5)/(float64(len(matches))+0.5))
	averageTitle, averageContent := max(1, float64(s.title))/live, max(1, float64(s.content))/live
	for _, m := range matches {
		d := &s.docs[m.doc]
		sum := docTitleWeight * float64(m.title) / (1 - docTitleLength + docTitleLength*float64(d.title)/averageTitle)
		if in == inText {
			sum += tagsWeight*float64(m.tags) + float64(m.content)/(1-contentLength+contentLength*float64(d.content)/averageContent)
		}
		s.scores[m.doc] += idf * sum * (docSaturation + 1) / (docSaturation + sum)
	}
	return idf
}
