package nativequery

import (
	"iter"
	"math/bits"

	"roam-mcp/graphdb"
)

// set is a bit set of entities, up to the highest id of the snapshot.
type set []uint64

func newSet(highest graphdb.EID) set { return make(set, highest/64+1) }

func (s set) add(e graphdb.EID) { s[e/64] |= 1 << (e % 64) }

func (s set) addAll(entities iter.Seq[graphdb.EID]) {
	for e := range entities {
		s.add(e)
	}
}

func (s set) remove(e graphdb.EID) { s[e/64] &^= 1 << (e % 64) }

func (s set) has(e graphdb.EID) bool { return s[e/64]>>(e%64)&1 != 0 }

// keep removes what is not in the other set.
func (s set) keep(other set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// join adds the other set.
func (s set) join(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// drop removes the other set.
func (s set) drop(other set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// list returns the entities in ascending order.
func (s set) list() []graphdb.EID {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	out := make([]graphdb.EID, 0, n)
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			out = append(out, graphdb.EID(i*64+bits.TrailingZeros64(word)))
		}
	}
	return out
}
