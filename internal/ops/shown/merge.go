package shown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// Current is a note as it is now, and what of it the surface shows as its content.
type Current struct {
	Node    note.Node // hidden blocks included
	Content []string  // uids of the blocks of its content
	Lists   Lists
	Within  string // uid of the one block below the node, of a note that is that block; empty: all below it is the note's
}

// Read returns what was shown of a note. The error of one with content that was not shown
// has the code READ_FIRST. how says how to read it.
func (g Graph) Read(now Current, how Reading) (Note, error) {
	n, ok := g.known(now)
	switch {
	case ok:
		return n, nil
	case g.all || len(now.Content) == 0:
		n = Whole(now.Node, slices.Concat(now.Content, now.Lists[Items]))
		n.Lists = now.Lists
		return n, nil
	}
	return Note{}, readFirst(how)
}

// ReadList returns a list of a note as it was shown. The error of one that was not shown, and
// of which there is something to replace, has the code READ_FIRST.
func (g Graph) ReadList(now Current, which List, replaces []string, how Reading) ([]string, error) {
	now.Content = replaces
	n, err := g.Read(now, how)
	return n.Lists[which], err
}

// ReadItems is Read for the blocks of the list Items.
func (g Graph) ReadItems(now Current, how Reading) (Note, error) {
	now.Content = now.Lists[Items]
	return g.Read(now, how)
}

// known is Note for a note as it is now, with the uids of what it was made of.
func (g Graph) known(now Current) (Note, bool) {
	n, ok := g.Note(now.Node.UID)
	if !ok || n.made == nil {
		return n, ok
	}
	g.Wrote(Made(n.made), now, nil)
	lists := n.Lists
	if n, ok = g.Note(now.Node.UID); ok {
		n.Lists = lists
		g.Keep(now.Node.UID, n)
	}
	return n, ok
}

// KeepMade remembers a note that was made of blocks, whose uids nobody knows yet.
func (g Graph) KeepMade(uid, title string, blocks []outline.Block, lists Lists) {
	g.Keep(uid, Note{Title: title, Lists: lists, whole: true, made: blocks})
}

// Made is what is known of a note that was made of blocks.
func Made(blocks []outline.Block) Merged { return Merged{Want: blocks, note: Note{whole: true}} }

// Edited is what becomes of a note that is changed by a call which depends on what is there
// now: want has the uids of what stays. It reports false where nothing was shown of it.
func (g Graph) Edited(now note.Node, want []outline.Block) (Merged, bool) {
	n, ok := g.Note(now.UID)
	return Merged{Want: want, note: n, wrote: changedTexts(now.Outline(), want)}, ok
}

// Sent is the content that was sent for a note.
type Sent struct {
	note.Parsed
	left  []string // uids of shown blocks that it leaves alone
	cut   []string // those of them of which a part was shown
	items bool     // it replaces the list Items, and not the content
	part  bool     // it replaces a part of the content
}

// SentItems are blocks that were sent for the list Items.
func SentItems(blocks []outline.Block) Sent {
	return Sent{Parsed: note.Parsed{Blocks: blocks}, items: true}
}

// Parse reads a text that replaces what was shown of the content. The error of one of which
// it can't be told what it replaces has the code PART_ONLY.
func (n Note) Parse(text string, how Reading) (Sent, error) {
	if n.whole {
		if whole := note.Parse(text); len(n.beyond) == 0 || n.holdsBeyond(whole.Blocks) {
			return Sent{Parsed: whole}, nil
		}
	}
	parsed, left, ok := n.part.Parse(text)
	if !ok {
		return Sent{}, cutLineGone(n.part.LastLine(), how)
	}
	return Sent{Parsed: parsed, cut: left, left: slices.Concat(left, n.beyond), part: true}, nil
}

