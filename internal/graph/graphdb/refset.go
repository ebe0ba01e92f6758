package graphdb

import (
	"iter"
	"slices"
)

// refSet is a set of entity ids, listed in ascending order as by DataScript. Most sets
// hold one id (a block's parent), some hold a few (a sorted slice), and a few hold a
// hundred thousand (the blocks of one author): those are trees without values, of
// which snapshots share all but the changed page.
type refSet struct {
	one  EID // the only member if more is nil; 0: the set is empty
	more *manyRefs
}

type manyRefs struct {
	edit  uint64
	small []EID          // up to smallSet ids
	big   tree[struct{}] // instead of small
	n     int
}

const smallSet = 32

func (s refSet) len() int {
	switch {
	case s.more != nil:
		return s.more.n
	case s.one != 0:
		return 1
	}
	return 0
}

func (s refSet) has(e EID) bool {
	switch {
	case s.more == nil:
		return s.one == e
	case s.more.small != nil:
		_, found := slices.BinarySearch(s.more.small, e)
		return found
	}
	_, found := s.more.big.get(e)
	return found
}

func (s refSet) all() iter.Seq[EID] {
	return func(yield func(EID) bool) {
		if s.more == nil {
			if s.one != 0 {
				yield(s.one)
			}
			return
		}
		for _, e := range s.more.small {
			if !yield(e) {
				return
			}
		}
		for e := range s.more.big.all() {
			if !yield(e) {
				return
			}
		}
	}
}

// list returns a copy of the ids; nil for an empty set.
func (s refSet) list() []EID {
	if s.len() == 0 {
		return nil
	}
	return slices.AppendSeq(make([]EID, 0, s.len()), s.all())
}

func (m *manyRefs) own(edit uint64) *manyRefs {
	if m.edit == edit {
		return m
	}
	return &manyRefs{edit: edit, small: slices.Clone(m.small), big: m.big, n: m.n}
}

// add returns the set with e, which must not be in it.
func (s refSet) add(edit uint64, e EID) refSet {
	if s.more == nil {
		if s.one == 0 {
			return refSet{one: e}
		}
		return refSet{more: &manyRefs{edit: edit, small: []EID{min(s.one, e), max(s.one, e)}, n: 2}}
	}
	m := s.more.own(edit)
	m.n++
	switch {
	case m.small != nil && m.n <= smallSet:
		i, _ := slices.BinarySearch(m.small, e)
		m.small = slices.Insert(m.small, i, e)
	case m.small != nil:
		for _, old := range m.small {
			m.big.set(edit, old, struct{}{})
		}
		m.small = nil
		m.big.set(edit, e, struct{}{})
	default:
		m.big.set(edit, e, struct{}{})
	}
	return refSet{more: m}
}

// remove returns the set without e, which must be in it.
func (s refSet) remove(edit uint64, e EID) refSet {
	if s.more == nil {
		return refSet{}
	}
	m := s.more.own(edit)
	m.n--
	if m.small != nil {
		i, _ := slices.BinarySearch(m.small, e)
		m.small = slices.Delete(m.small, i, i+1)
	} else {
		m.big.remove(edit, e)
		if m.n <= smallSet/2 { // half, against changing the form back and forth
			m.small = make([]EID, 0, m.n)
			for old := range m.big.all() {
				m.small = append(m.small, old)
			}
			m.big = tree[struct{}]{}
		}
	}
	if m.n == 1 {
		return refSet{one: m.small[0]}
	}
	return refSet{more: m}
}
