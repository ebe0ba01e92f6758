package sandbox

import (
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
)

func TestAQueryWithoutRoamsWordsStaysAsItIs(t *testing.T) {
	q := datalogQuery{db: graphdb.NewConn(graphdb.RoamSchema()).DB(), now: clock(), parsed: datalog.NewCache(8)}
	rules := `[[(up ?a ?b) [?b :block/children ?a]]]`
	query, inputs, err := q.prepare(`[:find ?a :in $ % ?x :where (up ?a ?x)]`, []any{rules, "x"})
	if err != nil || len(inputs) != 2 || inputs[1] != "x" || query == nil {
		t.Errorf("%v, %v", inputs, err)
	}
}

func FuzzPrepareQuery(f *testing.F) {
	for _, seed := range []string{
		`[:find ?b :where (in-dnp-between dnp/today "March 1st, 2026" ?b)]`, `[:find ?b :in $ % ?x :where (refs-page ?x ?b)]`,
		`{:find [?b] :in [$ %] :where [(by "Ana" ?b)]}`, `[:find ?b :in :where (by ?a ?b) [?b :create/time ms/+1W-end]]`,
		`(refs-page)`, `[(by)]`, `{:in 3 (by 1 2) 4}`, `#{(by ?x) ms/today-start}`, `[:in :in % (by ?x)]`,
	} {
		f.Add(seed, `[[(refs-page ?t ?b) [?b :node/title ?t]]]`)
		f.Add(seed, seed)
	}
	q := datalogQuery{db: graphdb.NewConn(graphdb.RoamSchema()).DB(), now: clock(), parsed: datalog.NewCache(8)}
	f.Fuzz(func(t *testing.T, text, input string) {
		for _, inputs := range [][]any{nil, {input}, {input, "x"}} {
			query, prepared, err := q.prepare(text, inputs)
			if err == nil && (query == nil || len(prepared) < len(inputs) || len(prepared) > len(inputs)+1) {
				t.Errorf("%q: %v", text, prepared)
			}
		}
	})
}
