package note

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// barForm is a bar in a link, with the backslashes in front: [[a \| b]] is the page "a | b", and
// [[a|b]] the page "a" as "b".
var barForm = lazyregexp.New(`(\\*)\|`)

// escapeBars puts a backslash before each bar in a link.
func escapeBars(text string) string {
	return atBars(text, func(slashes string) string { return slashes + `\` })
}

// unescapeBars takes away what escapeBars puts.
func unescapeBars(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return atBars(text, func(slashes string) string { return slashes[min(1, len(slashes)):] })
}

// atBars changes the backslashes before the bars in links.
func atBars(text string, change func(slashes string) string) string {
	links := pageLinks(text)
	for _, link := range slices.Backward(links) {
		content := link.Content(text)
		changed := barForm.ReplaceAllStringFunc(content, func(s string) string { return change(s[:len(s)-1]) + "|" })
		text = text[:link.From] + changed + text[link.From+len(content):]
	}
	return text
}

// pageLinks returns the links [[…]] of a text that are in no other link and hold none.
func pageLinks(text string) []roamtext.Span {
	if !strings.Contains(text, "[[") || strings.IndexByte(text, '|') < 0 {
		return nil
	}
	var out []roamtext.Span
	end := 0
	for _, ref := range roamtext.References(text) {
		if ref.Kind == roamtext.Attribute || ref.Start < end {
			continue
		}
		if end = ref.End; ref.Kind == roamtext.PageLink && !strings.Contains(ref.Content(text), "[[") {
			out = append(out, ref)
		}
	}
	return out
}
