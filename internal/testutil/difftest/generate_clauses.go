package difftest

import (
	"fmt"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// clause adds any kind of clause.
func (g *generator) clause() {
	switch n := g.rng.IntN(100); {
	case n < 45:
		g.pattern()
	case n < 58:
		g.predicate()
	case n < 68:
		g.function()
	case n < 78:
		g.not()
	case n < 88:
		g.or()
	default:
		g.rule()
	}
}

func (g *generator) predicate() {
	if s := g.some(text); s != "" && g.chance(50) {
		w := literal(graphdb.StringValue(pick(g, words)))
		switch g.rng.IntN(8) {
		case 0:
			g.add("[(clojure.string/includes? %s %s)]", s, w)
		case 1:
			g.add("[(clojure.string/starts-with? %s %s)]", s, w)
		case 2:
			g.add("[(clojure.string/ends-with? %s %s)]", s, w)
		case 3:
			g.add("[(%s %s %s)]", pick(g, []string{"=", "not=", "!=", "<", ">", "<=", ">="}), s, w)
		case 4:
			re := g.fresh(anything)
			g.add(`[(re-pattern %q) %s] [(re-find %s %s)]`, pick(g, []string{"(?i)alpha", "^b", "a$", "[0-9]+", "e.a"}), re, re, s)
		case 5:
			g.add("[(clojure.string/blank? %s)]", s)
		case 6:
			g.add("[(< %s %d)]", s, g.rng.IntN(20))
		case 7:
			other := g.some(text)
			g.add("[(%s %s %s)]", pick(g, []string{"=", "not=", "<"}), s, other)
		}
		return
	}
	if n := g.some(number); n != "" {
		switch g.rng.IntN(4) {
		case 0:
			g.add("[(%s %s %d)]", pick(g, []string{"=", "==", "not=", "<", ">", "<=", ">="}), n, g.rng.IntN(5))
		case 1:
			g.add("[(%s %s %d)]", pick(g, []string{"<", ">="}), n, 1_600_000_000_000+int64(g.rng.IntN(80))*86_400_000)
		case 2:
			g.add("[(%s %s)]", pick(g, []string{"zero?", "pos?", "neg?", "some?", "nil?"}), n)
		case 3:
			g.add("[(%s %s %s)]", pick(g, []string{"<", "=", "!="}), n, g.some(number))
		}
		return
	}
	if a := g.some(anything); a != "" {
		g.add("[(%s %s %s)]", pick(g, []string{"=", "<", ">", "not="}), a, pick(g, []string{"12", `"12"`, "true", ":twelve", "3.5"}))
		return
	}
	if e := g.some(entity); e != "" {
		if g.chance(50) {
			g.add("[(missing? $ %s %s)]", e, pick(g, append(g.values, refAttrs...)))
		} else {
			g.add("[(%s %s %s)]", pick(g, []string{"!=", "<", ">"}), e, g.some(entity))
		}
	}
}

func (g *generator) function() {
	out := g.fresh(anything)
	defer func() { g.bind(out, anything) }()
	s, n, e, k := g.some(text), g.some(number), g.some(entity), g.some(word)
	switch i := g.rng.IntN(10); {
	case s != "" && i < 3:
		g.add(pick(g, []string{"[(count %[1]s) %[2]s]", "[(subs %[1]s 0 3) %[2]s]", "[(str %[1]s \"-\" %[1]s) %[2]s]", "[(subs %[1]s 1) %[2]s]",
			"[(vector %[1]s 1) %[2]s]", "[(pr-str %[1]s :k 1.5) %[2]s]", "[(not-empty %[1]s) %[2]s]", "[(get %[1]s 1) %[2]s]", "[(+ %[1]s 1) %[2]s]", "[(identity %[1]s) %[2]s]",
			"[(re-pattern \"(\\\\w)(\\\\d)?\") ?re] [(re-find ?re %[1]s) %[2]s]", "[(re-pattern \"a\") ?re] [(re-seq ?re %[1]s) %[2]s]"}), s, out)
	case n != "" && i < 6:
		g.add(pick(g, []string{"[(+ %[1]s 1) %[2]s]", "[(- %[1]s 7) %[2]s]", "[(* %[1]s 2.5) %[2]s]", "[(/ %[1]s 3) %[2]s]", "[(quot %[1]s 3) %[2]s]", "[(mod %[1]s 3) %[2]s]",
			"[(rem %[1]s -2) %[2]s]", "[(inc %[1]s) %[2]s]", "[(dec %[1]s) %[2]s]", "[(max %[1]s 3) %[2]s]", "[(min %[1]s 2 9) %[2]s]", "[(str %[1]s) %[2]s]", "[(compare %[1]s 2) %[2]s]", "[(- %[1]s) %[2]s]",
			"[(- %[1]s 2) %[2]s]", "[(tuple %[1]s 1) %[2]s]", "[(list %[1]s 1) %[2]s]"}), n, out)
	case k != "" && i < 8:
		g.add(pick(g, []string{"[(name %[1]s) %[2]s]", "[(namespace %[1]s) %[2]s]", "[(str %[1]s) %[2]s]", "[(keyword \"x\") %[2]s] [(not= %[1]s %[2]s)]"}), k, out)
	case e != "" && i < 9:
		g.add(pick(g, []string{"[(get-else $ %[1]s :edit/time 0) %[2]s]", "[(get-else $ %[1]s :block/heading \"none\") %[2]s]", "[(get-else $ %[1]s :node/title \"-\") %[2]s]",
			"[(get-some $ %[1]s :node/title :block/string) %[2]s]", "[(get-some $ %[1]s :node/title :block/string) [?attr %[2]s]]", "[(get-else $ %[1]s :block/page 0) %[2]s]"}), e, out)
	default:
		g.add(pick(g, []string{"[(ground [1 2 3]) [%s ...]]", "[(ground \"x\") %s]", "[(range 3) [%s ...]]", "[(ground [[1 \"a\"] [2 \"b\"]]) [[_ %s]]]", "[(ground [7 [8 9]]) [_ [%s _]]]", "[(hash-map :a 1) %s]"}), out)
	}
}

// body makes a pattern, at times with a predicate, that hangs on e and binds
// nothing that the query uses otherwise.
func (g *generator) body(e string) string {
	outer := *g.draft
	g.clauses = nil
	if g.chance(50) {
		g.add("[%s %s%s]", e, pick(g, g.values), pick(g, []string{"", " _"}))
	} else if a := pick(g, refAttrs); g.chance(50) {
		g.add("[%s %s %s]", e, a, g.fresh(entity))
	} else {
		g.add("[%s %s %s]", g.fresh(entity), a, e)
	}
	if g.chance(30) {
		s := g.fresh(text)
		g.add("[%s %s %s] [(clojure.string/includes? %s %q)]", e, pick(g, []graphdb.Attr{graphdb.BlockString, graphdb.NodeTitle}), s, s, pick(g, []string{"a", "Page", "e", "0"}))
	}
	out := strings.Join(g.clauses, " ")
	names := g.names
	*g.draft = outer
	g.names = names
	return out
}

func (g *generator) not() {
	e := g.some(entity)
	switch {
	case e == "":
	case g.chance(60):
		g.add("(not %s)", g.body(e))
	case g.chance(50):
		g.add("(not-join [%s] %s)", e, g.body(e))
	default:
		if v := g.some(number); v != "" {
			g.add("(not [%s %s %s])", e, graphdb.BlockOrder, v)
		}
	}
}

func (g *generator) or() {
	e := g.some(entity)
	if e == "" {
		return
	}
	switch g.rng.IntN(4) {
	case 0:
		g.add("(or [%s %s] [%s %s])", e, pick(g, g.values), e, pick(g, g.values))
	case 1:
		x := g.fresh(entity)
		g.add("(or [%s %s %s] [%s %s %s])", e, pick(g, refAttrs), x, x, pick(g, refAttrs), e)
		g.bind(x, entity)
	case 2:
		g.add("(or-join [%s] (and %s) (and %s))", e, g.body(e), g.body(e))
	case 3:
		x := g.fresh(text)
		g.add("(or-join [%s %s] [%s :node/title %s] (and [%s :block/page ?pg] [?pg :node/title %s]))", e, x, e, x, e, x)
		g.bind(x, text)
	}
}

func (g *generator) rule() {
	g.rules = true
	e := g.some(entity)
	if e == "" {
		e = g.fresh(entity)
		g.bind(e, entity)
	}
	switch name := pick(g, []string{"parent", "ancestor", "below", "reach", "linked", "even", "odd", "titled", "leaf", "by"}); name {
	case "leaf":
		g.add("(leaf %s)", e)
	case "titled":
		t := g.fresh(text)
		if g.chance(30) {
			t = `"Page 3"`
		}
		g.add("(titled %s %s)", e, t)
		g.bindTerm(t, text)
	case "by":
		g.required = true
		x := g.fresh(entity)
		g.add("(by %s %s)", e, x)
		g.bind(x, entity)
	default:
		x := g.refTerm(graphdb.BlockPage)
		g.twice = g.twice || x == e
		if g.chance(50) && x != "_" {
			g.add("(%s %s %s)", name, e, x)
		} else {
			g.add("(%s %s %s)", name, x, e)
		}
		g.bindTerm(x, entity)
	}
}

// find makes the :find of a query, with :with and :keys where they fit.
func (g *generator) find() string {
	var names []string
	for _, v := range g.vars {
		if g.chance(60) && len(names) < 3 {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		names = []string{g.vars[0].name}
	}
	e, n := g.some(entity), g.some(number)
	switch i := g.rng.IntN(20); {
	case i < 2 && e != "":
		return fmt.Sprintf("(count %s) .", e)
	case i < 4 && n != "":
		f := pick(g, []string{"sum", "avg", "min", "max", "median", "variance", "stddev", "count", "count-distinct", "distinct"})
		if e != "" && e != n && names[0] != n && names[0] != e {
			return fmt.Sprintf("%s (%s %s) :with %s", names[0], f, n, e)
		}
		return fmt.Sprintf("(%s %s) .", f, n)
	case i < 5 && n != "":
		return fmt.Sprintf("[(min 3 %s) (max 2 %s) (count %s)]", n, n, n)
	case i < 7 && e != "":
		return fmt.Sprintf("(pull %s %s)", e, g.pullPattern(0, pullNames))
	case i < 8 && e != "" && names[0] != e:
		return fmt.Sprintf("%s (count %s)", names[0], e)
	case i < 10:
		return "[" + names[0] + " ...]"
	case i < 11:
		keys := []string{}
		for i := range names {
			keys = append(keys, fmt.Sprintf("key%d", i))
		}
		return strings.Join(names, " ") + pick(g, []string{" :keys ", " :strs ", " :syms "}) + strings.Join(keys, " ")
	}
	return strings.Join(names, " ")
}

// pullNames are attributes whose names without namespace are all different, so
// that the style of q can tell them apart.
var pullNames = []graphdb.Attr{graphdb.BlockUID, graphdb.BlockString, graphdb.BlockOrder, graphdb.NodeTitle, graphdb.CreateTime, graphdb.BlockOpen, ":score", graphdb.BlockViewType, "db/id", graphdb.BlockProps}

func (g *generator) pullPattern(depth int, names []graphdb.Attr) string {
	parts := []string{string(pick(g, names[:4]))}
	used := map[string]bool{parts[0]: true}
	put := func(attr graphdb.Attr, spec string) {
		if !used[string(attr)] {
			used[string(attr)] = true
			parts = append(parts, spec)
		}
	}
	for range g.rng.IntN(4) {
		a := pick(g, names)
		if a == "db/id" {
			a = ":db/id"
		}
		switch g.rng.IntN(6) {
		case 0:
			put(a, fmt.Sprintf("[%s :as \"as-%d\"]", a, len(parts)))
		case 1:
			put(a, fmt.Sprintf("[%s :default \"none\"]", a))
		default:
			put(a, string(a))
		}
	}
	for range g.rng.IntN(3) {
		a := pick(g, []graphdb.Attr{graphdb.BlockChildren, graphdb.BlockRefs, graphdb.BlockPage, ":block/_refs", ":block/_children", ":block/_page"})
		switch i := g.rng.IntN(7); {
		case i == 0:
			put(a, string(a))
		case i == 1:
			put(a, fmt.Sprintf("{%s ...}", a))
		case i == 2:
			put(a, fmt.Sprintf("{%s %d}", a, 1+g.rng.IntN(3)))
		case i == 3:
			put(a, fmt.Sprintf("[%s :limit %d]", a, 1+g.rng.IntN(3)))
		case i == 4:
			put(a, fmt.Sprintf("{(limit %s %d) [:block/uid]}", a, 1+g.rng.IntN(3)))
		case depth < 2:
			put(a, fmt.Sprintf("{%s %s}", a, g.pullPattern(depth+1, names)))
		}
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func (g *generator) pull() Case {
	g.draft = &draft{}
	p := g.pullPattern(0, pullNames)
	if g.chance(25) {
		p = strings.Replace(p, "[", "[* ", 1)
	}
	return Case{Pattern: p, Entity: graphdb.EID(1 + g.rng.IntN(g.last+3))}
}
