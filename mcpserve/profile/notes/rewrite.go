package notes

import (
	"cmp"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// noteTarget is what a note is to have beside its content and its items.
type noteTarget struct {
	properties map[string]string // the whole line of each that changes, by name; "": none
	images     *[]string         // addresses of all that it is to have; nil: those that are there
	kind       string            // the type that it is to have; empty: the one that it has
	typed      bool              // its content or its items may be others, and say another type
}

// line returns the text of a property line, empty for no value.
func line(name, value string) string {
	if value == "" {
		return ""
	}
	return name + ":: " + value
}

// whether returns the value of a property line that says true or is not there.
func whether(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}

// planned is a block that a note is to have directly below it, and what it is to it.
type planned struct {
	role     role
	property string // as of a part
	block    outline.Block
}

// planOf returns blocks that the note is to have directly below it with what they are to
// it: those that it has what they were, and new ones content.
func (e *entry) planOf(blocks []outline.Block) []planned {
	parts := map[string]part{} // by uid
	for _, p := range e.parts {
		parts[p.node.UID] = p
	}
	plan := make([]planned, len(blocks))
	for i, b := range blocks {
		was := part{}
		if b.UID != "" {
			was = parts[b.UID]
		}
		plan[i] = planned{was.role, was.property, b}
		switch name, value, ok := property(b.String); {
		case note.HidesItself(b.String):
			plan[i] = planned{role: roleHidden, block: b}
		case was.property != "" && (!ok || name != was.property || !holds(name, value, e.location)):
			plan[i].role, plan[i].property = roleContent, ""
		}
	}
	return plan
}

// planOfNew returns the blocks of a new note with what they are to it.
func (e *entry) planOfNew(blocks []outline.Block) []planned {
	plan, at := make([]planned, len(blocks)), 0
	for i, b := range blocks {
		if plan[i] = (planned{role: roleHidden, block: b}); !note.HidesItself(b.String) {
			plan[i].role, plan[i].property = e.parts[at].role, e.parts[at].property
			at++
		}
	}
	return plan
}

// rewritten returns the blocks that the note is to have directly below it. What the wish
// leaves out stays where it is.
func (e *entry) rewritten(plan []planned, w noteTarget) []outline.Block {
	if w.images != nil {
		plan = withImages(plan, *w.images)
	}
	for _, name := range properties() {
		if text, changes := w.properties[name]; changes {
			plan = e.withProperty(plan, name, text)
		}
	}
	return blocksOf(e.withType(plan, w))
}

func blocksOf(plan []planned) []outline.Block {
	blocks := make([]outline.Block, len(plan))
	for i, each := range plan {
		blocks[i] = each.block
	}
	return blocks
}

// leading returns how many blocks are in front of what comes behind the leading property
// lines.
func leading(plan []planned) int {
	n := 0
	for i, each := range plan {
		switch each.role {
		case roleProperty:
			n = i + 1
		case roleHidden:
		case roleContent, roleItem, roleImage, roleSection:
			return n
		}
	}
	return n
}

// behindItems returns how many blocks are in front of new items: all but the images and the
// quick notes at the end.
func behindItems(plan []planned) int {
	behind := len(plan)
	for behind > 0 && (plan[behind-1].role == roleImage || plan[behind-1].role == roleSection) {
		behind--
	}
	return behind
}

// withImages gives the note these images and takes away the blocks that are one of the
// others. An image within a text stays.
func withImages(plan []planned, addresses []string) []planned {
	var kept []planned
	missing := slices.Clone(addresses)
	last := -1
	for _, p := range plan {
		if p.role == roleContent || p.role == roleImage {
			shown := imageInText.FindAllStringSubmatch(p.block.String, -1)
			alone := len(p.block.Children) == 0 && len(shown) == 1 && shown[0][0] == strings.TrimSpace(p.block.String)
			if alone && !slices.Contains(addresses, shown[0][1]) {
				continue
			}
			for _, address := range addressesIn(p.block) {
				missing = slices.DeleteFunc(missing, func(each string) bool { return each == address })
			}
			last = len(kept)
		}
		if p.role == roleItem || p.role == roleProperty {
			last = max(last, len(kept))
		}
		kept = append(kept, p)
	}
	var added []planned
	for _, address := range missing {
		added = append(added, planned{role: roleImage, block: outline.Block{String: "![](" + address + ")"}})
	}
	return slices.Insert(kept, last+1, added...)
}

func addressesIn(block outline.Block) []string {
	var found []string
	for _, match := range imageInText.FindAllStringSubmatch(block.String, -1) {
		found = append(found, match[1])
	}
	for _, child := range block.Children {
		found = append(found, addressesIn(child)...)
	}
	return found
}

// withProperty gives the note a property line of a name, or none: in the place of the one
// that holds its value, else of the first that has none, else in front for labels, and
// behind the others for the rest.
func (e *entry) withProperty(plan []planned, name, text string) []planned {
	at := slices.IndexFunc(plan, func(p planned) bool { return p.property == name })
	if text == "" {
		return e.withoutProperty(plan, name, at)
	}
	if at < 0 {
		at = slices.IndexFunc(plan, func(p planned) bool { return note.IsBareLine(p.block.String, name) })
	}
	if at < 0 {
		if at = leading(plan); name == propLabels {
			at = 0
		}
		plan = slices.Insert(plan, at, lineOf(name, text))
	}
	plan[at].property, plan[at].block.String = name, text
	if first := e.firstHolding(plan, name); first < at {
		held := plan[at]
		plan = slices.Insert(slices.Delete(plan, at, at+1), first, held)
	}
	return plan
}

// withoutProperty takes away the value of a property, which the line at a place holds; -1:
// none does. A line with something below it loses its value and not its place. Where
// another line would hold a value then, one before it says that there is none.
func (e *entry) withoutProperty(plan []planned, name string, at int) []planned {
	kept := slices.Clone(plan)
	switch {
	case at < 0:
	case len(plan[at].block.Children) > 0:
		kept[at].property, kept[at].block.String = "", note.BareLine(plan[at].block.String)
	default:
		kept = slices.Delete(kept, at, at+1)
	}
	first := e.firstHolding(kept, name)
	if first < 0 || unset(name) == "" {
		return kept
	}
	if at >= 0 && at <= first {
		plan[at].block.String = line(name, unset(name))
		return plan
	}
	return slices.Insert(kept, first, lineOf(name, line(name, unset(name))))
}

// lineOf returns a property line that is new.
func lineOf(name, text string) planned {
	return planned{role: roleProperty, property: name, block: outline.Block{String: text}}
}

// firstHolding returns the place of the first line from which a read would have the value
// of a property, -1 where there is none.
func (e *entry) firstHolding(plan []planned, name string) int {
	return slices.IndexFunc(plan, func(p planned) bool {
		is, value, ok := property(p.block.String)
		return ok && p.role != roleHidden && is == name && holds(name, value, e.location)
	})
}

// withType adds the line that says the type where the blocks alone would say another, or
// where there would be none, and so no note.
func (e *entry) withType(plan []planned, w noteTarget) []planned {
	wanted := cmp.Or(w.kind, e.kind)
	own := slices.ContainsFunc(plan, func(p planned) bool { return p.role != roleSection && p.role != roleHidden })
	if !own && !e.quick {
		return e.withProperty(plan, propType, line(propType, wanted))
	}
	if !w.typed {
		return plan
	}
	made := e.node
	made.Children = nodesOf(blocksOf(plan))
	if now := newEntry(made, e.location); now.kind == wanted {
		return plan
	}
	return e.withProperty(plan, propType, line(propType, wanted))
}

// nodesOf returns blocks that are to be written as a read would give them.
func nodesOf(blocks []outline.Block) []note.Node {
	var nodes []note.Node
	for _, b := range blocks {
		nodes = append(nodes, note.Node{
			UID: b.UID, Text: b.String, Heading: b.Heading, View: b.ChildrenViewType, Align: b.TextAlign, Collapsed: b.Collapsed, Shortcut: -1,
			Hidden: note.HidesItself(b.String), Children: nodesOf(b.Children),
		})
	}
	return nodes
}
