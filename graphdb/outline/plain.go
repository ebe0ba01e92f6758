package outline

import (
	"strings"

	"roam-mcp/graphdb"
)

// Markdown writes trees as plain outliner-shaped markdown, without
// annotations; ParseMarkdown reads it back to the same strings, headings and
// nesting as long as no text begins like markdown's own syntax.
func Markdown(blocks []Block) string {
	var b strings.Builder
	writeMarkdown(&b, blocks, "")
	return strings.TrimSuffix(b.String(), "\n")
}

func writeMarkdown(b *strings.Builder, blocks []Block, margin string) {
	for _, block := range blocks {
		b.WriteString(margin + "- ")
		if block.Heading > 0 {
			b.WriteString(strings.Repeat("#", block.Heading) + " ")
		}
		b.WriteString(indented(block.String, margin+"  ") + "\n")
		writeMarkdown(b, block.Children, margin+"  ")
	}
}

// PlainMarkdown gives the blocks below an entity as plain markdown without
// hidden ones: for guidelines.
func PlainMarkdown(r graphdb.Reader, e graphdb.EID) string {
	return Markdown(visibleTree(r, hidingPages(r), e, map[graphdb.EID]bool{e: true}))
}

func visibleTree(r graphdb.Reader, marks []graphdb.EID, e graphdb.EID, seen map[graphdb.EID]bool) []Block {
	var out []Block
	for _, k := range Children(r, e) {
		if seen[k] || marked(r, marks, k) {
			continue
		}
		seen[k] = true
		b := ReadBlock(r, k)
		b.Children = visibleTree(r, marks, k, seen)
		out = append(out, b)
	}
	return out
}
