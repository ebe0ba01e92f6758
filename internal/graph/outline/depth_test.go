package outline

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/require"
)

// chain is so many blocks, each below the one before, with the uids d1, d2, …
func chain(levels int) []Block {
	var below []Block
	for i := levels; i > 0; i-- {
		below = []Block{{String: "x", UID: fmt.Sprint("d", i), Children: below}}
	}
	return below
}

// TestOneDepthLimit holds that all which makes blocks makes as many levels as all
// which reads them takes.
func TestOneDepthLimit(t *testing.T) {
	n := newNotebook(t)
	under := func(uid string, blocks []Block) error {
		return n.try(func(w *Writer) error {
			_, err := w.CreateBlocks(Location{ParentUID: uid, Order: Last}, blocks)
			return err
		})
	}
	n.page("P", "two|two\n  below|below")
	require.NoError(t, under(n.uidOf("P"), chain(MaxDepth-1)))
	last := fmt.Sprint("d", MaxDepth-1)
	require.NoError(t, under(last, []Block{{String: "x", UID: "bottom"}}))

	wantError(t, under("bottom", []Block{{String: "x"}}), CodeInvalid, "at most 200")
	move := func(uid, to string) error {
		return n.try(func(w *Writer) error { return w.MoveBlock(uid, Location{ParentUID: to}) })
	}
	wantError(t, move("below", "bottom"), CodeInvalid, "at most 200")
	wantError(t, move("two", last), CodeInvalid, "level 201")
	n.do(func(w *Writer) error { return w.MoveBlock("below", Location{ParentUID: last}) })
	wantError(t, n.try(func(w *Writer) error {
		_, err := w.CreateBlocks(Location{ParentUID: last, NestUnder: "new"}, []Block{{String: "x"}})
		return err
	}), CodeInvalid, "at most 200")

	var exported bytes.Buffer
	require.NoError(t, ExportJSON(t.Context(), &exported, n.DB()))
	again := newNotebook(t)
	again.do(func(w *Writer) error {
		_, err := w.ImportJSON(t.Context(), &exported, ImportOptions{Report: func(why string) { t.Error(why) }})
		return err
	})
	if got, want := again.outline("P"), n.outline("P"); got != want {
		t.Errorf("read back it is\n%s", got)
	}
}

func TestWhatIsTooDeepIsFlattened(t *testing.T) {
	var lines strings.Builder
	for i := range 3 * MaxDepth {
		fmt.Fprintf(&lines, "%sx%d\n", strings.Repeat("  ", i), i)
	}
	for name, at := range map[string]struct {
		start, flattened int // the level of what is written to
	}{
		"on a page":     {0, 2 * MaxDepth},
		"below a block": {5, 2*MaxDepth + 5},
		"at the bottom": {MaxDepth - 1, 3*MaxDepth - 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.page("P", "")
			parent := n.uidOf("P")
			n.do(func(w *Writer) error {
				_, err := w.CreateBlocks(Location{ParentUID: parent}, chain(at.start))
				return err
			})
			if at.start > 0 {
				parent = fmt.Sprint("d", at.start)
			}
			moved := 0
			n.do(func(w *Writer) error {
				_, err := w.CreateBlocks(Location{ParentUID: parent}, blocksOf(lines.String()))
				moved = w.Flattened()
				return err
			})
			tree := ReadTree(n.DB(), PageByTitle(n.DB(), "P"))
			if got := height(tree); got != MaxDepth || moved != at.flattened {
				t.Errorf("%d levels, and %d blocks are not where they were; want %d", got, moved, at.flattened)
			}
			var got, want []string
			for _, b := range inReadingOrder(nil, tree)[at.start:] {
				got, want = append(got, b.String), append(want, fmt.Sprint("x", len(want)))
			}
			if len(got) != 3*MaxDepth || !reflect.DeepEqual(got, want) {
				t.Errorf("the order is %v", got)
			}
		})
	}
}

// A dump may be deeper than any outline that was written here.
func TestADeepDumpIsExportedAsItCanBeImported(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "d0|x")
	_, err := n.Transact(t.Context(), func(tx *graphdb.Tx) error {
		above := ByUID(tx, "d0")
		for i := 1; i < MaxDepth+20; i++ {
			e := tx.NewEntity()
			if err := tx.SetAll(e, map[graphdb.Attr]graphdb.Value{
				graphdb.BlockUID: graphdb.StringValue(fmt.Sprint("d", i)), graphdb.BlockString: graphdb.StringValue("x"), graphdb.BlockOrder: graphdb.IntValue(0),
			}); err != nil {
				return err
			}
			if err := tx.Set(above, graphdb.BlockChildren, graphdb.RefValue(e)); err != nil {
				return err
			}
			above = e
		}
		return nil
	})
	require.NoError(t, err)
	var exported bytes.Buffer
	require.NoError(t, ExportJSON(t.Context(), &exported, n.DB()))
	again := newNotebook(t)
	again.do(func(w *Writer) error {
		done, err := w.ImportJSON(t.Context(), &exported, ImportOptions{Report: func(why string) { t.Error(why) }})
		if done.Blocks != MaxDepth+20 {
			t.Errorf("%+v", done)
		}
		return err
	})
}
