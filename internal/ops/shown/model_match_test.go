package shown_test

import (
	"slices"
	"strings"
)

// The model of the rule, written from its description (profiles/README.md, "What is written") and
// without the code: trees of rows in, trees of rows out. Where the rule leaves open which of
// several things is done, the model tries them all and says which outcomes are allowed.

// row is a block.
type row struct {
	uid, text string
	seen      bool // in a view: it was shown
	kids      []*row
}

// ways tries all ways through a computation that has choices.
type ways struct {
	path, sizes []int
	at          int
}

// pick chooses one of n.
func (w *ways) pick(n int) int {
	if n < 2 {
		return 0
	}
	if w.at == len(w.path) {
		w.path, w.sizes = append(w.path, 0), append(w.sizes, n)
	}
	w.at++
	return w.path[w.at-1]
}

// next goes on to the next way, and reports whether there is one.
func (w *ways) next() bool {
	w.at = 0
	for len(w.path) > 0 {
		last := len(w.path) - 1
		if w.path[last]++; w.path[last] < w.sizes[last] {
			return true
		}
		w.path, w.sizes = w.path[:last], w.sizes[:last]
	}
	return false
}

// bests returns all sets of pairs of two lists, in order on both sides, with the greatest
// sum of scores. A pair of score 0 is none.
func bests(rows, columns int, score func(i, j int) int) [][][2]int {
	sums := make([][]int, rows+1)
	for i := range sums {
		sums[i] = make([]int, columns+1)
	}
	for i := rows - 1; i >= 0; i-- {
		for j := columns - 1; j >= 0; j-- {
			sums[i][j] = max(sums[i+1][j], sums[i][j+1])
			if s := score(i, j); s > 0 {
				sums[i][j] = max(sums[i][j], s+sums[i+1][j+1])
			}
		}
	}
	var sets [][][2]int
	var from func(i, j int, pairs [][2]int)
	from = func(i, j int, pairs [][2]int) {
		if sums[i][j] == 0 {
			sets = append(sets, slices.Clone(pairs))
			return
		}
		for k := j; k < columns; k++ {
			if s := score(i, k); s > 0 && s+sums[i+1][k+1] == sums[i][j] {
				from(i+1, k+1, append(pairs[:len(pairs):len(pairs)], [2]int{i, k}))
			}
		}
		if sums[i+1][j] == sums[i][j] {
			from(i+1, j, pairs)
		}
	}
	from(0, 0, nil)
	return sets
}

// matching says which sent rows are which rows that were shown.
type matching struct {
	w       *ways
	old     map[*row]*row // by what was shown
	new     map[*row]*row // by what was sent
	parents map[*row]*row // of what was shown
	shape   map[*row]string
	pending []*row // sent
	texts   func(*row) string
}

// match matches what was sent with what was shown. Both are roots. A row that was not shown
// but has something shown below it is matched by its uid alone.
func match(w *ways, shown, sent *row, texts func(*row) string) *matching {
	m := &matching{w: w, old: map[*row]*row{}, new: map[*row]*row{}, parents: map[*row]*row{}, shape: map[*row]string{}, texts: texts}
	byUID := map[string]*row{}
	var note func(parent, r *row) string
	note = func(parent, r *row) string {
		m.parents[r] = parent
		shape := texts(r) + "("
		for _, kid := range r.kids {
			shape += note(r, kid)
		}
		m.shape[r] = shape + ")"
		return m.shape[r]
	}
	note(nil, shown)
	note(nil, sent)
	for _, r := range below(shown) {
		byUID[r.uid] = r
	}
	m.pair(shown, sent)
	for _, r := range below(sent) {
		if o := byUID[r.uid]; o != nil && r.uid != "" {
			m.pair(o, r)
		}
	}
	m.align()
	m.unique(shown, sent)
	for _, r := range append([]*row{sent}, below(sent)...) {
		if m.new[r] != nil {
			m.similar(r)
			m.place(r)
			m.align()
		}
	}
	return m
}

func (m *matching) pair(o, n *row) {
	m.old[o], m.new[n] = n, o
	m.pending = append(m.pending, n)
}

