package graphdb

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"time"
)

// Report describes a transaction.
type Report struct {
	Before, After *DB
	Tx            int64     // the transaction's number, After.BasisTx()
	Time          time.Time // when it was committed

	edits
}

// CommitHook is called with a transaction before it is published. If it returns an
// error, nothing is published and Transact returns the error.
type CommitHook func(Report) error

// Option sets up a Conn.
type Option func(*Conn)

// WithCommitHook calls the hook before every transaction that changes something is
// published, so that a store can make it durable.
func WithCommitHook(hook CommitHook) Option { return func(c *Conn) { c.hook = hook } }

// WithClock replaces time.Now as the source of Report.Time.
func WithClock(now func() time.Time) Option { return func(c *Conn) { c.now = now } }

// WithBasis continues the numbering of transactions and entities after these, for a
// graph from disk whose newest transaction or highest entity was retracted.
func WithBasis(tx int64, last EID) Option {
	return func(c *Conn) { c.basis, c.last = tx, last }
}

// WithAttributes begins with attributes of a snapshot under the names that names has for
// them, and shares their memory. The schema must define each as that of the snapshot
// does.
func WithAttributes(of *DB, names map[Attr]Attr) Option {
	return func(c *Conn) {
		c.last = max(c.last, of.last)
		for _, old := range of.cols {
			c.edit = max(c.edit, old.edit) // writes after it change no node of the snapshot in place
			if name, ok := names[old.attr]; ok {
				renamed := *old
				renamed.attr = name
				c.cols = append(c.cols, &renamed)
			}
		}
	}
}

// Conn holds a graph: one writer at a time, any number of readers.
type Conn struct {
	current atomic.Pointer[DB]
	writing chan struct{} // holds one token while somebody writes
	edit    uint64        // the number of the last edit, failed ones included; the writer's
	hook    CommitHook
	now     func() time.Time
	basis   int64
	last    EID
	cols    []*column // of WithAttributes
}

// NewConn returns an empty graph.
func NewConn(schema *Schema, options ...Option) *Conn {
	c := &Conn{writing: make(chan struct{}, 1), now: time.Now}
	for _, o := range options {
		o(c)
	}
	byAttr := map[Attr]int{}
	for i, col := range c.cols {
		byAttr[col.attr], col.def = i, schema.Def(col.attr)
	}
	c.current.Store(&DB{state{schema: schema, byAttr: byAttr, cols: c.cols, basis: c.basis, last: c.last}})
	return c
}

// Load makes a graph from the datoms of a store, in any order; all of them must be
// additions. It calls no hook. It returns the first error of the sequence, or of a
// datom that contradicts the schema. BasisTx is the highest Datom.Tx seen, or that of
// WithBasis.
func Load(ctx context.Context, schema *Schema, datoms iter.Seq2[Datom, error], options ...Option) (*Conn, error) {
	c := NewConn(schema, options...)
	c.edit++
	tx := newTx(c.DB(), c.edit)
	n := 0
	for d, err := range datoms {
		if n++; err == nil && n%4096 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if err := tx.load(d); err != nil {
			return nil, fmt.Errorf("datom %d: %w", n, err)
		}
	}
	c.current.Store(&DB{tx.state})
	return c, nil
}

func (tx *Tx) load(d Datom) error {
	if !d.Added {
		return errorf(CodeInvalidValue, d.E, d.A, "a retraction can't be loaded")
	}
	if err := tx.check(d.E, d.A, d.V); err != nil {
		return err
	}
	tx.basis = max(tx.basis, d.Tx)
	tx.last = max(tx.last, d.E, d.V.Ref())
	c := tx.writable(tx.edit, d.A)
	if c.def.Many {
		if !c.has(d.E, d.V) {
			c.add(tx.edit, d.E, d.V.Ref())
		}
		return nil
	}
	if c.def.Unique != NotUnique {
		if other := c.lookup(d.V); other != 0 && other != d.E {
			err := errorf(CodeUniqueConflict, d.E, d.A, "%s %s already exists", d.A, d.V)
			err.Other = other
			return err
		}
	}
	c.put(tx.edit, d.E, d.V)
	return nil
}

// DB returns the newest published snapshot.
func (c *Conn) DB() *DB { return c.current.Load() }

// Transact runs write and publishes its changes: all or, if write or the hook fails or
// panics or the context has ended, none. It waits for other writers until the context
// ends. A transaction without net changes gets no number and calls no hook.
func (c *Conn) Transact(ctx context.Context, write func(*Tx) error) (Report, error) {
	return c.transact(ctx, write, true)
}

// Fill is Transact without a Report, for a graph that is being made: it keeps no list of
// the changes, which can take more memory than the graph. It calls no hook, and every
// transaction gets a number.
func (c *Conn) Fill(ctx context.Context, write func(*Tx) error) error {
	_, err := c.transact(ctx, write, false)
	return err
}

// transact runs a transaction. Its changes are listed, or taken to be some.
func (c *Conn) transact(ctx context.Context, write func(*Tx) error, listed bool) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	select {
	case c.writing <- struct{}{}:
		defer func() { <-c.writing }()
	case <-ctx.Done():
		return Report{}, ctx.Err()
	}
	before := c.DB()
	c.edit++
	tx := newTx(before, c.edit)
	if !listed {
		tx.seen = nil
	}
	defer func() { tx.closed = true }()
	if err := write(tx); err != nil {
		return Report{}, err
	}
	for _, f := range tx.final {
		if err := f(); err != nil {
			return Report{}, err
		}
	}
	tx.closed = true
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	tx.basis = before.basis + 1
	report := Report{Before: before, After: &DB{tx.state}, Tx: tx.basis, Time: c.now(), edits: tx.edits}
	if listed && !report.changes() {
		return Report{Before: before, After: before, Tx: before.basis, Time: report.Time}, nil
	}
	if listed && c.hook != nil {
		if err := c.hook(report); err != nil {
			return Report{}, err
		}
	}
	c.current.Store(report.After)
	return report, nil
}
