package outline

import (
	"cmp"
	"slices"
)

// View is an outline as somebody was shown it: all of it, or a part.
type View struct {
	// Blocks is all that was there, with uids. Of a block that was not shown the text
	// does not matter.
	Blocks []Block
	// Unseen holds the uids of the blocks that were not shown; nil: all were.
	Unseen map[string]bool
	// Within is the uid of a block at the top, in which all stands that is sent; empty: none
	// is. Where it was not shown it may be sent with its uid, to say so.
	Within string
	// Named says that the reader saw the uids: what is sent without one is found by its words
	// alone, and never by its place.
	Named bool
}

// Edits are what somebody changed of a View.
type Edits struct {
	was     map[string]*seen // all that was there
	tops    []string         // uids of those at the top
	sent    []Block          // what was sent, with the uids of the blocks that are those of the view
	changed map[string]bool  // uids of blocks with another text, heading or view
	moved   map[string]bool  // uids of blocks with another parent, or another place among the others
	removed []string         // uids of blocks that were shown and are not sent, in reading order
	within  string           // as of the View
}

// seen is a block of a View.
type seen struct {
	block  Block    // without its children
	parent string   // uid; "": the top
	kids   []string // uids
	hidden bool     // it was not shown
	leads  bool     // it was not shown, but something below it was or may be sent
	place  int      // among the children of its parent
	shape  int      // equal for blocks that were shown with equal texts, headings and blocks below
}

// byUIDOnly begins the text of a block of the view that is found by its uid alone.
const byUIDOnly = "\x00"

// Difference returns what turns a view into what its reader sends. A block that is sent is
// one of the view if it has its uid, or else as Plan says. Blocks that were not shown are
// no part of it; one above those that were may be sent, with its uid, to say where they
// are.
func Difference(view View, sent []Block) Edits {
	e := Edits{was: map[string]*seen{}, changed: map[string]bool{}, moved: map[string]bool{}, within: view.Within}
	for _, b := range view.Blocks {
		e.tops = append(e.tops, b.UID)
	}
	shown := e.note(view, "", view.Blocks)
	m := newMatching(shown, cloneOutline(sent), nil)
	m.named = view.Named
	m.run()
	for o := 1; o < len(m.old.nodes); o++ {
		was := e.was[m.old.nodes[o].block.UID]
		was.shape = m.old.nodes[o].shape
		if m.oldTo[o] == none && !was.leads {
			e.removed = append(e.removed, was.block.UID)
		}
	}
	e.sent = m.assigned()
	e.compare("", e.sent)
	return e
}

// note notes what was there, and returns what of it was shown.
func (e *Edits) note(view View, parent string, blocks []Block) (shown []Block) {
	if len(blocks) > 0 {
		shown = make([]Block, 0, len(blocks))
	}
	for i, b := range blocks {
		was := &seen{block: b, parent: parent, hidden: view.Unseen[b.UID], place: i}
		was.block.Children = nil
		e.was[b.UID] = was
		was.kids = make([]string, 0, len(b.Children))
		for _, kid := range b.Children {
			was.kids = append(was.kids, kid.UID)
		}
		below := e.note(view, b.UID, b.Children)
		was.leads = was.hidden && (len(below) > 0 || b.UID == view.Within)
		if was.hidden && !was.leads {
			continue
		}
		text := b.String
		if was.leads {
			text = byUIDOnly + b.UID
		}
		shown = append(shown, Block{UID: b.UID, String: text, Heading: b.Heading, Children: below})
	}
	return shown
}

// Assign returns an outline with the uids of the blocks of another one that its blocks are,
// as Plan finds them, and without all others.
func Assign(old, new []Block) []Block {
	m := newMatching(old, new, nil)
	m.run()
	return m.assigned()
}

// assigned returns the new outline of a matching with the uids of the old one.
func (m *matching) assigned() []Block {
	var of func(n int) []Block
	of = func(n int) []Block {
		kids := m.new.nodes[n].kids
		if len(kids) == 0 {
			return nil
		}
		list := make([]Block, 0, len(kids))
		for _, kid := range kids {
			b := *m.new.nodes[kid].block
			b.UID = ""
			if o := m.newTo[kid]; o != none {
				b.UID = m.old.nodes[o].block.UID
			}
			b.Annotation, b.Children = nil, of(kid)
			list = append(list, b)
		}
		return list
	}
	return of(root)
}

// compare notes which of the blocks sent below a parent were changed, and which moved.
func (e *Edits) compare(parent string, sent []Block) {
	var places []int // of those that have their parent, in the order in which they are sent
	var uids []string
	for i := range sent {
		b := &sent[i]
		was := e.was[b.UID]
		switch {
		case was == nil:
			e.compare(noParent, b.Children)
			continue
		case was.leads:
			b.String, b.Heading, b.ChildrenViewType = was.block.String, was.block.Heading, ""
		}
		otherView := b.ChildrenViewType != "" && b.ChildrenViewType != cmp.Or(was.block.ChildrenViewType, "bullet")
		if b.String != was.block.String || b.Heading != was.block.Heading || otherView {
			e.changed[b.UID] = true
		}
		if was.parent == parent {
			places, uids = append(places, was.place), append(uids, b.UID)
		} else {
			e.moved[b.UID] = true
		}
		e.compare(b.UID, b.Children)
	}
	staying := increasing(places)
	for i, uid := range uids {
		if len(staying) > 0 && staying[0] == i {
			staying = staying[1:]
			continue
		}
		e.moved[uid] = true
	}
}

// noParent stands for a block that is new, which was no block's parent.
const noParent = " "

// Added returns the blocks that are new, without those below them.
func (e Edits) Added() []Block {
	var added []Block
	var walk func(blocks []Block)
	walk = func(blocks []Block) {
		for _, b := range blocks {
			below := b.Children
			if b.Children = nil; b.UID == "" {
				added = append(added, b)
			}
			walk(below)
		}
	}
	walk(e.sent)
	return added
}

// IsEmpty reports whether nothing was changed.
func (e Edits) IsEmpty() bool {
	return len(e.removed)+len(e.moved)+len(e.changed)+len(e.Added()) == 0
}

func cloneOutline(blocks []Block) []Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].Children = cloneOutline(out[i].Children)
	}
	return out
}
