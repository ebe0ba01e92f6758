package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/internal/graph/graphdb"
)

// Graph is a graph in memory whose every change is on disk before it is seen.
// It is safe for concurrent use.
type Graph struct {
	path string
	conn *graphdb.Conn

	// These two belong to the writer: graphdb runs one at a time.
	writing writing
	steps   steps

	mu         sync.Mutex // guards log and its database
	log        *journal   // nil: closed, or in memory
	memoryOnly bool
}

// writing describes the current transaction.
type writing struct {
	author    string
	kind      kind
	takesBack int64
}

// errClosed is the error of writes after Close.
var errClosed = errors.New("the graph is closed")

// InMemory returns a graph of datoms, in any order, that is never on disk: it is there at
// once, and gone when it is closed. It has no full-text index and no history, and
// nothing in it can be undone. It returns the first error of the sequence, or of a datom
// that contradicts Roam's schema.
func InMemory(ctx context.Context, options Options, datoms iter.Seq2[graphdb.Datom, error]) (*Graph, error) {
	g := &Graph{memoryOnly: true}
	var settings []graphdb.Option
	if options.Now != nil {
		settings = append(settings, graphdb.WithClock(options.Now))
	}
	var err error
	if g.conn, err = graphdb.Load(ctx, graphdb.RoamSchema(), datoms, settings...); err != nil || !options.Renumber {
		return g, err
	}
	db := g.conn.DB()
	ids := renumbered(db.LastEntity())
	g.conn, err = graphdb.Load(ctx, graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		for d := range db.All() {
			if !yield(ids.datomFromFile(d), nil) {
				return
			}
		}
	}, settings...)
	return g, err
}

// OnDisk reports whether the graph has a file.
func (g *Graph) OnDisk() bool { return !g.memoryOnly }

func open(ctx context.Context, path string, options Options) (*Graph, error) {
	database, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	g := &Graph{path: path, log: &journal{database: database, attributes: map[graphdb.Attr]int64{}}}
	if err := g.load(ctx, options); err != nil {
		return nil, errors.Join(err, database.Close())
	}
	return g, nil
}

// reopen goes on with the file at another path, which holds what the graph in memory
// does. What was written before can't be undone, as after open.
func (g *Graph) reopen(path string) error {
	database, err := openDatabase(path)
	if err != nil {
		return err
	}
	log := &journal{database: database, attributes: map[graphdb.Attr]int64{}}
	if _, err = log.readAttributes(); err == nil {
		log.newest, _, err = log.basis()
	}
	if err != nil {
		return errors.Join(damaged(path, err), database.Close())
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.path, g.log, g.steps = path, log, steps{}
	return nil
}

func (g *Graph) load(ctx context.Context, options Options) error {
	g.log.database.SetInterrupt(ctx.Done())
	defer g.log.database.SetInterrupt(nil)
	if err := g.read(ctx, options); ctx.Err() != nil {
		return ctx.Err() // an interrupted read is no sign of damage
	} else if err != nil {
		return damaged(g.path, err)
	}
	return nil
}

func (g *Graph) read(ctx context.Context, options Options) error {
	names, err := g.log.readAttributes()
	if err != nil {
		return err
	}
	basis, last, err := g.log.basis()
	if err != nil {
		return err
	}
	g.log.newest = basis
	if options.Renumber {
		g.log.ids = renumbered(last)
	}
	settings := []graphdb.Option{graphdb.WithBasis(basis, last), graphdb.WithCommitHook(g.commit)}
	if options.Now != nil {
		settings = append(settings, graphdb.WithClock(options.Now))
	}
	g.conn, err = graphdb.Load(ctx, graphdb.RoamSchema(), g.log.datoms(names), settings...)
	return err
}

// DB returns the newest snapshot.
func (g *Graph) DB() *graphdb.DB { return g.conn.DB() }

// Transact runs write and, if it succeeds, saves and publishes its change, recorded
// with the author, a user's uid. When Transact returns nil the change is on disk.
func (g *Graph) Transact(ctx context.Context, author string, write func(*graphdb.Tx) error) (graphdb.Report, error) {
	return g.conn.Transact(ctx, func(tx *graphdb.Tx) error {
		g.writing = writing{author: author}
		return write(tx)
	})
}

// commit is the hook that makes a transaction durable before it is published.
func (g *Graph) commit(report graphdb.Report) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.memoryOnly {
		return nil
	}
	if g.log == nil {
		return errClosed
	}
	if err := g.log.write(entryOf(report, g.writing)); err != nil {
		return fmt.Errorf("save the change to disk: %w", err)
	}
	g.steps.record(g.writing.kind, report.Tx)
	return nil
}

