package outline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxShifts is how many children of one parent are moved one by one, each with the
// others in their places; more are put in order at once.
const maxShifts = 8

// Placeholder reports whether a uid in a plan is a placeholder for a block that is not
// created yet. No block of Roam can have such a uid.
func Placeholder(uid string) bool { return strings.HasPrefix(uid, " ") }

// builder makes a plan of a matching, while it follows what the changes do. It names
// a node of old by its number, and a new one by its number behind those.
type builder struct {
	*matching
	kids    [][]int // by name, as they are by now, fixed ones among them
	uids    []string
	made    int             // number of placeholders
	claimed map[string]bool // uids that are taken
	whole   bool            // what new leaves open is changed, too
	ops     Ops
}

func newBuilder(m *matching) *builder {
	all := len(m.old.nodes) + len(m.new.nodes)
	b := &builder{matching: m, kids: make([][]int, all), uids: make([]string, all), claimed: map[string]bool{}}
	for o, each := range m.old.nodes {
		b.kids[o], b.uids[o] = slices.Clone(each.kids), each.block.UID
		b.claim(each.block)
	}
	b.claimed[""] = true
	return b
}

// claim keeps new blocks from taking the uids of a block and of what is below it.
func (b *builder) claim(block *Block) {
	if b.claimed[block.UID] {
		return
	}
	b.claimed[block.UID] = true
	for i := range block.Children {
		b.claim(&block.Children[i])
	}
}

func (b *builder) build() Ops {
	for n := range b.new.nodes {
		if o := b.newTo[n]; o != none {
			b.update(o, n)
			b.order(o, n)
		}
	}
	for n := range b.new.nodes {
		if o := b.newTo[n]; o != none {
			b.insert(o, n)
		}
	}
	for n := range b.new.nodes { // what is above a place is in its own already
		b.moveTo(n)
	}
	for o := 1; o < len(b.old.nodes); o++ {
		if b.free(o) && !b.free(b.old.nodes[o].parent) {
			b.rescue(o, o)
			b.ops.Deletes = append(b.ops.Deletes, b.uids[o])
		}
	}
	return b.ops
}

// name returns the name of what a node of new is or becomes.
func (b *builder) name(n int) int {
	if o := b.newTo[n]; o != none {
		return o
	}
	return len(b.old.nodes) + n
}

// comes reports whether a node of new is one of old from below another parent.
func (b *builder) comes(n int) bool {
	o := b.newTo[n]
	return n != root && o != none && b.old.nodes[o].parent != b.newTo[b.new.nodes[n].parent]
}

// stays reports whether a node of new is one of old below the same parent.
func (b *builder) stays(n int) bool { return b.newTo[n] != none && !b.comes(n) }

// update changes the fields of a block.
func (b *builder) update(o, n int) {
	if o == root {
		return
	}
	was, is := b.old.nodes[o].block, b.new.nodes[n].block
	change := Update{UID: was.UID}
	if was.String != is.String {
		change.Text = &is.String
	}
	if was.Heading != is.Heading {
		change.Heading = &is.Heading
	}
	if view := cmp.Or(is.ChildrenViewType, "bullet"); (is.ChildrenViewType != "" || b.whole) && view != cmp.Or(was.ChildrenViewType, "bullet") {
		change.View = &view
	}
	if align := cmp.Or(is.TextAlign, "left"); b.whole && align != cmp.Or(was.TextAlign, "left") {
		change.Align = &align
	}
	if open := !is.Collapsed; b.whole && is.Collapsed != was.Collapsed {
		change.Open = &open
	}
	if change != (Update{UID: was.UID}) {
		b.ops.Updates = append(b.ops.Updates, change)
	}
}

// order puts the children that stay below a parent in the order of new.
func (b *builder) order(o, n int) {
	wanted, _ := b.staying(n)
	if slices.IsSorted(wanted) { // nodes are numbered in reading order
		return
	}
	before := b.kids[o]
	after, movers := reordered(before, wanted)
	op := Reordering{Parent: b.uids[o], Before: b.uidsOf(before), After: b.uidsOf(after), Moved: b.uidsOf(movers)}
	if len(movers) <= maxShifts {
		op.Moves = b.shifts(slices.Clone(before), after, movers, op.Parent)
	}
	b.kids[o] = after
	b.ops.Orders = append(b.ops.Orders, op)
}

// reordered returns siblings so that some of them are in another order. As many as
// can be stay where they are; the others, in that order, are the movers.
func reordered(before, wanted []int) (after, movers []int) {
	var behind = map[int][]int{} // movers by the one that they follow
	var first []int              // those before all that stay
	last := none
	staying := increasing(wanted)
	leader := wanted[staying[0]]
	for i, each := range wanted {
		switch {
		case len(staying) > 0 && staying[0] == i:
			last, staying = each, staying[1:]
			continue
		case last == none:
			first = append(first, each)
		default:
			behind[last] = append(behind[last], each)
		}
		movers = append(movers, each)
	}
	moves := make(map[int]bool, len(movers))
	for _, each := range movers {
		moves[each] = true
	}
	for _, each := range before {
		if each == leader {
			after = append(after, first...)
		}
		if !moves[each] {
			after = append(append(after, each), behind[each]...)
		}
	}
	return after, movers
}

