package shown

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// Note remembers what was shown of a page or block.
type Note struct {
	Title string // of a page
	Lists Lists  // what was shown beside the content

	blocks []block         // all that is below, in reading order
	part   note.Part       // that was shown last
	whole  bool            // all of the content was shown; part is empty then
	beyond []string        // uids of shown blocks that the reply to the last write had no room for
	made   []outline.Block // what the note was made of, whose uids nobody knows yet; blocks is empty then
}

// block is a block below a note. Of one that was not shown it has no text.
type block struct {
	uid, text, view string
	depth           int32
	heading         int8
	shown           bool
}

// blockSize is what a block takes beside its texts, in bytes.
const blockSize = 64

// Whole returns the Note for a page or block whose whole content was shown. content has
// the uids of the blocks in it.
func Whole(n note.Node, content []string) Note {
	remembered := Note{Title: n.Title, whole: true}
	remembered.add(n.Children, 0, content)
	return remembered
}

// Partly returns the Note for a page or block of which a part was shown. beside has the
// uids of shown blocks that are not in its content.
func Partly(n note.Node, part note.Part, beside []string) Note {
	remembered := Note{Title: n.Title, part: part}
	remembered.add(n.Children, 0, append(slices.Clip(part.Shown), beside...))
	return remembered
}

func (n *Note) add(nodes []note.Node, depth int32, shown []string) {
	set := uidSet(shown)
	var walk func(nodes []note.Node, depth int32)
	walk = func(nodes []note.Node, depth int32) {
		for i := range nodes {
			b := block{uid: nodes[i].UID, depth: depth, shown: set[nodes[i].UID] && !nodes[i].Hidden}
			if b.shown {
				b.text, b.view, b.heading = nodes[i].Text, nodes[i].View, int8(nodes[i].Heading)
			}
			n.blocks = append(n.blocks, b)
			walk(nodes[i].Children, depth+1)
		}
	}
	walk(nodes, depth)
}

// size returns how many bytes the note takes, about.
func (n Note) size() int {
	size := len(n.Title) + len(n.part.Lead) + len(n.part.Trail) + len(markdown.Bullets(n.made))
	for _, b := range n.blocks {
		size += blockSize + len(b.uid) + len(b.text)
	}
	for _, list := range n.Lists {
		for _, each := range list {
			size += len(each) + 16
		}
	}
	return size
}

// Items returns the blocks of the list Items as they were shown.
func (n Note) Items() []outline.Block {
	var list []outline.Block
	items := uidSet(n.Lists[Items])
	for _, b := range n.blocks {
		if b.shown && items[b.uid] {
			list = append(list, outline.Block{UID: b.uid, String: b.text, Heading: int(b.heading)})
		}
	}
	return list
}

// AfterReply returns the Note after a write that left now, with what the reply to it
// shows added. A part that the reply shows becomes the part that was shown last; blocks
// outside of it are remembered as beyond.
func (n Note) AfterReply(now note.Node, reply Note) Note {
	fresh := n.WithShown(now, reply.Shown())
	if reply.whole {
		fresh.part, fresh.whole = note.Part{}, true
		return fresh
	}
	fresh.part = reply.part
	shown := uidSet(slices.Concat(reply.part.Shown, n.Lists[Items]))
	for _, uid := range fresh.Shown() {
		if !shown[uid] {
			fresh.beyond = append(fresh.beyond, uid)
		}
	}
	return fresh
}

// Lifted returns the Note with the descendants of a top-level block raised by one level.
func (n Note) Lifted(uid string) Note {
	n.blocks = slices.Clone(n.blocks)
	under := false
	for i := range n.blocks {
		if b := &n.blocks[i]; b.depth == 0 {
			under = b.uid == uid
		} else if under {
			b.depth--
		}
	}
	return n
}

// holdsBeyond reports whether one of the blocks that the last reply had no room for is among
// blocks that were sent.
func (n Note) holdsBeyond(sent []outline.Block) bool {
	beyond, texts := uidSet(n.beyond), map[string]bool{}
	for _, b := range n.blocks {
		if beyond[b.uid] && strings.TrimSpace(b.text) != "" {
			texts[b.text] = true
		}
	}
	var holds func(blocks []outline.Block) bool
	holds = func(blocks []outline.Block) bool {
		return slices.ContainsFunc(blocks, func(b outline.Block) bool { return texts[b.String] || holds(b.Children) })
	}
	return holds(sent)
}

