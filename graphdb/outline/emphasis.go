package outline

import (
	"regexp"
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
	open := map[byte]int{'*': -1, '_': -1} // where the emphasis of each kind began on this line
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\n':
			open['*'], open['_'] = -1, -1
			continue
		case c != '*' && c != '_' || masked[i]:
			continue
		}
		n := runLength(s, i)
		if n > 1 { // strong, or a rule: as it is
			i += n - 1
			continue
		}
		switch {
		case open[c] >= 0 && closesEmphasis(s, i):
			edits = append(edits, edit{span{open[c], open[c] + 1}, "__"}, edit{span{i, i + 1}, "__"})
			open['*'], open['_'] = -1, -1 // pairs may not overlap
		case open[c] < 0 && opensEmphasis(s, i):
			open[c] = i
		}
	}
	return apply(s, edits)
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
