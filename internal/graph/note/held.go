package note

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/outline"
)

// Held tells which of the texts directly below a page hold the value of one of some names
// and are no content by themselves: it returns that name for each, and "" for content. Of
// Tags it is each line that declares tags (DeclaresTags), of any other name the first
// line "Name:: value" whose value is not empty and has no second line.
func Held(texts []string, names ...string) []string {
	held := make([]string, len(texts))
	for i, text := range texts {
		name, value, ok := SplitProperty(text)
		if !ok {
			continue
		}
		at := slices.IndexFunc(names, func(each string) bool { return strings.EqualFold(each, name) })
		switch {
		case at < 0:
		case isTags(name):
			if DeclaresTags(text) {
				held[i] = names[at]
			}
		case value != "" && !strings.ContainsAny(value, "\r\n") && !slices.Contains(held, names[at]):
			held[i] = names[at]
		}
	}
	return held
}

// HeldBy is Held for blocks.
func HeldBy(blocks []outline.Block, names ...string) []string {
	texts := make([]string, len(blocks))
	for i := range blocks {
		texts[i] = blocks[i].String
	}
	return Held(texts, names...)
}

// HeldByNodes is Held for blocks that were read.
func HeldByNodes(nodes []Node, names ...string) []string {
	texts := make([]string, len(nodes))
	for i := range nodes {
		texts[i] = nodes[i].Text
	}
	return Held(texts, names...)
}

// SetLine returns blocks directly below a page with a text, "Name:: value", as their one
// line that holds a value of the name; an empty text takes the value away. It changes the
// line that holds it, or else the first "Name::" without a value, or else adds one at a
// place. A further line of the name loses its value. A line with something below it, of
// which below tells, loses its value and not its place; one without goes.
func SetLine(blocks []outline.Block, name, text string, place int, below func(outline.Block) bool) []outline.Block {
	held := HeldBy(blocks, name)
	at := slices.IndexFunc(held, func(each string) bool { return each != "" })
	if at < 0 {
		at = slices.IndexFunc(blocks, func(b outline.Block) bool { return IsBareLine(b.String, name) })
	}
	var out []outline.Block
	for i, block := range blocks {
		switch {
		case i == at && text != "":
			block.String = text
		case held[i] == "":
		case !below(block):
			continue
		default:
			block.String = BareLine(block.String)
		}
		out = append(out, block)
	}
	if at < 0 && text != "" {
		out = slices.Insert(out, place, outline.Block{String: text})
	}
	return out
}

// BareLine returns a line "Name:: value" without its value.
func BareLine(text string) string {
	name, _, _ := strings.Cut(text, "::")
	return name + "::"
}

// IsBareLine reports whether a text is "Name::" without a value.
func IsBareLine(text, name string) bool {
	has, value, ok := SplitProperty(text)
	return ok && value == "" && strings.EqualFold(has, name)
}

// Below returns a function that reports whether a child of the node has children, hidden
// ones included.
func (n Node) Below() func(outline.Block) bool {
	holds := map[string]bool{}
	for i := range n.Children {
		if c := &n.Children[i]; c.UID != "" {
			holds[c.UID] = len(c.Children) > 0
		}
	}
	return func(b outline.Block) bool { return len(b.Children) > 0 || holds[b.UID] }
}