func uidSet(uids []string) map[string]bool {
	set := make(map[string]bool, len(uids))
	for _, uid := range uids {
		set[uid] = true
	}
	return set
}

// view returns the note for the difference: of what was shown, that which something was
// sent for.
func (n Note) view(sent Sent, within string) outline.View {
	view := outline.View{Unseen: map[string]bool{}, Within: within, Named: sent.items}
	items, left := uidSet(n.Lists[Items]), uidSet(sent.left)
	var below func(at int, depth int32) ([]outline.Block, int)
	below = func(at int, depth int32) (blocks []outline.Block, next int) {
		if count := n.countSiblings(at, depth); count > 0 {
			blocks = make([]outline.Block, 0, count)
		}
		for at < len(n.blocks) && n.blocks[at].depth == depth {
			each := n.blocks[at]
			b := outline.Block{UID: each.uid, String: each.text, Heading: int(each.heading), ChildrenViewType: each.view}
			if !each.shown || items[each.uid] != sent.items || left[each.uid] {
				view.Unseen[each.uid] = true
			}
			b.Children, at = below(at+1, depth+1)
			blocks = append(blocks, b)
		}
		return blocks, at
	}
	view.Blocks, _ = below(0, 0)
	return view
}

// countSiblings returns how many siblings begin at a block of that depth, itself included.
func (n Note) countSiblings(at int, depth int32) (count int) {
	for ; at < len(n.blocks) && n.blocks[at].depth >= depth; at++ {
		if n.blocks[at].depth == depth {
			count++
		}
	}
	return count
}

// Shown returns the uids of the blocks that were shown.
func (n Note) Shown() []string {
	var uids []string
	for _, b := range n.blocks {
		if b.shown {
			uids = append(uids, b.uid)
		}
	}
	return uids
}

// WithShown returns the Note for the present state, now, with the blocks with these uids
// shown as they are in it. Blocks that were shown before stay as they were shown.
func (n Note) WithShown(now note.Node, uids []string) Note {
	fresh := Note{Title: now.Title, Lists: n.Lists, part: n.part, whole: n.whole}
	fresh.add(now.Children, 0, append(n.Shown(), uids...))
	texts, besides := make(map[string]*block, len(n.blocks)), uidSet(uids)
	for i := range n.blocks {
		texts[n.blocks[i].uid] = &n.blocks[i]
	}
	for i := range fresh.blocks {
		b := &fresh.blocks[i]
		if was, ok := texts[b.uid]; ok && was.shown && b.shown && !besides[b.uid] {
			b.text, b.view, b.heading = was.text, was.view, was.heading
		}
	}
	return fresh
}

// knows reports whether a block was there when the note was shown.
func (n Note) knows(uid string) bool {
	return slices.ContainsFunc(n.blocks, func(b block) bool { return b.uid == uid })
}

// afterConflict returns the Note with one block as a conflict reports it.
func (n Note) afterConflict(c outline.Conflict) Note {
	at := slices.IndexFunc(n.blocks, func(b block) bool { return b.uid == c.UID })
	if at < 0 {
		return n
	}
	blocks := slices.Clone(n.blocks)
	depth, end := blocks[at].depth, at+1
	for end < len(blocks) && blocks[end].depth > depth {
		end++
	}
	if c.Now == nil {
		for i := at + 1; i < end; i++ {
			blocks[i].depth--
		}
		n.blocks = slices.Delete(blocks, at, at+1)
		return n
	}
	blocks[at].text, blocks[at].heading = *c.Now, int8(c.Heading)
	n.blocks = slices.Insert(blocks, end, flat(c.Below, depth+1)...)
	return n
}

// flat returns blocks that were shown, in reading order.
func flat(blocks []outline.Block, depth int32) []block {
	var list []block
	for _, b := range blocks {
		list = append(list, block{uid: b.UID, text: b.String, view: b.ChildrenViewType, heading: int8(b.Heading), depth: depth, shown: true})
		list = append(list, flat(b.Children, depth+1)...)
	}
	return list
}
