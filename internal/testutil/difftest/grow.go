package difftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// GrownCases is how many grown cases the normal test has goldens for. A run of
// tools/datascript/goldens with -grow makes as many as it is told.
const GrownCases = 600

// growRules are those that grown queries call, some of them recursive.
const growRules = `[
 [(under ?a ?b) [?a :block/children ?b]]
 [(under ?a ?b) [?a :block/children ?c] (under ?c ?b)]
 [(above ?b ?a) [?a :block/children ?b]]
 [(above ?b ?a) [?p :block/children ?b] (above ?p ?a)]
 [(mentions ?b ?t) [?p :node/title ?t] [?b :block/refs ?p]]
 [(on-page ?b ?t) [?b :block/page ?p] [?p :node/title ?t]]
 [(named ?e ?n) [?e :node/title ?n]]
 [(named ?e ?n) [?e :block/string ?n] (not [?e :block/heading])]
 [(text-length ?e ?n) (named ?e ?s) [(count ?s) ?n]]
 [(related ?a ?b) (or-join [?a ?b] [?a :block/refs ?b] (and [?a :block/page ?p] [?p :block/refs ?b]))]
 [(uneven ?a ?b) (or [?a :block/refs ?b] (and [?a :block/page ?p] [?p :block/refs ?b]))]
]`

// mostRows bounds the rows that the clauses of a grown query may give, by an estimate:
// DataScript makes them all.
const mostRows = 15_000

// Grown makes n cases from a seed. Each begins with an entity of the graph, and its
// clauses are true of that entity and of those that it leads to, so that nearly every
// query finds something. Clauses come in an order that DataScript accepts too.
func Grown(seed uint64, n int, schema *graphdb.Schema, datoms []graphdb.Datom) []Case {
	g := &plant{schema: schema, rng: rand.New(rand.NewPCG(seed, 4)), of: map[graphdb.EID][]graphdb.Datom{}, to: map[graphdb.EID][]graphdb.Datom{}, same: map[sameValue]int{}, attrs: map[graphdb.Attr]int{}}
	for _, d := range datoms {
		if d.V.Kind() == graphdb.KindOpaque {
			continue // the package's face for JavaScript has no such values
		}
		if len(g.of[d.E]) == 0 {
			g.entities = append(g.entities, d.E)
		}
		g.of[d.E] = append(g.of[d.E], d)
		g.attrs[d.A]++
		g.same[sameValue{d.A, d.V}]++
		if d.V.Kind() == graphdb.KindRef {
			g.to[d.V.Ref()] = append(g.to[d.V.Ref()], d)
		}
	}
	out := make([]Case, n)
	for i := range out {
		if i%8 == 7 {
			e := g.entity()
			out[i] = Case{Pattern: g.pullOf(e, 0, true), Entity: e}
			continue
		}
		out[i] = g.query()
		if i%4 == 2 {
			out[i].Query = MapForm(out[i].Query)
		}
	}
	return out
}

type sameValue struct {
	a graphdb.Attr
	v graphdb.Value
}

// plant grows queries.
type plant struct {
	rng      *rand.Rand
	schema   *graphdb.Schema
	entities []graphdb.EID
	of, to   map[graphdb.EID][]graphdb.Datom // by entity, and by the entity that they refer to
	same     map[sameValue]int               // number of datoms
	attrs    map[graphdb.Attr]int
	sprout
}

// sprout is the query that grows.
type sprout struct {
	clauses []string
	known   []known
	names   int
	rows    float64 // estimated
	rules   bool
	in      []string
	inputs  []any
	// deviation is the name of the one that the query runs into, or "".
	deviation string
}

// known is a variable with the value that it has for the entity the query grew from. A
// result of a function has a kind alone.
type known struct {
	name  string
	kind  kind
	value graphdb.Value // invalid: not known
	many  bool          // it has other values for the first entity
	mixed bool          // which may be of another kind
}

