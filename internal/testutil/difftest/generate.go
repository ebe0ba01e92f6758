package difftest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// kind is what a variable of a random query holds.
type kind int

const (
	entity kind = iota
	text
	number
	word // keyword
	flag
	anything
)

// Rules are those that random queries call: straight, recursive over trees and
// over cyclic references, mutually recursive, with constants. None calls itself
// first: DataScript never comes back from that.
const Rules = `[
 [(parent ?p ?c) [?p :block/children ?c]]
 [(ancestor ?b ?a) [?a :block/children ?b]]
 [(ancestor ?b ?a) [?p :block/children ?b] (ancestor ?p ?a)]
 [(below ?a ?b) [?a :block/children ?b]]
 [(below ?a ?b) [?a :block/children ?x] (below ?x ?b)]
 [(reach ?a ?b) [?a :block/refs ?b]]
 [(reach ?a ?b) [?a :block/refs ?x] (reach ?x ?b)]
 [(linked ?a ?b) (or [?a :block/refs ?b] [?b :block/refs ?a])]
 [(even ?a ?b) [?a :block/children ?x] (odd ?x ?b)]
 [(odd ?a ?b) [?a :block/children ?b]]
 [(odd ?a ?b) [?a :block/children ?x] (even ?x ?b)]
 [(titled ?e ?t) [?e :node/title ?t]]
 [(titled ?e ?t) [?e :block/page ?p] [?p :node/title ?t]]
 [(leaf ?e) [?e :block/string] (not [?e :block/children])]
 [(by [?u] ?e) (or [?e :create/user ?u] [?e :edit/user ?u])]
]`

var refAttrs = []graphdb.Attr{graphdb.BlockChildren, graphdb.BlockRefs, graphdb.BlockParents, graphdb.BlockPage, graphdb.CreateUser, graphdb.EditUser}

var valueAttrs = map[graphdb.Attr]kind{
	graphdb.BlockString: text, graphdb.BlockUID: text, graphdb.NodeTitle: text, graphdb.UserDisplayName: text,
	graphdb.BlockOrder: number, graphdb.CreateTime: number, graphdb.EditTime: number, graphdb.BlockHeading: number,
	graphdb.LogID: number, graphdb.PageSidebar: number, ":score": number,
	graphdb.BlockViewType: word, graphdb.ChildrenViewType: word, graphdb.BlockOpen: flag, ":mixed": anything,
}

// Random makes n cases from a seed. Clauses come in an order that DataScript
// accepts too.
func Random(seed uint64, n int, datoms []graphdb.Datom) []Case {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 2)), byAttr: map[graphdb.Attr][]graphdb.Value{}}
	for _, d := range datoms {
		g.byAttr[d.A] = append(g.byAttr[d.A], d.V)
		g.last = max(g.last, int(d.E))
	}
	g.values = slices.Sorted(maps.Keys(valueAttrs))
	out := make([]Case, n)
	for i := range out {
		if i%10 == 9 {
			out[i] = g.pull()
		} else {
			out[i] = g.query()
			if i%4 == 1 {
				out[i].Query = MapForm(out[i].Query)
			}
		}
	}
	return out
}

type generator struct {
	rng    *rand.Rand
	byAttr map[graphdb.Attr][]graphdb.Value
	values []graphdb.Attr
	last   int
	*draft
}

// draft is the query being made.
type draft struct {
	clauses []string
	vars    []variable
	names   int
	rules   bool
	in      []string
	inputs  []any
	// what runs into a deviation:
	twice    bool // a pattern or a call holds the same variable twice
	required bool // a rule with a required variable is called
}

type variable struct {
	name string
	kind kind
}

func pick[T any](g *generator, items []T) T { return items[g.rng.IntN(len(items))] }

func (g *generator) chance(percent int) bool { return g.rng.IntN(100) < percent }

func (g *generator) fresh(k kind) string {
	g.names++
	return fmt.Sprintf("?%c%d", "estkfa"[k], g.names)
}

