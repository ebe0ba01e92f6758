package actions

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// datalogQuery adds Roam's extensions to Datalog (LOCAL_API.md 9.8): symbols for
// moments and daily notes, and rules that every query may use.
type datalogQuery struct {
	db     *graphdb.DB
	now    time.Time
	parsed *datalog.Cache
}

// keptQueries is how many parsed queries are cached, as by DataScript.
const keptQueries = 100

// builtinRules hold in every query that does not define rules of the same names.
// Days are compared by the rule dnp-day, see days.
const builtinRules = `[
[(created-by ?name ?b) [?u :user/display-name ?name] [?b :create/user ?u]]
[(edited-by ?name ?b) [?u :user/display-name ?name] [?b :edit/user ?u]]
[(by ?name ?b) (created-by ?name ?b)]
[(by ?name ?b) (edited-by ?name ?b)]
[(refs-page ?title ?b) [?p :node/title ?title] [?b :block/refs ?p]]
[(block-or-parent-refs-page ?title ?b) (refs-page ?title ?b)]
[(block-or-parent-refs-page ?title ?b) (refs-page ?title ?above) [?b :block/parents ?above]]
[(created-between ?from ?to ?b) [?b :create/time ?t] [(<= ?from ?t)] [(<= ?t ?to)]]
[(edited-between ?from ?to ?b) [?b :edit/time ?t] [(<= ?from ?t)] [(<= ?t ?to)]]
[(in-dnp ?title ?b) [?p :node/title ?title] [?b :block/page ?p]]
[(refs-dnp ?title ?b) (refs-page ?title ?b)]
[(in-or-refs-dnp ?title ?b) (in-dnp ?title ?b)]
[(in-or-refs-dnp ?title ?b) (refs-dnp ?title ?b)]
[(dnp-between ?from ?to ?title) (dnp-day ?from ?first) (dnp-day ?to ?last) (dnp-day ?title ?day) [(<= ?first ?day)] [(<= ?day ?last)]]
[(in-dnp-between ?from ?to ?b) (dnp-between ?from ?to ?title) (in-dnp ?title ?b)]
[(refs-dnp-between ?from ?to ?b) (dnp-between ?from ?to ?title) (refs-dnp ?title ?b)]
[(in-or-refs-dnp-between ?from ?to ?b) (in-dnp-between ?from ?to ?b)]
[(in-or-refs-dnp-between ?from ?to ?b) (refs-dnp-between ?from ?to ?b)]
]`

// prepare replaces the symbols of a query and parses it. If the query or a rule
// among its inputs calls a built-in rule, all of those become an input too.
func (q datalogQuery) prepare(text string, inputs []any) (*datalog.Query, []any, error) {
	if query, known := q.parsed.Get(text); known {
		return query, inputs, nil
	}
	form, err := edn.ParseFirst(text, edn.Limits{})
	if err != nil {
		query, err := datalog.Parse(text) // its error says what is wrong
		return query, inputs, err
	}
	form, err = q.replace(form)
	if err != nil {
		return nil, nil, err
	}
	place, passed := rulesPlace(form, len(inputs))
	own := edn.Vector{}
	if passed && place < len(inputs) {
		if own, err = q.ownRules(inputs[place]); err != nil {
			return nil, nil, err
		}
		inputs = slices.Clone(inputs)
		inputs[place] = own
	}
	if slices.ContainsFunc(append(calledNames(form), calledNames(own)...), isBuiltin) {
		if form, inputs, err = q.addRules(form, inputs, own); err != nil {
			return nil, nil, err
		}
	} else if !strings.Contains(text, "ms/") && !strings.Contains(text, "dnp/") {
		query, err := datalog.Parse(text)
		if err == nil && !passed { // rules that come with a query are read at every call
			q.parsed.Put(text, query)
		}
		return query, inputs, err
	}
	query, err := datalog.Parse(edn.Print(form))
	return query, inputs, err
}

// addRules puts all rules in the place of the caller's own, or behind the inputs.
func (q datalogQuery) addRules(form any, inputs []any, own edn.Vector) (any, []any, error) {
	rules, err := q.allRules(own, form, inputs)
	if err != nil {
		return nil, nil, err
	}
	place, passed := rulesPlace(form, len(inputs))
	if passed && place < len(inputs) {
		inputs[place] = rules
		return form, inputs, nil
	}
	inputs = slices.Insert(slices.Clone(inputs), min(place, len(inputs)), any(rules))
	if !passed {
		form = withRulesInput(form)
	}
	return form, inputs, nil
}

// isBuiltin reports whether a built-in rule has the name.
func isBuiltin(name edn.Symbol) bool {
	return slices.Contains(builtinNames(), name)
}

// builtinNames returns the names of the built-in rules.
var builtinNames = sync.OnceValue(func() []edn.Symbol {
	rules, err := edn.Parse(builtinRules, edn.Limits{})
	if err != nil {
		panic(err) // they are constant
	}
	return ruleNames(rules)
})

// ownRules reads the rules that the caller passes, as text or as data.
func (q datalogQuery) ownRules(input any) (edn.Vector, error) {
	form := input
	if text, ok := input.(string); ok {
		parsed, err := edn.ParseFirst(text, edn.Limits{})
		if err != nil {
			return nil, fmt.Errorf("the rules are not valid EDN: %w", err)
		}
		if form, err = q.replace(parsed); err != nil {
			return nil, err
		}
	}
	rules, rebuild := children(form)
	if rebuild == nil {
		return nil, errors.New("the rules for % are text, such as [[(rule ?a ?b) [?a :block/children ?b]]]")
	}
	return rules, nil
}

