package outline

import (
	"regexp"
	"strings"
)

var address = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s()\[\]{}<>"]+`)

// BlankSyntax gives a text of the same length in which references, aliases,
// components, code and addresses are line breaks: what is left is plain, and a
// page that it names is not linked there.
func BlankSyntax(s string) string {
	spans := append(codeSpans(s), componentSpans(s)...)
	for _, r := range References(s) {
		spans = append(spans, span{r.Start, r.End})
	}
	for _, pattern := range []*regexp.Regexp{address, weblink, alias} {
		for _, m := range pattern.FindAllStringIndex(s, -1) {
			spans = append(spans, span{m[0], m[1]})
		}
	}
	if len(spans) == 0 {
		return s
	}
	plain := []byte(s)
	for _, sp := range spans {
		copy(plain[sp.start:sp.end], strings.Repeat("\n", sp.end-sp.start))
	}
	return string(plain)
}

// alias is the label of a link to a page or block, up to its target.
var alias = regexp.MustCompile(`\[[^\[\]\n]*\]\((?:\[\[|\(\()`)

// BlankAddresses replaces web addresses in a text by spaces.
func BlankAddresses(s string) string {
	return address.ReplaceAllStringFunc(s, func(a string) string { return strings.Repeat(" ", len(a)) })
}
