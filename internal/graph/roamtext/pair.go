package roamtext

import (
	"slices"
	"strings"
)

// alias is the range of "[label](target)"; middle is the place of "](".
type alias struct{ start, middle, end int }

// aliases finds the aliases of a text, in order of start. Brackets and
// parentheses inside them come in pairs and on one line; those in opaque ranges
// do not count.
func aliases(text string, opaque Ranges) []alias {
	first := strings.IndexByte(text, '[')
	if first < 0 || !strings.Contains(text, "](") {
		return nil
	}
	type parenthesis struct{ bracket, at int } // bracket is -1 where it belongs to no label
	var out []alias
	var bracketRoom [8]int
	var parenthesisRoom [8]parenthesis
	brackets, parentheses := bracketRoom[:0], parenthesisRoom[:0]
	for i := first; i < len(text); i++ {
		switch text[i] {
		case '\n', '[', '(', ']', ')':
			if end := opaque.pass(i); end > i {
				i = end - 1
				continue
			}
		}
		switch text[i] {
		case '\n':
			brackets, parentheses = brackets[:0], parentheses[:0]
		case '[':
			brackets = append(brackets, i)
		case '(':
			parentheses = append(parentheses, parenthesis{-1, i})
		case ']':
			n := len(brackets)
			if n == 0 {
				continue
			}
			if strings.HasPrefix(text[i:], "](") && opaque.pass(i+1) == i+1 {
				i++
				parentheses = append(parentheses, parenthesis{brackets[n-1], i})
			}
			brackets = brackets[:n-1]
		case ')':
			n := len(parentheses)
			if n == 0 {
				continue
			}
			if p := parentheses[n-1]; p.bracket >= 0 {
				out = append(out, alias{p.bracket, p.at - 1, i + 1})
			}
			parentheses = parentheses[:n-1]
		}
	}
	slices.SortFunc(out, func(a, b alias) int { return a.start - b.start })
	return out
}

// components finds "{{…}}", in order of start. Braces inside come in pairs;
// where they do not, the component ends at the first "}}" if no other one begins
// before. Braces in opaque ranges do not count.
func components(text string, opaque Ranges) Ranges {
	first, end := strings.Index(text, "{{"), strings.LastIndex(text, "}}")+len("}}")
	if first < 0 {
		return nil
	}
	var paired, unpaired Ranges
	var room [16]int
	braces := room[:0]
	last := -1 // the last "{{", or -1 after a "}}"
	for i := first; i < end; i++ {
		if text[i] != '{' && text[i] != '}' {
			continue
		}
		if end := opaque.pass(i); end > i {
			i = end - 1
			continue
		}
		switch text[i] {
		case '{':
			braces = append(braces, i)
			if strings.HasPrefix(text[i:], "{{") {
				last = i
			}
		case '}':
			start := -1
			if n := len(braces); n > 0 {
				start, braces = braces[n-1], braces[:n-1]
			}
			if start >= 0 && text[start+1] == '{' && text[i-1] == '}' && start+3 < i {
				paired = append(paired, Range{start, i + 1})
			}
			if last >= 0 && strings.HasPrefix(text[i:], "}}") {
				if start != last+1 && i > last+2 { // or its braces are in pairs
					unpaired = append(unpaired, Range{last, i + 2})
				}
				last = -1
			}
		}
	}
	return merged(paired, unpaired)
}

// merged returns the ranges of two lists in order of start. Of two with the same
// start it keeps that of the first list.
func merged(first, second Ranges) Ranges {
	out := append(first, second...)
	slices.SortStableFunc(out, func(a, b Range) int { return a.Start - b.Start })
	return slices.CompactFunc(out, func(a, b Range) bool { return a.Start == b.Start })
}
