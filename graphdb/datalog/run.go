package datalog

import (
	"context"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/edn"
)

// Options limit the cost of a query or pull.
type Options struct {
	RowBudget   int64         // rows read; 0: 50 million
	ValueBudget int           // values held, in results, rules and functions, 40 bytes each; 0: 10 million
	Timeout     time.Duration // a query's own :timeout can shorten it; 0: that, or 20 s
}

const (
	defaultBudget      = 50_000_000
	defaultValueBudget = 10_000_000
	defaultTimeout     = 20 * time.Second
	ticksPerCheck      = 1024 // rows between two looks at the clock and the context
	valueBytes         = 40   // that a value takes
	freeText           = 4096 // bytes of a text made for a row, not counted: most are dropped with it
)

// of returns the limits for one query.
func (o Options) of(q *Query) Options {
	if q.timeout > 0 && (o.Timeout <= 0 || q.timeout < o.Timeout) {
		o.Timeout = q.timeout
	}
	return o
}

// run is the state of one query or pull: its snapshot, its budgets and its caches.
type run struct {
	ctx      context.Context
	db       *graphdb.DB
	budget   int64
	ticks    int64
	room     int // values that may still be held
	holds    int // the limit of room
	planned  int // estimates made by the planner
	deadline time.Time
	timeout  time.Duration
	err      error // why the run stops

	objects []any // collections and regular expressions, by val.n
	byText  map[string]int
	regexes map[string]*regex
	attrs   map[graphdb.Attr]*attribute
	total   int // datoms, counted when first asked for

	rules    ruleset
	programs map[programKey]*program
	complete map[string]*table
	nesting  int

	uncallable map[programKey]bool // see callable
	trusted    map[programKey]bool
	trusting   bool
}

func newRun(ctx context.Context, db *graphdb.DB, o Options) *run {
	if o.RowBudget <= 0 {
		o.RowBudget = defaultBudget
	}
	if o.ValueBudget <= 0 {
		o.ValueBudget = defaultValueBudget
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &run{
		ctx: ctx, db: db, budget: o.RowBudget, room: o.ValueBudget, holds: o.ValueBudget, timeout: o.Timeout, deadline: time.Now().Add(o.Timeout),
		byText: map[string]int{}, regexes: map[string]*regex{}, attrs: map[graphdb.Attr]*attribute{},
		programs: map[programKey]*program{}, complete: map[string]*table{},
		uncallable: map[programKey]bool{}, trusted: map[programKey]bool{},
	}
}

// tick counts a row that is read and reports whether the run must stop.
func (r *run) tick() bool {
	r.ticks++
	if r.ticks%ticksPerCheck == 0 || r.ticks > r.budget {
		r.check()
	}
	return r.err != nil
}

// keep adds a row to a set and reports whether it is new. It stops the run if there is
// no room.
func (r *run) keep(set *rowset, row []val) (isNew bool) {
	if isNew = set.add(row); isNew {
		r.takeRoom(max(len(row), 1))
	}
	return isNew
}

// takeRoom counts values that are held and reports whether there is room for them.
func (r *run) takeRoom(values int) bool {
	if r.room -= values; r.room < 0 {
		r.fail(errorf(CodeBudget, "The query found more than %d values and was stopped; narrow it down", r.holds))
	}
	return r.room >= 0
}

// spend counts the size of a function's result, in bytes, and reports whether there is
// room for it: texts and collections that grow with every call would fill the memory
// within few rows. For large results it checks the clock and the context.
func (r *run) spend(bytes int) bool {
	if bytes > freeText {
		r.check()
	}
	return r.takeRoom(bytes/valueBytes) && r.err == nil
}

// weigh returns the approximate size of a value in bytes. It stops counting at most.
func weigh(x any, most int) int {
	const word = 16
	n := word
	each := func(items []any) {
		for _, item := range items {
			if n += word + weigh(item, most-n); n > most {
				return
			}
		}
	}
	switch x := x.(type) {
	case string:
		n += 2 * len(x) // the text itself, and its printed form
	case []any:
		each(x)
	case edn.Set:
		each(x)
	case *edn.Map:
		each(x.Keys)
		each(x.Values)
	}
	return n
}

func (r *run) check() {
	switch {
	case r.err != nil:
	case r.ticks > r.budget:
		r.err = errorf(CodeBudget, "The query looked at more than %d rows and was stopped; narrow it down", r.budget)
	case r.ctx.Err() != nil:
		r.err = context.Cause(r.ctx)
	case time.Now().After(r.deadline):
		r.err = errorf(CodeTimeout, "The query took too long: more than %v", r.timeout)
	}
}

// fail stops the run.
func (r *run) fail(err error) bool {
	if r.err == nil {
		r.err = err
	}
	return true
}

// attribute is an attribute with statistics and an index made during the run.
type attribute struct {
	graphdb.Attribute
	measured         bool
	forward, reverse float64
	scanned          bool
	byValue          map[val][]graphdb.EID
}

func (r *run) attribute(name graphdb.Attr) *attribute {
	a, ok := r.attrs[name]
	if !ok {
		a = &attribute{Attribute: r.db.Attribute(name)}
		r.attrs[name] = a
	}
	return a
}

func (a *attribute) fan() (forward, reverse float64) {
	if !a.measured {
		a.forward, a.reverse = a.Fan()
		a.measured = true
	}
	return a.forward, a.reverse
}

// holders returns the entities with a value of an attribute without an index. The first
// call scans all values; the second one makes a map for the run.
func (r *run) holders(a *attribute, want val) []graphdb.EID {
	if a.byValue != nil {
		return a.byValue[want]
	}
	if a.scanned {
		a.byValue = map[val][]graphdb.EID{}
	}
	a.scanned = true
	var found []graphdb.EID
	for e, v := range a.All() {
		if r.tick() {
			return nil
		}
		have := r.stored(v)
		if a.byValue != nil {
			a.byValue[have] = append(a.byValue[have], e)
		} else if have == want {
			found = append(found, e)
		}
	}
	if a.byValue != nil {
		return a.byValue[want]
	}
	return found
}

func (r *run) datoms() int {
	if r.total == 0 {
		for _, n := range r.db.Attrs() {
			r.total += n
		}
	}
	return r.total
}
