package graphdb

import (
	"iter"
	"math/bits"
	"slices"
)

// tree maps entity ids to values. It is a radix tree whose leaves are pages of 256
// ids: a bitmap of the ids that are present, and a slice of their values. A tree of
// zero-size values is a set of ids that takes a bit each.
//
// The tree is persistent: copies of the header share nodes. Every node holds the
// number of the edit that made it. A write copies the nodes of older edits on its
// path and changes those of its own edit in place. Edit numbers are not reused, so
// published nodes never change.
type tree[T any] struct {
	root  *node[T]
	shift uint8 // how far ids are shifted to index the root's kids; 0: the root is a page
}

type node[T any] struct {
	edit   uint64
	kids   []*node[T]            // an inner node: fanout kids, nil where empty
	filled [pageSize / 64]uint64 // a page: which of its ids have a value
	vals   []T                   // their values, in order of id
}

const (
	pageBits = 8
	pageSize = 1 << pageBits
	kidBits  = 6
	fanout   = 1 << kidBits
)

func (n *node[T]) rank(slot uint) int {
	r := 0
	for w := range slot / 64 {
		r += bits.OnesCount64(n.filled[w])
	}
	return r + bits.OnesCount64(n.filled[slot/64]&(1<<(slot%64)-1))
}

func (n *node[T]) has(slot uint) bool { return n.filled[slot/64]>>(slot%64)&1 != 0 }

// own returns a node that the edit may change: the node itself or a copy.
func (n *node[T]) own(edit uint64) *node[T] {
	if n.edit == edit {
		return n
	}
	c := &node[T]{edit: edit, filled: n.filled, kids: slices.Clone(n.kids)}
	if n.vals != nil {
		c.vals = make([]T, len(n.vals), min(len(n.vals)+1, pageSize))
		copy(c.vals, n.vals)
	}
	return c
}

// page returns the page of an id; nil if there is none.
func (t *tree[T]) page(e EID) *node[T] {
	n := t.root
	if n == nil || !t.reaches(e) {
		return nil
	}
	for s := int(t.shift); s > 0; s -= kidBits {
		n = n.kids[uint64(e)>>(uint(s)+pageBits-kidBits)&(fanout-1)]
		if n == nil {
			return nil
		}
	}
	return n
}

// reaches reports whether the tree is tall enough to hold the id.
func (t *tree[T]) reaches(e EID) bool { return uint64(e)>>(uint(t.shift)+pageBits) == 0 }

func (t *tree[T]) get(e EID) (v T, ok bool) {
	n := t.page(e)
	slot := uint(e) % pageSize
	if n == nil || !n.has(slot) {
		return v, false
	}
	return n.vals[n.rank(slot)], true
}

// ownPage returns the page of an id for the edit to change, made if needed. It owns
// all nodes on the path.
func (t *tree[T]) ownPage(edit uint64, e EID) *node[T] {
	if t.root == nil {
		t.root = &node[T]{edit: edit}
	}
	for !t.reaches(e) {
		up := &node[T]{edit: edit, kids: make([]*node[T], fanout)}
		up.kids[0] = t.root
		t.root, t.shift = up, t.shift+kidBits
	}
	t.root = t.root.own(edit)
	n := t.root
	for s := uint(t.shift); s > 0; s -= kidBits {
		i := uint64(e) >> (s + pageBits - kidBits) & (fanout - 1)
		switch kid := n.kids[i]; {
		case kid != nil:
			n.kids[i] = kid.own(edit)
		case s == kidBits:
			n.kids[i] = &node[T]{edit: edit}
		default:
			n.kids[i] = &node[T]{edit: edit, kids: make([]*node[T], fanout)}
		}
		n = n.kids[i]
	}
	return n
}

// set sets the value of an id.
func (t *tree[T]) set(edit uint64, e EID, v T) {
	n := t.ownPage(edit, e)
	slot := uint(e) % pageSize
	i := n.rank(slot)
	if n.has(slot) {
		n.vals[i] = v
		return
	}
	n.filled[slot/64] |= 1 << (slot % 64)
	n.vals = slices.Insert(n.vals, i, v)
}

// remove removes an id.
func (t *tree[T]) remove(edit uint64, e EID) {
	if n := t.page(e); n == nil || !n.has(uint(e)%pageSize) {
		return
	}
	n := t.ownPage(edit, e)
	slot := uint(e) % pageSize
	i := n.rank(slot)
	n.filled[slot/64] &^= 1 << (slot % 64)
	n.vals = slices.Delete(n.vals, i, i+1)
}

// all lists the ids and values in order of id.
func (t *tree[T]) all() iter.Seq2[EID, T] {
	return func(yield func(EID, T) bool) {
		if t.root != nil {
			t.root.walk(0, uint(t.shift), yield)
		}
	}
}

func (n *node[T]) walk(base EID, shift uint, yield func(EID, T) bool) bool {
	if shift > 0 {
		for i, kid := range n.kids {
			if kid != nil && !kid.walk(base|EID(i)<<(shift+pageBits-kidBits), shift-kidBits, yield) {
				return false
			}
		}
		return true
	}
	i := 0
	for w, word := range n.filled {
		for ; word != 0; word &= word - 1 {
			e := base | EID(w*64+bits.TrailingZeros64(word))
			if !yield(e, n.vals[i]) {
				return false
			}
			i++
		}
	}
	return true
}
