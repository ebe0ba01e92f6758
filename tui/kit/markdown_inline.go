package kit

import (
	"cmp"
	"strings"

	"charm.land/lipgloss/v2"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// inliner parts the text of blocks into spans.
type inliner struct {
	theme      Theme
	colourless bool
}

// inlineText is a text whose forms are drawn.
type inlineText struct {
	inliner
	text     string
	previews map[int]string // of references to blocks, by where these end
}

// inline parts the text of a block into spans, markdown's italics among them.
func (d inliner) inline(text string, style lipgloss.Style) []span {
	text, previews := cutPreviews(roamtext.FromMarkdown(text))
	t := inlineText{d, text, previews}
	return t.spans(nil, roamtext.Tree(text), style)
}

// refPreview is what reading sets behind a reference to a block.
var refPreview = lazyregexp.New(`(\(\([^()\s]+\)\))<ref>(.*?)</ref>`)

// cutPreviews takes the previews out of a text.
func cutPreviews(text string) (string, map[int]string) {
	if !strings.Contains(text, "<ref>") {
		return text, nil
	}
	var b strings.Builder
	previews, at, code := map[int]string{}, 0, roamtext.CodeRanges(text)
	for _, m := range refPreview.FindAllStringSubmatchIndex(text, -1) {
		if !code.Contain(m[0]) {
			b.WriteString(text[at:m[3]])
			previews[b.Len()], at = text[m[4]:m[5]], m[1]
		}
	}
	return b.String() + text[at:], previews
}

func (t inlineText) spans(out []span, nodes []roamtext.Node, style lipgloss.Style) []span {
	for _, n := range nodes {
		out = t.form(out, n, style)
	}
	return out
}

// form adds the spans of one form. Links keep their brackets, so that they can be
// told without colours too.
func (t inlineText) form(out []span, n roamtext.Node, style lipgloss.Style) []span {
	content := n.Content(t.text)
	switch n.Kind {
	case roamtext.Code:
		return t.between(out, n, t.theme.AccentMuted, !t.colourless) // the ticks stay where no colour stands for them
	case roamtext.Bold:
		return t.spans(out, n.Inside, style.Bold(true))
	case roamtext.Italic:
		return t.spans(out, n.Inside, style.Italic(true))
	case roamtext.Highlight:
		return t.spans(out, n.Inside, style.Background(t.theme.Colors.Raised))
	case roamtext.Strike:
		// Underlined and struck text comes out of lipgloss in single characters,
		// which breaks composed ones, so the signs stay instead.
		return t.between(out, n, t.theme.Faint, false)
	case roamtext.PageLink, roamtext.Tag, roamtext.TagLink:
		return t.between(out, n, t.theme.Link, false)
	case roamtext.BlockRef:
		if preview, ok := t.previews[n.End]; ok {
			return append(out, span{text: preview, style: t.theme.Link})
		}
		return t.between(out, n, t.theme.Link, false)
	case roamtext.Address:
		return append(out, span{text: content, style: t.theme.Link})
	case roamtext.Alias, roamtext.Image:
		return t.alias(out, n)
	case roamtext.Component:
		switch name, _, argument := n.Component(t.text); {
		case argument:
		case name == "TODO":
			return append(out, span{text: "[ ]", style: t.theme.Accent, whole: true})
		case name == "DONE":
			return append(out, span{text: "[x]", style: t.theme.Success})
		}
		fallthrough
	case roamtext.Attribute:
		out = append(out, span{text: t.text[n.Start:n.From], style: style})
		out = t.spans(out, n.Inside, style)
		return append(out, span{text: t.text[n.To:n.End], style: style})
	}
	return append(out, span{text: t.text[n.Start:n.End], style: style})
}

// between adds the content of a form in a style, and its delimiters around it
// unless they are hidden.
func (t inlineText) between(out []span, n roamtext.Node, style lipgloss.Style, hidden bool) []span {
	content := span{text: n.Content(t.text), style: style}
	if hidden {
		return append(out, content)
	}
	return append(out, span{text: t.text[n.Start:n.From], style: t.theme.Faint}, content, span{text: t.text[n.To:n.End], style: t.theme.Faint})
}

// alias adds the words of a link, and where it leads unless that is a place
// inside Roam.
func (t inlineText) alias(out []span, n roamtext.Node) []span {
	target := n.Target(t.text)
	label := cmp.Or(n.Content(t.text), target)
	out = append(out, span{text: label, style: t.theme.Link})
	if strings.Contains(target, "://") && target != label {
		out = append(out, span{text: " (" + target + ")", style: t.theme.Faint})
	}
	return out
}
