package outline

import (
	"slices"
)

// Conflict is a block that the edits change, take away, or put something below, and that
// somebody else changed or moved since it was shown; where it was to go, also one that
// somebody else wrote below.
type Conflict struct {
	UID   string
	Shown string  // its text in the view
	Sent  *string // the text that it was to have; nil: it was to go
	Now   *string // the text that it has; nil: it is not there
	// Heading is the heading that it has.
	Heading int
	Below   []Block // what stands below it by now, and did not
	Moved   bool    // it stands below another block by now
}

// Apply returns the outline that edits make of what is there now, whose blocks have uids.
// It has the uids of all blocks that stay.
//
// What was not shown, and what has come since, stays: where it is, or in the place of a
// block that is taken away above it. What the edits leave as it was shown stays as it is
// now. A block that comes or moves stands behind the one that it was sent behind; without
// one in front of the next one, or where the first of those stands that go; at is its
// place where nothing else says it, at the top or within the block of the view.
//
// Where there are conflicts nothing is returned but these.
func (e Edits) Apply(now []Block, at int) (want []Block, conflicts []Conflict) {
	m := newMerging(e, now)
	m.in = m.top
	if e.within != "" {
		m.in = m.all[e.within]
	}
	if m.in != nil && at < len(m.in.kids) {
		m.home = m.in.kids[at]
	}
	m.choose()
	m.check()
	if len(m.conflicts) == 0 {
		m.update(m.edits.sent)
		m.put(m.top, m.edits.sent)
	}
	if len(m.conflicts) > 0 {
		return nil, m.conflicts
	}
	m.remove()
	return m.top.outline(), nil
}

// merging is edits that are being applied.
type merging struct {
	edits     Edits
	removed   map[string]bool
	top       *place
	all       map[string]*place // by uid
	in        *place            // the top, or the block of the view
	home      *place            // there, in front of which comes what nothing else says the place of; nil: the end
	conflicts []Conflict
	reported  map[string]bool // uids of conflicts
}

// place is a block where it is by now.
type place struct {
	block  Block // without its children
	parent *place
	kids   []*place
}

func newMerging(e Edits, now []Block) *merging {
	m := &merging{edits: e, removed: map[string]bool{}, top: &place{}, all: map[string]*place{}, reported: map[string]bool{}}
	m.edits.sent, m.edits.removed = cloneOutline(e.sent), slices.Clone(e.removed)
	for _, uid := range e.removed {
		m.removed[uid] = true
	}
	m.top.kids = m.places(m.top, now)
	return m
}

func (m *merging) places(parent *place, blocks []Block) []*place {
	kids := make([]*place, 0, len(blocks))
	for _, b := range blocks {
		p := &place{block: b, parent: parent}
		p.block.Children = nil
		p.kids = m.places(p, b.Children)
		m.all[b.UID] = p
		kids = append(kids, p)
	}
	return kids
}

// parentUID returns the uid of the block above, "" at the top.
func (p *place) parentUID() string { return p.parent.block.UID }

// leave takes a block away from where it is.
func (p *place) leave() {
	p.parent.kids = slices.DeleteFunc(p.parent.kids, func(each *place) bool { return each == p })
}

// isBelow reports whether p is another block, or below it.
func (p *place) isBelow(above *place) bool {
	for ; p != nil; p = p.parent {
		if p == above {
			return true
		}
	}
	return false
}

func (p *place) outline() []Block {
	if len(p.kids) == 0 {
		return nil
	}
	list := make([]Block, 0, len(p.kids))
	for _, kid := range p.kids {
		b := kid.block
		b.Children = kid.outline()
		list = append(list, b)
	}
	return list
}

// rewritten reports whether somebody else has changed or moved a block since it was shown,
// or taken it away.
func (m *merging) rewritten(uid string) bool {
	was, p := m.edits.was[uid], m.all[uid]
	return p == nil || p.parentUID() != was.parent || p.block.String != was.block.String || p.block.Heading != was.block.Heading
}

// touched reports whether somebody else has changed, moved or written below a block since
// it was shown, and returns what stands below it now and did not.
func (m *merging) touched(uid string) (below []Block, touched bool) {
	p := m.all[uid]
	if p == nil {
		return nil, true
	}
	for _, kid := range p.kids {
		if uid == m.edits.within { // what was written there was written in the note
			break
		}
		if known := m.edits.was[kid.block.UID]; known == nil || known.parent != uid {
			b := kid.block
			b.Children = kid.outline()
			below = append(below, b)
		}
	}
	return below, len(below) > 0 || m.rewritten(uid)
}

