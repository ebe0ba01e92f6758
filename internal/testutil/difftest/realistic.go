package difftest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// The seed and size of the sets; changing one needs new goldens.
const (
	Seed           = 20
	RandomCases    = 6500
	RealisticCases = 640
)

const helpRules = `[
 [(ancestor ?b ?a) [?a :block/children ?b]]
 [(ancestor ?b ?a) [?p :block/children ?b] (ancestor ?p ?a)]
 [(descendant ?a ?b) [?a :block/children ?b]]
 [(descendant ?a ?b) [?a :block/children ?c] (descendant ?c ?b)]
 [(refers ?b ?t) [?p :node/title ?t] [?b :block/refs ?p]]
 [(refers ?b ?t) [?p :node/title ?t] [?b :block/refs ?x] [?x :block/page ?p]]
]`

// templates are queries as people and their extensions write them:
// TITLE, UID, WORD, TIME and ID stand for something of
// the graph, RULES marks those that take helpRules.
var templates = []string{
	`[:find ?uid . :where [?e :node/title TITLE] [?e :block/uid ?uid]]`,
	`[:find ?title . :where [?e :block/uid UID] [?e :node/title ?title]]`,
	`[:find ?s . :where [?e :block/uid UID] [?e :block/string ?s]]`,
	`[:find ?uid ?s :where [?p :node/title TITLE] [?b :block/refs ?p] [?b :block/uid ?uid] [?b :block/string ?s]]`,
	`[:find (count ?b) . :where [?p :node/title TITLE] [?b :block/refs ?p]]`,
	`[:find ?pt (count ?b) :where [?p :node/title TITLE] [?b :block/refs ?p] [?b :block/page ?pp] [?pp :node/title ?pt]]`,
	`[:find (pull ?b [:block/uid :block/string {:block/page [:node/title]}]) :where [?p :node/title TITLE] [?b :block/refs ?p]]`,
	`[:find (pull ?p [:node/title :block/uid {:block/children [:block/uid :block/string :block/order {:block/children ...}]}]) . :where [?p :node/title TITLE]]`,
	`[:find (pull ?e [:block/string [:block/uid :as "id"] {:block/parents [:block/uid]} {:block/_children [:db/id]}]) :where [?e :block/uid UID]]`,
	`[:find ?uid :where [?b :block/string ?s] [(clojure.string/includes? ?s WORD)] [?b :block/uid ?uid]]`,
	`[:find ?t :where [_ :node/title ?t] [(clojure.string/starts-with? ?t WORD)]]`,
	`[:find ?t :where [_ :node/title ?t] [(re-pattern "(?i)WORDTEXT") ?re] [(re-find ?re ?t)]]`,
	`[:find ?uid ?t :where [?e :node/title ?t] [?e :create/time ?c] [(> ?c TIME)] [?e :block/uid ?uid]]`,
	`[:find ?uid ?time :where [?b :block/page ?p] [?p :node/title TITLE] [?b :block/uid ?uid] [(get-else $ ?b :edit/time 0) ?time]]`,
	`[:find (count ?b) (min ?o) (max ?o) (sum ?o) (avg ?o) :where [?p :node/title TITLE] [?b :block/page ?p] [?b :block/order ?o]]`,
	`[:find ?uid :where [?p :node/title TITLE] [?b :block/page ?p] (not [?b :block/children]) [?b :block/uid ?uid]]`,
	`[:find ?uid :where [?p :node/title TITLE] [?b :block/parents ?p] [?b :block/heading ?h] [?b :block/uid ?uid]]`,
	`[:find ?uid :where [?p :node/title TITLE] [?b :block/page ?p] (or [?b :block/heading 1] [?b :block/heading 2] [?b :block/heading 3]) [?b :block/uid ?uid]]`,
	`[:find ?uid :where [?p :node/title TITLE] (or-join [?p ?b] [?b :block/refs ?p] (and [?b :block/parents ?x] [?x :block/refs ?p])) [?b :block/uid ?uid]]`,
	`[:find ?uid :where [?p :node/title TITLE] [?p :block/children ?c] [?c :block/uid ?uid] (not-join [?c] [?c :block/refs ?r] [?r :node/title])]`,
	`[:find [?uid ...] :in $ % :where [?p :node/title TITLE] (descendant ?p ?b) [?b :block/uid ?uid]]RULES`,
	`[:find [?uid ...] :in $ % :where [?b :block/uid UID] (ancestor ?b ?a) [?a :block/uid ?uid]]RULES`,
	`[:find ?uid :in $ % :where (refers ?b TITLE) [?b :block/uid ?uid]]RULES`,
	`[:find ?a ?ns :where [?e :block/uid UID] [?e ?a] [(namespace ?a) ?ns]]`,
	`[:find ?a ?v :where [[:block/uid UID] ?a ?v] [(name ?a) ?n] [(not= ?n "props")]]`,
	`[:find ?uid (count ?r) :where [?p :node/title TITLE] [?b :block/page ?p] [?b :block/refs ?r] [?b :block/uid ?uid]]`,
	`[:find ?t (count ?c) :where [?p :node/title ?t] [?p :create/time ?time] [(> ?time TIME)] [?p :block/children ?c]]`,
	`[:find ?title :where [?p :node/title TITLE] [?b :block/page ?p] [?b :block/refs ?r] [?r :node/title ?title] [(not= ?title WORD)]]`,
	`[:find ?uid :in $ ?t :where [?p :node/title ?t] [?b :block/refs ?p] [?b :block/uid ?uid]]<TITLE>`,
	`[:find ?t ?uid :in $ [?t ...] :where [?p :node/title ?t] [?p :block/uid ?uid]]<[TITLE TITLE TITLE]>`,
	`[:find ?u ?s :in $ ?w :where [?b :block/string ?s] [(clojure.string/includes? ?s ?w)] [?b :block/uid ?u]]<WORD>`,
	`[:find ?s ?n :keys text length :where [?p :node/title TITLE] [?b :block/page ?p] [?b :block/string ?s] [(count ?s) ?n] [(> ?n 60)]]`,
	`[:find ?day :where [?p :log/id ?l] [?p :node/title ?day] [(>= ?l TIME)]]`,
	`[:find (pull ?u [:user/uid :create/_user {:edit/_user [:block/uid]}]) :where [?u :user/uid]]`,
	`[:find ?name (count ?b) :where [?b :create/user ?u] [?u :user/uid ?name] [?b :block/page ?p] [?p :node/title TITLE]]`,
	`[:find ?uid :where [?p :node/title TITLE] [?b :block/page ?p] [(missing? $ ?b :block/refs)] [?b :block/uid ?uid]]`,
	`PULL[*]ID`,
	`PULL[:block/uid :node/title :block/string {:block/_refs [:block/uid {:block/page [:node/title]}]}]ID`,
	`PULL[:block/string {:block/children ...} {:block/refs [:node/title :block/string]}]ID`,
	`PULL[:node/title {(limit :block/_refs 5) [:block/uid]} [:block/heading :default 0] {:block/parents [:db/id :node/title]}]ID`,
}