// Merged is what a note is to become.
type Merged struct {
	Want   []outline.Block // all that it is to have below it, with the uids of what stays
	Unseen int             // blocks of the content that were not shown, and stay

	note  Note
	cut   []string        // uids of shown blocks that it leaves alone, since a part of them was shown
	wrote map[string]bool // uids of blocks that get another text, heading or view
}

// And returns what a note is to become of which something else is written as well.
func (m Merged) And(now Current, want []outline.Block) Merged {
	m.Want, m.wrote = want, changedTexts(now.Node.Outline(), want)
	return m
}

// changedTexts returns the uids of blocks that get another text, heading or view.
func changedTexts(now, want []outline.Block) map[string]bool {
	was, changed := make(map[string]*outline.Block, len(now)), map[string]bool{}
	var walk func(blocks []outline.Block, each func(*outline.Block))
	walk = func(blocks []outline.Block, each func(*outline.Block)) {
		for i := range blocks {
			each(&blocks[i])
			walk(blocks[i].Children, each)
		}
	}
	walk(now, func(b *outline.Block) { was[b.UID] = b })
	walk(want, func(b *outline.Block) {
		if now := was[b.UID]; b.UID != "" && (now == nil || now.String != b.String || now.Heading != b.Heading || now.ChildrenViewType != b.ChildrenViewType) {
			changed[b.UID] = true
		}
	})
	return changed
}

// From returns with how many characters of a content the part begins that was sent.
func (m Merged) From(content note.Rendering) int {
	at := min(m.note.part.From, len(content.Text))
	for !utf8.RuneStart((content.Text + " ")[at]) {
		at--
	}
	return utf8.RuneCountInString(content.Text[:at])
}

// Merge makes of what was sent what the note is to become. at is the place among the direct
// children of what is new where nothing else says one. Where somebody else has changed what was
// sent, the error has the code CHANGED_SINCE_READ, and what it tells counts as shown. That
// of blocks which stand outside of the part that was shown has the code PART_ONLY.
func (g Graph) Merge(n Note, sent Sent, now Current, at int, how Reading) (Merged, error) {
	edits := outline.Difference(n.view(sent, now.Within), sent.Blocks)
	if !n.whole && !sent.items {
		if outside := n.outside(edits, sent, now); outside != "" {
			return Merged{}, outsideOfPart(outside, how)
		}
	}
	present := now.Node.Outline()
	want, conflicts := edits.Apply(present, at)
	if len(conflicts) > 0 {
		return Merged{}, g.conflict(n, now, conflicts, how)
	}
	return Merged{Want: want, Unseen: n.unseen(now), note: n, cut: sent.cut, wrote: changedTexts(present, want)}, nil
}

// outside returns the text of a block that was sent as a new one, and that stands where
// nothing was shown; empty where there is none.
func (n Note) outside(edits outline.Edits, sent Sent, now Current) string {
	hidden := uidSet(sent.left)
	for _, b := range n.blocks {
		hidden[b.uid] = hidden[b.uid] || !b.shown
	}
	content, texts := uidSet(now.Content), map[string]bool{}
	var walk func(nodes []note.Node)
	walk = func(nodes []note.Node) {
		for i := range nodes {
			if uid := nodes[i].UID; hidden[uid] && content[uid] {
				texts[nodes[i].Text] = true
			}
			walk(nodes[i].Children)
		}
	}
	walk(now.Node.Children)
	for _, b := range edits.Added() {
		if texts[b.String] && strings.TrimSpace(b.String) != "" {
			return b.String
		}
	}
	return ""
}

// unseen returns how many blocks of the content were not shown.
func (n Note) unseen(now Current) int {
	shown := make(map[string]bool, len(n.blocks))
	for _, b := range n.blocks {
		shown[b.uid] = b.shown
	}
	count := 0
	for _, uid := range now.Content {
		if !shown[uid] {
			count++
		}
	}
	return count
}

