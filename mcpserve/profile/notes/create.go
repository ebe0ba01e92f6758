package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// createNote answers create_note.
func createNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	d, err := draftOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	if d.title != nil && note.KindOfTitle(*d.title) == note.System {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "title is %s, which is a page of Roam's own; choose another.", textsafe.Quote(*d.title))
	}
	n := newNote(d)
	if n.quick && n.block.String == "" && len(n.block.Children) == 0 {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "content is empty: give a title or a content.")
	}
	if err := c.Graph().Permit(ctx, ops.Footprint{Titles: []string{n.title}, Markdown: []string{c.Args().Text("content")}}); err != nil {
		return surface.Reply{}, err
	}
	if err := n.prepare(ctx, c, d); err != nil {
		return surface.Reply{}, err
	}
	uid, err := n.create(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	told := ""
	if n.shortcut {
		told = pin(ctx, c, uid, &n)
	}
	made, known := n.made(ctx, c, uid)
	reply := made.showing(made.short, 0)
	reply.Note = told
	if known {
		merged := shown.Made(n.blocks())
		reply.Shows[0].Wrote = &merged
		return reply, nil
	}
	if reply.Shows = nil; uid != "" {
		c.Shown().KeepMade(uid, n.title, n.blocks(), made.current().Lists)
	}
	return reply, nil
}

// fresh is a note that is to be made.
type fresh struct {
	title    string
	quick    bool
	block    outline.Block // its children are those of the note; of a quick note, the block too
	added    bool          // it was added to a daily note
	shortcut bool          // the page is to be a shortcut
	pinned   bool          // it has become one
}

// newNote lays out the content of a draft; see prepare for the rest.
func newNote(d draft) fresh {
	n := fresh{quick: d.title == nil}
	text := ""
	if d.content != nil {
		text = *d.content
	}
	if n.quick {
		n.block = quickBlock(text)
		return n
	}
	n.title, n.block.Children = *d.title, note.Parse(text).Blocks
	return n
}

// quickBlock reads the content of a quick note: its first line that holds no value of a
// property is the block, the rest is below it.
func quickBlock(content string) outline.Block {
	return quickBlockPast(note.Parse(content), isBullet(content), aValue)
}

// quickBlockPast makes of the content of a quick note, which begins with a bullet or not,
// its block: the first that is neither front matter nor past.
func quickBlockPast(parsed note.Parsed, bullet bool, past func(outline.Block) bool) outline.Block {
	top, rest := quickPartsPast(parsed, bullet, past)
	top.Children = slices.Concat(top.Children, rest)
	return top
}

// aValue reports whether a block is a line that holds the value of a property.
func aValue(b outline.Block) bool { return len(b.Children) == 0 && holdsValue(b.String) }

// noBlock is true of no block.
func noBlock(outline.Block) bool { return false }

// quickPartsPast is quickBlockPast that tells the block apart from what is put below it.
func quickPartsPast(parsed note.Parsed, bullet bool, past func(outline.Block) bool) (top outline.Block, rest []outline.Block) {
	blocks, at := parsed.Blocks, parsed.Front
	for at < len(blocks) && past(blocks[at]) {
		at++
	}
	if at == len(blocks) {
		return outline.Block{}, blocks
	}
	top, rest = blocks[at], slices.Concat(blocks[:at], blocks[at+1:])
	if first, more, several := strings.Cut(top.String, "\n"); several && !bullet && !markdown.BeginsKept(top.String) {
		rest = slices.Concat([]outline.Block{{String: more}}, top.Children, rest)
		top.String, top.Children = first, nil
	}
	return top, rest
}

// holdsValue reports whether a text is a line that holds the value of a property.
func holdsValue(text string) bool {
	name, value, ok := property(text)
	return ok && holds(name, value, time.UTC) // which is a time everywhere, or nowhere
}

// prepare adds the property lines, the items and the images. It uploads what is to be
// uploaded, and writes nothing else.
func (n *fresh) prepare(ctx context.Context, c surface.Call, d draft) error {
	w := noteTarget{properties: map[string]string{}, kind: typeText, typed: true}
	switch {
	case d.kind != nil:
		w.kind = *d.kind
	case d.items != nil && len(*d.items) > 0:
		w.kind = typeChecklist
	}
	if d.pinned != nil && *d.pinned {
		if n.shortcut = !n.quick && c.World().ToolName(problem.TogglePin) != ""; !n.shortcut {
			w.properties[propPinned] = line(propPinned, whether(true))
		}
	}
	e := n.entry(c, "")
	labels, err := labelsLine(ctx, c, e.andOf(d))
	if err != nil {
		return err
	}
	if labels != "" {
		w.properties[propLabels] = labels
	}
	setProperties(w.properties, d)
	if w.images, err = upload(ctx, c, d.images); err != nil {
		return err
	}
	n.block.Children = e.rewritten(n.plan(&e, d, w), w)
	return nil
}

// plan returns the blocks of the note with its items. Lines of its content hold no value of
// what the draft says itself, but for its labels.
func (n *fresh) plan(e *entry, d draft, w noteTarget) []planned {
	plan := e.planOfNew(n.block.Children)
	for i := range plan {
		if _, said := w.properties[plan[i].property]; said && plan[i].property != propLabels {
			plan[i].property = ""
		}
	}
	if d.items == nil {
		return plan
	}
	var items []planned
	for _, block := range itemBlocks(nil, *d.items) {
		items = append(items, planned{role: roleItem, block: block})
	}
	return slices.Insert(plan, behindItems(plan), items...)
}

