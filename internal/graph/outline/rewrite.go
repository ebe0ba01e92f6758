package outline

import (
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/observed"
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

// renameKeeping is RenamePage of a Roam that keeps some forms of mentions, or rewrites
// those in code, too.
func renameKeeping(s, from, to string, quirks observed.Quirks) string {
	var edits []roamtext.Edit
	end := 0 // of the link that contains what follows
	for _, r := range roamtext.References(s) {
		nested := r.Start < end
		if r.Kind == roamtext.PageLink || r.Kind == roamtext.TagLink {
			end = max(end, r.End)
		}
		if r.Kind == roamtext.BlockRef || r.Content(s) != from || keepsMention(r.Kind, nested, quirks) {
			continue
		}
		mention := s[r.Start:r.End]
		edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: r.Start, End: r.End}, Text: RenamePage(mention, from, to)})
	}
	s = roamtext.Apply(s, edits)
	if !quirks.Has("rename-forms", "code") {
		return s
	}
	edits = nil
	for _, code := range roamtext.CodeRanges(s) {
		edits = append(edits, roamtext.Edit{Range: code, Text: strings.ReplaceAll(s[code.Start:code.End], "[["+from+"]]", "[["+to+"]]")})
	}
	return roamtext.Apply(s, edits)
}

func keepsMention(kind roamtext.Kind, nested bool, quirks observed.Quirks) bool {
	switch {
	case nested:
		return quirks.Has("rename-forms", "nested")
	case kind == roamtext.Tag, kind == roamtext.TagLink:
		return quirks.Has("rename-forms", "tags")
	case kind == roamtext.Attribute:
		return quirks.Has("rename-forms", "attributes")
	}
	return quirks.Has("rename-links", "kept")
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