// Wrote remembers what a write left of a note, as it was read after it: all that was
// shown before and is there, and what the write made. What it changed has a text from the
// write, since somebody else may have changed it before it was read; the rest has the text
// that was shown. What is neither content nor an item does not count.
func (g Graph) Wrote(m Merged, now Current, render func() note.Rendering) {
	kept := make(map[string]block, len(m.note.blocks))
	for _, b := range m.note.blocks {
		if b.shown && !slices.Contains(m.cut, b.uid) {
			kept[b.uid] = b
		}
	}
	made := m.Want
	if anyNew(made) {
		made = outline.Assign(now.Node.Outline(), made)
	}
	known := map[string]bool{} // uids of what stayed
	var stayed func(want []outline.Block)
	stayed = func(want []outline.Block) {
		for _, b := range want {
			known[b.UID] = b.UID != ""
			stayed(b.Children)
		}
	}
	stayed(m.Want)
	var walk func(made []outline.Block)
	walk = func(made []outline.Block) {
		for _, b := range made {
			if _, shown := kept[b.UID]; b.UID != "" && (shown && m.wrote[b.UID] || !known[b.UID]) {
				kept[b.UID] = block{uid: b.UID, text: b.String, view: b.ChildrenViewType, heading: int8(b.Heading), shown: true}
			}
			walk(b.Children)
		}
	}
	walk(made)
	n := Note{Title: now.Node.Title, Lists: m.note.Lists, whole: true}
	n.Lists[Items] = now.Lists[Items]
	n.add(now.Node.Children, 0, nil)
	shows := uidSet(slices.Concat(now.Content, now.Lists[Items]))
	for i := range n.blocks {
		if b, ok := kept[n.blocks[i].uid]; ok && shows[b.uid] {
			b.depth = n.blocks[i].depth
			n.blocks[i] = b
		}
	}
	if render != nil && (n.unseen(now) > 0 || !m.note.whole) {
		n.whole = false
		ok := false
		if n.part, ok = partOf(render(), m.note.part, func(uid string) bool { _, ok := kept[uid]; return ok }); !ok {
			g.Forget(now.Node.UID)
			return
		}
	}
	g.Keep(now.Node.UID, n)
}

// anyNew reports whether blocks have no uid yet.
func anyNew(blocks []outline.Block) bool {
	return slices.ContainsFunc(blocks, func(b outline.Block) bool { return b.UID == "" || anyNew(b.Children) })
}

// partOf returns the part of a rendering from the first to the last block that was shown,
// of which the ends that a cut had left out are left out still. ok is false where these
// ends are not where they were: what a next text says of them could not be told.
func partOf(r note.Rendering, before note.Part, shown func(uid string) bool) (p note.Part, ok bool) {
	begins, ends := strings.TrimSpace(before.Lead) != "", before.Trail != ""
	first := slices.IndexFunc(r.Blocks, func(s note.Span) bool { return shown(s.UID) })
	if first < 0 {
		return note.Part{Mark: before.Mark}, !begins && !ends
	}
	last := len(r.Blocks) - 1
	for !shown(r.Blocks[last].UID) {
		last--
	}
	from, to := r.Blocks[first].Start, r.Blocks[last].End
	if begins {
		if before.Shown[0] != r.Blocks[first].UID || !strings.HasPrefix(r.Text[from:r.Blocks[first].End], before.Lead) {
			return note.Part{}, false
		}
		from += len(before.Lead)
	}
	if ends {
		if before.Shown[len(before.Shown)-1] != r.Blocks[last].UID || !strings.HasSuffix(r.Text[r.Blocks[last].Start:to], before.Trail) {
			return note.Part{}, false
		}
		to -= len(before.Trail)
	}
	return r.Part(from, to, before.Mark), from <= to
}

// Part returns the part of what was shown that was sent again; false where all was.
func (s Sent) Part(of Note) (note.Part, bool) {
	if !s.part {
		return note.Part{}, false
	}
	return of.part, true
}
