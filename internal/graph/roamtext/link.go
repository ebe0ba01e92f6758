package roamtext

import (
	"slices"
	"strings"
)

// maxNesting bounds how many levels of links a title may hold, since each level
// is a page whose title repeats all those inside, and how many levels of other
// forms are read.
const maxNesting = 20

// references finds [[Title]], #[[Title]] and ((uid)), in order of start. It returns
// false where it finds more than most, or so many openings at once.
func references(text string, code Ranges, most int) ([]Span, bool) {
	type opening struct{ at, levels int } // its place, and the levels of links inside
	var out []Span
	var room [8]opening
	open := room[:0]
	links := 0
	add := func(span Span) {
		if out == nil {
			out = make([]Span, 0, 4)
		}
		out = append(out, span)
	}
	for i := 0; i < len(text); {
		if len(out) > most || len(open) > most {
			return nil, false
		}
		c := text[i]
		if c != '[' && c != ']' && c != '(' || i+1 == len(text) {
			i++
			continue
		}
		if end := code.pass(i); end > i {
			i = end
			continue
		}
		switch {
		case text[i+1] != c:
			i++
		case c == '[':
			run := runLength(text, i)
			i += run % 2 // of an odd number the first is plain text, as in an alias's label
			if run/2 > most {
				return nil, false
			}
			for range run / 2 {
				open = append(open, opening{at: i})
				i += 2
			}
		case c == ']' && len(open) > 0:
			start, levels := open[len(open)-1].at, open[len(open)-1].levels
			if open = open[:len(open)-1]; len(open) > 0 {
				outer := &open[len(open)-1]
				outer.levels = max(outer.levels, levels+1)
			}
			i += 2
			if link := (Span{PageLink, start, i, start + 2, i - 2}); link.From < link.To && levels < maxNesting {
				if start > 0 && text[start-1] == '#' {
					link.Kind, link.Start = TagLink, start-1
				}
				add(link)
				links++
			}
		case c == '(':
			if end := uidEnd(text, i+2); end > i+2 && end <= i+2+MaxUID && strings.HasPrefix(text[end:], "))") {
				add(Span{BlockRef, i, end + 2, i + 2, end})
				i = end + 2
			} else {
				i++
			}
		default:
			i++
		}
	}
	if len(out) > most {
		return nil, false
	}
	if links == 0 || len(out) == 1 {
		return out, true
	}
	slices.SortFunc(out, func(a, b Span) int { return a.Start - b.Start })
	end := 0
	return slices.DeleteFunc(out, func(span Span) bool { // a title holds no references to blocks
		inside := span.Start < end
		end = max(end, span.End)
		return inside && span.Kind == BlockRef
	}), true
}

// MaxUID is the greatest length of a uid, in bytes.
const MaxUID = 254

// ValidUID reports whether a uid can be written as ((uid)). Roam's own have 9
// characters; others come from imports and plugins and may be longer.
func ValidUID(uid string) bool {
	return uid != "" && len(uid) <= MaxUID && uidEnd(uid, 0) == len(uid)
}

// uidEnd returns the end of the uid at i, or a place more than MaxUID behind it.
func uidEnd(text string, i int) int {
	for end := i; end < min(len(text), i+MaxUID+1); end++ {
		switch text[end] {
		case '(', ')', '[', ']', '{', '}', '<', '>', '"', '`', ' ', '\t', '\r', '\n':
			return end
		}
	}
	return min(len(text), i+MaxUID+1)
}
