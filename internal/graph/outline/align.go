package outline

import "slices"

const (
	// maxCells is how many pairs of siblings are compared with each other.
	maxCells = 1 << 22
	// maxSplits is how often lists that are too long are split at unique blocks.
	maxSplits = 8
	// nearby is how far an equal block is looked for in lists that can't be split.
	nearby = 256
)

// align matches the longest common subsequence of two lists of siblings. Of equally
// long ones it takes one with the most blocks that have the same below them.
func (m *matching) align(a, b []int, splits int) {
	same := func(i, j int) bool { return m.old.nodes[a[i]].shape == m.new.nodes[b[j]].shape }
	for len(a) > 0 && len(b) > 0 && same(0, 0) {
		m.match(a[0], b[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && same(len(a)-1, len(b)-1) {
		m.match(a[len(a)-1], b[len(b)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(a) == 0 || len(b) == 0:
	case len(a) <= maxCells/len(b):
		for _, pair := range best(len(a), len(b), func(i, j int) int {
			switch {
			case same(i, j):
				return 1<<32 + 1
			case m.equal(a[i], b[j]):
				return 1 << 32
			}
			return 0
		}) {
			m.match(a[pair[0]], b[pair[1]])
		}
	case splits < maxSplits:
		m.split(a, b, splits)
	default:
		m.alignNearby(a, b)
	}
}

// equal reports whether two blocks have the same text and heading.
func (m *matching) equal(o, n int) bool { return m.old.nodes[o].key == m.new.nodes[n].key }

// best returns the pairs of two lists, in order on both sides, whose scores have the
// greatest sum. A pair of score 0 is none.
func best(rows, columns int, score func(i, j int) int) [][2]int {
	const pair, skipRow, skipColumn = 0, 1, 2
	steps := make([]uint8, rows*columns)
	below, here := make([]int, columns+1), make([]int, columns+1) // sums from here on
	for i := rows - 1; i >= 0; i-- {
		for j := columns - 1; j >= 0; j-- {
			sum, step := below[j], uint8(skipRow)
			if here[j+1] > sum {
				sum, step = here[j+1], skipColumn
			}
			if s := score(i, j); s > 0 && s+below[j+1] >= sum {
				sum, step = s+below[j+1], pair
			}
			here[j], steps[i*columns+j] = sum, step
		}
		below, here = here, below
	}
	var pairs [][2]int
	for i, j := 0, 0; i < rows && j < columns; {
		switch steps[i*columns+j] {
		case pair:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case skipRow:
			i++
		case skipColumn:
			j++
		}
	}
	return pairs
}

// split matches the blocks of two lists that are unique in both and in the same
// order, and aligns what is between them.
func (m *matching) split(a, b []int, splits int) {
	type holders struct{ olds, news, old int }
	byKey := map[int]holders{}
	for i, o := range a {
		h := byKey[m.old.nodes[o].key]
		byKey[m.old.nodes[o].key] = holders{h.olds + 1, h.news, i}
	}
	for _, n := range b {
		h := byKey[m.new.nodes[n].key]
		h.news++
		byKey[m.new.nodes[n].key] = h
	}
	var inOld, inNew []int // places of the unique ones, in the order of b
	for j, n := range b {
		if h := byKey[m.new.nodes[n].key]; h.olds == 1 && h.news == 1 {
			inOld, inNew = append(inOld, h.old), append(inNew, j)
		}
	}
	if len(inOld) == 0 {
		m.alignNearby(a, b)
		return
	}
	i, j := 0, 0
	for _, at := range increasing(inOld) {
		m.match(a[inOld[at]], b[inNew[at]])
		m.align(a[i:inOld[at]], b[j:inNew[at]], splits+1)
		i, j = inOld[at]+1, inNew[at]+1
	}
	m.align(a[i:], b[j:], splits+1)
}

// alignNearby matches each block with the next equal one that is not far.
func (m *matching) alignNearby(a, b []int) {
	for _, n := range b {
		for i, o := range a[:min(len(a), nearby)] {
			if m.equal(o, n) {
				m.match(o, n)
				a = a[i+1:]
				break
			}
		}
	}
}

// increasing returns the places of a longest increasing subsequence of different
// numbers.
func increasing(list []int) []int {
	var ends []int // ends[k]: place of the least end of one of length k+1
	before := make([]int, len(list))
	for i, v := range list {
		k, _ := slices.BinarySearchFunc(ends, v, func(end, v int) int { return list[end] - v })
		before[i] = none
		if k > 0 {
			before[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	var places []int
	for i := lastOf(ends); i != none; i = before[i] {
		places = append(places, i)
	}
	slices.Reverse(places)
	return places
}

func lastOf(list []int) int {
	if len(list) == 0 {
		return none
	}
	return list[len(list)-1]
}
