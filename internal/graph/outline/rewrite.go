package outline

import (
	"strings"

	"roam-mcp/internal/graph/roamtext"
)

// RenamePage rewrites every mention of a page to its new title. A tag whose new
// title can't stand bare gets brackets.
func RenamePage(s, from, to string) string {
	return replaceMentions(s, from, func(kind roamtext.Kind) string {
		switch kind {
		case roamtext.Attribute:
			return to + "::"
		case roamtext.Tag:
			if roamtext.Bare(to) {
				return "#" + to
			}
			return "#[[" + to + "]]"
		case roamtext.TagLink:
			return "#[[" + to + "]]"
		}
		return "[[" + to + "]]"
	})
}

// UnlinkPage turns every mention of a page into plain text: its title, and for
// an attribute the title with one colon.
func UnlinkPage(s, title string) string {
	return replaceMentions(s, title, func(kind roamtext.Kind) string {
		if kind == roamtext.Attribute {
			return title + ":"
		}
		return title
	})
}

// replaceMentions puts a text in place of every mention of a page.
func replaceMentions(s, title string, with func(roamtext.Kind) string) string {
	var edits []roamtext.Edit
	for _, r := range roamtext.References(s) {
		if r.Kind != roamtext.BlockRef && r.Content(s) == title {
			edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: r.Start, End: r.End}, Text: with(r.Kind)})
		}
	}
	return roamtext.Apply(s, edits)
}

// ReplaceBlockRefs puts text in place of references to blocks: textOf gives the
// text of a uid, or false to leave the reference. An alias becomes its label,
// an embed the text.
func ReplaceBlockRefs(s string, textOf func(uid string) (string, bool)) string {
	if !strings.Contains(s, "((") {
		return s
	}
	var edits []roamtext.Edit
	var alias, component roamtext.Span // that was opened last
	for _, r := range roamtext.Spans(s) {
		switch r.Kind {
		case roamtext.Alias:
			alias = r
		case roamtext.Component:
			component = r
		case roamtext.BlockRef:
			text, ok := textOf(r.Content(s))
			if !ok {
				continue
			}
			reference := s[r.Start:r.End]
			if r.End < alias.End && alias.Target(s) == reference {
				r, text = alias, alias.Content(s)
			} else if name, argument, _ := component.Component(s); r.End < component.End && name == "embed" && argument == reference {
				r = component
			}
			edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: r.Start, End: r.End}, Text: text})
		}
	}
	return roamtext.Apply(s, edits)
}
