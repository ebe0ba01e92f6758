package outline

import (
	"encoding/json"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// allLevels is the depth of a view that shows everything.
const allLevels = -1

// viewer shows blocks.
type viewer struct {
	properties bool
	max        int // tokens that one block may take with what is below it
}

// blockView is a block as JSON. Fields may only ever be added.
type blockView struct {
	UID          string            `json:"block_uuid"`
	Content      string            `json:"content"` // as it is stored
	Heading      int               `json:"heading,omitempty"`
	Properties   json.RawMessage   `json:"properties,omitempty"`
	PropertyUIDs map[string]string `json:"property_uuids,omitempty"`
	Children     []blockView       `json:"children"`
	Hidden       int               `json:"hidden_children,omitempty"` // that a depth cuts off
}

// blocksOf returns what is below a page or block without its property lines. One with
// something below it is shown among the blocks all the same, so that nothing is lost.
func blocksOf(n note.Node) []note.Node {
	lines := map[string]bool{}
	for _, p := range propertiesOf(n) {
		lines[p.line.UID] = len(p.line.Children) == 0
	}
	var blocks []note.Node
	for _, child := range n.Children {
		if !lines[child.UID] {
			blocks = append(blocks, child)
		}
	}
	return blocks
}

// json returns a block with so many levels below it, fewer where it is too long.
func (v viewer) json(n note.Node, levels int) blockView {
	if levels < 0 {
		levels = height(n)
	}
	for ; ; levels-- {
		if view := v.block(n, levels); levels <= 0 || surface.Fits(rawjson.Encode(view), v.max) {
			return view
		}
	}
}

// block returns a block with so many levels below it.
func (v viewer) block(n note.Node, levels int) blockView {
	view := blockView{UID: n.UID, Content: n.Text, Heading: n.Heading, Children: []blockView{}}
	if v.properties {
		props, uids := properties(n)
		view.Properties, view.PropertyUIDs = props.JSON(), uids
	}
	blocks := blocksOf(n)
	if levels == 0 {
		view.Hidden = len(blocks)
		return view
	}
	for _, child := range blocks {
		view.Children = append(view.Children, v.block(child, levels-1))
	}
	return view
}

// height returns the number of levels below a block.
func height(n note.Node) int {
	levels := 0
	for _, child := range n.Children {
		levels = max(levels, 1+height(child))
	}
	return levels
}

// text returns a block as an outline with so many levels below it, fewer where it is too
// long.
func (v viewer) text(n note.Node, levels int) string {
	if levels < 0 {
		levels = height(n)
	}
	for ; ; levels-- {
		var out strings.Builder
		v.write(&out, n, levels, "")
		if text := out.String(); levels <= 0 || surface.Fits(rawjson.Encode(text), v.max) {
			return text
		}
	}
}

// further is how much more the further lines of a text are indented than its first: by one
// level more than a block or a property below it, so that none is taken for one.
const further = "    "

// write writes a block and what is below it, each line with an end.
func (v viewer) write(out *strings.Builder, n note.Node, levels int, indent string) {
	out.WriteString(indent + "- " + strings.Repeat("#", n.Heading))
	if n.Heading > 0 {
		out.WriteString(" ")
	}
	inside := indent + "  "
	out.WriteString(strings.ReplaceAll(n.Text, "\n", "\n"+indent+further) + "\n")
	v.lines(out, n, inside)
	if levels == 0 {
		return
	}
	for _, child := range blocksOf(n) {
		v.write(out, child, levels-1, inside)
	}
}

// lines writes the property lines of a page or block, which have no bullet, unless one
// begins as a block or a further line does.
func (v viewer) lines(out *strings.Builder, n note.Node, indent string) {
	if !v.properties {
		return
	}
	for _, p := range propertiesOf(n) {
		switch text := p.line.Text; {
		case len(p.line.Children) > 0:
		case strings.TrimLeft(text, "- \t") != text:
			v.write(out, p.line, 0, indent)
		default:
			out.WriteString(indent + strings.ReplaceAll(text, "\n", "\n"+indent+further) + "\n")
		}
	}
}

// isJournal reports whether a title is that of a daily note.
func isJournal(title string) bool { return note.KindOfTitle(title) == note.Daily }

// isoTime returns a time as ISO 8601 has it, in UTC; empty for 0, which is none.
func isoTime(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
