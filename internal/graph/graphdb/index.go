package graphdb

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// index maps the values of a unique attribute to entities. It is a persistent hash
// trie whose nodes are owned by edits, as in tree. Leaves hold only ids, since the
// values are in the column: a million uids cost some thirty bytes each.
type index struct{ root *indexNode }

type indexNode struct {
	edit   uint64
	leaves uint32 // which of the 32 branches end in an id
	inner  uint32 // which have a child node
	ids    []EID
	nodes  []*indexNode
}

const (
	branchBits = 5
	// lastShift is the depth at which the hash is used up: a node there holds all ids
	// of one hash.
	lastShift = 60
)

// hashSeed is random, so that nobody can choose titles that collide.
var hashSeed = maphash.MakeSeed()

func hashValue(v Value) uint64 {
	if v.kind.holdsText() {
		return maphash.String(hashSeed, v.text)
	}
	return maphash.Comparable(hashSeed, v.bits)
}

func (n *indexNode) own(edit uint64) *indexNode {
	if n.edit == edit {
		return n
	}
	return &indexNode{edit: edit, leaves: n.leaves, inner: n.inner, ids: slices.Clone(n.ids), nodes: slices.Clone(n.nodes)}
}

func branch(hash uint64, shift uint) uint32 { return 1 << (hash >> shift % 32) }

func rank32(set, bit uint32) int { return bits.OnesCount32(set & (bit - 1)) }

// find returns the id under the hash for which match holds, or 0.
func (x *index) find(hash uint64, match func(EID) bool) EID {
	n := x.root
	for shift := uint(0); n != nil; shift += branchBits {
		if shift >= lastShift {
			if i := slices.IndexFunc(n.ids, match); i >= 0 {
				return n.ids[i]
			}
			return 0
		}
		bit := branch(hash, shift)
		if n.leaves&bit != 0 {
			if e := n.ids[rank32(n.leaves, bit)]; match(e) {
				return e
			}
			return 0
		}
		if n.inner&bit == 0 {
			return 0
		}
		n = n.nodes[rank32(n.inner, bit)]
	}
	return 0
}

// insert adds an id; hashOf returns the hash of an id in the index.
func (x *index) insert(edit, hash uint64, e EID, hashOf func(EID) uint64) {
	if x.root == nil {
		x.root = &indexNode{edit: edit}
	}
	x.root = x.root.insert(edit, hash, 0, e, hashOf)
}

func (n *indexNode) insert(edit, hash uint64, shift uint, e EID, hashOf func(EID) uint64) *indexNode {
	n = n.own(edit)
	if shift >= lastShift {
		n.ids = append(n.ids, e)
		return n
	}
	bit := branch(hash, shift)
	switch {
	case n.inner&bit != 0:
		i := rank32(n.inner, bit)
		n.nodes[i] = n.nodes[i].insert(edit, hash, shift+branchBits, e, hashOf)
	case n.leaves&bit != 0: // two ids on one branch: split them one level down
		i := rank32(n.leaves, bit)
		other := n.ids[i]
		n.ids = slices.Delete(n.ids, i, i+1)
		n.leaves &^= bit
		sub := (&indexNode{edit: edit}).insert(edit, hashOf(other), shift+branchBits, other, hashOf)
		sub = sub.insert(edit, hash, shift+branchBits, e, hashOf)
		n.inner |= bit
		n.nodes = slices.Insert(n.nodes, rank32(n.inner, bit), sub)
	default:
		n.leaves |= bit
		n.ids = slices.Insert(n.ids, rank32(n.leaves, bit), e)
	}
	return n
}

// remove removes an id that was inserted under the hash. Empty nodes stay.
func (x *index) remove(edit, hash uint64, e EID) {
	x.root = x.root.own(edit)
	n := x.root
	for shift := uint(0); shift < lastShift; shift += branchBits {
		bit := branch(hash, shift)
		if n.leaves&bit != 0 {
			i := rank32(n.leaves, bit)
			n.ids = slices.Delete(n.ids, i, i+1)
			n.leaves &^= bit
			return
		}
		i := rank32(n.inner, bit)
		n.nodes[i] = n.nodes[i].own(edit)
		n = n.nodes[i]
	}
	i := slices.Index(n.ids, e)
	n.ids = slices.Delete(n.ids, i, i+1)
}
