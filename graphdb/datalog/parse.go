package datalog

import (
	"errors"
	"slices"
	"strings"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/edn"
)

// maxQueryBytes bounds the text of a query, a rule set or a pull pattern.
const maxQueryBytes = 1 << 20

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
	for _, name := range []string{":find", ":keys", ":strs", ":syms", ":with", ":in", ":where", ":timeout"} {
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
	form, err := edn.Parse(text, edn.Limits{Bytes: maxQueryBytes})
	var syntax *edn.Error
	if errors.As(err, &syntax) {
		return nil, errorf(CodeParse, "%s is not valid EDN: %s", what, syntax)
	}
	return form, err
}

// querySections splits [:find … :where …] or {:find […] :where […]} by keyword.
func querySections(form any) (map[string][]any, error) {
	sections := map[string][]any{}
	switch form := form.(type) {
	case *edn.Map:
		for i, key := range form.Keys {
			k, ok := key.(graphdb.Keyword)
			values, isList := list(form.Values[i])
			switch {
			case !ok:
				return nil, errorf(CodeParse, "%s in the query's map is no keyword", edn.Print(key))
			case !isList:
				values = []any{form.Values[i]}
			}
			sections[string(k)] = values
		}
	case edn.Vector:
		name := ""
		for _, x := range form {
			if k, ok := x.(graphdb.Keyword); ok {
				name = string(k)
				if _, twice := sections[name]; twice {
					return nil, errorf(CodeParse, "The query has %s twice", name)
				}
				sections[name] = []any{}
			} else if name == "" {
				return nil, errorf(CodeParse, "A query starts with :find, not with %s", edn.Print(x))
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
		if len(values) == 1 {
			if ms, ok := values[0].(int64); ok && ms > 0 {
				q.timeout = time.Duration(min(ms, 1<<31)) * time.Millisecond
				return nil
			}
		}
		return errorf(CodeParse, ":timeout takes one number of milliseconds above 0")
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
		return errorf(CodeParse, "Query for unknown vars: [%s]", strings.Join(unknown, " "))
	}
	if !q.hasRules && usesRules(q.where) {
		return errorf(CodeParse, "Missing rules var '%%' in :in")
	}
	return nil
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