// shifts returns moves of the movers alone that turn list into after; nil where one
// goes down, but not to the end: whether its index counts the block itself is not
// known of every Roam.
func (b *builder) shifts(list, after, movers []int, parent string) []Move {
	var moves []Move
	for i, each := range movers {
		from := slices.Index(list, each)
		list = slices.Delete(list, from, from+1)
		to := 0
		if at := slices.Index(after, each); at > 0 {
			pending := movers[i+1:]
			for at--; at >= 0 && slices.Contains(pending, after[at]); at-- {
			}
			if at >= 0 {
				to = slices.Index(list, after[at]) + 1
			}
		}
		if to > from && to < len(list) {
			return nil
		}
		list = slices.Insert(list, to, each)
		moves = append(moves, Move{UID: b.uids[each], Parent: parent, Index: to, Last: to == len(list)-1})
	}
	return moves
}

func (b *builder) uidsOf(names []int) []string {
	uids := make([]string, len(names))
	for i, each := range names {
		uids[i] = b.uids[each]
	}
	return uids
}

// insert adds the new blocks below one that stays, in runs between those that do.
func (b *builder) insert(o, n int) {
	kids := b.new.nodes[n].kids
	at, from := none, 0 // the place behind the last child that stays
	for i := 0; i <= len(kids); i++ {
		if i < len(kids) && !b.stays(kids[i]) {
			continue
		}
		if run := slices.DeleteFunc(slices.Clone(kids[from:i]), func(kid int) bool { return b.newTo[kid] != none }); len(run) > 0 {
			if at == none {
				at = b.front(o, n)
			}
			op := Insert{Parent: b.uids[o], Index: at}
			var names []int
			for _, kid := range run {
				op.Blocks = append(op.Blocks, b.newBlock(kid))
				names = append(names, b.name(kid))
			}
			b.kids[o] = slices.Insert(b.kids[o], at, names...)
			at += len(run)
			b.ops.Inserts = append(b.ops.Inserts, op)
		}
		if i < len(kids) {
			from, at = i+1, max(at, 0)
			at += slices.Index(b.kids[o][at:], b.newTo[kids[i]]) + 1
		}
	}
}

// newBlock returns a block to insert, with what is inserted below it.
func (b *builder) newBlock(n int) Block {
	block := *b.new.nodes[n].block
	block.Annotation, block.Children = nil, nil
	name := b.name(n)
	if b.claimed[block.UID] {
		block.UID = ""
	}
	b.claimed[block.UID] = true
	below := b.new.nodes[n].kids
	if block.UID == "" && slices.ContainsFunc(below, func(kid int) bool { return b.newTo[kid] != none }) {
		b.made++
		block.UID = " " + strconv.Itoa(b.made)
	}
	b.uids[name] = block.UID
	for _, kid := range below {
		if b.newTo[kid] == none {
			block.Children = append(block.Children, b.newBlock(kid))
			b.kids[name] = append(b.kids[name], b.name(kid))
		}
	}
	return block
}

// front returns the place below a parent that is before all that new has there.
func (b *builder) front(parent, n int) int {
	now := b.kids[parent]
	free := len(now)
	for at, each := range now {
		is := each - len(b.old.nodes) // the node of new
		if is < 0 {
			is = b.oldTo[each]
		}
		if is != none && b.new.nodes[is].parent == n {
			return at
		}
		if each < len(b.old.nodes) && !b.old.nodes[each].fixed {
			free = min(free, at)
		}
	}
	return free // where the first one is that goes: behind the fixed ones before it
}

// moveTo moves the children of a node of new that come from elsewhere to it.
func (b *builder) moveTo(n int) {
	parent, at := b.name(n), none
	for _, kid := range b.new.nodes[n].kids {
		switch {
		case !b.comes(kid):
			at = max(at, 0)
			at += slices.Index(b.kids[parent][at:], b.name(kid)) + 1
			continue
		case at == none:
			at = b.front(parent, n)
		}
		b.move(b.newTo[kid], parent, at)
		at++
	}
}

// move puts a block of old below another parent.
func (b *builder) move(o, parent, at int) {
	from := b.old.nodes[o].parent
	b.kids[from] = slices.DeleteFunc(b.kids[from], func(each int) bool { return each == o })
	b.kids[parent] = slices.Insert(b.kids[parent], at, o)
	b.ops.Moves = append(b.ops.Moves, Move{UID: b.uids[o], Parent: b.uids[parent], Index: at, Last: at == len(b.kids[parent])-1})
}

// rescue moves what is fixed below a block that goes to the place of that block.
func (b *builder) rescue(goes, o int) {
	for _, kid := range b.old.nodes[o].kids {
		if b.old.nodes[kid].fixed {
			parent := b.old.nodes[goes].parent
			b.move(kid, parent, slices.Index(b.kids[parent], goes))
		} else if b.free(kid) {
			b.rescue(goes, kid)
		}
	}
}
