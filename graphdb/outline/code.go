package outline

import (
	"cmp"
	"slices"
	"strings"
)

// span is a range of bytes.
type span struct{ start, end int }

// codeSpans finds inline code and fences in a block's text, delimiters
// included. As in CommonMark a run of backticks ends at the next run of the
// same length; a run that has none is plain text, and so is an escaped backtick,
// as previews of references have them.
func codeSpans(s string) []span {
	var out []span
	unpaired := map[int]bool{} // lengths of run that have no other run after this one
	for i := 0; i < len(s); {
		if s[i] != '`' {
			if s[i] == '\\' {
				i++
			}
			i++
			continue
		}
		n := runLength(s, i)
		end := -1
		if !unpaired[n] { // or many unpaired runs would cost a look at the rest of the text each
			end = closingRun(s, i+n, n)
		}
		if end < 0 {
			unpaired[n] = true
			i += n
			continue
		}
		out = append(out, span{i, end})
		i = end
	}
	return out
}

func runLength(s string, i int) int {
	n := i
	for n < len(s) && s[n] == s[i] {
		n++
	}
	return n - i
}

// closingRun gives the end of the next run of exactly n backticks, or -1.
func closingRun(s string, i, n int) int {
	for i < len(s) {
		j := strings.IndexByte(s[i:], '`')
		if j < 0 {
			return -1
		}
		i += j
		run := runLength(s, i)
		i += run
		if run == n {
			return i
		}
	}
	return -1
}

// inSpans tells whether a byte lies in one of the spans, which are in order and
// do not overlap.
func inSpans(spans []span, i int) bool {
	n, _ := slices.BinarySearchFunc(spans, i, func(sp span, i int) int { return cmp.Compare(sp.end, i+1) })
	return n < len(spans) && spans[n].start <= i
}
