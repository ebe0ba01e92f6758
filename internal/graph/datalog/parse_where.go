package datalog

import (
	"slices"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

func parseClauses(forms []any) ([]clause, error) {
	out := make([]clause, 0, len(forms))
	for _, form := range forms {
		cs, err := parseClause(form)
		if err != nil {
			return nil, err
		}
		out = append(out, cs...)
	}
	return out, nil
}

// parseClause returns the clause, or the clauses of an (and …).
func parseClause(form any) ([]clause, error) {
	switch x := form.(type) {
	case edn.Vector:
		if len(x) > 0 {
			if call, ok := x[0].(edn.List); ok {
				return one(parseCall(form, call, x[1:]))
			}
		}
		return one(parsePattern(form, x))
	case edn.List:
		if len(x) > 1 && isSource(x[0]) {
			x = x[1:]
		}
		if len(x) == 0 {
			break
		}
		name, ok := x[0].(edn.Symbol)
		if !ok {
			break
		}
		return parseNamed(form, string(name), x[1:])
	}
	return nil, errorf(CodeParse, "Cannot parse clause, expected (data-pattern | pred-expr | fn-expr | rule-expr | not-clause | or-clause | …): %s", edn.Print(form))
}

func one[T clause](c T, err error) ([]clause, error) {
	if err != nil {
		return nil, err
	}
	return []clause{c}, nil
}

func parseNamed(form any, name string, args []any) ([]clause, error) {
	switch name {
	case "and":
		return parseClauses(args)
	case "not", "not-join":
		return one(parseNot(form, name == "not-join", args))
	case "or", "or-join":
		return one(parseOr(form, name == "or-join", args))
	}
	terms, err := parseTerms(form, args)
	if err == nil && len(terms) == 0 {
		err = errorf(CodeParse, "rule-expr requires at least one argument: %s", edn.Print(form))
	}
	return one(&ruleClause{text: text(edn.Print(form)), name: name, args: terms}, err)
}

func parsePattern(form any, x []any) (*patternClause, error) {
	if len(x) > 0 && isSource(x[0]) {
		x = x[1:]
	}
	if len(x) == 0 || len(x) > 5 {
		return nil, errorf(CodeParse, "A data pattern has one to five elements, entity, attribute, value, transaction, added: %s", edn.Print(form))
	}
	terms, err := parseTerms(form, x)
	if err != nil {
		return nil, err
	}
	for len(terms) < 5 {
		terms = append(terms, term{})
	}
	return &patternClause{text: text(edn.Print(form)), terms: terms}, nil
}

func parseTerms(form any, items []any) ([]term, error) {
	var out []term
	for _, item := range items {
		t := term{kind: termConst, value: item}
		if s, ok := item.(edn.Symbol); ok {
			switch {
			case s == "_":
				t = term{}
			case s[0] == '?' && len(s) > 1:
				t = term{kind: termVar, name: string(s)}
			case s == "$":
				t = term{kind: termSource}
			case s[0] == '$':
				return nil, errorf(CodeInput, "%s in %s names a second database; there is only $", s, edn.Print(form))
			}
		}
		out = append(out, t)
	}
	return out, nil
}

func parseCall(form any, call edn.List, rest []any) (*callClause, error) {
	if len(call) == 0 || len(rest) > 1 {
		return nil, errorf(CodeParse, "A predicate is [(name arguments…)] and a function [(name arguments…) ?result]: %s", edn.Print(form))
	}
	name, ok := call[0].(edn.Symbol)
	if !ok {
		return nil, errorf(CodeParse, "%s in %s is no name of a predicate or function", edn.Print(call[0]), edn.Print(form))
	}
	if i := slices.IndexFunc(call[1:], isNestedCall); i >= 0 {
		return nil, errorf(CodeParse, "%s in %s is a call within a call, which is not evaluated; bind it first, as in [%s ?x], and use ?x",
			edn.Print(call[i+1]), edn.Print(form), edn.Print(call[i+1]))
	}
	args, err := parseTerms(form, call[1:])
	if err != nil {
		return nil, err
	}
	c := &callClause{text: text(edn.Print(form)), function: string(name), args: args}
	if len(rest) == 1 {
		out, err := parseBinding(rest[0])
		if err != nil {
			return nil, err
		}
		c.out = &out
	}
	if _, ok := functions[c.function]; !ok {
		what := "predicate"
		if c.out != nil {
			what = "function"
		}
		return nil, errorf(CodeUnknownFunction, "Unknown %s '%s in %s", what, name, edn.Print(form))
	}
	return c, nil
}

func isNestedCall(x any) bool {
	call, ok := x.(edn.List)
	if !ok || len(call) == 0 {
		return false
	}
	_, ok = call[0].(edn.Symbol)
	return ok
}

func parseNot(form any, join bool, args []any) (*notClause, error) {
	c := &notClause{text: text(edn.Print(form)), join: join}
	if join {
		if len(args) == 0 {
			return nil, errorf(CodeParse, "not-join starts with its variables: %s", edn.Print(form))
		}
		_, vars, err := parseRuleVars(form, args[0])
		if err != nil {
			return nil, err
		}
		c.vars, args = vars, args[1:]
	}
	if len(args) == 0 {
		return nil, errorf(CodeParse, "There is nothing within %s", edn.Print(form))
	}
	var err error
	c.body, err = parseClauses(args)
	return c, err
}

func parseOr(form any, join bool, args []any) (*orClause, error) {
	c := &orClause{text: text(edn.Print(form)), join: join}
	if join {
		if len(args) == 0 {
			return nil, errorf(CodeParse, "or-join starts with its variables: %s", edn.Print(form))
		}
		var err error
		if c.required, c.vars, err = parseRuleVars(form, args[0]); err != nil {
			return nil, err
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return nil, errorf(CodeParse, "There is nothing within %s", edn.Print(form))
	}
	for _, arg := range args {
		branch, err := parseClause(arg)
		if err != nil {
			return nil, err
		}
		c.branches = append(c.branches, branch)
	}
	return c, nil
}

func sortedVariables(clauses []clause) []string {
	var names []string
	variables(clauses, func(name string) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// parseRuleVars reads [?a ?b] or [[?required] ?a].
func parseRuleVars(form, x any) (required, free []string, err error) {
	items, ok := list(x)
	if !ok {
		return nil, nil, errorf(CodeParse, "%s in %s is no list of variables", edn.Print(x), edn.Print(form))
	}
	if len(items) > 0 {
		if inner, ok := list(items[0]); ok {
			if required, err = variableNames(form, inner); err != nil {
				return nil, nil, err
			}
			items = items[1:]
		}
	}
	free, err = variableNames(form, items)
	if err == nil && len(required)+len(free) == 0 {
		err = errorf(CodeParse, "The list of variables is empty in %s", edn.Print(form))
	}
	return required, free, err
}

func variableNames(form any, items []any) ([]string, error) {
	var out []string
	for _, item := range items {
		name, ok := variable(item)
		if !ok {
			return nil, errorf(CodeParse, "%s in %s is no variable", edn.Print(item), edn.Print(form))
		}
		if slices.Contains(out, name) {
			return nil, errorf(CodeParse, "%s is named twice in %s", name, edn.Print(form))
		}
		out = append(out, name)
	}
	return out, nil
}

// parseRules reads rules, given as text or as data.
func parseRules(input any) (ruleset, error) {
	if s, ok := input.(string); ok {
		form, err := readEDN(s, "The rules")
		if err != nil {
			return nil, err
		}
		input = form
	}
	forms, ok := list(input)
	if !ok {
		return nil, errorf(CodeInput, "The rules for %% are a vector such as [[(rule ?a ?b) [?a :block/children ?b]]]")
	}
	rules := ruleset{}
	for _, form := range forms {
		r, err := parseRule(form)
		if err != nil {
			return nil, err
		}
		if old := rules[r.name]; len(old) > 0 && (len(old[0].params) != len(r.params) || old[0].required != r.required) {
			return nil, errorf(CodeParse, "Arity mismatch for rule '%s", r.name)
		}
		rules[r.name] = append(rules[r.name], r)
	}
	return rules, nil
}

func parseRule(form any) (rule, error) {
	items, ok := list(form)
	if !ok || len(items) < 2 {
		return rule{}, errorf(CodeParse, "A rule is [(name ?a ?b) clauses…], not %s", edn.Print(form))
	}
	head, ok := list(items[0])
	if !ok || len(head) < 2 {
		return rule{}, errorf(CodeParse, "A rule's head is (name ?a ?b), not %s", edn.Print(items[0]))
	}
	name, ok := head[0].(edn.Symbol)
	if !ok {
		return rule{}, errorf(CodeParse, "The rule %s has no name", edn.Print(items[0]))
	}
	required, free, err := parseRuleVars(items[0], edn.Vector(head[1:]))
	if err != nil {
		return rule{}, err
	}
	body, err := parseClauses(items[1:])
	return rule{name: string(name), required: len(required), params: append(required, free...), body: body}, err
}

// lookupRef returns the parts of [:attribute value], whose attribute may be text, as in
// JSON; false for any other value.
func lookupRef(x any) (graphdb.Attr, any, bool) {
	items, ok := list(x)
	if !ok || len(items) != 2 {
		return "", nil, false
	}
	switch a := items[0].(type) {
	case graphdb.Keyword:
		return graphdb.Attr(a), items[1], true
	case string:
		return graphdb.Attr(a), items[1], len(a) > 1 && a[0] == ':'
	}
	return "", nil, false
}
