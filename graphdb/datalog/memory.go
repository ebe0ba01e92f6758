package datalog

import "sync/atomic"

// DefaultMemory is the limit of a Memory that nobody has chosen, in bytes.
const DefaultMemory = 512 << 20

// Memory bounds what all queries that share it hold together: rows, values, texts that
// functions made, tables of rules, and results until they are released. It counts the
// bytes that a query asks the system for, with copies that are made while something
// grows; garbage is not counted, so that a process needs up to twice as much
// (docs/benchmarks.md, "Ceilings"). It is safe for concurrent use.
type Memory struct {
	limit int64
	held  atomic.Int64
}

// NewMemory returns a Memory of so many bytes; 0 stands for DefaultMemory.
func NewMemory(bytes int64) *Memory {
	if bytes <= 0 {
		bytes = DefaultMemory
	}
	return &Memory{limit: bytes}
}

// Held returns the number of bytes that are held.
func (m *Memory) Held() int64 { return m.held.Load() }

// Open returns an empty share.
func (m *Memory) Open() *Share { return &Share{memory: m} }

// Share is what one caller holds of a Memory, for queries one after the other and for
// their results. It must be released once the results are no longer needed.
type Share struct {
	memory *Memory
	drawn  int64 // of the memory
	left   int64 // of what was drawn
}

// drawnAtOnce is how much a share draws from its memory and gives back at a time.
const drawnAtOnce = 64 << 10

// Release gives back all that the share holds. It can be used again.
func (s *Share) Release() {
	s.memory.held.Add(-s.drawn)
	s.drawn, s.left = 0, 0
}

// Hold reports whether there is room for so many bytes, and counts them if so.
func (s *Share) Hold(bytes int) bool {
	if s.left -= int64(bytes); s.left >= 0 {
		return true
	}
	more := (drawnAtOnce - s.left - 1) / drawnAtOnce * drawnAtOnce
	for {
		held := s.memory.held.Load()
		if held+more > s.memory.limit {
			s.left += int64(bytes)
			return false
		}
		if s.memory.held.CompareAndSwap(held, held+more) {
			break
		}
	}
	s.drawn += more
	s.left += more
	return true
}

// free takes back a hold.
func (s *Share) free(bytes int) {
	if s.left += int64(bytes); s.left > 4*drawnAtOnce {
		back := s.left / drawnAtOnce * drawnAtOnce
		s.memory.held.Add(-back)
		s.drawn -= back
		s.left -= back
	}
}

// Full returns the error for what there is no room for.
func (s *Share) Full() error {
	const mega = 1 << 20
	limit := s.memory.limit
	if others := s.memory.held.Load() - s.drawn; others > limit/10 {
		return errorf(CodeMemory, "The query needs more memory than is left: all queries together may hold %d MB, and others hold %d MB of it now; narrow it down, or ask again in a moment", limit/mega, others/mega)
	}
	return errorf(CodeMemory, "The query needs more memory than the %d MB that all queries together may hold, and was stopped; narrow it down", limit/mega)
}

// Sizes of what is held, in bytes, on a system of 64 bits. That of a map's entry is
// what it takes when the map has just grown.
const (
	valBytes      = 32 // a val
	anyBytes      = 32 // an element of []any and what it points to, without a text's own bytes
	rowBytes      = 24 // the header of a slice
	entryBytes    = 150
	callBytes     = 500 // a call of a rule with its table
	consumerBytes = 150
)
