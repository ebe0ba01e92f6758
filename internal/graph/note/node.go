package note

import (
	"cmp"
	"iter"
	"time"

	"roam-mcp/internal/graph/outline"
)

// Node is a page or a block with all that is below it, hidden blocks included, as a
// read of Roam or a snapshot gives it.
type Node struct {
	UID       string
	Title     string // of a page; empty for a block
	Text      string // of a block, as Roam stores it
	PageUID   string // of a block: the page that it is on
	PageTitle string
	Heading   int    // 1 to 3; 0: none
	View      string // how the children are listed: bullet, numbered, document; "": not set
	Align     string // left, center, right, justify; "": not set
	Collapsed bool   // the children are folded away
	Created   int64  // ms since 1970; 0: unknown
	Edited    int64  // ms since 1970; 0: unknown
	Creator   User
	Editor    User
	Shortcut  int    // of a page: its place among the shortcuts, from 0; -1: none
	Refs      []Ref  // what the text refers to, each once
	Hidden    bool   // the block carries #.rm-hide or #.rm-private; the first block of a read also where one above it does
	Children  []Node // in their order
}

// User is somebody who wrote.
type User struct{ UID, Name string }

// Ref is a page or a block that a text refers to.
type Ref struct {
	UID       string
	Title     string // of a page; empty for a block
	Text      string // of a block
	PageUID   string // of a block: the page that it is on
	PageTitle string
	Hidden    bool // a hidden block, whose text is not shown
	Empty     bool // a page without visible blocks
}

// IsPage reports whether the node is a page.
func (n Node) IsPage() bool { return n.Title != "" }

// Page returns the uid of the page that the node is, or is on.
func (n Node) Page() string { return cmp.Or(n.PageUID, n.UID) }

// Date returns the day of a daily note, as 2024-01-15; empty for any other node.
func (n Node) Date() string {
	day, ok := outline.ParseDailyTitle(n.Title)
	if !ok {
		return ""
	}
	return day.Format(time.DateOnly)
}

// Visible returns the node without hidden blocks and their descendants. For a hidden node
// it returns an empty one.
func (n Node) Visible() Node {
	if n.Hidden {
		return Node{Shortcut: -1}
	}
	n.Children = visible(n.Children)
	return n
}

// visible returns nodes without hidden ones. It copies only what changes.
func visible(nodes []Node) []Node {
	if !anyHidden(nodes) {
		return nodes
	}
	out := make([]Node, 0, len(nodes))
	for _, n := range nodes {
		if !n.Hidden {
			out = append(out, n.Visible())
		}
	}
	return out
}

func anyHidden(nodes []Node) bool {
	for i := range nodes {
		if nodes[i].Hidden || anyHidden(nodes[i].Children) {
			return true
		}
	}
	return false
}

// HidesBelow reports whether there is a hidden block below the node.
func (n Node) HidesBelow() bool { return anyHidden(n.Children) }

// Exists reports whether the node is a note: a page with a visible block, or a visible
// block.
func (n Node) Exists() bool {
	if !n.IsPage() {
		return n.UID != "" && !n.Hidden
	}
	for i := range n.Children {
		if !n.Children[i].Hidden {
			return true
		}
	}
	return false
}

// CreatedAt returns when the node was made, in ms since 1970: its own time, else the
// least of its visible blocks; 0: unknown.
func (n Node) CreatedAt() int64 {
	least := n.Created
	if least == 0 {
		for b := range n.blocks() {
			if b.Created > 0 && (least == 0 || b.Created < least) {
				least = b.Created
			}
		}
	}
	return least
}

// UpdatedAt returns when the node or one of its visible blocks was edited last, in ms
// since 1970; 0: unknown.
func (n Node) UpdatedAt() int64 {
	greatest := n.Edited
	for b := range n.blocks() {
		greatest = max(greatest, b.Edited)
	}
	return greatest
}

// blocks gives the visible blocks below the node in order of reading.
func (n *Node) blocks() func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) { walk(n.Children, yield) }
}

func walk(nodes []Node, yield func(*Node) bool) bool {
	for i := range nodes {
		if b := &nodes[i]; !b.Hidden && (!yield(b) || !walk(b.Children, yield)) {
			return false
		}
	}
	return true
}

// References returns what the node and all below it refer to.
func (n Node) References() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for b := range n.blocks() {
			for _, ref := range b.Refs {
				if !yield(ref) {
					return
				}
			}
		}
	}
}

// Outline returns the children of the node, hidden ones included, with their uids.
func (n Node) Outline() []outline.Block {
	if len(n.Children) == 0 {
		return nil
	}
	out := make([]outline.Block, len(n.Children))
	for i := range n.Children {
		c := &n.Children[i]
		out[i] = outline.Block{
			String: c.Text, UID: c.UID, Heading: c.Heading, Collapsed: c.Collapsed, TextAlign: c.Align,
			ChildrenViewType: c.View, Children: c.Outline(),
		}
	}
	return out
}
