package difftest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/logseqview"
)

// OfLogseq makes the cases of a view in Logseq's schema: calls of each rule of Logseq, and
// queries that grow around its entities.
func OfLogseq(datoms []graphdb.Datom, schema *graphdb.Schema) ([]Case, error) {
	cases, err := callsOfRules(datoms)
	return append(cases, Grown(Seed, 300, schema, datoms)...), err
}

// callsOfRules makes queries that call each rule of Logseq with values that the datoms of
// a view have, and with some that they have not.
func callsOfRules(datoms []graphdb.Datom) ([]Case, error) {
	names, markers, priorities := []string{"no such page"}, []string{"NONE"}, []string{"Z"}
	var days []int64
	words, properties := []string{"no such word"}, []string{`:none "x"`}
	for _, d := range datoms {
		switch d.A {
		case logseqview.Name:
			names = append(names, d.V.Text())
		case logseqview.Marker:
			markers = append(markers, d.V.Text())
		case logseqview.Priority:
			priorities = append(priorities, d.V.Text())
		case logseqview.JournalDay:
			days = append(days, d.V.Int())
		case logseqview.Content:
			if all := strings.Fields(d.V.Text()); len(all) > 0 {
				words = append(words, all[len(d.V.Text())%len(all)])
			}
		case logseqview.Properties:
			properties = append(properties, pairs(d.V.Text())...)
		}
	}
	var queries []string
	add := func(format string, args ...any) { queries = append(queries, fmt.Sprintf(format, args...)) }
	for i, name := range some(names, 60) {
		add(`[:find ?b :where (page ?b %q)]`, name)
		add(`[:find (pull ?b [:block/content :block/marker {:block/page [:block/name]}]) :where (page-ref ?b %q)]`, name)
		add(`[:find ?p :where (namespace ?p %q)]`, name)
		add(`[:find [?p ...] :where (page-tags ?p %s)]`, setOf(name, names[(7*i)%len(names)]))
		add(`[:find ?b ?m :where [?p :block/name %q] [?b :block/path-refs ?p] [?b :block/marker ?m] (task ?b #{%q})]`, name, markers[i%len(markers)])
	}
	for i, pair := range some(properties, 60) {
		key, _, _ := strings.Cut(pair, " ")
		add(`[:find ?b :where (property ?b %s)]`, pair)
		add(`[:find ?p :where (page-property ?p %s)]`, pair)
		add(`[:find ?b :where (has-property ?b %s)]`, key)
		add(`[:find ?p (count ?t) :where (has-page-property ?p %s) [?p :block/title ?t]]`, key)
		add(`[:find ?v :where [?b :block/properties ?all] [(get ?all %s) ?v] (block-content ?b %q)]`, key, words[i%len(words)])
	}
	for i, word := range some(words, 60) {
		add(`[:find ?b ?o :where (block-content ?b %q) [?b :block/order ?o]]`, word)
		add(`[:find ?b :where (task ?b %s) (not (block-content ?b %q))]`, setOf(markers[i%len(markers)], "TODO"), word)
	}
	for i, day := range days {
		add(`[:find ?b :where (between ?b %d %d)]`, day, days[(3*i)%len(days)]+int64(i%3))
		add(`[:find ?b ?m :where (between ?b %d %d) [?b :block/marker ?m]]`, day, day+31)
	}
	for _, priority := range priorities {
		add(`[:find ?b :where (priority ?b %s)]`, setOf(priority, "B"))
	}
	add(`[:find [?n ...] :where (all-page-tags ?p) [?p :block/original-name ?n]]`)
	add(`[:find ?l ?b :where [?b :block/left ?l] [?b :block/parent ?p] [(not= ?l ?p)]]`)
	add(`[:find ?b ?d :where (or [?b :block/scheduled ?d] [?b :block/deadline ?d])]`)
	slices.Sort(queries)
	var cases []Case
	for _, text := range slices.Compact(queries) {
		query, err := logseqview.Parse(text, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		c := Case{}
		var inputs []any
		if c.Query, inputs, err = query.Datalog(time.Unix(0, 0)); err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		for _, rules := range inputs {
			c.Inputs = append(c.Inputs, edn.Print(rules))
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// some returns about so many of the texts, each once.
func some(texts []string, most int) []string {
	texts = slices.Clone(texts)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	var out []string
	for i := 0; i < len(texts); i += 1 + len(texts)/most {
		out = append(out, texts[i])
	}
	return out
}

// pairs returns the properties of a map in EDN, each as the arguments of a rule: its key
// and a value.
func pairs(text string) (out []string) {
	form, _ := edn.Parse(text, edn.Limits{})
	m, _ := form.(*edn.Map)
	if m == nil {
		return nil
	}
	for i, key := range m.Keys {
		values := []any{m.Values[i]}
		if set, ok := m.Values[i].(edn.Set); ok {
			values = set
		}
		for _, value := range values {
			out = append(out, edn.Print(key)+" "+edn.Print(value))
		}
	}
	return out
}

// setOf returns a set of two texts, or of one where they are equal.
func setOf(a, b string) string {
	if a == b {
		return fmt.Sprintf("#{%q}", a)
	}
	return fmt.Sprintf("#{%q %q}", a, b)
}
