package datalog

import (
	"strings"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

func (q *Query) parseFind(values []any) error {
	switch n := len(values); {
	case n == 2 && isSymbol(values[1], "."):
		q.shape, values = Scalar, values[:1]
	case n == 1:
		inner, ok := values[0].(edn.Vector)
		if !ok || isPull(inner) {
			break
		}
		q.shape, values = Tuple, inner
		if len(inner) == 2 && isSymbol(inner[1], "...") {
			q.shape, values = Collection, inner[:1]
		}
	}
	for _, x := range values {
		element, err := parseFindElement(x)
		if err != nil {
			return err
		}
		q.find = append(q.find, element)
	}
	return nil
}

// isPull reports whether v is [pull ?e …], with brackets for parentheses.
func isPull(v []any) bool { return len(v) > 1 && isSymbol(v[0], "pull") }

func parseFindElement(x any) (findElement, error) {
	if name, ok := variable(x); ok {
		return findElement{variable: name}, nil
	}
	form, ok := list(x)
	if !ok || len(form) == 0 {
		return findElement{}, errorf(CodeParse, "Cannot parse :find, expected: (find-rel | find-coll | find-tuple | find-scalar); %s is no variable, aggregate or pull", edn.Print(x))
	}
	name, ok := form[0].(edn.Symbol)
	if !ok {
		return findElement{}, errorf(CodeParse, "%s in :find starts with no name of an aggregate, nor with pull", edn.Print(x))
	}
	if name == "pull" {
		return parseFindPull(x, form[1:])
	}
	element := findElement{aggregate: string(name), args: form[1:]}
	if n := len(element.args); n > 0 {
		element.variable, ok = variable(element.args[n-1])
		element.args = element.args[:n-1]
	}
	if !ok || element.variable == "" {
		return findElement{}, errorf(CodeParse, "The aggregate %s ends with no variable", edn.Print(x))
	}
	return element, checkAggregate(element)
}

func parseFindPull(x any, args []any) (findElement, error) {
	if len(args) == 3 && isSource(args[0]) {
		args = args[1:]
	}
	if len(args) != 2 {
		return findElement{}, errorf(CodeParse, "%s must be (pull ?entity [pattern])", edn.Print(x))
	}
	name, ok := variable(args[0])
	if !ok {
		return findElement{}, errorf(CodeParse, "%s in %s is no variable", edn.Print(args[0]), edn.Print(x))
	}
	element := findElement{variable: name, pull: true}
	switch p := args[1].(type) {
	case edn.Symbol:
		if element.patternIn, ok = variable(p); !ok {
			return findElement{}, errorf(CodeParse, "%s in %s is no pull pattern", p, edn.Print(x))
		}
	default:
		if _, ok := list(p); !ok {
			return findElement{}, errorf(CodeParse, "%s in %s is no pull pattern", edn.Print(p), edn.Print(x))
		}
		element.pattern = p
	}
	return element, nil
}

func isSource(x any) bool {
	s, ok := x.(edn.Symbol)
	return ok && strings.HasPrefix(string(s), "$")
}

func (q *Query) parseKeys(kind string, values []any) error {
	if q.keys != nil {
		return errorf(CodeParse, "Only one of :keys, :strs and :syms can be given")
	}
	for _, x := range values {
		s, ok := x.(edn.Symbol)
		if !ok {
			return errorf(CodeParse, "%s takes plain names, not %s", kind, edn.Print(x))
		}
		switch kind {
		case ":keys":
			q.keys = append(q.keys, graphdb.Keyword(":"+string(s)))
		case ":strs":
			q.keys = append(q.keys, string(s))
		default:
			q.keys = append(q.keys, s)
		}
	}
	return nil
}

// parseInput reads one element of :in.
func parseInput(x any) (binding, error) {
	if isSymbol(x, "%") {
		return binding{kind: bindRules}, nil
	}
	if isSource(x) {
		if !isSymbol(x, "$") {
			return binding{}, errorf(CodeInput, "%s names a second database; there is only $", edn.Print(x))
		}
		return binding{kind: bindSource}, nil
	}
	return parseBinding(x)
}

func parseBinding(x any) (binding, error) {
	if isSymbol(x, "_") {
		return binding{kind: bindIgnore}, nil
	}
	if name, ok := variable(x); ok {
		return binding{kind: bindScalar, name: name}, nil
	}
	items, ok := list(x)
	if !ok || len(items) == 0 {
		return binding{}, errorf(CodeParse, "Cannot parse binding, expected (bind-scalar | bind-tuple | bind-coll | bind-rel); %s is none", edn.Print(x))
	}
	if inner, ok := list(items[0]); len(items) == 2 && isSymbol(items[1], "...") || len(items) == 1 && ok {
		if len(items) == 1 && len(inner) == 0 {
			return binding{}, errorf(CodeParse, "Tuple binding cannot be empty in %s", edn.Print(x))
		}
		part, err := parseBinding(items[0])
		return binding{kind: bindCollection, parts: []binding{part}}, err
	}
	b := binding{kind: bindTuple}
	for _, item := range items {
		part, err := parseBinding(item)
		if err != nil {
			return binding{}, err
		}
		b.parts = append(b.parts, part)
	}
	return b, nil
}
