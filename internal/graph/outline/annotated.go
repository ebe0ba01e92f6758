package outline

import (
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

var (
	roamTag    = lazyregexp.New(`[ \t]?<roam(?:\s+[a-zA-Z]+="[^"<>]*")*\s*/>`)
	refPreview = lazyregexp.New(`(\(\([^()\[\]{}<>"` + "`" + `\s]{1,256}\)\))<ref>`)
)

// DecodeAnnotations takes out of a text what reading added to it, so that an
// agent may write back what it read: "((uid))<ref>…</ref>" becomes "((uid))"
// and a stray "<roam …/>" goes (LOCAL_API.md 9.6). Nothing else changes; a
// preview that is never closed and what stands in code stay.
func DecodeAnnotations(s string) string {
	if strings.Contains(s, "<roam") {
		s = cutOutsideCode(s, roamTag.FindAllStringIndex(s, -1))
	}
	if !strings.Contains(s, "<ref>") {
		return s
	}
	var b strings.Builder
	code := roamtext.CodeRanges(s)
	at := 0
	for _, m := range refPreview.FindAllStringSubmatchIndex(s, -1) {
		if m[0] < at || code.Contain(m[0]) {
			continue
		}
		n := strings.Index(s[m[1]:], "</ref>")
		if n < 0 {
			break
		}
		b.WriteString(s[at:m[3]])
		at = m[1] + n + len("</ref>")
	}
	return b.String() + s[at:]
}

// cutOutsideCode removes the matches that do not lie in code.
func cutOutsideCode(s string, matches [][]int) string {
	code := roamtext.CodeRanges(s)
	var edits []roamtext.Edit
	for _, m := range matches {
		if !code.Contain(m[1] - 1) {
			edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: m[0], End: m[1]}})
		}
	}
	return roamtext.Apply(s, edits)
}
