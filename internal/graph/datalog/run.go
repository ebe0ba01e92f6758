package datalog

import (
	"context"
	"strings"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// Options limit the cost of a query or pull.
type Options struct {
	RowBudget int64         // rows read; 0: 50 million
	Memory    *Share        // what the query and its result hold; nil: a share of a DefaultMemory of its own
	Timeout   time.Duration // a query's own :timeout can shorten it; 0: that, or 20 s
}

const (
	defaultBudget  = 50_000_000
	defaultTimeout = 20 * time.Second
	ticksPerCheck  = 1024 // rows between two looks at the clock and the context
	freeText       = 4096 // bytes of a text made for a row, not counted until the row is kept
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
	memory   *Share
	borrowed int // bytes, see borrow
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
	makes    bool // a rule calls a function, whose result may be a new text
	programs map[programKey]*program
	complete map[string]*table
	nesting  int

	uncallable map[programKey]bool // see callable
	trusted    map[programKey]bool
	trusting   bool
}

type (
	pullParser struct{ *run } // runs pull patterns
	builtin    struct{ *run } // has what the functions of queries need
)

func (r *run) pullParser() pullParser { return pullParser{r} }
func (r *run) builtin() builtin       { return builtin{r} }

func newRun(ctx context.Context, db *graphdb.DB, o Options) *run {
	if o.RowBudget <= 0 {
		o.RowBudget = defaultBudget
	}
	if o.Memory == nil {
		o.Memory = NewMemory(0).Open()
	}
	o.Memory.done = ctx.Done()
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &run{
		ctx: ctx, db: db, budget: o.RowBudget, memory: o.Memory, timeout: o.Timeout, deadline: time.Now().Add(o.Timeout),
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

// keep adds a row to a set and reports whether it is new. made are the positions of
// values that functions may have made. It stops the run if there is no room.
func (r *run) keep(set *rowset, row []val, made []int) (isNew bool) {
	at, isNew := set.place(row)
	if isNew && len(made) > 0 && r.err == nil {
		for _, i := range made {
			var before *val
			if at > 0 {
				before = &set.row(at - 1)[i]
			}
			r.own(&set.row(at)[i], before)
		}
	}
	return isNew && r.err == nil
}

// own makes a text that is kept one of its own, so that it does not hold the longer one
// that it may be a part of. One that is equal to the text before shares that.
func (r *run) own(v *val, before *val) {
	if v.kind != kindString || v.s == "" {
		return
	}
	if before != nil && before.kind == kindString && before.s == v.s {
		v.s = before.s
		return
	}
	if r.hold(len(v.s)) {
		v.s = strings.Clone(v.s)
	}
}

// hold counts bytes that are held from now on, and reports whether there is room for
// them. It stops the run if there is none.
func (r *run) hold(bytes int) bool {
	if r.err == nil && !r.memory.Hold(bytes) {
		r.err = r.memory.Full()
	}
	return r.err == nil
}

// free takes back a hold.
func (r *run) free(bytes int) { r.memory.free(bytes) }

// borrow counts bytes that a function needs while it runs, and reports whether there is
// room for them. For what is large it checks the clock and the context.
func (r *run) borrow(bytes int) bool {
	if bytes <= freeText {
		return true
	}
	if r.check(); !r.hold(bytes) {
		return false
	}
	r.borrowed += bytes
	return true
}

// giveBack takes back what a function has borrowed.
func (r *run) giveBack() {
	if r.borrowed > 0 {
		r.free(r.borrowed)
		r.borrowed = 0
	}
}

// weigh returns the approximate size of a value and its printed form, in bytes. It stops
// counting at most.
func weigh(x any, most int) int {
	const word = 24
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
	if a.scanned && r.hold(a.Count()*entryBytes) {
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
