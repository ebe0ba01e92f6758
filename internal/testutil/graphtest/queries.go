package graphtest

import (
	"fmt"

	"roam-mcp/graphdb"
)

// Query is a query to measure with on a graph of Datoms.
type Query struct {
	Name  string // one word
	Text  string // Datalog
	Rules string // the one input, for %; "" for none
}

const below = `[[(below ?a ?b) [?a :block/children ?b]] [(below ?a ?b) [?a :block/children ?c] (below ?c ?b)]]`

// Queries are the seven that docs/benchmarks.md has figures for: look-ups (title,
// references, rule, pull) and scans (since, includes, children).
func Queries(o Options) []Query {
	since := createdAt(pageEntity(o.Pages() * 9 / 10))
	popular := Title(3)
	return []Query{
		{Name: "title", Text: fmt.Sprintf(`[:find ?uid . :where [?p :node/title %q] [?p :block/uid ?uid]]`, Title(77))},
		{Name: "references", Text: fmt.Sprintf(`[:find ?uid ?s :where [?p :node/title %q] [?b :block/refs ?p] [?b :block/uid ?uid] [?b :block/string ?s]]`, popular)},
		{Name: "since", Text: fmt.Sprintf(`[:find ?t ?at :where [?p :node/title ?t] [?p :create/time ?at] [(> ?at %d)]]`, since)},
		{Name: "includes", Text: fmt.Sprintf(`[:find ?uid :where [?b :block/string ?s] [(clojure.string/includes? ?s %q)] [?b :block/uid ?uid]]`, " "+Word(900)+" ")},
		{Name: "children", Text: `[:find ?t (count ?b) :where [?p :node/title ?t] [?b :block/page ?p]]`},
		{Name: "rule", Text: fmt.Sprintf(`[:find ?uid :in $ %% :where [?p :node/title %q] (below ?p ?b) [?b :block/uid ?uid]]`, Title(BigPage)), Rules: below},
		{Name: "pull", Text: fmt.Sprintf(`[:find (pull ?p [:node/title :block/uid {:block/children [:block/uid :block/string]}]) :where [?b :block/refs ?r] [?r :node/title %q] [?b :block/page ?p]]`, popular)},
	}
}

func createdAt(e graphdb.EID) int64 {
	const start = 1_600_000_000_000 // September 2020
	return start + int64(e)*60_000
}
