package note

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// Content returns what is below a page or block as text for an agent, without hidden
// blocks and without the lines that hold the value of a reserved name; see Shown. Line n
// of a note is line n of its content, from 1.
//
// A flat note, which has no nesting, no heading and no numbered list, is paragraphs with
// an empty line between; every other one is bullets. References to blocks show what they
// refer to, but for hidden ones: ((uid))<ref>text</ref>. Tasks are shown as [ ] and [x].
// Parse gives the blocks back; see the package for what it can't.
func Content(n Node, reserved ...string) string {
	shown := Shown(n, reserved...)
	if text, ok := flat(n, shown); ok {
		return text
	}
	return markdown.Bullets(display(shown))
}

// Shown returns the children of a node that Content shows: all but hidden ones, and those
// that hold the value of a reserved name (see Held) and have nothing below them.
func Shown(n Node, reserved ...string) []Node {
	children := n.Visible().Children
	keeps := keepers(children, reserved)
	if !slices.Contains(keeps, true) {
		return children
	}
	shown := make([]Node, 0, len(children))
	for i := range children {
		if !keeps[i] {
			shown = append(shown, children[i])
		}
	}
	return shown
}

// ShownUIDs returns the uids of the blocks that Content shows, in reading order.
func ShownUIDs(n Node, reserved ...string) []string {
	var uids []string
	children := n.Visible().Children
	keeps := keepers(children, reserved)
	for i := range children {
		if keeps[i] {
			continue
		}
		uids = append(uids, children[i].UID)
		for b := range children[i].blocks() {
			uids = append(uids, b.UID)
		}
	}
	return uids
}

// keepers tells which of the children of a node do nothing but hold the value of a reserved
// name.
func keepers(children []Node, reserved []string) []bool {
	keeps := make([]bool, len(children))
	if len(reserved) == 0 {
		return keeps
	}
	for i, name := range HeldByNodes(children, reserved...) {
		keeps[i] = name != "" && len(children[i].Children) == 0
	}
	return keeps
}

// flat returns what is shown of a flat note as paragraphs; false for other notes.
func flat(n Node, shown []Node) (string, bool) {
	if n.View == "numbered" {
		return "", false
	}
	return paragraphs(shown)
}

// paragraphs returns flat nodes as paragraphs, and reports whether they can be shown so.
func paragraphs(nodes []Node) (string, bool) {
	texts := make([]string, 0, len(nodes))
	want := make([]outline.Block, 0, len(nodes))
	check := false
	for i := range nodes {
		n := &nodes[i]
		if len(n.Children) > 0 || n.Heading != 0 {
			return "", false
		}
		text, sure := n.paragraph()
		if text == "" {
			return "", false
		}
		check = check || !sure
		texts, want = append(texts, text), append(want, outline.Block{String: n.Text})
	}
	text := strings.Join(texts, "\n\n")
	if !check {
		return text, true
	}
	got := Parse(text)
	return text, got.Tags == nil && markdown.Same(got.Blocks, want)
}

// paragraph returns the text of a flat node, and reports whether it is sure to be read
// back; "" for a text that can't be a paragraph.
func (n *Node) paragraph() (text string, sure bool) {
	return markdown.Paragraph(escapeBars(n.Text), n.previews)
}

// display returns nodes with their texts as an agent sees them in bullets.
func display(nodes []Node) []outline.Block {
	var out []outline.Block
	for i := range nodes {
		n := &nodes[i]
		out = append(out, outline.Block{String: n.bullet(), Heading: n.Heading, Children: display(n.Children)})
	}
	return out
}

// bullet returns the text of a node in a bullet.
func (n *Node) bullet() string { return markdown.Bullet(escapeBars(n.Text), n.previews) }

// previews sets the text of what is referred to behind each ((uid)), but of nothing and of
// what is hidden.
func (n *Node) previews(text string) string {
	if len(n.Refs) == 0 {
		return text
	}
	shown := outline.WithPreviews(text, n.preview)
	if strings.IndexByte(text, '`') >= 0 && outline.DecodeAnnotations(shown) != text {
		return text // a backtick before it would have one in it begin code
	}
	return shown
}

func (n *Node) preview(uid string) (string, bool) {
	for i := range n.Refs {
		if r := &n.Refs[i]; r.UID == uid && r.Title == "" {
			return r.Text, !r.Hidden
		}
	}
	return "", false
}

// Display returns the text of a block as a content shows it in a bullet.
func Display(text string) string {
	n := Node{Text: text}
	return n.bullet()
}
