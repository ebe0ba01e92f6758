package outline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// literalText is where * and _ are no emphasis, beside code and references:
// addresses, components and formulas.
var literalText = regexp.MustCompile(`https?://[^\s)\]]+|\]\([^()\s]*\)|\{\{[^{}]*\}\}|\$\$[^$]+\$\$`)

// roamEmphasis rewrites markdown's *x* and _x_ to Roam's __x__. **x** and
// __x__ stay, and so do stars and underscores inside words, code, references
// and addresses.
func roamEmphasis(s string) string {
	if !strings.ContainsAny(s, "*_") {
		return s
	}
	masked := make([]bool, len(s))
	mask := func(start, end int) {
		for i := start; i < end; i++ {
			masked[i] = true
		}
	}
	for _, sp := range codeSpans(s) {
		mask(sp.start, sp.end)
	}
	for _, r := range References(s) {
		mask(r.Start, r.End)
	}
	for _, m := range literalText.FindAllStringIndex(s, -1) {
		mask(m[0], m[1])
	}
	var edits []edit
	labels := labelSpans(s)
	open := map[opening]int{} // where the emphasis of each kind began on this line
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n':
			clear(open)
			continue
		case c != '*' && c != '_' || masked[i]:
			continue
		}
		n := runLength(s, i)
		if n > 1 { // strong, or a rule: as it is
			i += n - 1
			continue
		}
		here := opening{c, spanAt(labels, i)}
		start, begun := open[here]
		switch {
		case begun && closesEmphasis(s, i):
			edits = append(edits, edit{span{start, start + 1}, "__"}, edit{span{i, i + 1}, "__"})
			delete(open, opening{'*', here.label}) // pairs may not overlap
			delete(open, opening{'_', here.label})
		case !begun && opensEmphasis(s, i):
			open[here] = i
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	return apply(s, edits)
}

// opening is a kind of emphasis, and the label of a link in which it stands: it
// ends in the same label, or outside of labels as it began.
type opening struct {
	char  byte
	label int // -1: none
}

var linkLabel = regexp.MustCompile(`\[([^\[\]\n]*)\]\(`)

// labelSpans finds the labels of links and aliases.
func labelSpans(s string) []span {
	var out []span
	if strings.Contains(s, "](") {
		for _, m := range linkLabel.FindAllStringSubmatchIndex(s, -1) {
			out = append(out, span{m[2], m[3]})
		}
	}
	return out
}

// spanAt tells in which of the spans, which are in order, a byte lies, or -1.
func spanAt(spans []span, i int) int {
	n, _ := slices.BinarySearchFunc(spans, i, func(sp span, i int) int { return cmp.Compare(sp.end, i+1) })
	if n == len(spans) || spans[n].start > i {
		return -1
	}
	return n
}

func opensEmphasis(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, n := utf8.DecodeRuneInString(s[i+1:])
	if n == 0 || unicode.IsSpace(after) {
		return false
	}
	return i == 0 || !isWord(before) && before != '\\'
}

func closesEmphasis(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, n := utf8.DecodeRuneInString(s[i+1:])
	if unicode.IsSpace(before) || before == '\\' {
		return false
	}
	return n == 0 || !isWord(after)
}