// allRules returns the caller's own rules, and the built-in ones of other names.
func (q datalogQuery) allRules(own edn.Vector, form any, inputs []any) (edn.Vector, error) {
	builtin, err := edn.Parse(builtinRules, edn.Limits{})
	if err != nil {
		return nil, err
	}
	rules := slices.Clone(own)
	defined := ruleNames(own)
	for _, rule := range append(slices.Clone(builtin.(edn.Vector)), q.days(form, inputs)) {
		if name := ruleNames(edn.Vector{rule}); !slices.Contains(defined, name[0]) {
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

// replace puts values in the place of the symbols ms/… and dnp/….
func (q datalogQuery) replace(form any) (any, error) {
	items, rebuild := children(form)
	if rebuild == nil {
		symbol, ok := form.(edn.Symbol)
		if !ok {
			return form, nil
		}
		value, ok, err := dateSymbol(string(symbol), q.now)
		if err != nil || !ok {
			return form, err
		}
		return value, nil
	}
	changed := make([]any, len(items))
	for i, item := range items {
		var err error
		if changed[i], err = q.replace(item); err != nil {
			return nil, err
		}
	}
	return rebuild(changed), nil
}

// children returns the parts of a collection, and a function that makes one of the
// same kind. Both are nil for what is no collection.
func children(form any) ([]any, func([]any) any) {
	switch form := form.(type) {
	case edn.Vector:
		return form, func(items []any) any { return edn.Vector(items) }
	case edn.List:
		return form, func(items []any) any { return edn.List(items) }
	case edn.Set:
		return form, func(items []any) any { return edn.Set(items) }
	case *edn.Map:
		n := len(form.Keys)
		return slices.Concat(form.Keys, form.Values), func(items []any) any {
			return &edn.Map{Keys: items[:n:n], Values: items[n:]} // a key more must not overwrite a value
		}
	}
	return nil, nil
}

// calledNames lists the symbols at the head of lists, as names of rules are.
func calledNames(form any) []edn.Symbol {
	var names []edn.Symbol
	items, _ := children(form)
	if list, ok := form.(edn.List); ok && len(list) > 0 {
		if name, ok := list[0].(edn.Symbol); ok {
			names = append(names, name)
		}
	}
	for _, item := range items {
		names = append(names, calledNames(item)...)
	}
	return names
}

// ruleNames lists the names that rules define.
func ruleNames(rules any) []edn.Symbol {
	var names []edn.Symbol
	items, _ := children(rules)
	for _, rule := range items {
		parts, _ := children(rule)
		if len(parts) == 0 {
			continue
		}
		if head, ok := parts[0].(edn.List); ok && len(head) > 0 {
			if name, ok := head[0].(edn.Symbol); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

const percent = edn.Symbol("%")

// inputNames returns the names of :in; nil if there is none.
func inputNames(form any) []any {
	switch form := form.(type) {
	case *edn.Map:
		names, _ := form.Get(edn.Keyword(":in"))
		list, _ := children(names)
		return list
	case edn.Vector:
		if at := slices.Index(form, any(edn.Keyword(":in"))); at >= 0 {
			return form[at+1 : endOfSection(form, at)]
		}
	}
	return nil
}

// endOfSection returns where the section that begins with the keyword at ends.
func endOfSection(form edn.Vector, at int) int {
	if next := slices.IndexFunc(form[at+1:], isKeyword); next >= 0 {
		return at + 1 + next
	}
	return len(form)
}

// rulesPlace returns the index of the rules among the inputs, and whether :in has a
// % for them; without one they would come last.
func rulesPlace(form any, inputs int) (place int, passed bool) {
	names := inputNames(form)
	at := slices.Index(names, any(percent))
	if at < 0 {
		return inputs, false
	}
	return len(slices.DeleteFunc(slices.Clone(names[:at]), isSource)), true
}

// withRulesInput adds % to the end of :in.
func withRulesInput(form any) any {
	names := slices.Clone(inputNames(form))
	if names == nil {
		names = []any{edn.Symbol("$")}
	}
	names = append(names, percent)
	switch form := form.(type) {
	case *edn.Map:
		form.Put(edn.Keyword(":in"), edn.Vector(names))
	case edn.Vector:
		at := slices.Index(form, any(edn.Keyword(":in")))
		if at < 0 {
			return append(append(slices.Clone(form), edn.Keyword(":in")), names...)
		}
		return slices.Concat(form[:at+1], names, form[endOfSection(form, at):])
	}
	return form
}

func isKeyword(x any) bool {
	_, ok := x.(edn.Keyword)
	return ok
}

func isSource(x any) bool {
	name, ok := x.(edn.Symbol)
	return ok && strings.HasPrefix(string(name), "$")
}

// days returns the rule dnp-day, which relates titles of daily notes to their day
// in ms. It knows those of the graph and those named in the query and its inputs,
// which need not exist.
func (q datalogQuery) days(form any, inputs []any) any {
	days := edn.Vector{}
	add := func(title string) {
		if day, ok := outline.ParseDailyTitle(title); ok {
			days = append(days, edn.Vector{title, day.UnixMilli()})
		}
	}
	for page := range q.db.Entities(graphdb.LogID) {
		add(q.db.String(page, graphdb.NodeTitle))
	}
	eachText(form, add)
	for _, input := range inputs {
		eachText(input, add)
	}
	title, day := edn.Symbol("?title"), edn.Symbol("?day")
	return edn.Vector{
		edn.List{edn.Symbol("dnp-day"), title, day},
		edn.Vector{edn.List{edn.Symbol("ground"), days}, edn.Vector{edn.Vector{title, day}}},
	}
}

func eachText(form any, visit func(string)) {
	switch form := form.(type) {
	case string:
		visit(form)
	case []any:
		for _, item := range form {
			eachText(item, visit)
		}
	default:
		items, _ := children(form)
		for _, item := range items {
			eachText(item, visit)
		}
	}
}
