package difftest

import (
	"fmt"
	"strings"
	"unicode"

	"roam-mcp/internal/graph/graphdb"
)

// piece returns a part of a text, on boundaries of characters, and where it begins.
func (g *plant) piece(s string, most int) (part string, at int) {
	chars := []rune(s)
	if len(chars) == 0 {
		return "", 0
	}
	at = g.n(len(chars))
	end := min(len(chars), at+1+g.n(most))
	return string(chars[at:end]), at
}

func quoted(s string) string { return literal(graphdb.StringValue(s)) }

func (g *plant) predicate() {
	if s, ok := g.some(text, true); ok && g.chance(70) {
		g.textPredicate(s)
		return
	}
	if n, ok := g.some(number, true); ok {
		v := n.value.Any()
		switch g.n(5) {
		case 0:
			g.add("[(%s %s %v)]", grown(g, []string{"=", "==", "<=", ">="}), n.name, v)
		case 1:
			g.add("[(> %s %v)]", n.name, literal(graphdb.IntValue(n.value.Int()-1-int64(g.n(1000)))))
		case 2:
			g.add("[(< %d %s %d)]", n.value.Int()-1, n.name, n.value.Int()+1+int64(g.n(100_000_000)))
		case 3:
			if other, ok := g.some(number, false); ok {
				g.compare([]string{"<=", ">=", "=", "not=", "<"}, n, other)
			}
		case 4:
			g.add("[(%s %s)]", grown(g, []string{"pos?", "zero?", "some?", "even?", "odd?"}), n.name)
		}
		return
	}
	if e, ok := g.some(entity, true); ok {
		other, _ := g.some(entity, true)
		switch g.n(3) {
		case 0:
			g.add("[(missing? $ %s %s)]", e.name, g.lacking(e.value.Ref()))
		case 1:
			g.compare([]string{"=", "!=", "not=", "<", "<="}, e, other)
		case 2:
			g.add("[(ground [%d %d %d]) [%s ...]]", e.value.Ref(), g.entity(), g.entity(), e.name)
		}
	}
}

// compare adds a predicate of two variables, which are seldom the same.
func (g *plant) compare(predicates []string, a, b known) {
	if a.name == b.name {
		if !g.chance(10) {
			return
		}
		g.deviation = SameVariableTwice
	}
	g.add("[(%s %s %s)]", grown(g, predicates), a.name, b.name)
}

func (g *plant) textPredicate(s known) {
	all := s.value.Text()
	part, _ := g.piece(all, 8)
	switch g.n(8) {
	case 0:
		g.add("[(clojure.string/includes? %s %s)]", s.name, g.constant(graphdb.StringValue(part)))
	case 1:
		g.add("[(clojure.string/starts-with? %s %s)]", s.name, quoted(string([]rune(all)[:min(len([]rune(all)), 1+g.n(6))])))
	case 2:
		chars := []rune(all)
		g.add("[(clojure.string/ends-with? %s %s)]", s.name, quoted(string(chars[max(0, len(chars)-1-g.n(6)):])))
	case 3:
		g.add("[(%s %s %s)]", grown(g, []string{"=", "<=", ">=", "not=", "<"}), s.name, quoted(all))
	case 4:
		if other, ok := g.some(text, false); ok {
			g.compare([]string{"=", "not=", "<=", "<", "compare"}, s, other)
		}
	default:
		g.regex(s)
	}
}

// regex adds a regular expression that matches a part of the text, and what asks with it.
func (g *plant) regex(s known) {
	re, found := g.name(anything), g.name(anything)
	g.add("[(re-pattern %s) %s]", g.constant(graphdb.StringValue(g.expression(s.value.Text()))), re)
	switch g.n(6) {
	case 0, 1:
		g.add("[(re-find %s %s)]", re, s.name)
	case 2, 3:
		g.add("[(re-find %s %s) %s]", re, s.name, found)
		g.known = append(g.known, known{name: found, kind: anything, many: s.many})
	case 4:
		g.add("[(re-seq %s %s) %s]", re, s.name, found)
		g.known = append(g.known, known{name: found, kind: anything, many: s.many})
	case 5:
		g.add("[(re-matches %s %s) %s]", re, s.name, found)
		g.known = append(g.known, known{name: found, kind: anything, many: s.many})
	}
}