// andOf returns the labels of a draft, with those of the YAML front matter of its content
// and of the line of labels that the note has; none where that line says them all.
func (e *entry) andOf(d draft) []string {
	var labels []string
	if d.labels != nil {
		labels = *d.labels
	}
	if d.content != nil {
		labels = slices.Concat(labels, note.Parse(*d.content).Tags)
	}
	if len(labels) == 0 {
		return nil
	}
	for _, p := range e.parts {
		if p.property == propLabels {
			labels = slices.Concat(labels, note.Read(p.node.Text, true).Declared)
		}
	}
	return labels
}

// entry returns the note as a read would show it.
func (n *fresh) entry(c surface.Call, uid string) entry {
	now := c.Now().UnixMilli()
	node := note.Node{UID: uid, Title: n.title, Text: n.block.String, Heading: n.block.Heading, Created: now, Edited: now, Shortcut: -1, Children: nodesOf(n.block.Children)}
	if n.pinned {
		node.Shortcut = 0
	}
	return newEntry(node, c.Now().Location())
}

// create writes the note and returns its uid.
func (n *fresh) create(ctx context.Context, c surface.Call) (uid string, err error) {
	if n.quick {
		return n.createQuick(ctx, c)
	}
	if day, ok := outline.DailyUIDOf(n.title); ok { // it is there, or is made
		n.added = true
		_, err = c.Graph().CreateBlocksOf(ctx, ops.Location{Day: day}, n.block.Children)
		return day, err
	}
	if uid, err = c.NewUID(); err != nil {
		return "", err
	}
	const tries = 5 // others may take titles meanwhile
	for range tries {
		err = c.Graph().CreatePageOf(ctx, ops.NewPage{Title: n.title, UID: uid}, n.block.Children)
		if problem.CodeOf(err) != localapi.CodeAlreadyExists {
			return uid, err
		}
		stub := ""
		if n.title, stub, err = freeTitle(ctx, c, n.title); err != nil {
			return "", err
		}
		if stub != "" {
			_, err = c.Graph().CreateBlocksOf(ctx, ops.Location{ParentUID: stub}, n.block.Children)
			return stub, err
		}
	}
	return "", err
}

// freeTitle returns a title for a note: the one that is wanted, or that with a number
// behind it. stub is the uid of the page that has it, which nothing stands on.
func freeTitle(ctx context.Context, c surface.Call, wanted string) (title, stub string, err error) {
	pages, err := c.Graph().PagesByPrefix(ctx, wanted)
	if err != nil {
		return "", "", err
	}
	for n := 1; ; n++ {
		if title = wanted; n > 1 {
			title = fmt.Sprintf("%s (%d)", wanted, n)
		}
		at := slices.IndexFunc(pages, func(p ops.PageFound) bool { return p.Title == title })
		switch {
		case at < 0:
			return title, "", nil
		case pages[at].Empty:
			return title, pages[at].UID, nil
		}
	}
}

// createQuick writes a quick note into today's daily note.
func (n *fresh) createQuick(ctx context.Context, c surface.Call) (string, error) {
	day := outline.DailyUID(c.Now())
	uids, err := c.Graph().CreateBlocksOf(ctx, ops.Location{Day: day, NestUnder: section}, []outline.Block{n.block})
	if err != nil || len(uids) > 0 {
		return strings.Join(uids[:min(len(uids), 1)], ""), err
	}
	page, _, err := c.Graph().ReadNote(ctx, day) // a build that tells no uids
	if err != nil {
		return "", err
	}
	uid := ""
	for _, child := range page.Children {
		if isSection(child.Text) {
			for _, quick := range child.Children {
				if quick.Text == n.block.String {
					uid = quick.UID
				}
			}
		}
	}
	return uid, nil
}

// blocks returns what was made: all below the page, or the block of a quick note.
func (n *fresh) blocks() []outline.Block {
	if n.quick {
		return []outline.Block{n.block}
	}
	return n.block.Children
}

// made returns the note as it is now; known reports whether that was read. It is only where
// the blocks' uids are wanted, or the texts that they refer to, or where a reply has no room
// for all of it, and which blocks it shows is to be known.
func (n *fresh) made(ctx context.Context, c surface.Call, uid string) (f found, known bool) {
	e := n.entry(c, uid)
	f = found{e, e.node}
	if !n.added && len(e.items()) == 0 && !refersToBlocks(e.node) && surface.Fits(e.short(e.content()), c.MaxReply()) {
		return f, false
	}
	now, ok, err := read(ctx, c, uid)
	if err != nil || !ok { // it was made; what is not known is told without
		return f, false
	}
	return now, true
}

func refersToBlocks(n note.Node) bool {
	return len(note.Read(n.Text, false).Blocks) > 0 || slices.ContainsFunc(n.Children, refersToBlocks)
}

// pin makes the new page a shortcut, or has it say that it is pinned where the token does
// not permit a shortcut. It returns what could not be done.
func pin(ctx context.Context, c surface.Call, uid string, n *fresh) string {
	_, err := c.Graph().AddShortcut(ctx, ops.NewShortcut{PageUID: uid})
	if err == nil {
		n.pinned = true
		return ""
	}
	if problem.CodeOf(err) == localapi.CodeInsufficientScope {
		text := outline.Block{String: line(propPinned, whether(true))}
		if _, err = c.Graph().CreateBlocksOf(ctx, ops.Location{ParentUID: uid}, []outline.Block{text}); err == nil {
			n.block.Children = append(n.block.Children, text)
			return ""
		}
	}
	return "The note was created, but not pinned: " + ops.Explained(err).Message
}
