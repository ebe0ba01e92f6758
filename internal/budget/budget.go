// Package budget bounds the memory that what comes from outside takes in a process, all of it
// together: replies and messages.
//
// It promises that who waits holds nothing that another one waits for, that no
// wait is without an end, and that what is small never waits. It measures nothing: who
// reserves says how much it will be.
package budget

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	// Default is the size of a Budget unless somebody says another one, and Least the
	// smallest that is of use.
	Default = 512 << 20
	Least   = 64 << 20
	// Small is up to how many bytes are not counted. An eighth of the budget is set aside
	// for them.
	Small = 256 << 10
	// Patience is how long Reserve waits unless somebody says another time. It is less than
	// what clients and calls of tools wait for.
	Patience = 20 * time.Second
)

// Options of a Budget. The zero value is for use.
type Options struct {
	Size     int64         // in bytes; 0: Default
	Patience time.Duration // 0: the constant
	// Changed is called with the number of bytes that are reserved when that has changed, by
	// one goroutine at a time; nil: nobody wants to know.
	Changed func(reserved int64)
}

// Part is a part of the Budget, which the others never use up: the work for which a Message
// was sent may wait for Content, and no Content for a Message.
type Part int

// The parts of a Budget.
const (
	Content Part = iota // replies: five eighths
	Message             // what clients send: a quarter
)

// Budget is an amount of memory that parts of a process share. It is safe for concurrent use.
// A nil Budget has no bounds.
type Budget struct{ content, message pool }

// New returns a Budget of which nothing is reserved.
func New(o Options) *Budget {
	size, patience := cmp.Or(o.Size, Default), cmp.Or(o.Patience, Patience)
	b := &Budget{content: pool{size: size / 8 * 5, patience: patience}, message: pool{size: size / 4, patience: patience}}
	if o.Changed != nil {
		var mu sync.Mutex
		tell := func() {
			mu.Lock()
			defer mu.Unlock()
			o.Changed(b.Reserved())
		}
		b.content.changed, b.message.changed = tell, tell
	}
	return b
}

// Reserved returns how many bytes are reserved.
func (b *Budget) Reserved() int64 { return b.content.reserved() + b.message.reserved() }

// Reserve waits until there are so many bytes, and returns a Share of them; nil where they
// are too few to be counted. What the Work of ctx keeps is given back before. The error is
// ErrBusy, *TooLargeError or that of ctx.
func (b *Budget) Reserve(ctx context.Context, part Part, n int64) (*Share, error) {
	if b == nil || n <= Small {
		return nil, nil
	}
	p, client := &b.content, ""
	if part == Message {
		p = &b.message
	}
	if w := workOf(ctx); w != nil {
		if client = w.client; part == Content {
			w.keep(nil)
		}
	}
	if n > p.size {
		return nil, &TooLargeError{Wanted: n, Size: p.size}
	}
	if err := p.take(ctx, client, n); err != nil {
		return nil, err
	}
	return &Share{pool: p, client: client, n: n}, nil
}

// Share is memory that was reserved. A nil Share has none.
type Share struct {
	pool   *pool
	client string

	mu sync.Mutex
	n  int64
}

// Release returns the rest of the share to the budget.
func (s *Share) Release() { s.Shrink(0) }

// Shrink gives back all but so many bytes.
func (s *Share) Shrink(n int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if less := s.n - n; less > 0 {
		s.n = n
		s.pool.give(s.client, less)
	}
}

// Resize gives back, or takes, until there are so many bytes, as Shrink and Grow do.
func (s *Share) Resize(n int64) error {
	s.Shrink(n)
	return s.Grow(n)
}

// Grow takes more until there are so many bytes, without waiting: who holds some never waits.
// The error is ErrBusy or *TooLargeError.
func (s *Share) Grow(n int64) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case n <= s.n:
	case n > s.pool.size:
		return &TooLargeError{Wanted: n, Size: s.pool.size}
	case !s.pool.tryTake(s.client, n-s.n):
		return ErrBusy
	default:
		s.n = n
	}
	return nil
}
