package store

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"roam-mcp/graphdb"
)

// Graph is a graph in memory whose every change is on disk before it is seen.
// It is safe for concurrent use.
type Graph struct {
	path string
	conn *graphdb.Conn

	// These two belong to the writer: graphdb runs one at a time.
	writing writing
	steps   steps

	mu  sync.Mutex // guards log and its database
	log *journal   // nil: closed
}

// writing describes the current transaction.
type writing struct {
	author    string
	kind      kind
	takesBack int64
}

// errClosed is the error of writes after Close.
var errClosed = errors.New("the graph is closed")

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
