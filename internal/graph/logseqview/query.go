package logseqview

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"roam-mcp/internal/graph/edn"
)

// Error is why a query can't be taken. Line and Column are its place in the text, from 1;
// 0: none.
type Error struct {
	Message      string
	Line, Column int
}

func (e *Error) Error() string { return e.Message }

func errorf(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// Query is a query as somebody wrote it: Datalog as a vector or a map, or an advanced
// query of Logseq, a map with the Datalog under :query.
type Query struct {
	// NotRun are the keys of an advanced query whose functions are not run: :view,
	// :result-transform.
	NotRun []string

	sections *edn.Map // of the Datalog
	advanced bool
	inputs   []any // without rules
	rules    []any // of the query's own
	rulesAt  int   // where rules stand among inputs; -1: nowhere
}

// maxBytes bounds the text of a query.
const maxBytes = 1 << 20

// Parse reads a query. inputs are the values for its :in, as package datalog takes them;
// those of an advanced query stand in its text. Errors are *Error.
func Parse(text string, inputs []any) (*Query, error) {
	form, err := read(Readable(text), "it")
	if err != nil {
		return nil, err
	}
	q := &Query{inputs: inputs}
	if m, ok := form.(*edn.Map); ok && has(m, ":query") {
		form, _ = m.Get(edn.Keyword(":query"))
		if err := q.open(m); err != nil {
			return nil, err
		}
	}
	if q.sections, err = sections(form); err != nil {
		return nil, err
	}
	return q, q.takeRules()
}

func read(text, what string) (any, error) {
	form, err := edn.ParseFirst(text, edn.Limits{Bytes: maxBytes})
	if syntax, ok := errors.AsType[*edn.Error](err); ok {
		return nil, &Error{Message: fmt.Sprintf("%s can't be read: %s", what, syntax.Message), Line: syntax.Line, Column: syntax.Column}
	}
	if err != nil {
		return nil, errorf("%s can't be read: %v", what, err)
	}
	return form, nil
}

// open reads what an advanced query has besides its Datalog. What is for display alone,
// such as :title, is left out.
func (q *Query) open(m *edn.Map) error {
	q.advanced = true
	for i, key := range m.Keys {
		switch k, _ := key.(edn.Keyword); k {
		case ":inputs":
			list, ok := items(m.Values[i])
			switch {
			case !ok:
				return errorf(":inputs takes a vector, not %s", edn.Print(m.Values[i]))
			case len(q.inputs) > 0 && len(list) > 0:
				return errorf("the query has :inputs, and inputs are given beside it; give them once")
			case len(list) > 0:
				q.inputs = list
			}
		case ":rules":
			if err := q.addRules(m.Values[i]); err != nil {
				return err
			}
		case ":result-transform", ":view":
			q.NotRun = append(q.NotRun, string(k))
		}
	}
	slices.Sort(q.NotRun)
	return nil
}

// addRules takes rules, as data or as text.
func (q *Query) addRules(rules any) error {
	if text, ok := rules.(string); ok {
		var err error
		if rules, err = read(text, "the text of the rules"); err != nil {
			return errorf("%v", err) // its place is not one in the query
		}
	}
	list, ok := items(rules)
	if !ok {
		return errorf("rules are a vector such as [[(old ?b) [?b :block/marker \"DONE\"]]], not %s", edn.Print(rules))
	}
	q.rules = append(q.rules, list...)
	return nil
}

// takeRules finds the place of rules in :in, and takes those that stand there among the
// inputs. Where there are none, :rules of the query or those of Logseq are meant.
func (q *Query) takeRules() error {
	in, _ := q.sections.Get(edn.Keyword(":in"))
	names, _ := items(in)
	names = slices.DeleteFunc(slices.Clone(names), func(x any) bool { return x == edn.Symbol("$") })
	q.rulesAt = slices.Index(names, any(edn.Symbol("%")))
	if q.rulesAt < 0 || len(q.inputs) != len(names) {
		return nil
	}
	rules := q.inputs[q.rulesAt]
	q.inputs = slices.Delete(slices.Clone(q.inputs), q.rulesAt, q.rulesAt+1)
	return q.addRules(rules)
}

// sections splits [:find … :where …] or {:find […] :where […]} by keyword.
func sections(form any) (*edn.Map, error) {
	out := &edn.Map{}
	switch form := form.(type) {
	case *edn.Map:
		out = form
	case edn.Vector:
		values := edn.Vector{}
		for i := len(form) - 1; i >= 0; i-- {
			if k, ok := form[i].(edn.Keyword); ok {
				slices.Reverse(values)
				out.Put(k, values)
				values = edn.Vector{}
			} else {
				values = append(values, form[i])
			}
		}
	}
	if !has(out, ":find") {
		return nil, errorf("a query is [:find … :where …], or a map that has it under :query; the filters of a simple query, such as (task TODO), are rules here: [:find (pull ?b [*]) :where (task ?b #{\"TODO\"}) (page-ref ?b \"page\")]")
	}
	return out, nil
}

func has(m *edn.Map, key edn.Keyword) bool {
	_, ok := m.Get(key)
	return ok
}

// items returns the elements of a vector or a list.
func items(x any) ([]any, bool) {
	switch x := x.(type) {
	case edn.Vector:
		return x, true
	case edn.List:
		return x, true
	}
	return nil, false
}

// Attributes returns the attributes that the query names, each once, as written: those
// that only Logseq has, and those that only Roam has. To the former belong :query and the
// rules of Logseq that are called.
func (q *Query) Attributes() (logseq, roam []string) {
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	if q.advanced {
		add(&logseq, ":query")
	}
	for x := range all([]any{q.sections, edn.Vector(q.rules)}) {
		if k, ok := x.(edn.Keyword); ok {
			switch {
			case isRoams(k):
				add(&roam, string(k))
			case isLogseqs(k):
				add(&logseq, string(k))
			}
		}
	}
	for _, name := range q.called() {
		add(&logseq, "("+name+" …)")
	}
	return logseq, roam
}

// called returns the names of the rules of Logseq that the query calls and does not
// define itself, in order.
func (q *Query) called() []string {
	own, known := byName(q.rules), rules()
	where, _ := q.sections.Get(edn.Keyword(":where"))
	var names []string
	for x := range all([]any{where, edn.Vector(q.rules)}) {
		name := callOf(x)
		if _, ok := known[name]; ok && own[name] == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Datalog returns the query and its inputs as package datalog takes them: with today's
// attributes for those of older versions of Logseq, with the rules of Logseq that it calls,
// and with the values of inputs such as :today.
func (q *Query) Datalog(now time.Time) (query string, inputs []any, err error) {
	for _, input := range q.inputs {
		value, err := resolveInput(input, now)
		if err != nil {
			return "", nil, err
		}
		inputs = append(inputs, modern(value))
	}
	sections := modern(q.sections).(*edn.Map)
	known := rules()
	all, _ := modern(edn.Vector(q.rules)).(edn.Vector)
	for _, name := range q.called() {
		all = append(all, known[name]...)
	}
	switch {
	case q.rulesAt >= 0:
		inputs = slices.Insert(inputs, min(q.rulesAt, len(inputs)), any(all))
	case len(all) > 0:
		in, ok := sections.Get(edn.Keyword(":in"))
		names, _ := items(in)
		if !ok {
			names = edn.Vector{edn.Symbol("$")}
		}
		sections.Put(edn.Keyword(":in"), append(edn.Vector(slices.Clone(names)), edn.Symbol("%")))
		inputs = append(inputs, all)
	}
	return edn.Print(sections), inputs, nil
}
