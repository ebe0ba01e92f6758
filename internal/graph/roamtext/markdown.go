package roamtext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FromMarkdown rewrites markdown's *x* and _x_ to Roam's __x__. **x** and __x__
// stay, and so do stars and underscores inside words and in other forms than the
// label of an alias.
func FromMarkdown(text string) string {
	if !strings.ContainsAny(text, "*_") {
		return text
	}
	m := newEmphasisMarks(text)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			clear(m.open)
		case c != '*' && c != '_' || m.literal[i]:
		case runLength(text, i) > 1: // strong, or a rule: as it is
			i += runLength(text, i) - 1
		default:
			m.sign(i)
		}
	}
	slices.Sort(m.found)
	var b strings.Builder
	at := 0
	for _, i := range m.found {
		b.WriteString(text[at:i] + "__")
		at = i + 1
	}
	return b.String() + text[at:]
}

// emphasisMarks finds the single signs that open or close an emphasis.
type emphasisMarks struct {
	text    string
	literal []bool           // bytes that are not read
	labels  Ranges           // of aliases
	open    map[openMark]int // the places of open signs on the line
	found   []int
}

// openMark is a sign and the label that contains it, which must contain the
// closing sign too.
type openMark struct {
	sign  byte
	label Range
}

func newEmphasisMarks(text string) *emphasisMarks {
	m := &emphasisMarks{text: text, literal: make([]bool, len(text)), open: map[openMark]int{}}
	end := 0
	for _, span := range Spans(text) {
		from := span.Start
		switch span.Kind {
		case Alias, Image:
			if span.Start >= end {
				m.labels = append(m.labels, Range{span.From, span.To})
				from, end = span.To, span.End
			}
		case Tag: // in markdown a star behind a tag closes an emphasis
			span.End = from + len(strings.TrimRight(text[from:span.End], "*"))
		}
		for i := from; i < span.End; i++ {
			m.literal[i] = true
		}
	}
	return m
}

// sign reads the single sign at i.
func (m *emphasisMarks) sign(i int) {
	label, _ := m.labels.find(i)
	here := openMark{m.text[i], label}
	start, begun := m.open[here]
	switch {
	case begun && closesEmphasis(m.text, i):
		m.found = append(m.found, start, i)
		delete(m.open, openMark{'*', label}) // pairs may not overlap
		delete(m.open, openMark{'_', label})
	case !begun && opensEmphasis(m.text, i):
		m.open[here] = i
	}
}

func opensEmphasis(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, n := utf8.DecodeRuneInString(text[i+1:])
	if n == 0 || unicode.IsSpace(after) {
		return false
	}
	return i == 0 || !isWordRune(before) && before != '\\'
}

func closesEmphasis(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	after, n := utf8.DecodeRuneInString(text[i+1:])
	if unicode.IsSpace(before) || before == '\\' {
		return false
	}
	return n == 0 || !isWordRune(after)
}
