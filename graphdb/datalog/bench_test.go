package datalog

import (
	"flag"
	"fmt"
	"testing"

	"roam-mcp/graphdb"
)

var million = flag.Bool("million", false, "run the benchmarks on a graph of a million blocks too")

// grown makes a graph of n blocks in the help graph's shape: about four blocks
// to a page, some three levels deep, every other block with a reference, and
// few pages that many blocks refer to.
func grown(b *testing.B, n int) *graphdb.DB {
	b.Helper()
	conn, err := graphdb.Load(b.Context(), graphdb.RoamSchema(), func(yield func(graphdb.Datom, error) bool) {
		ok := true
		put := func(e int, a graphdb.Attr, v graphdb.Value) {
			ok = ok && yield(graphdb.Datom{E: graphdb.EID(e), A: a, V: v, Tx: 1, Added: true}, nil)
		}
		pages := n / 4
		put(1, graphdb.UserUID, graphdb.StringValue("me"))
		stamp := func(e, i int) {
			put(e, graphdb.BlockUID, graphdb.StringValue(fmt.Sprintf("u%08d", e)))
			put(e, graphdb.CreateTime, graphdb.IntValue(1_600_000_000_000+int64(i)*1000))
			put(e, graphdb.EditTime, graphdb.IntValue(1_600_000_000_000+int64(i)*1000))
			put(e, graphdb.CreateUser, graphdb.RefValue(1))
		}
		for p := 0; p < pages && ok; p++ {
			put(2+p, graphdb.NodeTitle, graphdb.StringValue(fmt.Sprintf("Page %d", p)))
			stamp(2+p, p)
		}
		for i := 0; i < n && ok; i++ {
			e, page := 2+pages+i, 2+i/4%pages
			parent := page
			if i%4 > 0 {
				parent = e - i%4 + (i%4)/2
			}
			put(e, graphdb.BlockString, graphdb.StringValue(fmt.Sprintf("Block %d says something of [[Page %d]] at length", i, i%97)))
			put(e, graphdb.BlockOrder, graphdb.IntValue(int64(i%4)))
			put(e, graphdb.BlockPage, graphdb.RefValue(graphdb.EID(page)))
			put(parent, graphdb.BlockChildren, graphdb.RefValue(graphdb.EID(e)))
			put(e, graphdb.BlockParents, graphdb.RefValue(graphdb.EID(page)))
			if parent != page {
				put(e, graphdb.BlockParents, graphdb.RefValue(graphdb.EID(parent)))
			}
			if i%2 == 0 {
				put(e, graphdb.BlockRefs, graphdb.RefValue(graphdb.EID(2+i*i%97)))
			}
			stamp(e, i)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return conn.DB()
}

// sevenQueries are those of DATALOG, "Measured". The time is that of the last
// tenth of the pages.
func sevenQueries(n int) []struct{ name, query string } {
	return []struct{ name, query string }{
		{"PageByTitle", `[:find ?uid . :where [?e :node/title "Page 77"] [?e :block/uid ?uid]]`},
		{"BlocksThatReferenceAPage", `[:find ?uid ?s :where [?p :node/title "Page 50"] [?b :block/refs ?p] [?b :block/uid ?uid] [?b :block/string ?s]]`},
		{"PagesCreatedSince", fmt.Sprintf(`[:find ?t ?c :where [?p :node/title ?t] [?p :create/time ?c] [(> ?c %d)]]`, 1_600_000_000_000+int64(n/4)*900)},
		{"StringIncludes", `[:find ?uid :where [?b :block/string ?s] [(clojure.string/includes? ?s "Page 42]]")] [?b :block/uid ?uid]]`},
		{"ChildrenCounted", `[:find ?p (count ?c) :where [?p :node/title] [?c :block/page ?p]]`},
		{"Rule", `[:find ?uid :in $ % :where [?p :node/title "Page 50"] (below ?p ?b) [?b :block/uid ?uid]]`},
		{"PullInFind", `[:find (pull ?p [:node/title {:block/children [:block/uid :block/string {:block/children ...}]}]) :where [?p :node/title "Page 50"]]`},
	}
}

const below = `[[(below ?a ?b) [?a :block/children ?b]] [(below ?a ?b) [?a :block/children ?c] (below ?c ?b)]]`

func BenchmarkSevenQueries(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		db := grown(b, n)
		for _, q := range sevenQueries(n) {
			b.Run(fmt.Sprintf("%s/%d", q.name, n), func(b *testing.B) {
				for b.Loop() {
					parsed, err := Parse(q.query)
					if err != nil {
						b.Fatal(err)
					}
					var inputs []any
					if parsed.hasRules {
						inputs = []any{below}
					}
					res, err := Run(b.Context(), db, parsed, inputs, Options{})
					if err != nil || len(res.Rows) == 0 {
						b.Fatal(len(res.Rows), err)
					}
					res.JSON(Stripped)
				}
			})
		}
	}
}
