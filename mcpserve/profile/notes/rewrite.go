package notes

import (
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
)

// wish is a draft that is ready to be written: labels are a property line, images have
// addresses, and a pin that is no shortcut is a property line too.
type wish struct {
	blocks     *[]outline.Block  // the content
	properties map[string]string // the whole line of each that changes, by name; "": none
	items      *[]item
	images     *[]string
	kind       string // the type that it is to have
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
	property string
	block    outline.Block
}

// rewritten returns the blocks that the note is to have directly below it. What the wish
// leaves out stays where it is.
func (e *entry) rewritten(w wish) []outline.Block {
	var plan []planned
	for i, block := range e.node.Outline() {
		plan = append(plan, planned{e.parts[i].role, e.parts[i].property, block})
	}
	if w.blocks != nil {
		plan = replaceRole(plan, roleContent, inRole(roleContent, *w.blocks), leading(plan))
	}
	if w.items != nil {
		plan = withItems(plan, *w.items)
	}
	if w.images != nil {
		plan = withImages(plan, *w.images)
	}
	for _, name := range properties() {
		if text, changes := w.properties[name]; changes {
			plan = withProperty(plan, name, text)
		}
	}
	plan = e.withType(plan, w)
	blocks := make([]outline.Block, len(plan))
	for i, each := range plan {
		blocks[i] = each.block
	}
	return blocks
}

func inRole(of role, blocks []outline.Block) []planned {
	var plan []planned
	for _, block := range blocks {
		plan = append(plan, planned{role: of, block: block})
	}
	return plan
}

// leading returns how many property lines stand in front.
func leading(plan []planned) int {
	for i, each := range plan {
		if each.role != roleProperty {
			return i
		}
	}
	return len(plan)
}

// replaceRole puts blocks in the place of those of a role: where the first of them
// stands, else at otherwise.
func replaceRole(plan []planned, of role, with []planned, otherwise int) []planned {
	at := slices.IndexFunc(plan, func(p planned) bool { return p.role == of })
	if at < 0 {
		at = otherwise
	}
	before, behind := slices.Clone(plan[:at]), slices.Clone(plan[at:])
	isOld := func(p planned) bool { return p.role == of }
	return slices.Concat(slices.DeleteFunc(before, isOld), with, slices.DeleteFunc(behind, isOld))
}

// withItems gives the note exactly these items. One is the block that has its id, or
// else its text.
func withItems(plan []planned, items []item) []planned {
	known := map[string]outline.Block{}
	var free []item
	for _, p := range plan {
		if p.role == roleItem {
			text, checked, _ := taskOf(p.block.String)
			known[p.block.UID], free = p.block, append(free, item{p.block.UID, text, checked})
		}
	}
	take := func(is func(item) bool) (string, bool) {
		at := slices.IndexFunc(free, is)
		if at < 0 {
			return "", false
		}
		uid := free[at].ID
		free = slices.Delete(free, at, at+1)
		return uid, true
	}
	blocks := make([]outline.Block, len(items))
	matched := make([]bool, len(items))
	match := func(is func(wanted, there item) bool) {
		for i, wanted := range items {
			if matched[i] {
				continue
			}
			if uid, ok := take(func(there item) bool { return is(wanted, there) }); ok {
				blocks[i], matched[i] = known[uid], true
			}
		}
	}
	match(func(wanted, there item) bool { return wanted.ID != "" && wanted.ID == there.ID })
	match(func(wanted, there item) bool { return wanted.Text == there.Text })
	for i, wanted := range items {
		if text, checked, ok := taskOf(blocks[i].String); !ok || text != wanted.Text || checked != wanted.Checked {
			blocks[i].String = markOpen + wanted.Text
			if wanted.Checked {
				blocks[i].String = markDone + wanted.Text
			}
		}
	}
	behind := len(plan)
	for behind > 0 && (plan[behind-1].role == roleImage || plan[behind-1].role == roleSection) {
		behind--
	}
	return replaceRole(plan, roleItem, inRole(roleItem, blocks), behind)
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

// withProperty gives the note one property line of a name, or none: in the place of the
// first that it has, else in front for labels, and behind the others for the rest.
func withProperty(plan []planned, name, text string) []planned {
	isOne := func(p planned) bool { return p.role == roleProperty && p.property == name }
	at := slices.IndexFunc(plan, isOne)
	if text == "" {
		return slices.DeleteFunc(plan, isOne)
	}
	if at >= 0 {
		plan[at].block.String = text
		return plan
	}
	added := planned{role: roleProperty, property: name, block: outline.Block{String: text}}
	if name == propLabels {
		return slices.Insert(plan, 0, added)
	}
	return slices.Insert(plan, leading(plan), added)
}

// withType adds the line that says the type where the blocks alone would say another, or
// where there would be none, and so no note. A note keeps its type, and one that gets
// items becomes a checklist.
func (e *entry) withType(plan []planned, w wish) []planned {
	wanted := e.kind
	switch {
	case w.kind != "":
		wanted = w.kind
	case w.items != nil && len(*w.items) > 0:
		wanted = typeChecklist
	}
	empty := !slices.ContainsFunc(plan, func(p planned) bool { return p.role != roleSection })
	if empty && !e.quick {
		return withProperty(plan, propType, line(propType, wanted))
	}
	if w.blocks == nil && w.items == nil && w.kind == "" {
		return plan
	}
	blocks := make([]outline.Block, len(plan))
	for i, each := range plan {
		blocks[i] = each.block
	}
	made := entry{node: e.node, quick: e.quick, values: map[string]string{}}
	made.node.Children = nodesOf(blocks)
	if made.split(); made.kind == wanted {
		return plan
	}
	return withProperty(plan, propType, line(propType, wanted))
}

// nodesOf returns blocks that are to be written as a read would give them.
func nodesOf(blocks []outline.Block) []note.Node {
	var nodes []note.Node
	for _, b := range blocks {
		nodes = append(nodes, note.Node{
			UID: b.UID, Text: b.String, Heading: b.Heading, View: b.ChildrenViewType, Align: b.TextAlign, Collapsed: b.Collapsed, Shortcut: -1,
			Hidden: note.Read(b.String, false).Hides, Children: nodesOf(b.Children),
		})
	}
	return nodes
}