// rest returns the children of two rows that are the same which have no counterpart.
func (m *matching) rest(n *row) (a, b []*row) {
	for _, kid := range m.new[n].kids {
		if m.old[kid] == nil {
			a = append(a, kid)
		}
	}
	for _, kid := range n.kids {
		if m.new[kid] == nil {
			b = append(b, kid)
		}
	}
	return a, b
}

// align matches as many children with equal texts as can be, and of these as many as can be
// with the same below them.
func (m *matching) align() {
	for len(m.pending) > 0 {
		n := m.pending[0]
		m.pending = m.pending[1:]
		a, b := m.rest(n)
		m.choose(a, b, func(i, j int) int {
			switch {
			case m.shape[a[i]] == m.shape[b[j]]:
				return 1001
			case m.texts(a[i]) == m.texts(b[j]):
				return 1000
			}
			return 0
		})
	}
}

func (m *matching) choose(a, b []*row, score func(i, j int) int) {
	sets := bests(len(a), len(b), score)
	for _, pair := range sets[m.w.pick(len(sets))] {
		m.pair(a[pair[0]], b[pair[1]])
	}
}

// unique matches texts that one row of each is left with.
func (m *matching) unique(shown, sent *row) {
	olds, news := map[string][]*row{}, map[string]int{}
	for _, r := range below(shown) {
		if m.old[r] == nil {
			olds[m.texts(r)] = append(olds[m.texts(r)], r)
		}
	}
	for _, r := range below(sent) {
		if m.new[r] == nil {
			news[m.texts(r)]++
		}
	}
	for _, r := range below(sent) {
		if list := olds[m.texts(r)]; m.new[r] == nil && len(list) == 1 && news[m.texts(r)] == 1 && m.old[list[0]] == nil {
			m.pair(list[0], r)
			m.align()
		}
	}
}

// similar matches children that share words, so that they share as many as they can.
func (m *matching) similar(n *row) {
	a, b := m.rest(n)
	m.choose(a, b, func(i, j int) int { return likeness(m.texts(a[i]), m.texts(b[j])) })
}

// place matches children that are left between two others that stay, or at an end, if as many
// are left of both.
func (m *matching) place(n *row) {
	o := m.new[n]
	sets := bests(len(o.kids), len(n.kids), func(i, j int) int {
		if m.old[o.kids[i]] == n.kids[j] {
			return 1
		}
		return 0
	})
	i, j := 0, 0
	for _, stays := range append(sets[m.w.pick(len(sets))], [2]int{len(o.kids), len(n.kids)}) {
		var a, b []*row
		for _, kid := range o.kids[i:stays[0]] {
			if m.old[kid] == nil && kid.seen {
				a = append(a, kid)
			}
		}
		for _, kid := range n.kids[j:stays[1]] {
			if m.new[kid] == nil {
				b = append(b, kid)
			}
		}
		for k := 0; k < len(a) && len(a) == len(b); k++ {
			m.pair(a[k], b[k])
		}
		i, j = min(stays[0]+1, len(o.kids)), min(stays[1]+1, len(n.kids))
	}
}

// likeness returns how many thousandths of their words two texts share; 0 for less than half.
func likeness(a, b string) int {
	if a == b {
		return 1000
	}
	words, others := wordsOf(a), wordsOf(b)
	all, common := len(words)+len(others), 0
	for _, word := range words {
		if at := slices.Index(others, word); at >= 0 {
			others = slices.Delete(others, at, at+1)
			common++
		}
	}
	if common == 0 || 4*common < all {
		return 0
	}
	return 2000 * common / all
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// below returns the rows below another one in reading order.
func below(r *row) (list []*row) {
	for _, kid := range r.kids {
		list = append(append(list, kid), below(kid)...)
	}
	return list
}

// copied returns a copy of rows, and the copies by uid.
func copied(r *row) (*row, map[string]*row) {
	byUID := map[string]*row{}
	var of func(r *row) *row
	of = func(r *row) *row {
		c := *r
		c.kids = nil
		for _, kid := range r.kids {
			c.kids = append(c.kids, of(kid))
		}
		byUID[c.uid] = &c
		return &c
	}
	return of(r), byUID
}

// drawn writes rows in a line for each.
func drawn(r *row, depth int) string {
	var out strings.Builder
	for _, kid := range r.kids {
		out.WriteString(strings.Repeat("  ", depth) + kid.text + " ^" + kid.uid + "\n" + drawn(kid, depth+1))
	}
	return out.String()
}
