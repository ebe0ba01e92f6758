package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// snippetSize is how long the text of a snippet is at most, in characters, without the
// marks and dots.
const snippetSize = 160

// shown is a word or phrase that a snippet marks.
type shown struct {
	tokens []wanted
	stem   string  // words with this stem too; "": none
	weight float64 // how rare it is
}

// Snippet returns the part of a note that says best why it was found: of its block with
// the most different words and phrases of the query, of several the one with the rarer
// ones, then of the first, the text around the first match. Matches stand in **, and ...
// where text is left out. Of a note that has none in its blocks it is the beginning of the
// first.
func (r WordResult) Snippet(blocks []string) string {
	type candidate struct {
		text   string
		marks  []span
		kinds  int
		weight float64
	}
	var best candidate
	for _, block := range blocks {
		text, _ := readable(block)
		text = strings.Join(strings.Fields(text), " ")
		if text == "" {
			continue
		}
		now := candidate{text: text}
		tokens := spansOf(text)
		for i := range r.shown {
			if marks := r.shown[i].in(tokens); len(marks) > 0 {
				now.marks = append(now.marks, marks...)
				now.kinds++
				now.weight += r.shown[i].weight
			}
		}
		if best.text == "" || cmp.Or(cmp.Compare(now.kinds, best.kinds), cmp.Compare(now.weight, best.weight)) > 0 {
			best = now
		}
	}
	return cut(best.text, merged(best.marks))
}

// span is a token in a text, or several that are a match.
type span struct {
	folded     string
	start, end int
}

func spansOf(text string) []span {
	var t tokenizer
	var found []span
	t.each(text, func(folded []byte, start, end int, _ shape) {
		found = append(found, span{string(folded), start, end})
	})
	return found
}

// in returns where a text has the word or phrase.
func (s *shown) in(tokens []span) []span {
	var found []span
	for i := range tokens {
		if end, ok := s.at(tokens, i); ok {
			found = append(found, span{start: tokens[i].start, end: end})
		}
	}
	return found
}

// at reports whether the word or phrase begins with a token, and returns where it ends.
func (s *shown) at(tokens []span, i int) (end int, ok bool) {
	for _, w := range s.tokens {
		at := i + w.at
		if at >= len(tokens) {
			return 0, false
		}
		token := tokens[at]
		switch {
		case token.folded == w.text, w.prefix && strings.HasPrefix(token.folded, w.text), s.stem != "" && Stem(token.folded) == s.stem:
			end = max(end, token.end)
		default:
			return 0, false
		}
	}
	return end, true
}

// merged returns matches in order, those that overlap as one.
func merged(marks []span) []span {
	slices.SortFunc(marks, func(a, b span) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	var out []span
	for _, m := range marks {
		if n := len(out); n > 0 && m.start < out[n-1].end {
			out[n-1].end = max(out[n-1].end, m.end)
			continue
		}
		out = append(out, m)
	}
	return out
}

// cut returns a text around its first match, with the matches marked.
func cut(text string, marks []span) string {
	start, end := 0, len(text)
	if utf8.RuneCountInString(text) > snippetSize {
		start, end = window(text, marks)
	}
	var b bytes.Buffer
	if start > 0 {
		b.WriteString("...")
	}
	at := start
	for _, m := range marks {
		if m.start < start || m.end > end {
			continue
		}
		b.WriteString(text[at:m.start] + "**" + text[m.start:m.end] + "**")
		at = m.end
	}
	b.WriteString(text[at:end])
	if end < len(text) {
		b.WriteString("...")
	}
	return b.String()
}

// window returns the part of a long text that is shown: up to a third of it in front of
// the first match, from the beginning of a word to the end of one.
func window(text string, marks []span) (start, end int) {
	runes := make([]int, 0, len(text)+1) // where each begins
	for i := range text {
		runes = append(runes, i)
	}
	runes = append(runes, len(text))
	first := 0
	if len(marks) > 0 {
		first, _ = slices.BinarySearch(runes, marks[0].start)
	}
	from := max(0, min(first-snippetSize/3, len(runes)-1-snippetSize))
	to := min(from+snippetSize, len(runes)-1)
	start, end = runes[from], runes[to]
	mustStart, mustEnd := end, start
	if len(marks) > 0 {
		mustStart, mustEnd = marks[0].start, min(marks[0].end, end)
	}
	if start > 0 && text[start-1] != ' ' {
		if i := strings.IndexByte(text[start:mustStart], ' '); i >= 0 {
			start += i + 1
		}
	}
	if end < len(text) && text[end] != ' ' {
		if i := strings.LastIndexByte(text[max(start, mustEnd):end], ' '); i >= 0 {
			end = max(start, mustEnd) + i
		}
	}
	return start, end
}
