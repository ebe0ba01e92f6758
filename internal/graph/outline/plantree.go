package outline

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
)

// none is the node that is not there.
const none = -1

// root is the node of what the outline is below.
const root = 0

// node is a block of a tree.
type node struct {
	block  *Block
	parent int
	kids   []int // without those of a fixed one
	fixed  bool
	key    int // equal for equal text and heading
	shape  int // equal for equal keys of the block and of all below it
}

// tree is an outline as nodes in reading order, the root first.
type tree struct{ nodes []node }

// words gives numbers to keys, shapes and words, the same in both trees.
type words struct {
	keys   map[key]int
	shapes map[string]int
	words  map[string]int
}

type key struct {
	text    string
	heading int
}

func newWords() *words {
	return &words{keys: map[key]int{}, shapes: map[string]int{}, words: map[string]int{}}
}

func number[K comparable](known map[K]int, k K) int {
	n, ok := known[k]
	if !ok {
		n = len(known)
		known[k] = n
	}
	return n
}

func newTree(blocks []Block, w *words, fixed func(uid string) bool) *tree {
	t := &tree{nodes: []node{{block: &Block{}, parent: none, key: none}}}
	t.add(root, blocks, w, fixed)
	return t
}

func (t *tree) add(parent int, blocks []Block, w *words, fixed func(uid string) bool) {
	t.nodes, t.nodes[parent].kids = slices.Grow(t.nodes, len(blocks)), make([]int, 0, len(blocks))
	var shape []byte
	for i := range blocks {
		b := &blocks[i]
		at := len(t.nodes)
		t.nodes = append(t.nodes, node{block: b, parent: parent, key: number(w.keys, key{b.String, b.Heading}), fixed: fixed != nil && fixed(b.UID)})
		t.nodes[parent].kids = append(t.nodes[parent].kids, at)
		if !t.nodes[at].fixed {
			t.add(at, b.Children, w, fixed)
			shape = binary.AppendUvarint(shape, uint64(t.nodes[at].shape))
		}
	}
	if parent != root {
		shape = binary.AppendUvarint(shape, uint64(t.nodes[parent].key))
		t.nodes[parent].shape = number(w.shapes, string(shape))
	}
}

// of returns the numbers of the words of a text, in order of number: runs of letters
// and digits without regard to case, and each character of scripts without spaces.
func (w *words) of(text string) []int {
	var list []int
	start := none
	text = strings.ToLower(text)
	end := func(at int) {
		if start != none {
			list = append(list, number(w.words, text[start:at]))
		}
		start = none
	}
	for at, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end(at)
			list = append(list, number(w.words, string(r)))
		case !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r):
			end(at)
		case start == none:
			start = at
		}
	}
	end(len(text))
	slices.Sort(list)
	return list
}
