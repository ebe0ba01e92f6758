package roamtext

import (
	"slices"
	"strings"
)

// scanner reads a text from left to right. Forms with a closing delimiter are
// found before, in one pass for each kind, so that an opening delimiter without
// its closing one does not cost a search of the rest of the text.
type scanner struct {
	text       string
	code       Ranges
	refs       []Span // links and references to blocks
	opaque     Ranges // code and outermost references, whose content is not read
	aliases    []alias
	components Ranges
	addresses  []address

	next  cursors
	spans []Span
	most  int // references, and tags, before it gives up
	tags  int
}

// cursors are indexes of the first element of each list that is not read yet.
type cursors struct{ code, refs, aliases, components, addresses int }

// mode is a set of forms.
type mode uint8

const (
	everything mode = iota
	noTags          // in the label and the target of an alias
	formula         // references other than tags
)

// scan collects the spans of the text. It returns false where that has more links and
// references to blocks than s.most, or more tags.
func (s *scanner) scan() bool {
	s.code = CodeRanges(s.text)
	var ok bool
	if s.refs, ok = references(s.text, s.code, s.most); !ok {
		return false
	}
	if strings.Contains(s.text, "](") || strings.Contains(s.text, "{{") || strings.Contains(s.text, "$$") {
		s.opaque = with(s.code, s.refs)
		s.aliases = aliases(s.text, s.opaque)
		s.components = components(s.text, s.opaque)
	}
	s.addresses = addresses(s.text)
	s.spans = make([]Span, 0, len(s.refs)+8)
	s.part(0, len(s.text), everything, 0)
	a, ok := attribute(s.text, s.code, s.spans)
	if !ok {
		return s.tags <= s.most
	}
	if slices.ContainsFunc(s.spans, func(span Span) bool { return span.Start < a.To && span.End > a.To }) {
		// A tag took the colons for its own.
		s.next, s.spans, s.tags = cursors{}, s.spans[:0], 0
		s.part(a.From, a.To, everything, 0)
		s.part(a.End, len(s.text), everything, 0)
	}
	s.spans = slices.Insert(s.spans, 0, a)
	return s.tags <= s.most
}

// with returns ranges and the outermost of some spans in one list.
func with(ranges Ranges, spans []Span) Ranges {
	if len(spans) == 0 {
		return ranges
	}
	out := make(Ranges, 0, len(ranges)+len(spans))
	end := 0
	for _, span := range spans {
		if span.Start < end {
			continue
		}
		for len(ranges) > 0 && ranges[0].Start < span.Start {
			out, ranges = append(out, ranges[0]), ranges[1:]
		}
		for len(ranges) > 0 && ranges[0].Start < span.End { // a title may hold code
			ranges = ranges[1:]
		}
		end = span.End
		out = append(out, Range{span.Start, span.End})
	}
	return append(out, ranges...)
}

// part reads text[from:to]. A form that would end after it is text.
func (s *scanner) part(from, to int, m mode, depth int) {
	for i := from; i < to && s.tags <= s.most; {
		end := i
		switch s.text[i] {
		case '`':
			end = s.codeAt(i, to)
		case '[':
			if end = s.refAt(i); end == i {
				end = s.aliasAt(i, to, Alias, m, depth)
			}
		case '!':
			end = s.aliasAt(i, to, Image, m, depth)
		case '#':
			end = s.tagAt(i, to, m)
		case '(':
			end = s.refAt(i)
		case '{':
			end = s.componentAt(i, to, m, depth)
		case '$':
			end = s.mathAt(i, to, m, depth)
		default:
			if len(s.addresses) > s.next.addresses {
				end = s.addressAt(i, to, m)
			}
		}
		i = max(end, i+1)
	}
}

// add appends a span and returns its end.
func (s *scanner) add(span Span) int {
	s.spans = append(s.spans, span)
	return span.End
}

// The following functions add the form at i and return its end, or return i.

func (s *scanner) codeAt(i, to int) int {
	for s.next.code < len(s.code) && s.code[s.next.code].Start < i {
		s.next.code++
	}
	if s.next.code == len(s.code) {
		return i
	}
	code := s.code[s.next.code]
	if code.Start > i || code.End > to {
		return i
	}
	n := runLength(s.text, i)
	return s.add(Span{Code, i, code.End, i + n, code.End - n})
}

func (s *scanner) refAt(i int) int {
	for s.next.refs < len(s.refs) && s.refs[s.next.refs].Start < i {
		s.next.refs++
	}
	if s.next.refs == len(s.refs) || s.refs[s.next.refs].Start > i {
		return i
	}
	end := s.refs[s.next.refs].End
	for s.next.refs < len(s.refs) && s.refs[s.next.refs].Start < end {
		s.add(s.refs[s.next.refs])
		s.next.refs++
	}
	return end
}

func (s *scanner) tagAt(i, to int, m mode) int {
	if end := s.refAt(i); end > i || m != everything {
		return end
	}
	end := tagEnd(s.text[:to], i+1)
	if end == i+1 {
		return i
	}
	s.tags++
	return s.add(Span{Tag, i, end, i + 1, end})
}

func (s *scanner) aliasAt(i, to int, kind Kind, m mode, depth int) int {
	bracket := i
	if kind == Image {
		bracket++
	}
	for s.next.aliases < len(s.aliases) && s.aliases[s.next.aliases].start < bracket {
		s.next.aliases++
	}
	if s.next.aliases == len(s.aliases) || m == formula || depth == maxNesting {
		return i
	}
	a := s.aliases[s.next.aliases]
	if a.start > bracket || a.end > to {
		return i
	}
	s.add(Span{kind, i, a.end, bracket + 1, a.middle})
	s.part(bracket+1, a.middle, noTags, depth+1)
	s.part(a.middle+len("]("), a.end-1, noTags, depth+1)
	return a.end
}

func (s *scanner) componentAt(i, to int, m mode, depth int) int {
	for s.next.components < len(s.components) && s.components[s.next.components].Start < i {
		s.next.components++
	}
	if s.next.components == len(s.components) || m == formula || depth == maxNesting {
		return i
	}
	c := s.components[s.next.components]
	if c.Start > i || c.End > to {
		return i
	}
	s.add(Span{Component, i, c.End, i + 2, c.End - 2})
	s.part(i+2, c.End-2, m, depth+1)
	return c.End
}

func (s *scanner) mathAt(i, to int, m mode, depth int) int {
	if n := runLength(s.text[:to], i); n != 2 || m == formula {
		return i + n
	}
	for at := i + 2; at < to; {
		n := strings.Index(s.text[at:to], "$$")
		if n < 0 {
			break
		}
		at += n
		if hidden, ok := s.opaque.find(at); ok {
			at = hidden.End
			continue
		}
		if strings.TrimSpace(s.text[i+2:at]) == "" {
			break
		}
		s.add(Span{Math, i, at + 2, i + 2, at})
		s.part(i+2, at, formula, depth+1)
		return at + 2
	}
	return i
}

func (s *scanner) addressAt(i, to int, m mode) int {
	for s.next.addresses < len(s.addresses) && s.addresses[s.next.addresses].Start < i {
		s.next.addresses++
	}
	if s.next.addresses == len(s.addresses) || m == formula {
		return i
	}
	a := s.addresses[s.next.addresses]
	if a.Start > i {
		return i
	}
	end := min(a.End, to)
	if !a.recognized && m == everything {
		if n := tagIn(s.text[i:end]); n >= 0 {
			end = i + n
		}
	}
	return s.add(Span{Address, i, end, i, end})
}