// Realistic makes queries over a real graph from a seed.
func Realistic(seed uint64, datoms []graphdb.Datom) []Case {
	p := &picker{rng: rand.New(rand.NewPCG(seed, 3))}
	for _, d := range datoms {
		switch d.A {
		case graphdb.NodeTitle:
			p.titles = append(p.titles, d.V.Text())
		case graphdb.BlockUID:
			p.uids = append(p.uids, d.V.Text())
			p.ids = append(p.ids, d.E)
		case graphdb.CreateTime:
			p.times = append(p.times, d.V.Int())
		case graphdb.BlockString:
			p.words = append(p.words, asciiWords(d.V.Text())...)
		}
	}
	out := make([]Case, RealisticCases)
	for i := range out {
		out[i] = p.fill(templates[i%len(templates)])
	}
	return out
}

type picker struct {
	rng                 *rand.Rand
	titles, uids, words []string
	times               []int64
	ids                 []graphdb.EID
}

func asciiWords(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') })
}

func one[T any](p *picker, items []T) T { return items[p.rng.IntN(len(items))] }

func (p *picker) fill(template string) Case {
	if pattern, isPull := strings.CutPrefix(template, "PULL"); isPull {
		return Case{Pattern: strings.TrimSuffix(pattern, "ID"), Entity: one(p, p.ids)}
	}
	query, inputs, _ := strings.Cut(template, "<")
	c := Case{Query: query}
	switch {
	case strings.HasSuffix(query, "RULES"):
		c.Query, c.Inputs = strings.TrimSuffix(query, "RULES"), []any{helpRules}
	case inputs == "TITLE>":
		c.Inputs = []any{one(p, p.titles)}
	case inputs == "WORD>":
		c.Inputs = []any{one(p, p.words)}
	case inputs != "":
		c.Inputs = []any{[]any{one(p, p.titles), one(p, p.titles), one(p, p.titles)}}
	}
	quote := func(s string) string { return literal(graphdb.StringValue(s)) }
	c.Query = strings.NewReplacer(
		"WORDTEXT", one(p, p.words),
		"TITLE", quote(one(p, p.titles)),
		"UID", quote(one(p, p.uids)),
		"WORD", quote(one(p, p.words)),
		"TIME", fmt.Sprint(one(p, p.times)),
	).Replace(c.Query)
	return c
}
