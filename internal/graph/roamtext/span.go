package roamtext

import (
	"math"
	"slices"
	"sort"
	"strings"
)

// Kind is a form of Roam's inline text.
type Kind uint8

// The forms. PageLink to BlockRef refer to a page or a block (LOCAL_API.md 9.3).
const (
	Text      Kind = iota // plain text
	Code                  // `code`, or a fence of three backticks and more
	Math                  // $$formula$$
	PageLink              // [[Title]]
	Tag                   // #Title
	TagLink               // #[[Title]]
	Attribute             // Title:: at the start of a text
	BlockRef              // ((uid))
	Alias                 // [label](target)
	Image                 // ![label](target)
	Component             // {{name: argument}}
	Address               // https://example.com
	Bold                  // **text**
	Italic                // __text__
	Highlight             // ^^text^^
	Strike                // ~~text~~
)

// Range is a range of bytes, the end not included.
type Range struct{ Start, End int }

// Ranges are in order and do not overlap.
type Ranges []Range

// Contain reports whether a byte lies in one of the ranges.
func (r Ranges) Contain(i int) bool {
	_, ok := r.find(i)
	return ok
}

// find returns the range in which a byte lies.
func (r Ranges) find(i int) (Range, bool) {
	n := sort.Search(len(r), func(n int) bool { return r[n].End > i })
	if n == len(r) || r[n].Start > i {
		return Range{}, false
	}
	return r[n], true
}

// pass removes the ranges that end before a byte. It returns the end of the range
// that contains the byte, or the place of the byte.
func (r *Ranges) pass(i int) int {
	for len(*r) > 0 && (*r)[0].End <= i {
		*r = (*r)[1:]
	}
	if len(*r) == 0 || (*r)[0].Start > i {
		return i
	}
	return (*r)[0].End
}

// Span is one form in a text. Start and End are its place in bytes, delimiters
// included; From and To are that of its content: a title, a uid, code, the name
// of an attribute, the label of an alias.
type Span struct {
	Kind       Kind
	Start, End int
	From, To   int
}

// Content returns the text between the delimiters.
func (s Span) Content(text string) string { return text[s.From:s.To] }

// Target returns the target of an alias or an image; "" for other kinds.
func (s Span) Target(text string) string {
	if s.Kind != Alias && s.Kind != Image {
		return ""
	}
	return text[s.To+len("](") : s.End-len(")")]
}

// Spans returns the forms of a text other than emphasis, in order of start, outer
// forms before those inside them. No two cross.
func Spans(text string) []Span {
	s := scanner{text: text, most: math.MaxInt}
	s.scan()
	return s.spans
}

// References returns the spans of a block's text or a page's title that mention a
// page or a block; their content is its title or its uid. Nested links are one
// each.
func References(text string) []Span {
	found, _ := ReferencesUpTo(text, math.MaxInt)
	return found
}

// ReferencesUpTo is References for texts that may hold any number of them. It returns
// false as soon as it has found more than most, or so many brackets that open one and
// are not closed yet.
func ReferencesUpTo(text string, most int) ([]Span, bool) {
	if !strings.ContainsAny(text, "[#(:") {
		return nil, true
	}
	if strings.IndexByte(text, '#') < 0 && !strings.Contains(text, "::") {
		return references(text, CodeRanges(text), most) // whatever other forms they are in
	}
	s := scanner{text: text, most: most}
	if !s.scan() {
		return nil, false
	}
	found := slices.DeleteFunc(s.spans, func(span Span) bool { return !span.Kind.Refers() })
	return found, len(found) <= most
}

// Refers reports whether a form mentions a page or a block.
func (k Kind) Refers() bool { return PageLink <= k && k <= BlockRef }

// Bare reports whether a title can be written as #Title, without brackets.
func Bare(title string) bool { return title != "" && tagEnd(title, 0) == len(title) }
