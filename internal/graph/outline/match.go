package outline

import (
	"slices"
	"strings"
)

// matching says which nodes of two trees are the same block.
type matching struct {
	old, new     *tree
	words        *words
	oldTo, newTo []int // the node of the other tree, or none
	named        bool  // no block is found by its place
	pending      []int // nodes of new that are matched, and whose children are not yet compared
}

func newMatching(old, new []Block, fixed func(uid string) bool) *matching {
	if fixed == nil {
		fixed = func(string) bool { return false }
	}
	words := newWords()
	m := &matching{old: newTree(old, words, fixed), new: newTree(new, words, nil), words: words}
	m.oldTo = slices.Repeat([]int{none}, len(m.old.nodes))
	m.newTo = slices.Repeat([]int{none}, len(m.new.nodes))
	return m
}

// run does the matching, in the order that Plan gives.
func (m *matching) run() {
	m.match(root, root)
	m.matchUIDs()
	m.alignPending()
	m.matchUnique()
	for n := range m.new.nodes { // a parent comes before its children
		if o := m.newTo[n]; o != none {
			m.matchSimilar(o, n)
			m.matchPlaces(o, n)
			m.alignPending()
		}
	}
}

func (m *matching) match(o, n int) {
	m.oldTo[o], m.newTo[n] = n, o
	m.pending = append(m.pending, n)
}

// free reports whether a node of old is without a counterpart, and may have one.
func (m *matching) free(o int) bool { return m.oldTo[o] == none && !m.old.nodes[o].fixed }

// matchUIDs matches blocks with equal uids.
func (m *matching) matchUIDs() {
	byUID := make(map[string]int, len(m.old.nodes))
	for o := 1; o < len(m.old.nodes); o++ {
		byUID[m.old.nodes[o].block.UID] = o
	}
	for n := 1; n < len(m.new.nodes); n++ {
		uid := m.new.nodes[n].block.UID
		if o, ok := byUID[uid]; ok && uid != "" && m.free(o) {
			m.match(o, n)
		}
	}
}

// alignPending compares the children of all that was matched, with those that
// match meanwhile.
func (m *matching) alignPending() {
	for len(m.pending) > 0 {
		n := m.pending[len(m.pending)-1]
		m.pending = m.pending[:len(m.pending)-1]
		a, b := m.left(m.newTo[n], n)
		m.align(a, b, 0)
	}
}

// left returns the children of two matched nodes that have no counterpart.
func (m *matching) left(o, n int) (a, b []int) {
	for _, kid := range m.old.nodes[o].kids {
		if m.free(kid) {
			a = append(a, kid)
		}
	}
	for _, kid := range m.new.nodes[n].kids {
		if m.newTo[kid] == none {
			b = append(b, kid)
		}
	}
	return a, b
}

// staying returns the children of a node of new that are children of its counterpart.
func (m *matching) staying(n int) (olds, news []int) {
	for _, kid := range m.new.nodes[n].kids {
		if o := m.newTo[kid]; o != none && m.old.nodes[o].parent == m.newTo[n] {
			olds, news = append(olds, o), append(news, kid)
		}
	}
	return olds, news
}

// matchPlaces matches children of two matched nodes that are left between the same two
// others, or at the same end, if as many are left of both: one by one, in order.
func (m *matching) matchPlaces(o, n int) {
	if m.named {
		return
	}
	left, right := m.left(o, n)
	left = slices.DeleteFunc(left, func(kid int) bool { return strings.HasPrefix(m.old.nodes[kid].block.String, byUIDOnly) })
	olds, news := m.staying(n)
	for _, at := range append(increasing(olds), len(olds)) {
		before, others := len(left), len(right)
		if at < len(olds) { // nodes are numbered in reading order
			before, _ = slices.BinarySearch(left, olds[at])
			others, _ = slices.BinarySearch(right, news[at])
		}
		if before == others {
			for i := range before {
				m.match(left[i], right[i])
			}
		}
		left, right = left[before:], right[others:]
	}
}

// matchUnique matches equal texts that only one node of each tree is left with,
// wherever they are.
func (m *matching) matchUnique() {
	type holders struct{ olds, news, old int }
	byText := map[string]holders{}
	for o := 1; o < len(m.old.nodes); o++ {
		if m.free(o) {
			text := m.old.nodes[o].block.String
			h := byText[text]
			byText[text] = holders{h.olds + 1, h.news, o}
		}
	}
	for n := 1; n < len(m.new.nodes); n++ {
		if m.newTo[n] == none {
			text := m.new.nodes[n].block.String
			h := byText[text]
			h.news++
			byText[text] = h
		}
	}
	for n := 1; n < len(m.new.nodes); n++ {
		h := byText[m.new.nodes[n].block.String]
		if h.olds == 1 && h.news == 1 && m.newTo[n] == none && m.free(h.old) {
			m.match(h.old, n)
			m.alignPending()
		}
	}
}
