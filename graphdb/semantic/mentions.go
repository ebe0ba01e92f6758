package semantic

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// Mention is a page that a text names without linking it.
type Mention struct {
	Page       graphdb.EID
	Title      string
	Text       string // the first place in the text
	Start, End int    // offsets of it, in bytes
	Count      int    // number of places in the text
	References int    // number of references to the page
}

// maxTitleWords bounds the titles that are searched for.
const maxTitleWords = 20

// Mentions returns the pages whose titles occur in a text, limit at most, the most
// plausible first: longer titles, equal spelling and frequently referenced pages come
// first. Links, code, components and URLs are not searched, and a title within a
// longer one does not count.
func Mentions(ctx context.Context, r graphdb.Reader, text string, limit int) ([]Mention, error) {
	s := newScan(text)
	n := 0
	for page, title := range r.Entities(graphdb.NodeTitle) {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.look(page, title.Text())
	}
	return s.best(r, limit), nil
}

// scan is a text to search for titles.
type scan struct {
	text  string
	words []word
	at    map[string][]int // stems to indexes of words
	gaps  []bool           // whether a word directly follows the previous one
	hits  []hit
}

// hit is a place of a title.
type hit struct {
	page       graphdb.EID
	title      string
	first, end int // words
	likeness   int
}

// Degrees of similarity of a text and a title.
const (
	sameStem   = iota // a plural, another ending
	sameFolded        // but for case and accents
	sameLetters
)

func newScan(text string) *scan {
	plain := outline.BlankSyntax(text)
	s := &scan{text: text, words: words(plain), at: map[string][]int{}}
	s.gaps = make([]bool, len(s.words))
	for i, w := range s.words {
		s.at[w.stem] = append(s.at[w.stem], i)
		if i > 0 {
			between := plain[min(s.words[i-1].end, w.start):w.start]
			s.gaps[i] = len(between) <= 3 && !strings.ContainsAny(between, "\n.;:!?|()[]{}\"")
		}
	}
	return s
}

// look records the places of a title.
func (s *scan) look(page graphdb.EID, title string) {
	if structural(title) {
		return
	}
	first := strings.TrimLeft(title, "[# ")
	end := strings.IndexFunc(first, func(r rune) bool { return !wordRune(r) })
	if end < 0 {
		end = len(first)
	}
	if end > 0 && !unspaced([]rune(first)[0]) { // most titles end here, before all words are split
		if _, ok := s.at[stem(fold(first[:end]))]; !ok {
			return
		}
	}
	wanted := words(title)
	if len(wanted) == 0 || len(wanted) > maxTitleWords || len(wanted) == 1 && commonWord(wanted[0].folded) {
		return
	}
	for _, i := range s.at[wanted[0].stem] {
		likeness := s.likeness(i, wanted, title)
		if likeness < 0 {
			continue
		}
		s.hits = append(s.hits, hit{page, title, i, i + len(wanted), likeness})
	}
}

// likeness compares the words from i on with a title's; -1: they differ.
func (s *scan) likeness(i int, wanted []word, title string) int {
	if i+len(wanted) > len(s.words) {
		return -1
	}
	likeness := sameFolded
	for k, w := range wanted {
		there := s.words[i+k]
		switch {
		case there.stem != w.stem, k > 0 && !s.gaps[i+k]:
			return -1
		case there.folded != w.folded:
			likeness = sameStem
		}
	}
	start := s.words[i].start - wanted[0].start
	same := start >= 0 && start+len(title) <= len(s.text) && strings.EqualFold(s.text[start:start+len(title)], title)
	switch {
	case same && s.text[start:start+len(title)] == title:
		return sameLetters
	case !same && strings.ContainsFunc(title, symbol):
		return -1 // C++ is not C
	}
	return likeness
}

// symbol reports whether a character is significant in a title though not part of a
// word.
func symbol(r rune) bool {
	return !wordRune(r) && !unicode.IsSpace(r) && !strings.ContainsRune("[]#-–—'’,.:()\"", r)
}

// structural reports whether Roam gives a page's title a special meaning.
func structural(title string) bool {
	switch title {
	case "TODO", "DONE", "query", "table", "embed", "kanban", "slider", "calc", "diagram", "mermaid", "video", "pdf", "iframe":
		return true
	}
	return strings.HasPrefix(title, ".") || strings.HasPrefix(title, "roam/")
}

// best returns the hits that no longer title covers, ordered.
func (s *scan) best(r graphdb.Reader, limit int) []Mention {
	slices.SortFunc(s.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.end-b.first, a.end-a.first), cmp.Compare(b.likeness, a.likeness), cmp.Compare(a.first, b.first), cmp.Compare(a.page, b.page))
	})
	taken := make([]int, len(s.words)) // how long the title is that has the word
	type scored struct {
		Mention
		score float64
	}
	found := map[graphdb.EID]*scored{}
	for _, h := range s.hits {
		length := h.end - h.first
		if slices.Max(taken[h.first:h.end]) > length {
			continue
		}
		for i := h.first; i < h.end; i++ {
			taken[i] = length
		}
		start, end := s.words[h.first].start, s.words[h.end-1].end
		m := found[h.page]
		if m == nil {
			m = &scored{Mention: Mention{Page: h.page, Title: h.title, Text: s.text[start:end], Start: start, End: end, References: r.ReverseCount(graphdb.BlockRefs, h.page)}}
			m.score = plausible(m.Mention, length, h.likeness, r.Has(h.page, graphdb.BlockChildren))
			found[h.page] = m
		} else if start < m.Start {
			m.Text, m.Start, m.End = s.text[start:end], start, end
		}
		m.Count++
	}
	list := make([]scored, 0, len(found))
	for _, m := range found {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Title, b.Title)) })
	out := make([]Mention, 0, min(len(list), max(0, limit)))
	for _, m := range list[:cap(out)] {
		out = append(out, m.Mention)
	}
	return out
}

// plausible rates how likely a text refers to a page.
func plausible(m Mention, words, likeness int, hasContent bool) float64 {
	score := 0.4*float64(likeness) + 0.5*float64(min(words-1, 3)) + 0.35*math.Log2(1+float64(min(m.References, 100)))
	if hasContent {
		score += 0.4
	}
	if words == 1 && len([]rune(m.Title)) <= 3 {
		score--
	}
	if strings.IndexFunc(m.Title, func(r rune) bool { return !unicode.IsDigit(r) }) < 0 {
		score--
	}
	return score
}
