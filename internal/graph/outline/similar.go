package outline

const (
	// maxWords is how many steps all comparisons of words of two lists may take.
	maxWords = 1 << 24
	// nearbyChanged is how far a changed block is looked for beyond that.
	nearbyChanged = 32
)

// Alike reports whether at least half of the words of two texts are the same.
func Alike(a, b string) bool {
	w := newWords()
	return dice(text{whole: a, words: w.of(a)}, text{whole: b, words: w.of(b)}) > 0
}

// text is what blocks are compared by whose texts have changed.
type text struct {
	node  int
	whole string
	words []int
}

// matchSimilar matches children of two matched nodes whose texts have changed, in
// order, so that they share as many words as they can.
func (m *matching) matchSimilar(o, n int) {
	left, right := m.left(o, n)
	if len(left) == 0 || len(right) == 0 {
		return
	}
	olds, inOld := m.texts(m.old, left)
	news, inNew := m.texts(m.new, right)
	if len(olds) <= maxCells/len(news) && inOld*len(news)+inNew*len(olds) <= maxWords {
		for _, pair := range best(len(olds), len(news), func(i, j int) int { return dice(olds[i], news[j]) }) {
			m.match(olds[pair[0]].node, news[pair[1]].node)
		}
		return
	}
	for _, each := range news {
		for i, other := range olds[:min(len(olds), nearbyChanged)] {
			if dice(other, each) > 0 {
				m.match(other.node, each.node)
				olds = olds[i+1:]
				break
			}
		}
	}
}

// texts returns what blocks are compared by, and the number of all their words.
func (m *matching) texts(t *tree, nodes []int) ([]text, int) {
	list, sum := make([]text, len(nodes)), 0
	for i, at := range nodes {
		whole := t.nodes[at].block.String
		list[i] = text{at, whole, m.words.of(whole)}
		sum += len(list[i].words)
	}
	return list, sum
}

// dice returns how much of their words two texts share, from 500 for half to 1000
// for all; 0 for less than half.
func dice(a, b text) int {
	if a.whole == b.whole {
		return 1000
	}
	all := len(a.words) + len(b.words)
	if 4*min(len(a.words), len(b.words)) < all {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a.words) && j < len(b.words); {
		switch x, y := a.words[i], b.words[j]; {
		case x < y:
			i++
		case x > y:
			j++
		default:
			i, j, shared = i+1, j+1, shared+1
		}
	}
	if shared == 0 || 4*shared < all {
		return 0
	}
	return 2000 * shared / all
}
