package outline

import (
	"regexp"
	"strings"
)

var componentHead = regexp.MustCompile(`\{\{\s*(?:\[\[([^\[\]{}:]+)\]\]|([^\[\]{}:]+?))\s*:`)

// Component gives what stands in the first "{{[[name]]: …}}" or "{{name: …}}"
// of a block's text, and false where there is none. Components in code and ones
// whose braces do not close are none.
func Component(text, name string) (string, bool) {
	code := codeSpans(text)
	for _, m := range componentHead.FindAllStringSubmatchIndex(text, -1) {
		start, end := m[2], m[3]
		if start < 0 {
			start, end = m[4], m[5]
		}
		if !strings.EqualFold(text[start:end], name) || inSpans(code, m[0]) {
			continue
		}
		if n := closingBraces(text[m[1]:]); n >= 0 {
			return strings.TrimSpace(text[m[1] : m[1]+n]), true
		}
	}
	return "", false
}

// closingBraces finds the "}}" that ends a component, or -1. Clauses inside it
// have single braces.
func closingBraces(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				if strings.HasPrefix(s[i:], "}}") {
					return i
				}
				return -1
			}
		}
	}
	return -1
}
