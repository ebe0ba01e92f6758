package versions

import (
	"bytes"
	"encoding/json"
	"errors"

	"roam-mcp/internal/graph/note"
)

// mostTree is the most that a tree may take, in bytes.
const mostTree = 16 << 20

// deepest is the level of the deepest blocks that a tree may have; Roam has fewer.
const deepest = 4000

var errTree = errors.New("the tree of a version is malformed")

// tree is what is below a page, as it is stored.
type tree struct {
	View   string  `json:"view,omitempty"` // how the topmost blocks are listed
	Blocks []block `json:"blocks,omitempty"`
}

type block struct {
	UID       string  `json:"uid"`
	Text      string  `json:"text"`
	Heading   int     `json:"heading,omitempty"`
	View      string  `json:"view,omitempty"`
	Align     string  `json:"align,omitempty"`
	Collapsed bool    `json:"collapsed,omitempty"`
	Blocks    []block `json:"blocks,omitempty"`
}

// encode returns the tree of what Kept returns as it is stored: equal trees are equal
// bytes.
func encode(kept note.Node) []byte {
	stored := tree{Blocks: blocksOf(kept.Children)}
	if len(stored.Blocks) > 0 { // else there is nothing to list
		stored.View = kept.View
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(stored) // texts and numbers can be encoded
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

func blocksOf(nodes []note.Node) []block {
	var blocks []block
	for i := range nodes {
		n := &nodes[i]
		blocks = append(blocks, block{
			UID: n.UID, Text: n.Text, Heading: n.Heading, View: n.View, Align: n.Align, Collapsed: n.Collapsed, Blocks: blocksOf(n.Children),
		})
	}
	return blocks
}

// decode returns the page that a stored tree is of, without the blocks whose uids are
// left out, and without what is below them.
func decode(stored []byte, page, title string, leftOut map[string]bool) (note.Node, error) {
	var t tree
	if len(stored) > mostTree || json.Unmarshal(stored, &t) != nil {
		return note.Node{}, errTree
	}
	n := note.Node{UID: page, Title: title, View: t.View, Shortcut: -1}
	var err error
	n.Children, err = nodesOf(t.Blocks, n, leftOut, 1)
	return n, err
}

func nodesOf(blocks []block, page note.Node, leftOut map[string]bool, level int) ([]note.Node, error) {
	if level > deepest {
		return nil, errTree
	}
	var nodes []note.Node
	for _, b := range blocks {
		if b.UID == "" || b.Heading < 0 || b.Heading > 3 {
			return nil, errTree
		}
		if leftOut[b.UID] {
			continue
		}
		children, err := nodesOf(b.Blocks, page, leftOut, level+1)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, note.Node{
			UID: b.UID, Text: b.Text, PageUID: page.UID, PageTitle: page.Title, Heading: b.Heading, View: b.View, Align: b.Align,
			Collapsed: b.Collapsed, Shortcut: -1, Children: children,
		})
	}
	return nodes, nil
}

// Kept returns what a version holds of a page: title, view and visible blocks with uid,
// text, heading, view, alignment and folding; neither times nor what the texts refer to.
// It is nothing but the uid for a page that is gone.
func Kept(n note.Node) note.Node {
	kept, err := decode(encode(n.Visible()), n.UID, n.Title, nil)
	if err != nil { // a heading that Roam does not have
		return note.Node{UID: n.UID, Title: n.Title, Shortcut: -1}
	}
	return kept
}

// hiddenUIDs returns the uids of the blocks of a page that are hidden, or below one that is.
func hiddenUIDs(n note.Node) map[string]bool {
	found := map[string]bool{}
	var walk func(nodes []note.Node, hidden bool)
	walk = func(nodes []note.Node, hidden bool) {
		for i := range nodes {
			each := &nodes[i]
			if hidden || each.Hidden {
				found[each.UID] = true
			}
			walk(each.Children, hidden || each.Hidden)
		}
	}
	walk(n.Children, false)
	return found
}
