package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

const (
	readersTogether = 32
	writersTogether = 4
	stampedPages    = 8
)

// together is a graph in which every transaction puts one stamp on several
// pages, moves a branch and adds and deletes blocks. A reader who saw half of
// it would find stamps that differ or a tree that does not hold together.
type together struct {
	t       *testing.T
	g       *Graph
	written atomic.Int64
	read    atomic.Int64
}

// -tags campaign has them run for half a minute.
func TestReadersNeverSeeHalfATransaction(t *testing.T) {
	folder, g := generated(t, graphtest.Options{Blocks: 400, Seed: 6})
	x := &together{t: t, g: g}
	x.prepare()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	for n := range writersTogether {
		all.Go(func() { x.run(ctx, func(i int) error { return x.write(ctx, n, i) }, &x.written) })
	}
	for n := range readersTogether {
		all.Go(func() {
			x.run(ctx, func(i int) error { return errors.Join(x.look(ctx, n+i), think(ctx)) }, &x.read)
		})
	}
	x.wait()
	stop()
	all.Wait()
	t.Logf("%d writes, %d reads", x.written.Load(), x.read.Load())
	if !x.enough() {
		t.Error("that is too few to mean something")
	}
	if again := crash(t, folder.Path()); dump(again.DB()) != dump(g.DB()) {
		t.Error("the disk has something else")
	}
}

func (x *together) enough() bool {
	return x.written.Load() >= 4*writersTogether && x.read.Load() >= 4*readersTogether
}

// wait lets them run for as long as they should, and on a machine that is busy
// until enough was done.
func (x *together) wait() {
	start := time.Now()
	for range time.Tick(10 * time.Millisecond) {
		if passed := time.Since(start); passed >= togetherFor && x.enough() || passed > togetherFor+2*time.Minute || x.t.Failed() {
			return
		}
	}
}

func (x *together) run(ctx context.Context, step func(int) error, count *atomic.Int64) {
	for i := 0; ctx.Err() == nil; i++ {
		if err := step(i); err != nil {
			if !errors.Is(err, context.Canceled) {
				x.t.Error(err)
			}
			return
		}
		count.Add(1)
	}
}

// think is a client's time between two reads: 32 that never pause would leave
// two cores nothing to write with.
func think(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(5 * time.Millisecond):
		return nil
	}
}

func (x *together) edit(ctx context.Context, change func(*outline.Writer) error) error {
	_, err := x.g.Transact(ctx, "writer", func(tx *graphdb.Tx) error {
		return change(outline.NewWriter(tx, outline.Author{User: 1, Now: time.Now()}, rand.Reader))
	})
	return err
}

func stampUID(n int) string  { return fmt.Sprintf("stamp-%d", n) }
func branchUID(n int) string { return fmt.Sprintf("branch-%d", n) }
func stampedPage(n int) string {
	return fmt.Sprintf("Stamped %d", n)
}

func (x *together) prepare() {
	err := x.edit(x.t.Context(), func(w *outline.Writer) error {
		for n := range stampedPages {
			at := outline.Location{PageTitle: stampedPage(n), Order: outline.Last}
			if _, err := w.CreateBlocks(at, []outline.Block{{UID: stampUID(n), String: "stamp none"}}); err != nil {
				return err
			}
		}
		for n := range writersTogether {
			at := outline.Location{PageTitle: stampedPage(n), Order: outline.Last}
			branch := outline.Block{UID: branchUID(n), String: "branch", Children: []outline.Block{{String: "leaf"}, {String: "leaf"}}}
			if _, err := w.CreateBlocks(at, []outline.Block{branch}); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(x.t, err)
}

func (x *together) write(ctx context.Context, writer, i int) error {
	if i%5 == 4 {
		undo := x.g.Undo
		if i%10 == 9 {
			undo = x.g.Redo
		}
		_, err := undo(ctx, "writer")
		return err
	}
	stamp := fmt.Sprintf("stamp w%dn%d", writer, i)
	return x.edit(ctx, func(w *outline.Writer) error {
		for n := range stampedPages {
			if err := w.UpdateBlock(stampUID(n), outline.BlockUpdate{String: &stamp}); err != nil {
				return err
			}
		}
		to := outline.Location{ParentUID: stampUID((writer + i) % stampedPages), Order: 0}
		if err := w.MoveBlock(branchUID(writer), to); err != nil {
			return err
		}
		_, err := w.CreateBlocks(outline.Location{PageTitle: stampedPage(i % stampedPages), Order: outline.Last}, []outline.Block{{String: "more"}})
		return err
	})
}

// look checks one snapshot.
func (x *together) look(ctx context.Context, i int) error {
	db := x.g.DB()
	switch i % 8 {
	case 1:
		if indexed, found, ok := x.g.WithStems(ctx, "stamps", 100); ok {
			if len(found) < stampedPages {
				return fmt.Errorf("the full text has %d of %d stamps", len(found), stampedPages)
			}
			db = indexed
		}
	case 2:
		found, err := outline.Search(ctx, db, outline.SearchOptions{Query: "stamp ", Scope: outline.ScopeBlocks, Limit: 1})
		if err != nil || found.Total != stampedPages {
			return errors.Join(err, ctx.Err(), wrongTotal(found.Total))
		}
	}
	return checkTogether(db, i%stampedPages)
}

func wrongTotal(n int) error {
	if n == stampedPages || n == 0 {
		return nil // 0 comes with an error of the search
	}
	return fmt.Errorf("a search finds %d of %d stamps", n, stampedPages)
}

// checkTogether checks all stamps of a snapshot, and the tree of one page.
func checkTogether(db *graphdb.DB, n int) error {
	first := db.String(outline.ByUID(db, stampUID(0)), graphdb.BlockString)
	if !strings.HasPrefix(first, "stamp ") {
		return fmt.Errorf("a stamp is %q", first)
	}
	for n := range stampedPages {
		if got := db.String(outline.ByUID(db, stampUID(n)), graphdb.BlockString); got != first {
			return fmt.Errorf("one stamp is %q, another %q", first, got)
		}
	}
	page := outline.PageByTitle(db, stampedPage(n))
	for _, e := range outline.Subtree(db, page)[1:] {
		above := outline.Ancestors(db, e)
		slices.Sort(above)
		if got := db.Refs(e, graphdb.BlockParents); db.Ref(e, graphdb.BlockPage) != page || !slices.Equal(got, above) {
			return fmt.Errorf("block %d has the ancestors %v where the tree has %v", e, got, above)
		}
	}
	for order, kid := range outline.Children(db, page) {
		if got, _ := db.Int(kid, graphdb.BlockOrder); int(got) != order {
			return fmt.Errorf("child %d of a page has the order %d", order, got)
		}
	}
	return nil
}
