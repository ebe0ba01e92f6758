package outline

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/require"
)

// wide makes a page with the uid "wide" and so many children, with the uids w0, w1, …
func wide(t testing.TB, width int) *notebook {
	n := newNotebook(t)
	blocks := make([]Block, width)
	for i := range blocks {
		blocks[i] = Block{UID: fmt.Sprint("w", i), String: "x"}
	}
	n.do(func(w *Writer) error {
		if _, err := w.CreatePage(NewPage{Title: "Wide", UID: "wide"}); err != nil {
			return err
		}
		_, err := w.CreateBlocks(Location{ParentUID: "wide"}, blocks)
		return err
	})
	return n
}

func TestABatchMakesTheSameOutlineAsItsStepsAlone(t *testing.T) {
	for seed := range uint64(40) {
		steps := randomSteps(rand.New(rand.NewPCG(seed, 7)), 60)
		alone, batch := wide(t, 12), wide(t, 12)
		for _, step := range steps {
			alone.do(step)
		}
		batch.do(func(w *Writer) error {
			for _, step := range steps {
				if err := step(w); err != nil {
					return err
				}
			}
			return nil
		})
		if got, want := batch.outline("Wide"), alone.outline("Wide"); got != want {
			t.Fatalf("seed %d: the batch makes\n%swant\n%s", seed, got, want)
		}
	}
}

// randomSteps create, move, delete and reorder blocks of the page "wide".
func randomSteps(rng *rand.Rand, count int) []func(*Writer) error {
	uids := []string{"w0", "w1", "w2", "w3", "w4", "w5"}
	pick := func() string { return uids[rng.IntN(len(uids))] }
	steps := make([]func(*Writer) error, count)
	for i := range steps {
		at := Location{ParentUID: "wide", Order: Order(rng.IntN(16) - 1)}
		if rng.IntN(3) == 0 {
			at.ParentUID = pick()
		}
		uid, made := pick(), fmt.Sprint("made", i)
		switch rng.IntN(7) {
		case 0:
			steps[i] = func(w *Writer) error { return unlessRefused(w.MoveBlock(uid, at)) }
		case 1:
			steps[i] = func(w *Writer) error {
				_, err := w.DeleteBlock(uid)
				return err
			}
		case 2:
			steps[i] = func(w *Writer) error {
				var reversed []string
				for _, e := range w.siblings(ByUID(w.tx, "wide")).list {
					reversed = append([]string{w.tx.String(e, graphdb.BlockUID)}, reversed...)
				}
				return w.ReorderBlocks("wide", reversed)
			}
		default:
			uids = append(uids, made)
			steps[i] = func(w *Writer) error {
				_, err := w.CreateBlocks(at, []Block{{UID: made, String: made, Children: []Block{{String: "below " + made}}}})
				return unlessRefused(err)
			}
		}
	}
	return steps
}

// unlessRefused returns errors that are no refusal.
func unlessRefused(err error) error {
	if refused, ok := err.(*Error); ok && refused != nil {
		return nil
	}
	return err
}

// TestABatchOfCreatesCostsWhatItAdds counts the bytes that are allocated, which do
// not hang on the machine's speed.
func TestABatchOfCreatesCostsWhatItAdds(t *testing.T) {
	const batch, width = 500, 2_000
	for name, order := range map[string]Order{"at the end": Last, "at the start": First, "in between": 7} {
		t.Run(name, func(t *testing.T) {
			narrow, wide := allocatedBy(wide(t, 10), batch, order), allocatedBy(wide(t, width), batch, order)
			// To renumber a sibling takes about a kilobyte; to read one, 16 bytes.
			if extra := int64(wide) - int64(narrow); extra > 2_000*width {
				t.Errorf("%d creates take %d bytes more on a page of %d children than on one of ten", batch, extra, width)
			}
		})
	}
}

func allocatedBy(n *notebook, count int, order Order) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(n.t, n.try(creates(count, order)))
	runtime.ReadMemStats(&after)
	checkWhole(n.t, n.DB())
	return after.TotalAlloc - before.TotalAlloc
}

func creates(count int, order Order) func(*Writer) error {
	return func(w *Writer) error {
		for range count {
			if _, err := w.CreateBlocks(Location{ParentUID: "wide", Order: order}, []Block{{String: "new"}}); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestTheOrdersOfADumpAreMendedByTheNextWrite(t *testing.T) {
	n := wide(t, 4)
	_, err := n.Transact(t.Context(), func(tx *graphdb.Tx) error {
		for uid, order := range map[string]int64{"w0": 9, "w1": 4, "w2": 4} {
			if err := tx.Set(ByUID(tx, uid), graphdb.BlockOrder, graphdb.IntValue(order)); err != nil {
				return err
			}
		}
		return tx.RetractAttr(ByUID(tx, "w3"), graphdb.BlockOrder)
	})
	require.NoError(t, err)
	n.do(creates(1, Last))
	got := ""
	for _, b := range ReadTree(n.DB(), ByUID(n.DB(), "wide"))[:4] {
		got += b.UID + " "
	}
	if got != "w3 w1 w2 w0 " {
		t.Errorf("the order is %s", got)
	}
}
