package notes

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
)

// section is the text of the block below which a daily note has its quick notes.
const section = "[[Notes]]"

// role is what a block directly below a note is to it.
type role int

const (
	roleContent  role = iota
	roleProperty      // a line that holds the value of a property, with nothing below it that is shown
	roleItem          // an item of a checklist
	roleImage         // an image and nothing else, behind all content
	roleSection       // quick notes in a daily note, which are notes of their own
	roleHidden        // a block that agents are not shown
)

// part is a block directly below a note.
type part struct {
	role     role
	property string // the name of the one whose value the line holds; also of content, where something stands below it
	node     note.Node
}

// entry is a page or a block of Roam as a note of Memento.
type entry struct {
	node     note.Node // visible blocks only
	quick    bool      // a block below [[Notes]] in a daily note, which has no title
	parts    []part    // node.Children
	values   map[string]string
	kind     string   // typeText or typeChecklist
	labels   []string // nil: none
	location *time.Location
}

// newEntry reads a page, or the block of a quick note. location is where days begin.
func newEntry(n note.Node, location *time.Location) entry {
	e := entry{node: n.Visible(), quick: !n.IsPage(), values: map[string]string{}, location: location}
	e.split()
	if labels := note.TagsOf(e.without(roleSection)).All(); len(labels) > 0 {
		e.labels = labels
	}
	return e
}

// exists reports whether the page or block is a note: it has something of its own, and
// is no page of Roam's.
func (e *entry) exists() bool {
	own := slices.ContainsFunc(e.parts, func(p part) bool { return p.role != roleSection })
	if e.quick {
		return own || strings.TrimSpace(e.node.Text) != "" && e.pointsTo() == ""
	}
	return own && note.KindOfTitle(e.node.Title) != note.System
}

// pointsTo returns the title of the page that a quick note became when it got one:
// its block is a link to that page. Empty for all others.
func (e *entry) pointsTo() string {
	text := strings.TrimSpace(e.node.Text)
	mentions := note.Mentions(text)
	if !e.quick || len(e.parts) > 0 || len(mentions) == 0 || mentions[0].Kind != note.Link || text != "[["+mentions[0].Title+"]]" {
		return ""
	}
	return mentions[0].Title
}

// split tells the blocks directly below the note apart.
func (e *entry) split() {
	daily := e.node.IsPage() && note.KindOfTitle(e.node.Title) == note.Daily
	for _, child := range e.node.Children {
		p := part{node: child}
		name, value, ok := property(child.Text)
		_, there := e.values[name]
		switch {
		case ok && !there && value != "" && isFree(name): // content, and read too
			e.values[name] = value
		case ok && !there && holds(name, value, e.location):
			p.property, e.values[name] = name, value
			if len(child.Children) == 0 {
				p.role = roleProperty
			}
		case daily && isSection(child.Text):
			p.role = roleSection
		}
		e.parts = append(e.parts, p)
	}
	for i := len(e.parts) - 1; i >= 0; i-- {
		p := &e.parts[i]
		if p.role == roleContent && !isImage(p.node) {
			break
		}
		if p.role == roleContent {
			p.role = roleImage
		}
	}
	if e.kind = e.typeOf(); e.kind == typeChecklist {
		for i := range e.parts {
			if p := &e.parts[i]; p.role == roleContent && isItem(p.node) {
				p.role = roleItem
			}
		}
	}
}

// typeOf returns the type that a property line says, or else what the blocks say: a
// checklist is made of tasks alone, and of lines that have or wait for the value of a
// property. A task with blocks below it is no item, since an item has a text and nothing
// else.
func (e *entry) typeOf() string {
	if said := e.values[propType]; said != "" {
		return said
	}
	tasks := 0
	for _, p := range e.parts {
		name, value, ok := property(p.node.Text)
		switch {
		case p.role != roleContent || p.property != "" || ok && (value == "" || isFree(name)):
		case !isItem(p.node):
			return typeText
		default:
			tasks++
		}
	}
	if tasks > 0 {
		return typeChecklist
	}
	return typeText
}

// without returns the note without the blocks of some roles.
func (e *entry) without(roles ...role) note.Node {
	n := e.node
	n.Children = nil
	for _, p := range e.parts {
		if !slices.Contains(roles, p.role) {
			n.Children = append(n.Children, p.node)
		}
	}
	return n
}

// title returns the title; false for a quick note.
func (e *entry) title() (string, bool) { return e.node.Title, !e.quick }

// onlyContent returns the note with its content alone.
func (e *entry) onlyContent() note.Node {
	return e.without(roleProperty, roleItem, roleImage, roleSection)
}

// content returns the text of the note.
func (e *entry) content() string { return e.rendering().Text }

