package note

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
)

// MentionKind is how a text mentions a page or a block.
type MentionKind uint8

// The kinds of mentions.
const (
	Component MentionKind = iota + 1 // the name in {{[[TODO]]}}
	Attribute                        // Name:: at the start of a text
	Link                             // [[X]], also as the target of an alias or in an embed
	Tag                              // #X, #[[X]]
	Block                            // ((uid)), also as the target of an alias or in an embed
)

// Mention is one mention in a text.
type Mention struct {
	Kind  MentionKind
	Title string // of the page; empty for a block
	UID   string // of the block; empty for a page
}

// Mentions returns what a text mentions, in order, nested links one each and after the
// one that they are in.
func Mentions(text string) []Mention {
	spans, components := referring(text)
	var out []Mention
	for _, span := range spans {
		m := Mention{Title: span.Content(text)}
		switch span.Kind {
		case roamtext.BlockRef:
			m = Mention{Kind: Block, UID: m.Title}
		case roamtext.Attribute:
			m.Kind = Attribute
		case roamtext.Tag, roamtext.TagLink:
			m.Kind = Tag
		default:
			m.Kind = Link
			if len(components) > 0 && components[0] == span.Start {
				m.Kind, components = Component, components[1:]
			}
		}
		out = append(out, m)
	}
	return out
}

// referring returns the spans of a text that mention something, and the starts of those
// that are names of components, in order.
func referring(text string) (spans []roamtext.Span, components []int) {
	if !strings.Contains(text, "{{") {
		return roamtext.References(text), nil
	}
	all := roamtext.Spans(text)
	for i, span := range all {
		if span.Kind != roamtext.Component {
			continue
		}
		if i+1 < len(all) && isName(text, span, all[i+1]) {
			components = append(components, all[i+1].Start)
		}
	}
	return slices.DeleteFunc(all, func(s roamtext.Span) bool { return !s.Kind.Refers() }), components
}

// isName reports whether a link is the name of a component: nothing stands before it,
// and nothing or a colon behind it.
func isName(text string, component, link roamtext.Span) bool {
	if link.Kind != roamtext.PageLink || link.End > component.To || strings.TrimSpace(text[component.From:link.Start]) != "" {
		return false
	}
	rest := strings.TrimSpace(text[link.End:component.To])
	return rest == "" || rest[0] == ':'
}
