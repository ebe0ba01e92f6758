package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// best returns the hits of a set with so many notes, from one on.
func (s *wordSearch) best(found set, total, offset, limit int) []Hit {
	offset = max(0, min(offset, total))
	top := bestDocs{wordSearch: s, most: offset + max(0, min(limit, total-offset))}
	if top.most == 0 {
		return nil
	}
	for i, word := range found {
		for ; word != 0; word &= word - 1 {
			top.offer(int32(i*64 + bits.TrailingZeros64(word)))
		}
	}
	slices.SortFunc(top.heap, top.compare)
	hits := make([]Hit, 0, top.most-offset)
	for _, n := range top.heap[offset:] {
		hits = append(hits, Hit{s.docs[n].key, s.scores[n]})
	}
	return hits
}

// bestDocs keeps the best of some notes, in a heap whose first is the worst of them.
type bestDocs struct {
	*wordSearch
	most int
	heap []int32
}

// compare is negative where a note comes before another.
func (r *bestDocs) compare(a, b int32) int {
	if x, y := r.scores[a], r.scores[b]; x != y {
		return cmp.Compare(y, x)
	}
	x, y := &r.docs[a], &r.docs[b]
	if x.updated != y.updated {
		return cmp.Compare(y.updated, x.updated)
	}
	return cmp.Or(strings.Compare(x.path, y.path), strings.Compare(x.key, y.key))
}

// offer takes a note in, in place of the worst where there are enough.
func (r *bestDocs) offer(n int32) {
	if len(r.heap) < r.most {
		r.heap = append(r.heap, n)
		for i := len(r.heap) - 1; i > 0; {
			above := (i - 1) / 2
			if r.compare(r.heap[i], r.heap[above]) <= 0 {
				return
			}
			r.heap[i], r.heap[above] = r.heap[above], r.heap[i]
			i = above
		}
		return
	}
	if s := r.scores[n] - r.scores[r.heap[0]]; s < 0 || s == 0 && r.compare(n, r.heap[0]) >= 0 {
		return
	}
	r.heap[0] = n
	for i := 0; ; {
		worst := i
		for below := 2*i + 1; below <= 2*i+2 && below < len(r.heap); below++ {
			if r.compare(r.heap[below], r.heap[worst]) > 0 {
				worst = below
			}
		}
		if worst == i {
			return
		}
		r.heap[i], r.heap[worst] = r.heap[worst], r.heap[i]
		i = worst
	}
}
