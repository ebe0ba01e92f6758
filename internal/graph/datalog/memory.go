package datalog

import (
	"slices"
	"sync"
	"time"
)

// DefaultMemory is the default limit of a Memory, in bytes.
const DefaultMemory = 512 << 20

// Memory bounds what all queries that share it hold together: rows, values, texts that
// functions made, tables of rules, and results until they are released. It counts the
// bytes that a query asks the system for, with copies that are made while something
// grows; garbage is not counted, so that a process needs up to twice as much
// (docs/benchmarks.md, "Ceilings"). It is safe for concurrent use.
//
// Where there is no room, the share that has held memory for longest waits for the others
// to give theirs back, and so does one that holds nothing yet; the others are refused. So
// of queries that do not fit together the first is answered, and none waits for another
// that waits for it.
type Memory struct {
	limit int64

	mu      sync.Mutex
	held    int64
	holders []*Share      // those that hold memory, in the order in which they came
	freed   chan struct{} // closed once memory is given back; nil if nobody waits for it
}

// NewMemory returns a Memory limited to the given number of bytes; 0 means DefaultMemory.
func NewMemory(bytes int64) *Memory {
	if bytes <= 0 {
		bytes = DefaultMemory
	}
	return &Memory{limit: bytes}
}

// Held returns the number of bytes that are held.
func (m *Memory) Held() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

// Open returns an empty share.
func (m *Memory) Open() *Share { return &Share{memory: m} }

// Share is what one caller holds of a Memory, for queries one after the other and for
// their results. It must be released once the results are no longer needed.
type Share struct {
	memory *Memory
	drawn  int64           // of the memory
	left   int64           // of what was drawn
	done   <-chan struct{} // ends waiting; nil: nothing does
}

const (
	drawnAtOnce = 64 << 10         // bytes that a share draws from its memory and gives back at a time
	longestWait = 10 * time.Second // for memory that others hold
)

// Release gives back all that the share holds. It can be used again.
func (s *Share) Release() {
	s.giveBack(s.drawn)
	s.left = 0
}

// Hold reports whether there is room for so many bytes, and counts them if so. It may
// wait for others to give back theirs.
func (s *Share) Hold(bytes int) bool {
	if s.left -= int64(bytes); s.left >= 0 {
		return true
	}
	more := (drawnAtOnce - s.left - 1) / drawnAtOnce * drawnAtOnce
	if !s.draw(more) {
		s.left += int64(bytes)
		return false
	}
	s.left += more
	return true
}

// draw takes so many bytes from the memory, and reports whether it could.
func (s *Share) draw(bytes int64) bool {
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	var late <-chan time.Time
	for m.held+bytes > m.limit {
		mayWait := s.drawn == 0 || m.holders[0] == s
		if !mayWait || s.drawn+bytes > m.limit {
			return false
		}
		if late == nil {
			late = time.After(longestWait)
		}
		if m.freed == nil {
			m.freed = make(chan struct{})
		}
		if !m.wait(m.freed, late, s.done) {
			return false
		}
	}
	if s.drawn == 0 {
		m.holders = append(m.holders, s)
	}
	s.drawn += bytes
	m.held += bytes
	return true
}

// wait waits, with the mutex unlocked, and reports whether memory was freed.
func (m *Memory) wait(freed <-chan struct{}, late <-chan time.Time, done <-chan struct{}) bool {
	m.mu.Unlock()
	defer m.mu.Lock()
	select {
	case <-freed:
		return true
	case <-late:
	case <-done:
	}
	return false
}

// giveBack gives so many bytes that were drawn back to the memory.
func (s *Share) giveBack(bytes int64) {
	m := s.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes == 0 {
		return
	}
	s.drawn -= bytes
	m.held -= bytes
	if s.drawn == 0 {
		m.holders = slices.DeleteFunc(m.holders, func(other *Share) bool { return other == s })
	}
	if m.freed != nil {
		close(m.freed)
		m.freed = nil
	}
}

// free takes back a hold.
func (s *Share) free(bytes int) {
	if s.left += int64(bytes); s.left > 4*drawnAtOnce {
		back := s.left / drawnAtOnce * drawnAtOnce
		s.giveBack(back)
		s.left -= back
	}
}

// Full returns the error for what there is no room for.
func (s *Share) Full() error {
	const mega = 1 << 20
	limit := s.memory.limit
	if others := s.memory.Held() - s.drawn; others > limit/10 {
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