func (g *plant) n(n int) int               { return g.rng.IntN(n) }
func (g *plant) chance(percent int) bool   { return g.n(100) < percent }
func (g *plant) entity() graphdb.EID       { return grown(g, g.entities) }
func (g *plant) add(text string, a ...any) { g.clauses = append(g.clauses, fmt.Sprintf(text, a...)) }
func grown[T any](g *plant, items []T) T   { return items[g.n(len(items))] }

func (g *plant) name(k kind) string {
	g.names++
	return fmt.Sprintf("?%c%d", "estkfa"[k], g.names)
}

func (g *plant) learn(name string, v graphdb.Value, many bool) {
	k := anything
	switch v.Kind() {
	case graphdb.KindRef:
		k = entity
	case graphdb.KindString:
		k = text
	case graphdb.KindInt, graphdb.KindFloat:
		k = number
	case graphdb.KindKeyword:
		k = word
	case graphdb.KindBool:
		k = flag
	}
	g.known = append(g.known, known{name: name, kind: k, value: v, many: many})
}

// some returns a known variable of a kind, with a value if it must have one.
func (g *plant) some(k kind, withValue bool) (known, bool) {
	var fit []known
	for _, v := range g.known {
		if v.kind == k && (!withValue || v.value != graphdb.Value{}) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return known{}, false
	}
	return grown(g, fit), true
}

func (g *plant) query() Case {
	g.sprout = sprout{rows: 1}
	g.seed()
	for range 1 + g.n(5) {
		g.grow()
	}
	find := g.find()
	if g.rules {
		g.in, g.inputs = append(g.in, "%"), append(g.inputs, growRules)
	}
	in := ""
	if len(g.in) > 0 {
		in = " :in $ " + strings.Join(g.in, " ")
	}
	return Case{Query: "[:find " + find + in + " :where " + strings.Join(g.clauses, " ") + "]", Inputs: g.inputs, Deviation: g.deviation}
}

// seed chooses the entity and how the query comes to it.
func (g *plant) seed() {
	e := g.entity()
	name := g.name(entity)
	d := grown(g, g.of[e])
	for i := 0; g.same[sameValue{d.A, d.V}] > 500 && i < 20; i++ {
		d = grown(g, g.of[e])
	}
	switch g.n(6) {
	case 0: // all that have the attribute
		if g.attrs[d.A] <= 4000 {
			v := g.name(anything)
			g.add("[%s %s %s]", name, d.A, v)
			g.rows = float64(g.attrs[d.A])
			g.learn(v, d.V, true)
			break
		}
		fallthrough
	case 1, 2, 3:
		g.rows = float64(g.same[sameValue{d.A, d.V}])
		g.add("[%s %s %s]", name, d.A, g.constant(d.V))
	case 4:
		g.in, g.inputs = append(g.in, name), append(g.inputs, int64(e))
	case 5:
		g.input(name, e)
	}
	g.learn(name, graphdb.RefValue(e), g.rows > 1)
}

// input makes an input of several entities, or of one in a tuple.
func (g *plant) input(name string, e graphdb.EID) {
	other := g.name(number)
	pairs := []any{[]any{int64(e), int64(g.n(9))}, []any{int64(g.entity()), int64(g.n(9))}, []any{int64(g.entity()), int64(3)}}
	switch g.n(4) {
	case 0:
		g.in, g.inputs = append(g.in, "["+name+" ...]"), append(g.inputs, []any{int64(e), int64(g.entity()), int64(g.entity())})
	case 1:
		g.in, g.inputs = append(g.in, "["+name+" "+other+"]"), append(g.inputs, pairs[0])
		g.known = append(g.known, known{name: other, kind: number})
	case 2:
		g.in, g.inputs = append(g.in, "[["+name+" "+other+"]]"), append(g.inputs, pairs)
		g.known = append(g.known, known{name: other, kind: number, many: true})
	case 3:
		g.in, g.inputs = append(g.in, "[["+name+" _]]"), append(g.inputs, pairs)
	}
	g.rows = 3
}

