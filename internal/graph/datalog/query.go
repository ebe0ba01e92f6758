package datalog

import (
	linked "container/list"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/edn"
)

// Query is a parsed query. It is immutable and may be run many times.
type Query struct {
	find     []findElement
	shape    Shape
	keys     []any // of :keys (Keyword), :strs (string) or :syms (Symbol)
	with     []string
	in       []binding
	where    []clause
	timeout  time.Duration // of :timeout, or 0
	hasRules bool          // :in has %
}

// Shape is the form of a result.
type Shape int

// The shapes of DataScript's find specifications.
const (
	Relation   Shape = iota // [:find ?a ?b …]: rows
	Collection              // [:find [?a ...] …]: a list of values
	Tuple                   // [:find [?a ?b] …]: one row, or nil
	Scalar                  // [:find ?a . …]: one value, or nil
)

type findElement struct {
	variable  string // what is found, aggregated or pulled
	aggregate string // "" for none
	args      []any  // of the aggregate, before the variable
	pull      bool
	pattern   any    // of the pull
	patternIn string // the variable that holds the pattern instead
}

type termKind uint8

const (
	termBlank termKind = iota
	termVar
	termConst
	termSource // $
)

type term struct {
	kind  termKind
	name  string // of a variable
	value any    // of a constant
}

type bindKind uint8

const (
	bindIgnore bindKind = iota // _
	bindScalar
	bindTuple
	bindCollection
	bindRelation // parsed as a collection of tuples
	bindSource   // $
	bindRules    // %
)

// binding destructures a value into variables.
type binding struct {
	kind  bindKind
	name  string
	parts []binding // of a tuple; the one part of a collection
}

type clause interface{ source() string }

// text is the source of a clause, for messages.
type text string

func (t text) source() string { return string(t) }

type patternClause struct {
	text
	terms []term // entity, attribute, value, transaction, added
}

type callClause struct {
	text
	function string
	args     []term
	out      *binding // nil: a predicate
}

type notClause struct {
	text
	join bool
	vars []string
	body []clause
}

type orClause struct {
	text
	join     bool
	required []string
	vars     []string
	branches [][]clause
}

type ruleClause struct {
	text
	name string
	args []term
}

// rule is one branch of a rule.
type rule struct {
	name     string
	required int // number of the first params that the caller must bind
	params   []string
	body     []clause
}

type ruleset map[string][]rule

// call reports whether a rule calls a function and binds its result.
func (s ruleset) call() bool {
	for _, rules := range s {
		if slices.ContainsFunc(rules, func(rl rule) bool { return slices.ContainsFunc(rl.body, calls) }) {
			return true
		}
	}
	return false
}

func calls(c clause) bool {
	switch c := c.(type) {
	case *callClause:
		return c.out != nil
	case *orClause:
		return slices.ContainsFunc(c.branches, func(branch []clause) bool { return slices.ContainsFunc(branch, calls) })
	}
	return false // what a not binds stays within it
}

// variables adds the variables of clauses, in order of appearance.
func variables(clauses []clause, add func(string)) {
	for _, c := range clauses {
		clauseVariables(c, add)
	}
}

func clauseVariables(c clause, add func(string)) {
	switch c := c.(type) {
	case *patternClause:
		termVariables(c.terms, add)
	case *callClause:
		termVariables(c.args, add)
		if c.out != nil {
			c.out.variables(add)
		}
	case *ruleClause:
		termVariables(c.args, add)
	case *notClause:
		if c.join {
			addAll(c.vars, add)
		} else {
			variables(c.body, add)
		}
	case *orClause:
		addAll(c.required, add)
		addAll(c.vars, add)
		if !c.join { // those that some branches lack are bound outside
			for _, branch := range c.branches {
				variables(branch, add)
			}
		}
	}
}

func addAll(names []string, add func(string)) {
	for _, name := range names {
		add(name)
	}
}

func termVariables(terms []term, add func(string)) {
	for _, t := range terms {
		if t.kind == termVar {
			add(t.name)
		}
	}
}

func (b *binding) variables(add func(string)) {
	if b.kind == bindScalar {
		add(b.name)
	}
	for i := range b.parts {
		b.parts[i].variables(add)
	}
}

func isSymbol(x any, name string) bool {
	s, ok := x.(edn.Symbol)
	return ok && string(s) == name
}

// Cache is an LRU cache of parsed queries by their text. Programs repeat a few texts,
// and parsing one costs more than finding a page. It is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	size   int
	byText map[string]*linked.Element
	used   *linked.List // of cached, most recently used first
}

type cached struct {
	text  string
	query *Query
}

// maxCachedText bounds the texts that are cached, in bytes. Longer ones are rarely
// repeated.
const maxCachedText = 16 << 10

// NewCache returns a cache of at most size queries.
func NewCache(size int) *Cache {
	return &Cache{size: size, byText: map[string]*linked.Element{}, used: linked.New()}
}

// Get returns the query that was put under the text.
func (c *Cache) Get(text string) (*Query, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byText[text]
	if !ok {
		return nil, false
	}
	c.used.MoveToFront(element)
	return element.Value.(cached).query, true
}

// Put caches a query, which must be what Parse returns for the text.
func (c *Cache) Put(text string, query *Query) {
	if len(text) > maxCachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.byText[text]; known {
		return
	}
	c.byText[text] = c.used.PushFront(cached{text, query})
	for c.used.Len() > c.size {
		oldest := c.used.Back()
		delete(c.byText, c.used.Remove(oldest).(cached).text)
	}
}

// Parse is like the function Parse, through the cache.
func (c *Cache) Parse(text string) (*Query, error) {
	if query, ok := c.Get(text); ok {
		return query, nil
	}
	query, err := Parse(text)
	if err == nil {
		c.Put(text, query)
	}
	return query, err
}