// some gives a bound variable of a kind, or "".
func (g *generator) some(k kind) string {
	var fit []string
	for _, v := range g.vars {
		if v.kind == k {
			fit = append(fit, v.name)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return pick(g, fit)
}

func (g *generator) bind(name string, k kind) {
	if !slices.ContainsFunc(g.vars, func(v variable) bool { return v.name == name }) {
		g.vars = append(g.vars, variable{name, k})
	}
}

func (g *generator) add(format string, args ...any) {
	clause := fmt.Sprintf(format, args...)
	if call, isCall := strings.CutPrefix(clause, "[("); isCall {
		words := strings.Fields(strings.TrimSuffix(call, ")]"))
		g.twice = g.twice || len(words) == 3 && words[1] == words[2]
	}
	g.clauses = append(g.clauses, clause)
}

func (g *generator) query() Case {
	g.draft = &draft{}
	if g.chance(25) {
		g.input()
	}
	for g.pattern(); len(g.vars) == 0; {
		g.pattern()
	}
	for range g.rng.IntN(4) {
		g.clause()
	}
	find := g.find()
	in := ""
	if g.rules {
		g.in, g.inputs = append(g.in, "%"), append(g.inputs, Rules)
	}
	if len(g.in) > 0 {
		in = " :in $ " + strings.Join(g.in, " ")
	}
	c := Case{Query: "[:find " + find + in + " :where " + strings.Join(g.clauses, " ") + "]", Inputs: g.inputs}
	switch {
	case g.twice:
		c.Deviation = SameVariableTwice
	case g.required:
		c.Deviation = RequiredRuleVars
	}
	return c
}

func (g *generator) input() {
	switch g.rng.IntN(4) {
	case 0:
		e := g.fresh(entity)
		g.in, g.inputs = append(g.in, e), append(g.inputs, int64(1+g.rng.IntN(g.last)))
		g.bind(e, entity)
	case 1:
		s := g.fresh(text)
		g.in, g.inputs = append(g.in, s), append(g.inputs, pick(g, words))
		g.bind(s, text)
	case 2:
		e := g.fresh(entity)
		list := []any{}
		for range 1 + g.rng.IntN(5) {
			list = append(list, int64(1+g.rng.IntN(g.last)))
		}
		g.in, g.inputs = append(g.in, "["+e+" ...]"), append(g.inputs, list)
		g.bind(e, entity)
	case 3:
		e, n := g.fresh(entity), g.fresh(number)
		list := []any{}
		for range 1 + g.rng.IntN(4) {
			list = append(list, []any{int64(1 + g.rng.IntN(g.last)), int64(g.rng.IntN(5))})
		}
		g.in, g.inputs = append(g.in, "[["+e+" "+n+"]]"), append(g.inputs, list)
		g.bind(e, entity)
		g.bind(n, number)
	}
}

// entityTerm is a variable, mostly one that is bound already.
func (g *generator) entityTerm() string {
	if e := g.some(entity); e != "" && g.chance(93) {
		return e
	}
	if g.chance(12) {
		return g.lookup()
	}
	return g.fresh(entity)
}

func (g *generator) lookup() string {
	a := pick(g, []graphdb.Attr{graphdb.BlockUID, graphdb.NodeTitle})
	return "[" + string(a) + " " + literal(pick(g, g.byAttr[a])) + "]"
}

func (g *generator) pattern() {
	if g.chance(5) {
		g.attributeVariable()
		return
	}
	e := g.entityTerm()
	if g.chance(45) {
		a := pick(g, refAttrs)
		v := g.refTerm(a)
		if v == e && strings.HasPrefix(v, "?") {
			g.twice = true
		}
		g.add("[%s %s %s]", e, a, v)
		g.bindTerm(v, entity)
	} else {
		a := pick(g, g.values)
		g.add("[%s %s%s]", e, a, g.valueTerm(a))
	}
	g.bindTerm(e, entity)
}

func (g *generator) bindTerm(t string, k kind) {
	if strings.HasPrefix(t, "?") {
		g.bind(t, k)
	}
}

func (g *generator) refTerm(a graphdb.Attr) string {
	switch n := g.rng.IntN(10); {
	case n < 5:
		return g.fresh(entity)
	case n < 7:
		if e := g.some(entity); e != "" {
			return e
		}
	case n == 7:
		return "_"
	case n == 8:
		return g.lookup()
	}
	return fmt.Sprint(int64(pick(g, g.byAttr[a]).Ref()))
}

// valueTerm is what follows the attribute, blank included, or nothing.
func (g *generator) valueTerm(a graphdb.Attr) string {
	k := valueAttrs[a]
	switch n := g.rng.IntN(10); {
	case n < 5:
		v := g.fresh(k)
		g.bind(v, k)
		return " " + v
	case n < 6:
		if v := g.some(k); v != "" {
			return " " + v
		}
	case n < 8:
		return " " + literal(pick(g, g.byAttr[a]))
	case n < 9:
		return " _"
	}
	return ""
}

func (g *generator) attributeVariable() {
	e := g.entityTerm()
	a := g.fresh(word)
	switch g.rng.IntN(3) {
	case 0:
		g.add("[%s %s]", e, a)
	case 1:
		v := g.fresh(anything)
		g.add("[%s %s %s]", e, a, v)
		g.bind(v, anything)
	case 2:
		g.add("[%s %s %s]", e, a, pick(g, []string{"1", `"Page 3"`, ":numbered", "true", "12"}))
	}
	g.bindTerm(e, entity)
	g.bind(a, word)
}

// literal writes a value as EDN.
func literal(v graphdb.Value) string {
	switch v.Kind() {
	case graphdb.KindString:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v.Text()) + `"`
	case graphdb.KindRef:
		return fmt.Sprint(int64(v.Ref()))
	}
	return fmt.Sprint(v.Any())
}
