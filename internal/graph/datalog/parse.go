package datalog

import (
	"errors"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// maxQueryBytes bounds the text of a query, a rule set or a pull pattern.
const maxQueryBytes = 1 << 20

// sectionNames lists the sections of a query in the order in which they are parsed.
var sectionNames = []string{":find", ":keys", ":strs", ":syms", ":with", ":in", ":where", ":timeout"}

// Parse reads a query in the form of a vector or of a map.
func Parse(query string) (*Query, error) {
	form, err := readEDN(query, "The query")
	if err != nil {
		return nil, err
	}
	sections, err := querySections(form)
	if err != nil {
		return nil, err
	}
	q := &Query{}
	for _, name := range sectionNames {
		if values, ok := sections[name]; ok {
			if err := q.section(name, values); err != nil {
				return nil, err
			}
		}
	}
	if err := q.check(sections); err != nil {
		return nil, err
	}
	return q, nil
}

func readEDN(text, what string) (any, error) {
	form, err := edn.ParseFirst(text, edn.Limits{Bytes: maxQueryBytes}) // what follows is ignored, as by DataScript
	if syntax, ok := errors.AsType[*edn.Error](err); ok {
		return nil, errorf(CodeParse, "%s is not valid EDN: %s", what, syntax)
	}
	return form, err
}

// querySections splits [:find … :where …] or {:find […] :where […]} by keyword. As in
// DataScript, a vector may have a section in several parts, and what is before the
// first one, or in a map under other keys than keywords, is ignored.
func querySections(form any) (map[string][]any, error) {
	sections := map[string][]any{}
	switch form := form.(type) {
	case *edn.Map:
		for i, key := range form.Keys {
			k, ok := key.(graphdb.Keyword)
			values, isList := list(form.Values[i])
			switch {
			case !ok:
				continue
			case !isList && k == ":timeout":
				values = []any{form.Values[i]}
			case !isList && slices.Contains(sectionNames, string(k)):
				return nil, errorf(CodeParse, "%s in the query's map takes a vector, not %s", k, edn.Print(form.Values[i]))
			}
			sections[string(k)] = values
		}
	case edn.Vector:
		name := ""
		for _, x := range form {
			if k, ok := x.(graphdb.Keyword); ok {
				if name = string(k); sections[name] == nil {
					sections[name] = []any{}
				}
			} else {
				sections[name] = append(sections[name], x)
			}
		}
	default:
		return nil, errorf(CodeParse, "A query is a vector such as [:find ?e :where [?e :node/title]] or a map")
	}
	return sections, nil
}

func (q *Query) section(name string, values []any) (err error) {
	switch name {
	case ":find":
		return q.parseFind(values)
	case ":keys", ":strs", ":syms":
		return q.parseKeys(name, values)
	case ":with":
		for _, x := range values {
			v, ok := variable(x)
			if !ok {
				return errorf(CodeParse, ":with takes variables, not %s", edn.Print(x))
			}
			q.with = append(q.with, v)
		}
	case ":in":
		for _, x := range values {
			b, err := parseInput(x)
			if err != nil {
				return err
			}
			q.in = append(q.in, b)
			q.hasRules = q.hasRules || b.kind == bindRules
		}
	case ":where":
		q.where, err = parseClauses(values)
	case ":timeout":
		if len(values) == 0 {
			return nil
		}
		if ms, ok := values[0].(int64); ok && ms > 0 {
			q.timeout = time.Duration(min(ms, 1<<31)) * time.Millisecond
			return nil
		}
		return errorf(CodeParse, ":timeout takes a number of milliseconds above 0")
	}
	return err
}

// check checks the query as a whole. It ignores sections with other names, as
// DataScript does.
func (q *Query) check(sections map[string][]any) error {
	if len(q.find) == 0 {
		return errorf(CodeParse, "The query has no :find")
	}
	if len(q.keys) > 0 && q.shape != Relation && q.shape != Tuple {
		return errorf(CodeParse, ":keys, :strs and :syms go with :find ?a ?b … or :find [?a ?b …] only")
	}
	if len(q.keys) > 0 && len(q.keys) != len(q.find) {
		return errorf(CodeParse, "The query finds %d values and names %d keys", len(q.find), len(q.keys))
	}
	if _, ok := sections[":in"]; !ok {
		q.in = []binding{{kind: bindSource}}
	}
	if err := q.checkDistinct(); err != nil {
		return err
	}
	known := map[string]bool{}
	add := func(name string) { known[name] = true }
	variables(q.where, add)
	for i := range q.in {
		q.in[i].variables(add)
	}
	var unknown []string
	for _, name := range q.outputs() {
		if !known[name] && !slices.Contains(unknown, name) {
			unknown = append(unknown, name)
		}
	}
	for _, f := range q.find {
		if f.patternIn != "" && !known[f.patternIn] {
			unknown = append(unknown, f.patternIn)
		}
	}
	if len(unknown) > 0 {
		return errorf(CodeInsufficientBindings, "Query for unknown vars: [%s]", strings.Join(unknown, " "))
	}
	if !q.hasRules && usesRules(q.where) {
		return errorf(CodeParse, "Missing rules var '%%' in :in")
	}
	return nil
}

// checkDistinct refuses a variable that is named twice in :with or :in, or both in :find
// and :with.
func (q *Query) checkDistinct() error {
	if name, ok := repeatedName(q.with); ok {
		return errorf(CodeParse, "Vars used in :with should be distinct: %s is named twice", name)
	}
	for _, f := range q.find {
		if slices.Contains(q.with, f.variable) {
			return errorf(CodeParse, ":find and :with should not use same variables: [%s]", f.variable)
		}
	}
	var in []string
	for i := range q.in {
		switch q.in[i].kind {
		case bindSource:
			in = append(in, "$")
		case bindRules:
			in = append(in, "%")
		}
		q.in[i].variables(func(name string) { in = append(in, name) })
	}
	if name, ok := repeatedName(in); ok {
		return errorf(CodeParse, "Vars used in :in should be distinct: %s is named twice", name)
	}
	return nil
}

func repeatedName(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}

// outputs returns the variables of :find and :with.
func (q *Query) outputs() []string {
	var out []string
	for _, f := range q.find {
		out = append(out, f.variable)
	}
	return append(out, q.with...)
}

func usesRules(clauses []clause) bool {
	return slices.ContainsFunc(clauses, func(c clause) bool {
		switch c := c.(type) {
		case *ruleClause:
			return true
		case *notClause:
			return usesRules(c.body)
		case *orClause:
			return slices.ContainsFunc(c.branches, usesRules)
		}
		return false
	})
}

func list(x any) ([]any, bool) {
	switch x := x.(type) {
	case edn.Vector:
		return x, true
	case edn.List:
		return x, true
	case []any:
		return x, true
	}
	return nil, false
}

func variable(x any) (string, bool) {
	s, ok := x.(edn.Symbol)
	return string(s), ok && len(s) > 1 && s[0] == '?'
}
