package store

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"roam-mcp/graphdb"
)

// Transaction is a change that was saved.
type Transaction struct {
	Tx        int64
	Time      time.Time // to the millisecond
	Author    string    // a user's uid
	TakesBack int64     // the transaction that this undo or redo took back; 0: it is neither
}

// History lists transactions, newest first: those before the given one (0: all),
// limit at most.
func (g *Graph) History(ctx context.Context, before int64, limit int) (list []Transaction, err error) {
	err = g.reading(ctx, func(j *journal) error {
		return sqlitex.Execute(j.database, `SELECT tx, time, author, takes_back FROM transactions
			WHERE ?1 = 0 OR tx < ?1 ORDER BY tx DESC LIMIT ?2`, &sqlitex.ExecOptions{
			Args: []any{before, limit},
			ResultFunc: func(row *sqlite.Stmt) error {
				list = append(list, Transaction{
					Tx: row.ColumnInt64(0), Time: time.UnixMilli(row.ColumnInt64(1)),
					Author: row.ColumnText(2), TakesBack: row.ColumnInt64(3),
				})
				return nil
			},
		})
	})
	return list, err
}

// Changes lists what a transaction took away and added; nothing for one that
// does not exist.
func (g *Graph) Changes(ctx context.Context, tx int64) (list []graphdb.Datom, err error) {
	err = g.reading(ctx, func(j *journal) error {
		list, err = j.changes(tx)
		return err
	})
	return list, err
}

// reading runs a read of the database; it waits for a write under way.
func (g *Graph) reading(ctx context.Context, read func(*journal) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
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
				list = append(list, d)
			}
			return nil
		},
	})
	return list, err
}

// steps are the transactions since the graph was opened that can be undone or
// redone, the next one last.
type steps struct{ undo, redo []int64 }

// kind tells a transaction of somebody's from one that takes another back.
type kind uint8

const (
	ordinary kind = iota
	undoing
	redoing
)

// note takes up a transaction that was saved.
func (s *steps) note(k kind, tx int64) {
	switch k {
	case ordinary:
		s.undo, s.redo = append(s.undo, tx), nil
	case undoing:
		s.undo, s.redo = s.undo[:len(s.undo)-1], append(s.redo, tx)
	case redoing:
		s.undo, s.redo = append(s.undo, tx), s.redo[:len(s.redo)-1]
	}
}

// next is the transaction that such a step takes back; 0: there is none.
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

// Undo takes back the newest transaction, whoever made it, that was made since
// the graph was opened and is not undone. It is a transaction itself, of this
// author. It gives the transaction that was taken back, or 0 where there was
// none.
func (g *Graph) Undo(ctx context.Context, author string) (int64, error) {
	return g.takeBack(ctx, author, undoing)
}

// Redo takes back the newest Undo, unless something was written since. It gives
// the Undo's transaction, or 0 where there was none.
func (g *Graph) Redo(ctx context.Context, author string) (int64, error) {
	return g.takeBack(ctx, author, redoing)
}

func (g *Graph) takeBack(ctx context.Context, author string, k kind) (taken int64, err error) {
	_, err = g.conn.Transact(ctx, func(tx *graphdb.Tx) error {
		if taken = g.steps.next(k); taken == 0 {
			return nil
		}
		datoms, err := g.Changes(ctx, taken)
		if err != nil {
			return err
		}
		g.writing = writing{author: author, kind: k, takesBack: taken}
		return reverse(tx, datoms)
	})
	if err != nil {
		return 0, err
	}
	return taken, nil
}

// reverse takes datoms back. The state is what it was right after they were
// written, since whatever came later was undone before.
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