// rendering returns the text of the note, with where its blocks stand in it. A quick note
// begins with the text of its block: as a line, with what is below it under that, or else
// as a bullet.
func (e *entry) rendering() note.Rendering {
	n := e.onlyContent()
	if !e.quick {
		return note.Render(n)
	}
	alone := n
	alone.Children = nil
	own, below := note.Render(note.Node{Children: []note.Node{alone}}), note.Render(n)
	lines := strings.Count(own.Text, "\n") + 1
	switch plain := own.Text != "" && n.Heading == 0 && !isBullet(own.Text); {
	case plain && lines == 1:
		if r := lineOver(own, below); readsBack(r.Text, n) {
			return r
		}
	case plain && below.Text == "": // a first line would not be all of it
		own.Text = "- " + strings.ReplaceAll(own.Text, "\n", "\n  ")
		own.Blocks[0].End, own.Blocks[0].Prefix = len(own.Text), len("- ")
		return own
	}
	return note.Render(note.Node{Children: []note.Node{n}})
}

// lineOver returns a rendering of one line with another one in the lines under it.
func lineOver(line, below note.Rendering) note.Rendering {
	if below.Text == "" {
		return line
	}
	r := note.Rendering{Text: line.Text + "\n" + below.Text, Blocks: line.Blocks}
	at := len(line.Text) + len("\n")
	for _, b := range below.Blocks {
		b.Start, b.End = b.Start+at, b.End+at
		r.Blocks = append(r.Blocks, b)
	}
	return r
}

// readsBack reports whether the content of a quick note is read as the blocks that it has.
func readsBack(content string, n note.Node) bool {
	same := func(b outline.Block, n note.Node) bool { return b.String == n.Text && b.Heading == n.Heading }
	var all func(blocks []outline.Block, nodes []note.Node) bool
	all = func(blocks []outline.Block, nodes []note.Node) bool {
		return slices.EqualFunc(blocks, nodes, func(b outline.Block, n note.Node) bool { return same(b, n) && all(b.Children, n.Children) })
	}
	block := quickBlock(content)
	if holdsValue(n.Text) {
		block = quickBlockPast(note.Parse(content), isBullet(content), noBlock)
	}
	return same(block, n) && all(block.Children, n.Children)
}

// isBullet reports whether a content begins with a bullet.
func isBullet(content string) bool { return strings.HasPrefix(strings.TrimSpace(content)+" ", "- ") }

// item is an item of a checklist.
type item struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Checked bool   `json:"checked"`
}

// items returns the items of a checklist; nil for other notes.
func (e *entry) items() []item {
	if e.kind != typeChecklist {
		return nil
	}
	items := []item{}
	for _, p := range e.parts {
		if p.role == roleItem {
			text, checked, _ := taskOf(p.node.Text)
			items = append(items, item{p.node.UID, text, checked})
		}
	}
	return items
}

// The marks of tasks, as roam-mcp writes them.
const (
	markOpen = "{{[[TODO]]}} "
	markDone = "{{[[DONE]]}} "
)

// taskOf reads the mark at the start of a block that is a task, and the text behind it
// without blanks around.
func taskOf(text string) (rest string, done, ok bool) {
	for mark, done := range map[string]bool{"{{[[TODO]]}}": false, "{{TODO}}": false, "{{[[DONE]]}}": true, "{{DONE}}": true} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return strings.TrimSpace(rest), done, true
		}
	}
	return "", false, false
}

// isItem reports whether a block is a task with nothing below it.
func isItem(n note.Node) bool {
	_, _, ok := taskOf(n.Text)
	return ok && len(n.Children) == 0
}

var imageInText = lazyregexp.New(`!\[[^\]\n]*\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)`)

// isImage reports whether a block is an image and nothing else.
func isImage(n note.Node) bool {
	text := strings.TrimSpace(n.Text)
	return len(n.Children) == 0 && text != "" && imageInText.FindString(text) == text
}

// images returns the addresses of the images in the note, each once; nil where it has
// none.
func (e *entry) images() []string {
	var found []string
	var walk func(n note.Node)
	walk = func(n note.Node) {
		for _, match := range imageInText.FindAllStringSubmatch(n.Text, -1) {
			if !slices.Contains(found, match[1]) {
				found = append(found, match[1])
			}
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(e.without(roleSection, roleProperty))
	return found
}

func (e *entry) color() string { return cmp.Or(e.values[propColor], colors()[0]) }

// is reports whether a property line says true.
func (e *entry) is(name string) bool { return e.values[name] == whether(true) }

func (e *entry) pinned() bool { return e.node.Shortcut >= 0 && !e.quick || e.is(propPinned) }

// order returns the place among the shortcuts, from 0; 0 for what is none of them.
func (e *entry) order() int {
	if e.quick {
		return 0
	}
	return max(e.node.Shortcut, 0)
}

func (e *entry) size() string { return cmp.Or(e.values[propSize], sizes()[0]) }

// reminder returns the time that the note is to be remembered at.
func (e *entry) reminder() (time.Time, bool) { return reminderTime(e.values[propReminder], e.location) }

// isSection reports whether a block is the one below which a daily note has its quick
// notes.
func isSection(text string) bool { return strings.TrimSpace(text) == section }
