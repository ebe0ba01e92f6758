package difftest

import (
	"fmt"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// find makes the :find of a query, with :with and :keys where they fit. A tuple or single
// value is one of aggregates, or of what only one row has.
func (g *plant) find() string {
	var names []string
	for _, i := range g.rng.Perm(len(g.known)) {
		if len(names) < 1+g.n(3) {
			names = append(names, g.known[i].name)
		}
	}
	e, isEntity := g.some(entity, true)
	n, isNumber := g.some(number, false)
	any := grown(g, g.known)
	others := without(names, n.name)
	switch i := g.n(24); {
	case i < 5 && isEntity:
		pull := fmt.Sprintf("(pull %s %s)", e.name, g.pullOf(e.value.Ref(), 0, false))
		switch g.n(4) {
		case 0:
			return "[" + pull + " ...]"
		case 1:
			if rest := without(names, e.name); len(rest) > 0 {
				return rest[0] + " " + pull
			}
		}
		return pull
	case i < 8 && isNumber:
		f := grown(g, []string{"sum", "avg", "min", "max", "median", "variance", "stddev", "count", "count-distinct", "distinct", "min 2", "max 3"})
		if e.name != "" && e.name != n.name && g.chance(50) {
			with := e.name
			if rest := without(others, with); len(rest) > 0 {
				return fmt.Sprintf("%s (%s %s) :with %s", rest[0], f, n.name, with)
			}
			return fmt.Sprintf("(%s %s) . :with %s", f, n.name, with)
		}
		if len(others) > 0 {
			return fmt.Sprintf("(%s %s) %s", f, n.name, others[0])
		}
		return fmt.Sprintf("(%s %s) .", f, n.name)
	case i < 10:
		if rest := without(names, any.name); len(rest) > 0 {
			return fmt.Sprintf("%s (%s %s)", rest[0], grown(g, []string{"count", "count-distinct", "distinct"}), any.name)
		}
		return fmt.Sprintf("(count %s) .", any.name)
	case i < 11:
		return fmt.Sprintf("[(count %s) (count-distinct %s)]", any.name, grown(g, g.known).name)
	case i < 14:
		return "[" + names[0] + " ...]"
	case i < 16:
		keys := make([]string, len(names))
		for i := range names {
			keys[i] = fmt.Sprintf("k%d", i)
		}
		return strings.Join(names, " ") + grown(g, []string{" :keys ", " :strs ", " :syms "}) + strings.Join(keys, " ")
	case i < 17 && g.rows == 1 && !any.many:
		return any.name + " ."
	case i < 18 && g.rows == 1 && !any.many:
		return "[" + any.name + "]"
	}
	return strings.Join(names, " ")
}

func without(names []string, name string) []string {
	var out []string
	for _, n := range names {
		if n != name {
			out = append(out, n)
		}
	}
	return out
}

// localName returns an attribute without its namespace, as the style of q has keys.
func localName(a graphdb.Attr) string { return string(a)[strings.LastIndexByte(string(a), '/')+1:] }

// pullOf grows a pattern for an entity: attributes that it has and a few that it lacks,
// and through its references further. Patterns of data.pull may have wildcards.
func (g *plant) pullOf(e graphdb.EID, depth int, qualified bool) string {
	used := map[string]bool{}
	var parts []string
	put := func(a graphdb.Attr, format string, args ...any) {
		key := localName(a)
		if qualified {
			key = string(a)
		}
		if !used[key] {
			used[key] = true
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if qualified && g.chance(20) {
		parts = append(parts, "*")
	}
	for _, d := range g.attributes(e, 1+g.n(4)) {
		a, ref := d.A, d.V.Kind() == graphdb.KindRef
		many := g.schema.Def(a).Many
		switch n := g.n(12); {
		case ref && n < 5 && depth < 3:
			put(a, "{%s %s}", a, g.pullOf(d.V.Ref(), depth+1, qualified))
		case ref && many && n == 5:
			put(a, "{(limit %s %d) [:block/uid]}", a, 1+g.n(3))
		case ref && many && n == 6:
			put(a, "[%s :limit %s]", a, grown(g, []string{"nil", "1", "2", "10"}))
		case ref && n == 7 && (a == graphdb.BlockChildren || a == graphdb.BlockRefs || a == graphdb.BlockPage):
			put(a, "{%s %s}", a, grown(g, []string{"...", "1", "2", "3"}))
		case n == 8:
			put(a, "[%s :as %s]", a, grown(g, []string{`"one-as"`, ":two/as", ":three-as"}))
		case n == 9:
			put(a, "(default %s %s)", a, grown(g, []string{`"none"`, "0", ":k"}))
		default:
			put(a, "%s", a)
		}
	}
	if back := g.to[e]; len(back) > 0 && g.chance(50) {
		d := grown(g, back)
		a := graphdb.Attr(strings.Replace(string(d.A), "/", "/_", 1))
		if g.same[sameValue{d.A, d.V}] < 300 {
			switch {
			case depth < 2 && g.chance(60):
				put(a, "{%s %s}", a, g.pullOf(d.E, depth+1, qualified))
			case g.chance(30):
				put(a, "[%s :limit 2 :as \"back\"]", a)
			default:
				put(a, "%s", a)
			}
		}
	}
	if lacks := g.lacking(e); g.chance(25) {
		put(lacks, grown(g, []string{"[%s :default \"none\"]", "[%s :default 0 :as \"lacking\"]", "%s"}), lacks)
	}
	if g.chance(15) {
		put(":db/id", ":db/id")
	}
	if len(parts) == 0 {
		return "[:block/uid]"
	}
	return "[" + strings.Join(parts, " ") + "]"
}
