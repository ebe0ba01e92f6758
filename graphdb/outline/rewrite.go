package outline

import "strings"

// edit replaces the bytes of a span.
type edit struct {
	span
	text string
}

// apply makes the edits, which are in order; one that overlaps the one before
// is left out.
func apply(s string, edits []edit) string {
	if len(edits) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		if e.start < at {
			continue
		}
		b.WriteString(s[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(s[at:])
	return b.String()
}

// RenamePage rewrites every mention of a page to its new title. A tag whose new
// title can't stand bare gets brackets.
func RenamePage(s, from, to string) string {
	var edits []edit
	for _, r := range References(s) {
		if r.Kind == BlockRef || r.Target != from {
			continue
		}
		text := "[[" + to + "]]"
		switch {
		case r.Kind == TagLink, r.Kind == Tag && !plainTag(to):
			text = "#" + text
		case r.Kind == Tag:
			text = "#" + to
		case r.Kind == Attribute:
			text = to + "::"
		}
		edits = append(edits, edit{span{r.Start, r.End}, text})
	}
	return apply(s, edits)
}

// UnlinkPage turns every mention of a page into plain text: its title, and for
// an attribute the title with one colon.
func UnlinkPage(s, title string) string {
	var edits []edit
	for _, r := range References(s) {
		if r.Kind == BlockRef || r.Target != title {
			continue
		}
		text := title
		if r.Kind == Attribute {
			text += ":"
		}
		edits = append(edits, edit{span{r.Start, r.End}, text})
	}
	return apply(s, edits)
}

// ReplaceBlockRefs puts text in place of references to blocks: textOf gives the
// text of a uid, or false to leave the reference. An alias becomes its label,
// an embed the text.
func ReplaceBlockRefs(s string, textOf func(uid string) (string, bool)) string {
	var edits []edit
	for _, r := range References(s) {
		if r.Kind != BlockRef {
			continue
		}
		text, ok := textOf(r.Target)
		if !ok {
			continue
		}
		at := span{r.Start, r.End}
		if whole, label, ok := aliasAround(s, at); ok {
			at, text = whole, label
		} else if whole, ok := embedAround(s, at); ok {
			at = whole
		}
		edits = append(edits, edit{at, text})
	}
	return apply(s, edits)
}

// maxLabel bounds how far back the start of an alias's label is sought.
const maxLabel = 4096

// aliasAround finds the "[label](…)" whose target is the reference.
func aliasAround(s string, at span) (whole span, label string, ok bool) {
	if !strings.HasSuffix(s[:at.start], "](") || !strings.HasPrefix(s[at.end:], ")") {
		return span{}, "", false
	}
	closing := at.start - 2
	for i, depth := closing, 0; i >= max(0, closing-maxLabel); i-- {
		switch s[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return span{i, at.end + 1}, s[i+1 : closing], true
			}
		case '\n':
			return span{}, "", false
		}
	}
	return span{}, "", false
}

// embedAround finds the "{{embed: …}}" or "{{[[embed]]: …}}" around the
// reference.
func embedAround(s string, at span) (whole span, ok bool) {
	head := strings.TrimRight(s[:at.start], " ")
	tail := strings.TrimLeft(s[at.end:], " ")
	if !strings.HasPrefix(tail, "}}") {
		return span{}, false
	}
	for _, opening := range []string{"{{embed:", "{{[[embed]]:"} {
		if strings.HasSuffix(head, opening) {
			return span{len(head) - len(opening), len(s) - len(tail) + 2}, true
		}
	}
	return span{}, false
}
