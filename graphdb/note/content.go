package note

import "roam-mcp/graphdb/outline"

// Content returns the text of a note for an agent, without the property lines of the
// reserved names that are direct children.
func Content(n Node, reserved ...string) string {
	var blocks []outline.Block
	for _, c := range n.Visible().Children {
		if !isReserved(c.Text, reserved) {
			blocks = append(blocks, outline.Block{String: c.Text, Heading: c.Heading, Children: c.Outline()})
		}
	}
	return outline.Markdown(blocks)
}
