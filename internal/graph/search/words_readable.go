package search

import (
	"strings"

	"roam-mcp/internal/graph/roamtext"
)

// Has says what a note has besides words.
type has uint8

const (
	hasLink has = 1 << iota // to a page, a block or an address
	hasTask                 // open or done
	hasImage
)

// marks are the signs without one of which a text is shown as it is.
var marks = [...]string{"[[", "((", "{{", "](", "**", "__", "^^", "~~", "`", "://", "mailto:", "www."}

// readable returns a text as Roam shows it, and what it has besides words. Nothing is shown
// of components and references to blocks.
func readable(text string) (string, has) {
	for _, mark := range marks {
		if strings.Contains(text, mark) {
			var r reading
			r.nodes(text, roamtext.Tree(text))
			return r.String(), r.has
		}
	}
	return text, 0
}

// reading collects what is shown of a text.
type reading struct {
	strings.Builder
	has has
}

var withoutBrackets = strings.NewReplacer("[[", "", "]]", "")

func (r *reading) nodes(text string, nodes []roamtext.Node) {
	for _, n := range nodes {
		switch n.Kind {
		case roamtext.Text:
			r.WriteString(text[n.Start:n.End])
		case roamtext.PageLink:
			r.has |= hasLink
			r.WriteString(withoutBrackets.Replace(n.Content(text)))
		case roamtext.Tag, roamtext.TagLink:
			r.WriteString("#" + withoutBrackets.Replace(n.Content(text)))
		case roamtext.BlockRef:
			r.has |= hasLink
		case roamtext.Component:
			if name, _, _ := n.Component(text); name == "TODO" || name == "DONE" {
				r.has |= hasTask
			}
		case roamtext.Address:
			r.has |= hasLink
			r.WriteString(text[n.Start:n.End])
		case roamtext.Alias:
			r.has |= hasLink
			r.nodes(text, n.Inside)
		case roamtext.Image:
			r.has |= hasImage
			r.WriteString(n.Content(text))
		case roamtext.Attribute:
			r.nodes(text, n.Inside)
			r.WriteString(":")
		case roamtext.Code, roamtext.Math:
			r.WriteString(n.Content(text))
		case roamtext.Bold, roamtext.Italic, roamtext.Highlight, roamtext.Strike:
			r.nodes(text, n.Inside)
		}
	}
}