// Close closes the graph's file after the current write. Snapshots stay valid.
func (g *Graph) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.log == nil {
		return nil
	}
	database := g.log.database
	g.log = nil
	if err := database.Close(); err != nil {
		return fmt.Errorf("close %s: %w", g.path, err)
	}
	return nil
}

// Changes lists what a transaction retracted and added; nothing for one that does not
// exist.
func (g *Graph) Changes(ctx context.Context, tx int64) (list []graphdb.Datom, err error) {
	err = g.reading(ctx, func(j *journal) error {
		list, err = j.changes(tx)
		return err
	})
	return list, err
}

// reading runs a read of the database, after the current write.
func (g *Graph) reading(ctx context.Context, read func(*journal) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.memoryOnly {
		return nil
	}
	if g.log == nil {
		return errClosed
	}
	g.log.database.SetInterrupt(ctx.Done())
	defer g.log.database.SetInterrupt(nil)
	if err := read(g.log); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("read the history: %w", err)
	}
	return nil
}

func (j *journal) changes(tx int64) ([]graphdb.Datom, error) {
	names := make(map[int64]graphdb.Attr, len(j.attributes))
	for name, number := range j.attributes {
		names[number] = name
	}
	var list []graphdb.Datom
	err := sqlitex.Execute(j.database, "SELECT datoms FROM changes WHERE tx = ? ORDER BY part", &sqlitex.ExecOptions{
		Args: []any{tx},
		ResultFunc: func(row *sqlite.Stmt) error {
			u := unpacker{rest: readBlob(row, 0, nil), names: names}
			for u.more() {
				d, err := u.change(tx)
				if err != nil {
					return err
				}
				list = append(list, j.ids.datomFromFile(d))
			}
			return nil
		},
	})
	return list, err
}

// steps are the transactions since the graph was opened that can be undone or
// redone, the next one last.
type steps struct{ undo, redo []int64 }

// kind tells an ordinary transaction from an undo and a redo.
type kind uint8

const (
	ordinary kind = iota
	undoing
	redoing
)

// record adds a saved transaction.
func (s *steps) record(k kind, tx int64) {
	switch k {
	case ordinary:
		s.undo, s.redo = append(s.undo, tx), nil
	case undoing:
		s.undo, s.redo = s.undo[:len(s.undo)-1], append(s.redo, tx)
	case redoing:
		s.undo, s.redo = append(s.undo, tx), s.redo[:len(s.redo)-1]
	}
}

// next returns the transaction that an undo or redo would revert; 0: none.
func (s *steps) next(k kind) int64 {
	list := s.undo
	if k == redoing {
		list = s.redo
	}
	if len(list) == 0 {
		return 0
	}
	return list[len(list)-1]
}

// Undo reverts the newest transaction since the graph was opened that is not undone,
// by a transaction of the author. It returns the reverted one, or 0 if there was
// none.
func (g *Graph) Undo(ctx context.Context, author string) (int64, error) {
	return g.revert(ctx, author, undoing)
}

// Redo reverts the newest Undo, unless something was written since. It returns the
// Undo's transaction, or 0 if there was none.
func (g *Graph) Redo(ctx context.Context, author string) (int64, error) {
	return g.revert(ctx, author, redoing)
}

func (g *Graph) revert(ctx context.Context, author string, k kind) (reverted int64, err error) {
	_, err = g.conn.Transact(ctx, func(tx *graphdb.Tx) error {
		if reverted = g.steps.next(k); reverted == 0 {
			return nil
		}
		datoms, err := g.Changes(ctx, reverted)
		if err != nil {
			return err
		}
		g.writing = writing{author: author, kind: k, takesBack: reverted}
		return reverse(tx, datoms)
	})
	if err != nil {
		return 0, err
	}
	return reverted, nil
}

// reverse reverts datoms. The state is that of right after they were written, since
// whatever came later is undone.
func reverse(tx *graphdb.Tx, datoms []graphdb.Datom) error {
	for _, d := range datoms { // first, so that unique values are free again
		if d.Added {
			if err := tx.Retract(d.E, d.A, d.V); err != nil {
				return err
			}
		}
	}
	for _, d := range datoms {
		if !d.Added {
			if err := tx.Set(d.E, d.A, d.V); err != nil {
				return err
			}
		}
	}
	return nil
}