// constant writes a value, a reference at times as a lookup ref, or makes an input of it.
func (g *plant) constant(v graphdb.Value) string {
	if v.Kind() == graphdb.KindRef && g.chance(40) {
		for _, d := range g.of[v.Ref()] {
			if d.A == graphdb.BlockUID || d.A == graphdb.NodeTitle {
				return "[" + string(d.A) + " " + literal(d.V) + "]"
			}
		}
	}
	if g.chance(15) && v.Kind() != graphdb.KindKeyword && v.Kind() != graphdb.KindRef {
		name := g.name(anything)
		g.in, g.inputs = append(g.in, name), append(g.inputs, v.Any())
		return name
	}
	return literal(v)
}

// grow adds a clause that is true.
func (g *plant) grow() {
	switch n := g.n(100); {
	case n < 40:
		g.attribute()
	case n < 58:
		g.predicate()
	case n < 68:
		g.function()
	case n < 77:
		g.not()
	case n < 86:
		g.or()
	case n < 95:
		g.rule()
	default:
		g.anyAttribute()
	}
}

// attribute follows an attribute of an entity, forward or back.
func (g *plant) attribute() {
	from, ok := g.some(entity, true)
	if !ok {
		return
	}
	e := from.value.Ref()
	if back := g.to[e]; len(back) > 0 && g.chance(35) {
		d := grown(g, back)
		rows := g.rows * float64(g.same[sameValue{d.A, d.V}])
		if rows > mostRows {
			return
		}
		g.rows = rows
		name := g.name(entity)
		g.add("[%s %s %s]", name, d.A, from.name)
		g.learn(name, graphdb.RefValue(d.E), true)
		return
	}
	if len(g.of[e]) == 0 {
		return
	}
	d := grown(g, g.of[e])
	switch g.n(10) {
	case 0:
		g.add("[%s %s %s]", from.name, d.A, g.constant(d.V))
	case 1:
		g.add("[%s %s%s]", from.name, d.A, []string{"", " _"}[g.n(2)])
	case 2:
		for _, v := range g.known {
			if v.value == d.V && v.name != from.name {
				g.add("[%s %s %s]", from.name, d.A, v.name)
				return
			}
		}
		fallthrough
	default:
		many := g.schema.Def(d.A).Many
		if many {
			if g.rows *= 4; g.rows > mostRows {
				g.rows /= 4
				return
			}
		}
		name := g.name(anything)
		g.add("[%s %s %s]", from.name, d.A, name)
		g.learn(name, d.V, from.many || many)
	}
}

func (g *plant) anyAttribute() {
	from, ok := g.some(entity, true)
	if !ok || g.rows > 300 || len(g.of[from.value.Ref()]) == 0 {
		return
	}
	g.rows *= 10
	d := grown(g, g.of[from.value.Ref()])
	name := g.name(word)
	switch g.n(3) {
	case 0:
		g.add("[%s %s]", from.name, name)
	case 1:
		g.add("[%s %s %s]", from.name, name, literal(d.V))
	case 2:
		v := g.name(anything)
		g.add("[%s %s %s]", from.name, name, v)
		g.known = append(g.known, known{name: v, kind: anything, many: true})
	}
	g.known = append(g.known, known{name: name, kind: word, many: true})
}

// attributes returns some attributes that an entity has, each once.
func (g *plant) attributes(e graphdb.EID, most int) []graphdb.Datom {
	var out []graphdb.Datom
	for _, i := range g.rng.Perm(len(g.of[e])) {
		d := g.of[e][i]
		if len(out) < most && !slices.ContainsFunc(out, func(o graphdb.Datom) bool { return o.A == d.A }) {
			out = append(out, d)
		}
	}
	return out
}
