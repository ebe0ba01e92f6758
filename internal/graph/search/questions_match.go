package search

import (
	"strings"
	"unicode/utf8"
)

// matcher counts the words of a query in texts. It is for one goroutine.
type matcher struct {
	words     Tokenizer
	sequences []state
	first     [256]bool // the bytes that words of the query begin with
	any       bool      // a word may begin with each
}

// state is how far a sequence has been met, by the algorithm shift-and.
type state struct {
	of   *sequence
	met  uint64        // bit i: the words up to i have, the last of them now
	then func(end int) // is called where all have
}

// newMatcher returns a matcher that calls met for each place where a wanted thing stands,
// and excluded where something excluded does.
func newMatcher(q *Question, met func(term, words, end int), excluded func()) *matcher {
	m := &matcher{}
	for i := range q.terms {
		for j := range q.terms[i].any {
			s := &q.terms[i].any[j]
			m.add(s, func(end int) { met(i, len(s.words), end) })
		}
	}
	for i := range q.excluded {
		m.add(&q.excluded[i], func(int) { excluded() })
	}
	return m
}

func (m *matcher) add(s *sequence, then func(end int)) {
	m.sequences = append(m.sequences, state{of: s, then: then})
	for _, w := range s.words {
		if w.anyWord || w.text == "" {
			m.any = true
			continue
		}
		m.first[w.text[0]] = true
	}
}

// read looks at a text.
func (m *matcher) read(text string) {
	for i := range m.sequences {
		m.sequences[i].met = 0
	}
	m.words.Each(withoutReferences(text), func(t Token) {
		if len(t.Folded) == 0 || !m.any && !m.first[t.Folded[0]] {
			for i := range m.sequences {
				m.sequences[i].met = 0
			}
			return
		}
		stem := ""
		for i := range m.sequences {
			s := &m.sequences[i]
			next := s.met<<1 | 1
			s.met = 0
			for j := range s.of.words {
				if next>>j&1 == 1 && s.of.words[j].is(t.Folded, s.of.exact, &stem) {
					s.met |= 1 << j
				}
			}
			if last := len(s.of.words) - 1; s.met>>last&1 == 1 {
				s.then(t.End)
			}
		}
	})
}

// is reports whether a word of a text is meant. stem is that of the word, once it is known.
func (w *wantedWord) is(folded []byte, exact bool, stem *string) bool {
	switch {
	case w.anyWord:
		return true
	case w.prefix:
		return len(folded) >= len(w.text) && string(folded[:len(w.text)]) == w.text
	case exact || w.text[0] != folded[0] || len(w.text) > 2 && (len(folded) < 3 || w.text[1] != folded[1]): // a stem keeps the first letters
		return string(folded) == w.text
	}
	if *stem == "" {
		*stem = Stem(string(folded))
	}
	return *stem == w.text
}

// withoutReferences returns a text whose references to blocks are blanked out: their
// letters are no words.
func withoutReferences(text string) string {
	for from := 0; ; {
		start := strings.Index(text[from:], "((")
		if start < 0 {
			return text
		}
		start += from
		end := start + 2
		for end < len(text) && uidByte(text[end]) {
			end++
		}
		if end == start+2 || !strings.HasPrefix(text[end:], "))") {
			from = start + 2
			continue
		}
		text = text[:start] + strings.Repeat(" ", end+2-start) + text[end+2:]
		from = end + 2
	}
}

func uidByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Titled reports whether a page with a title meets the conditions of the query on titles.
func (q *Question) Titled(title string) bool {
	for i := range q.titles {
		f := &q.titles[i]
		met := false
		if f.prefix != "" {
			met = strings.HasPrefix(strings.ToLower(title), f.prefix)
		} else {
			met = f.words.in(title)
		}
		if met == f.not {
			return false
		}
	}
	return true
}

// in reports whether a sequence stands in a text.
func (s *sequence) in(text string) bool {
	found := false
	m := matcher{}
	m.add(s, func(int) { found = true })
	m.read(text)
	return found
}

// Excluded reports whether a text has something that must not be there.
func (q *Question) Excluded(text string) bool {
	for i := range q.excluded {
		if q.excluded[i].in(text) {
			return true
		}
	}
	return false
}

// Cut returns a range of a text, of at most that many bytes, with the most different
// terms of the query; of several such ranges the first.
func (q *Question) Cut(text string, most int) (from, to int) {
	if len(text) <= most {
		return 0, len(text)
	}
	type place struct{ at, term int }
	var places []place
	newMatcher(q, func(term, _, end int) { places = append(places, place{end, term}) }, func() {}).read(text)
	best, start := 0, 0
	for i, first := range places {
		seen, n := map[int]bool{}, 0
		for _, p := range places[i:] {
			if p.at > first.at+most*3/4 {
				break
			}
			if !seen[p.term] {
				seen[p.term] = true
				n++
			}
		}
		if n > best {
			best, start = n, first.at
		}
	}
	from = min(max(0, start-most/5), len(text)-most)
	if from > 0 {
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
		if blank := strings.IndexByte(text[from:min(from+most/10, len(text))], ' '); blank >= 0 {
			from += blank + 1
		}
	}
	to = min(from+most, len(text))
	for to > from && to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}
