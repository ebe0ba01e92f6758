package netutil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// DefaultMemory is how many bytes of memory what comes from outside may take unless
	// somebody says otherwise, and LeastMemory the fewest that are of use.
	DefaultMemory = 512 << 20
	LeastMemory   = 64 << 20
	// UncountedMemory is up to how many bytes a message is not counted. An eighth of the
	// memory is set aside for these.
	UncountedMemory = 256 << 10

	memoryPatience = 20 * time.Second // less than clients and calls of tools wait for
)

// ErrMemoryBusy is the error of a wait for memory that took too long.
var ErrMemoryBusy = errors.New("other messages use all the memory that there may be")

// MemoryError is the error for a message that takes more memory than there may be.
type MemoryError struct{ Wanted, Size int64 } // bytes

// Error implements error.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("it takes about %d MiB of memory, and may take %d", e.Wanted>>20, e.Size>>20)
}

// Memory is what long messages may take together. It measures nothing: who reads one says how
// much it takes. Messages get it in the order in which they ask. It is safe for concurrent use;
// a nil Memory has no bounds.
type Memory struct {
	// Patience is how long Acquire waits: 20 seconds.
	Patience time.Duration

	size    int64
	free    *semaphore.Weighted
	changed func(by int64) // nil: nobody wants to know
}

// NewMemory returns the memory for replies and for messages of clients, of size bytes in all; 0:
// DefaultMemory. They are apart, since the call that a message asks for waits for replies.
// changed is called with each change of what is in use; nil: nobody wants to know.
func NewMemory(size int64, changed func(by int64)) (replies, messages *Memory) {
	size = cmp.Or(size, DefaultMemory)
	part := func(size int64) *Memory {
		return &Memory{Patience: memoryPatience, size: size, free: semaphore.NewWeighted(size), changed: changed}
	}
	return part(size / 8 * 5), part(size / 4)
}

// Size returns how many bytes one message may take.
func (m *Memory) Size() int64 {
	if m == nil {
		return math.MaxInt64
	}
	return m.size
}

// Acquire waits for the memory that a message may need, before it is read: least bytes, and most
// where its content is of the kind that takes much. It is all the memory where that is less than most.
// Whoever acquires holds none yet, so that all who wait get theirs. The Share is nil where least
// is too little to be counted. The error is ErrMemoryBusy, a *MemoryError or that of ctx.
func (m *Memory) Acquire(ctx context.Context, least, most int64) (*Share, error) {
	switch {
	case m == nil || least <= UncountedMemory:
		return nil, nil
	case least > m.size:
		return nil, &MemoryError{Wanted: least, Size: m.size}
	}
	n := min(most, m.size)
	waiting, cancel := context.WithTimeout(ctx, m.Patience)
	defer cancel()
	if m.free.Acquire(waiting, n) != nil {
		return nil, cmp.Or(ctx.Err(), ErrMemoryBusy)
	}
	m.tell(n)
	return &Share{memory: m, n: n}, nil
}

func (m *Memory) tell(by int64) {
	if m.changed != nil {
		m.changed(by)
	}
}

// Share is the memory of one message. A nil Share has none.
type Share struct {
	memory *Memory

	mu sync.Mutex
	n  int64
}

// Release gives all of it back.
func (s *Share) Release() { s.shrink(0) }

// Settle gives back what a message does not need, now that it was read; the error is a
// *MemoryError where it needs more than there may be.
func (s *Share) Settle(need int64) error {
	switch {
	case s == nil:
		return nil
	case need > s.memory.size:
		return &MemoryError{Wanted: need, Size: s.memory.size}
	case need <= UncountedMemory:
		need = 0
	}
	s.shrink(need)
	return nil
}

func (s *Share) shrink(n int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if less := s.n - n; less > 0 {
		s.n = n
		s.memory.free.Release(less)
		s.memory.tell(-less)
	}
}
