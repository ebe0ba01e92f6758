package main

import (
	"context"
	"database/sql"
	"strings"

	_ "modernc.org/sqlite" // the driver
)

// scan answers as Memento's server does, which reads a table with LIKE, and, where indexed
// is set, with SQLite's full text search.
type scan struct {
	notes   []note
	indexed bool
	db      *sql.DB
}

func (s *scan) start(ctx context.Context) error {
	var err error
	if s.db, err = sql.Open("sqlite", ":memory:"); err != nil {
		return err
	}
	s.db.SetMaxOpenConns(1)
	table := `CREATE TABLE note (title TEXT, content TEXT)`
	if s.indexed {
		table = `CREATE VIRTUAL TABLE note USING fts5 (title, content)`
	}
	if _, err := s.db.ExecContext(ctx, table); err != nil {
		return err
	}
	transaction, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, n := range s.notes {
		if _, err := transaction.ExecContext(ctx, `INSERT INTO note VALUES (?, ?)`, n.title, strings.Join(n.lines, "\n")); err != nil {
			return err
		}
	}
	return transaction.Commit()
}

func (s *scan) answer(ctx context.Context, q question) ([]string, bool, error) {
	if s.indexed && q.kind != phrases && q.kind != words || !s.indexed && q.kind != contains {
		return nil, false, nil
	}
	query, text := `SELECT title FROM note WHERE title LIKE ? OR content LIKE ?`, []any{"%" + q.a + "%", "%" + q.a + "%"}
	if s.indexed {
		query, text = `SELECT title FROM note WHERE note MATCH ?`, []any{`"` + q.a + `"`}
	}
	rows, err := s.db.QueryContext(ctx, query, text...)
	if err != nil {
		return nil, true, err
	}
	defer rows.Close()
	var titles []string
	for rows.Next() {
		var title string
		if err := rows.Scan(&title); err != nil {
			return nil, true, err
		}
		titles = append(titles, title)
	}
	return sorted(titles), true, rows.Err()
}

func (s *scan) calls() int { return -1 }

func (s *scan) close() {
	if s.db != nil {
		_ = s.db.Close()
	}
}
