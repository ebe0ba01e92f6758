package notes

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
)

// The property lines that hold what Memento keeps beside a note's content. They are
// direct children of the page, or of the block of a quick note.
const (
	propLabels     = note.TagsName
	propColor      = "Color"
	propPinned     = "Pinned"
	propArchived   = "Archived"
	propType       = "Note type"
	propReminder   = "Reminder"
	propDone       = "Reminder done"
	propRecurrence = "Reminder repeats"
	propLocation   = "Reminder place"
	propSize       = "Size"
)

// properties are the names of the property lines, in the order in which new ones stand.
func properties() []string {
	return []string{propLabels, propColor, propPinned, propArchived, propType, propReminder, propDone, propRecurrence, propLocation, propSize}
}

// section is the text of the block below which a daily note has its quick notes.
const section = "[[Notes]]"

// role is what a block directly below a note is to it.
type role int

const (
	roleContent  role = iota
	roleProperty      // one of properties
	roleItem          // an item of a checklist
	roleImage         // an image and nothing else, behind all content
	roleSection       // quick notes in a daily note, which are notes of their own
)

// part is a block directly below a note.
type part struct {
	role     role
	property string // its name, of roleProperty
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
		if name, value, ok := property(child.Text); ok {
			p.role, p.property = roleProperty, name
			if _, there := e.values[name]; !there {
				e.values[name] = value
			}
		} else if daily && isSection(child.Text) {
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
// checklist is made of tasks alone. A task with blocks below it is no item, since an
// item has a text and nothing else.
func (e *entry) typeOf() string {
	for _, said := range []string{typeText, typeChecklist} {
		if strings.EqualFold(plain(e.values[propType]), said) {
			return said
		}
	}
	tasks := 0
	for _, p := range e.parts {
		switch {
		case p.role != roleContent:
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

// property reads a property line that is one of properties.
func property(text string) (name, value string, ok bool) {
	name, value, ok = note.SplitProperty(text)
	if !ok {
		return "", "", false
	}
	at := slices.IndexFunc(properties(), func(each string) bool { return strings.EqualFold(each, name) })
	if at < 0 {
		return "", "", false
	}
	return properties()[at], value, true
}

// plain returns a value without the marks of a link or a tag around it.
func plain(value string) string { return strings.Trim(value, "#[] ") }

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

// content returns the text of the note. A quick note begins with the text of its block.
func (e *entry) content() string {
	n := e.without(roleProperty, roleItem, roleImage, roleSection)
	if !e.quick {
		return note.Content(n)
	}
	alone := n
	alone.Children = nil
	text, below := note.Content(note.Node{Children: []note.Node{alone}}), note.Content(n)
	switch line := text != "" && n.Heading == 0 && !strings.Contains(text, "\n") && !isBullet(text); {
	case line:
		return strings.TrimSuffix(text+"\n"+below, "\n")
	case below == "" && strings.Contains(text, "\n") && !isBullet(text): // a first line would not be all of it
		return "- " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	return note.Content(note.Node{Children: []note.Node{n}})
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

// taskOf reads the mark at the start of a block that is a task.
func taskOf(text string) (rest string, done, ok bool) {
	for mark, done := range map[string]bool{"{{[[TODO]]}}": false, "{{TODO}}": false, "{{[[DONE]]}}": true, "{{DONE}}": true} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			return strings.TrimLeft(rest, " \t"), done, true
		}
	}
	return "", false, false
}

// isItem reports whether a block is a task with nothing below it.
func isItem(n note.Node) bool {
	_, _, ok := taskOf(n.Text)
	return ok && len(n.Children) == 0
}

var imageInText = regexp.MustCompile(`!\[[^\]\n]*\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)`)

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

func (e *entry) color() string {
	value := strings.ToLower(plain(e.values[propColor]))
	if slices.Contains(colors(), value) {
		return value
	}
	return colors()[0]
}

// is reports whether a property line says true.
func (e *entry) is(name string) bool { return strings.EqualFold(plain(e.values[name]), "true") }

func (e *entry) pinned() bool { return e.node.Shortcut >= 0 && !e.quick || e.is(propPinned) }

// order returns the place among the shortcuts, from 0; 0 for what is none of them.
func (e *entry) order() int {
	if e.quick {
		return 0
	}
	return max(e.node.Shortcut, 0)
}

func (e *entry) size() string {
	value := strings.ToLower(plain(e.values[propSize]))
	if value == "medium" || value == "large" {
		return value
	}
	return "small"
}

// reminder returns the time that the note is to be remembered at: "[[January 20th,
// 2024]] 14:00", a day alone, or a time in ISO 8601.
func (e *entry) reminder() (time.Time, bool) {
	value := e.values[propReminder]
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, plain(value), e.location); err == nil {
			return at, true
		}
	}
	title, clock, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(value, "#"), "[["), "]]")
	day, ok := outline.ParseDailyTitle(title)
	if !ok {
		return time.Time{}, false
	}
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, e.location)
	clock = strings.ToLower(strings.ReplaceAll(clock, " ", ""))
	for _, layout := range []string{"15:04", "15:04:05", "3:04pm", "3pm"} {
		if of, err := time.Parse(layout, clock); err == nil {
			return at.Add(of.Sub(of.Truncate(24 * time.Hour))), true
		}
	}
	return at, clock == ""
}

// isSection reports whether a block is the one below which a daily note has its quick
// notes.
func isSection(text string) bool { return strings.TrimSpace(text) == section }