// expression makes a regular expression of JavaScript's from a part of a text.
func (g *plant) expression(all string) string {
	part, at := g.piece(all, 7)
	chars := []rune(all)
	var b strings.Builder
	if g.chance(15) {
		b.WriteString(grown(g, []string{"(?i)", "(?i)", "(?m)", "(?s)", "(?im)"}))
	}
	switch {
	case at == 0 && g.chance(30):
		b.WriteString("^")
	case at > 0 && g.chance(10):
		fmt.Fprintf(&b, "(?%s%s)", grown(g, []string{"<=", "<="}), escaped(chars[at-1]))
	case g.chance(8):
		b.WriteString(`\b`)
	}
	if g.chance(12) {
		other, _ := g.piece(all, 5)
		fmt.Fprintf(&b, "(%s|%s)", g.atoms(part), g.atoms(other))
	} else if g.chance(15) {
		fmt.Fprintf(&b, "(%s%s)", []string{"", "?:", "?<name>"}[g.n(3)], g.atoms(part))
	} else {
		b.WriteString(g.atoms(part))
	}
	end := at + len([]rune(part))
	switch {
	case end < len(chars) && g.chance(12):
		fmt.Fprintf(&b, "(?%s%s)", grown(g, []string{"=", "=", "!"}), escaped(chars[end]))
	case end == len(chars) && g.chance(30):
		b.WriteString("$")
	case g.chance(6):
		b.WriteString(`(.).*?\` + []string{"1", "1", "2"}[g.n(3)])
	}
	return b.String()
}

func (g *plant) atoms(part string) string {
	var b strings.Builder
	for _, c := range part {
		b.WriteString(g.atom(c))
		if g.chance(15) {
			b.WriteString(grown(g, []string{"+", "*", "?", "+?", "{1,3}", "{1,}", "*?"}))
		}
	}
	return b.String()
}

// atom returns an expression for one character.
func (g *plant) atom(c rune) string {
	if c > 0xFFFF || g.chance(45) {
		return escaped(c)
	}
	var may []string
	switch {
	case c < 0x80 && unicode.IsDigit(c):
		may = []string{`\d`, "[0-9]", `\w`, `[^a-z]`}
	case c < 0x80 && unicode.IsLetter(c):
		may = []string{`\w`, "[a-zA-Z]", `[\w-]`, `\D`, `[^\d\s]`, fmt.Sprintf(`\x%02x`, c)}
	case unicode.IsSpace(c):
		may = []string{`\s`, `[\s]`, `\W`, `[^\w]`, `[\s\S]`}
	case c < 0x80:
		may = []string{`\W`, `\S`, `[^\w\s]`, fmt.Sprintf(`\u%04x`, c)}
	default:
		may = []string{`\W`, `[^a-z]`, fmt.Sprintf(`\u%04x`, c), `\S`}
	}
	return grown(g, append(may, "."))
}

func escaped(c rune) string {
	if strings.ContainsRune(`\^$.|?*+()[]{}/-`, c) {
		return `\` + string(c)
	}
	return string(c)
}

// lacking returns an attribute that an entity does not have.
func (g *plant) lacking(e graphdb.EID) graphdb.Attr {
	for {
		a := grown(g, []graphdb.Attr{graphdb.BlockHeading, graphdb.BlockString, graphdb.NodeTitle, graphdb.BlockChildren, graphdb.BlockRefs, graphdb.LogID, graphdb.BlockProps, ":no/such"})
		has := false
		for _, d := range g.of[e] {
			has = has || d.A == a
		}
		if !has {
			return a
		}
	}
}

func (g *plant) function() {
	out, kind, many := g.name(anything), anything, false
	s, isText := g.some(text, true)
	n, isNumber := g.some(number, false)
	e, isEntity := g.some(entity, true)
	switch i := g.n(9); {
	case isText && i < 4:
		many = s.many
		form := grown(g, []string{"count|", "subs| 0 3", "subs| 2", `str| " - "`, "pr-str|", "get| 0", "not-empty|", "vector| 1", "clojure.string/blank?|", "type|", "keyword|", "str|"})
		name, rest, _ := strings.Cut(form, "|")
		g.add("[(%s %s%s) %s]", name, s.name, rest, out)
		switch name {
		case "count":
			kind = number
		case "type":
			g.deviation = TypeAndMeta
		}
	case isNumber && i < 6:
		many, kind = n.many, number
		if n.mixed {
			g.deviation = NotANumber
		}
		g.add(grown(g, []string{"[(+ %[1]s 1) %[2]s]", "[(- %[1]s 7) %[2]s]", "[(* %[1]s 3) %[2]s]", "[(/ %[1]s 4) %[2]s]", "[(quot %[1]s 1000) %[2]s]", "[(mod %[1]s 7) %[2]s]", "[(rem %[1]s 5) %[2]s]", "[(inc %[1]s) %[2]s]", "[(max %[1]s 3) %[2]s]", "[(min %[1]s 3) %[2]s]", "[(- %[1]s) %[2]s]"}), n.name, out)
	case isEntity && i < 8:
		many = e.many
		if e.mixed { // a later clause may leave out what is no entity
			g.deviation = ClauseOrder
		}
		a := g.lacking(e.value.Ref())
		if has := g.attributes(e.value.Ref(), 1); len(has) > 0 && g.chance(70) {
			a = has[0].A
		}
		g.add(grown(g, []string{"[(get-else $ %[1]s %[3]s \"none\") %[2]s]", "[(get-else $ %[1]s %[3]s 0) %[2]s]", "[(get-some $ %[1]s %[3]s :block/uid) [_ %[2]s]]", "[(get-some $ %[1]s %[3]s :block/uid :db/ident) %[2]s]"}), e.name, out, a)
	default:
		many = true
		g.rows *= 3
		g.add(grown(g, []string{"[(ground [1 2 3]) [%s ...]]", "[(range 2) [%s ...]]", `[(ground [["a" 1] ["b" 2]]) [[_ %s]]]`, `[(ground ["x" [3 4]]) [_ [%s _]]]`}), out)
	}
	g.known = append(g.known, known{name: out, kind: kind, many: many})
}

func (g *plant) not() {
	e, ok := g.some(entity, true)
	if !ok {
		return
	}
	a := g.lacking(e.value.Ref())
	has := g.attributes(e.value.Ref(), 1)
	switch g.n(6) {
	case 0:
		g.add("(not [%s %s])", e.name, a)
	case 1:
		g.add("(not-join [%s] [%s %s ?n] [(some? ?n)])", e.name, e.name, a)
	case 2:
		if len(has) > 0 && has[0].V.Kind() == graphdb.KindString {
			g.add("(not [%s %s %s])", e.name, has[0].A, quoted(has[0].V.Text()+"!"))
		}
	case 3:
		g.add("(not-join [%s] [%s :block/refs ?r] [?r :node/title ?t] [(clojure.string/includes? ?t \"zzz\")])", e.name, e.name)
	case 4:
		if s, ok := g.some(text, true); ok {
			g.add("(not [(clojure.string/includes? %s \"zzz\")])", s.name)
		}
	case 5:
		g.add("(not [%s :block/refs ?n%d] (not [?n%d :node/title]))", e.name, g.names, g.names)
	}
}

func (g *plant) or() {
	e, ok := g.some(entity, true)
	if !ok {
		return
	}
	has := g.attributes(e.value.Ref(), 2)
	if len(has) == 0 {
		return
	}
	a, lacks := has[0], g.lacking(e.value.Ref())
	x := g.name(anything)
	switch g.n(6) {
	case 0:
		g.add("(or [%s %s] [%s %s])", e.name, lacks, e.name, a.A)
	case 1:
		g.add("(or [%s %s %s] [%s %s])", e.name, a.A, literal(a.V), e.name, lacks)
	case 2:
		g.add("(or [%s %s %s] [%s %s %s])", e.name, a.A, x, e.name, lacks, x)
		g.rows *= 4
		g.learn(x, a.V, true)
		g.known[len(g.known)-1].mixed = true
	case 3:
		g.add("(or-join [%s] (and [%s %s ?o] [(some? ?o)]) [%s %s])", e.name, e.name, a.A, e.name, lacks)
	case 4:
		g.add("(or-join [%s %s] [%s %s %s] (and [%s :block/page ?o] [?o :block/uid %s]))", e.name, x, e.name, a.A, x, e.name, x)
		g.rows *= 4
		g.learn(x, a.V, true)
		g.known[len(g.known)-1].mixed = true
	case 5:
		g.add("(or (and [%s %s] (not [%s %s])) [%s %s])", e.name, a.A, e.name, lacks, e.name, lacks)
	}
}

func (g *plant) rule() {
	e, ok := g.some(entity, true)
	if !ok || g.rows > 400 {
		return
	}
	g.rules = true
	g.rows *= 20
	x := g.name(entity)
	switch g.n(9) {
	case 0:
		if g.chance(10) {
			g.add("(uneven %s %s)", e.name, x)
			g.deviation = ClausesNotReached
			break
		}
		g.add("(under %s %s)", e.name, x)
	case 1:
		g.add("(under %s %s)", x, e.name)
	case 2:
		g.add("(above %s %s)", e.name, x)
	case 3:
		g.add("(related %s %s)", e.name, x)
	case 4:
		g.add("(mentions %s %s)", e.name, x)
	case 5:
		g.add("(on-page %s %s)", e.name, x)
	case 6:
		g.add("(named %s %s)", e.name, x)
	case 7:
		g.add("(text-length %s %s)", e.name, x)
		g.known = append(g.known, known{name: x, kind: number, many: true})
		return
	case 8:
		g.add("(above %s %s)", x, e.name)
	}
	g.known = append(g.known, known{name: x, kind: anything, many: true})
}
