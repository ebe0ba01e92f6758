package graphdb

import (
	"fmt"
	"iter"
	"runtime"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// roamLike lists the datoms of a graph of n blocks, ten to a page, each with
// what a Roam block carries.
func roamLike(n int) iter.Seq2[Datom, error] {
	return func(yield func(Datom, error) bool) {
		ok := true
		put := func(e EID, a Attr, v Value) { ok = ok && yield(Datom{E: e, A: a, V: v, Tx: 1, Added: true}, nil) }
		put(1, UserUID, StringValue("me"))
		stamp := func(e EID) {
			put(e, BlockUID, StringValue(fmt.Sprintf("u%08d", e)))
			put(e, CreateTime, IntValue(1_600_000_000_000+int64(e)))
			put(e, EditTime, IntValue(1_600_000_000_000+int64(e)))
			put(e, CreateUser, RefValue(1))
			put(e, EditUser, RefValue(1))
		}
		var page, parent EID
		for i := 0; i < n && ok; i++ {
			e := EID(2 + i + i/10)
			if i%10 == 0 {
				page = e
				put(page, NodeTitle, StringValue(fmt.Sprintf("Page %d", i/10)))
				stamp(page)
				e++
				parent = page
			} else {
				e++
			}
			put(e, BlockString, StringValue(fmt.Sprintf("Block %d mentions [[Page %d]]", i, i*7%(n/10+1))))
			put(e, BlockOrder, IntValue(0))
			put(e, BlockOpen, BoolValue(true))
			put(e, BlockPage, RefValue(page))
			put(parent, BlockChildren, RefValue(e))
			put(e, BlockParents, RefValue(page))
			if parent != page {
				put(e, BlockParents, RefValue(parent))
			}
			put(e, BlockRefs, RefValue(2+EID(i*7%n)/10*11))
			stamp(e)
			parent = e
		}
	}
}

func loadRoamLike(b *testing.B, n int) *Conn {
	b.Helper()
	c, err := Load(b.Context(), RoamSchema(), roamLike(n))
	require.NoError(b, err)
	return c
}

func BenchmarkLoad100kBlocks(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		c := loadRoamLike(b, 100_000)
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
		runtime.KeepAlive(c)
	}
}

func BenchmarkOneBlockWriteAt100kBlocks(b *testing.B) {
	c := loadRoamLike(b, 100_000)
	page, _ := c.DB().Lookup(NodeTitle, StringValue("Page 77"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, err := c.Transact(b.Context(), func(tx *Tx) error {
			e := tx.NewEntity()
			if err := tx.Set(page, BlockChildren, RefValue(e)); err != nil {
				return err
			}
			return tx.SetAll(e, map[Attr]Value{
				BlockUID: StringValue(fmt.Sprintf("new%d", i)), BlockString: StringValue("a new block"), BlockOrder: IntValue(1),
				BlockPage: RefValue(page), BlockParents: RefValue(page), BlockOpen: BoolValue(true),
				CreateTime: IntValue(1), EditTime: IntValue(1), CreateUser: RefValue(1), EditUser: RefValue(1),
			})
		})
		require.NoError(b, err)
	}
}

func BenchmarkLookupByTitleAt100kBlocks(b *testing.B) {
	db := loadRoamLike(b, 100_000).DB()
	for i := 0; b.Loop(); i++ {
		if _, ok := db.Lookup(NodeTitle, StringValue("Page 4321")); !ok {
			b.Fatal("not found")
		}
	}
}
