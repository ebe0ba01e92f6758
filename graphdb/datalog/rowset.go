package datalog

import (
	"hash/maphash"
	"math/bits"
)

// rowset is a set of rows of equal width, in order of insertion: a hash table with open
// addressing over flat storage, for up to millions of rows.
type rowset struct {
	width int
	n     int
	data  []val
	slots []uint32 // row number + 1, or 0
	seed  maphash.Seed
}

func newRowset(width int) *rowset {
	return &rowset{width: width, seed: maphash.MakeSeed(), slots: make([]uint32, 16)}
}

func (s *rowset) row(i int) []val { return s.data[i*s.width : (i+1)*s.width : (i+1)*s.width] }

// add copies the row into the set and reports whether it is new.
func (s *rowset) add(row []val) bool {
	_, isNew := s.place(row)
	return isNew
}

// place is add that also returns the row's number.
func (s *rowset) place(row []val) (at int, isNew bool) {
	if s.n*4 >= len(s.slots)*3 {
		s.grow()
	}
	mask := uint64(len(s.slots) - 1)
	i := s.hash(row) & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if at := int(s.slots[i] - 1); equalRows(s.row(at), row) {
			return at, false
		}
	}
	s.data = append(s.data, row...)
	s.n++
	s.slots[i] = uint32(s.n)
	return s.n - 1, true
}

func (s *rowset) grow() {
	s.slots = make([]uint32, 2*len(s.slots))
	mask := uint64(len(s.slots) - 1)
	for n := range s.n {
		i := s.hash(s.row(n)) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
}

func (s *rowset) hash(row []val) uint64 {
	h := uint64(s.width)
	for i := range row {
		v := &row[i]
		x := uint64(v.n)<<4 | uint64(v.kind)
		if v.s != "" {
			x ^= maphash.String(s.seed, v.s)
		}
		hi, lo := bits.Mul64(h^x, 0x9E3779B97F4A7C15)
		h = hi ^ lo
	}
	return h
}

func equalRows(a, b []val) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