// check finds the conflicts.
func (m *merging) check() {
	for _, uid := range m.edits.removed {
		if _, touched := m.touched(uid); touched && m.all[uid] != nil { // what has gone is as it should be
			m.conflict(uid, nil)
		}
	}
	m.checkSent("", m.edits.sent)
}

// checkSent finds the conflicts of what was sent below a block.
func (m *merging) checkSent(parent string, sent []Block) {
	for i := range sent {
		b := &sent[i]
		known := b.UID != ""
		if (!known || m.edits.moved[b.UID]) && parent != "" && parent != noParent && m.all[parent] == nil {
			m.conflict(parent, m.sentText(parent))
		}
		p := m.all[b.UID]
		switch {
		case !known:
			m.checkSent(noParent, b.Children)
			continue
		case m.edits.moved[b.UID] && (p == nil || p.parentUID() != m.edits.was[b.UID].parent):
			m.conflict(b.UID, &b.String)
		case m.edits.changed[b.UID] && m.rewritten(b.UID) && (p == nil || p.block.String != b.String || p.block.Heading != b.Heading):
			m.conflict(b.UID, &b.String)
		}
		m.checkSent(b.UID, b.Children)
	}
}

// sentText returns the text that was sent for a block.
func (m *merging) sentText(uid string) *string {
	var found *string
	var walk func(blocks []Block)
	walk = func(blocks []Block) {
		for i := range blocks {
			if blocks[i].UID == uid {
				found = &blocks[i].String
			}
			walk(blocks[i].Children)
		}
	}
	walk(m.edits.sent)
	return found
}

// conflict notes a conflict, once for each block.
func (m *merging) conflict(uid string, sent *string) {
	if m.reported[uid] {
		return
	}
	m.reported[uid] = true
	c := Conflict{UID: uid, Shown: m.edits.was[uid].block.String, Sent: sent}
	if p := m.all[uid]; p != nil {
		c.Now, c.Moved = &p.block.String, p.parentUID() != m.edits.was[uid].parent
		c.Heading = p.block.Heading
		c.Below, _ = m.touched(uid)
	}
	m.conflicts = append(m.conflicts, c)
}

// update changes texts, headings and views.
func (m *merging) update(sent []Block) {
	for i := range sent {
		b := &sent[i]
		if p := m.all[b.UID]; p != nil && m.edits.changed[b.UID] {
			p.block.String, p.block.Heading = b.String, b.Heading
			if b.ChildrenViewType != "" {
				p.block.ChildrenViewType = b.ChildrenViewType
			}
		}
		m.update(b.Children)
	}
}

// put puts what comes or moves below a parent where it was sent.
func (m *merging) put(parent *place, sent []Block) {
	var left *place
	for i := range sent {
		b := &sent[i]
		p := m.all[b.UID]
		switch {
		case b.UID == "":
			p = &place{block: *b}
			p.block.Children = nil
		case m.edits.moved[b.UID]:
			if parent.isBelow(p) {
				m.conflict(b.UID, &b.String)
				return
			}
			p.leave()
		case p == nil:
			continue
		default:
			if p.parent == parent {
				left = p
			}
			m.put(p, b.Children)
			continue
		}
		p.parent = parent
		parent.kids = slices.Insert(parent.kids, m.index(parent, left, sent[i+1:]), p)
		left = p
		m.put(p, b.Children)
	}
}

// index returns the place below a parent of what was sent behind a block, and in front of
// others.
func (m *merging) index(parent, left *place, right []Block) int {
	if left != nil {
		return slices.Index(parent.kids, left) + 1
	}
	for i := range right {
		if p := m.all[right[i].UID]; p != nil && p.parent == parent && !m.edits.moved[right[i].UID] {
			return slices.Index(parent.kids, p)
		}
	}
	if at := slices.IndexFunc(parent.kids, func(kid *place) bool { return m.removed[kid.block.UID] }); at >= 0 {
		return at
	}
	if parent != m.in {
		return 0
	}
	if at := slices.Index(parent.kids, m.home); at >= 0 {
		return at
	}
	return len(parent.kids)
}

// remove takes blocks away. What stays below one comes to its place.
func (m *merging) remove() {
	for _, uid := range slices.Backward(m.edits.removed) {
		p := m.all[uid]
		if p == nil {
			continue
		}
		at := slices.Index(p.parent.kids, p)
		for _, kid := range p.kids {
			kid.parent = p.parent
		}
		p.parent.kids = slices.Replace(p.parent.kids, at, at+1, p.kids...)
	}
}
