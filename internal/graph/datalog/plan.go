package datalog

import (
	"context"
	"math"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// step is a clause whose variables have slots. The planner orders steps by their
// estimates and builds a node from each.
type step interface {
	source() string
	// slots lists the variables that join the step with others.
	slots(add func(int))
	// estimate returns how many rows the step reads and yields for one row, given the
	// bound slots; false if it can't be executed yet.
	estimate(b *body, bound slotset) (estimate, bool)
	// binds marks the slots that the step binds.
	binds(bound slotset)
	build(b *body, bound slotset, next node) (node, error)
}

type estimate struct{ work, rows float64 }

type slotset []bool

func (s slotset) with(st step) slotset {
	out := slices.Clone(s)
	st.binds(out)
	return out
}

func (s slotset) all(slots []int) bool {
	return !slices.ContainsFunc(slots, func(i int) bool { return !s[i] })
}

// link orders the steps and builds their nodes. The last one's next node is next.
func (b *body) link(steps []step, bound slotset, next node) (node, error) {
	order, _, stuck := b.order(steps, bound)
	switch {
	case b.r.err != nil:
		return nil, b.r.err
	case stuck != nil:
		return nil, b.insufficient(stuck, steps, bound)
	}
	states := make([]slotset, len(order))
	for i, st := range order {
		states[i] = bound
		bound = bound.with(st)
	}
	for i, st := range slices.Backward(order) {
		var err error
		if next, err = st.build(b, states[i], next); err != nil {
			return nil, err
		}
	}
	return next, nil
}

const (
	maxStarts   = 12        // bounds the first steps that are tried
	maxPlanning = 1_000_000 // bounds the estimates of a run, which nested clauses multiply
)

// order returns a cheap order: it orders the steps greedily after each possible first
// one, and takes the cheapest result. stuck is a step that can never be executed, if
// there is one.
func (b *body) order(steps []step, bound slotset) (order []step, total estimate, stuck step) {
	if len(steps) == 0 {
		return nil, estimate{0, 1}, nil
	}
	best := math.Inf(1)
	for i := range steps[:min(len(steps), maxStarts)] {
		if _, ok := steps[i].estimate(b, bound); !ok {
			continue
		}
		o, e, s := b.greedy(steps, i, bound)
		if s != nil {
			return nil, estimate{}, s
		}
		if e.work < best {
			order, total, best = o, e, e.work
		}
	}
	if order == nil {
		order, total, stuck = b.greedy(steps, -1, bound)
	}
	return order, total, stuck
}

// greedy orders the steps: after the given first one, always the cheapest of those that
// share a bound variable. Against cross products, others are preferred only if they
// yield one row at most.
func (b *body) greedy(steps []step, first int, bound slotset) (order []step, total estimate, stuck step) {
	rest := slices.Clone(steps)
	total.rows = 1
	for len(rest) > 0 {
		if !b.r.mayWeigh(len(rest)) {
			return nil, total, rest[0]
		}
		best, bestScore := -1, math.Inf(1)
		var chosen estimate
		for i, st := range rest {
			e, ok := st.estimate(b, bound)
			if !ok || first >= 0 && i != first {
				continue
			}
			score := e.work + 2*e.rows
			if len(order) > 0 && e.rows > 1 && !connected(st, bound) {
				score += 1e12
			}
			if score < bestScore {
				best, bestScore, chosen = i, score, e
			}
		}
		if best < 0 {
			return nil, total, rest[0]
		}
		total.work += total.rows * chosen.work
		total.rows *= chosen.rows
		order = append(order, rest[best])
		bound = bound.with(rest[best])
		rest = slices.Delete(rest, best, best+1)
		first = -1
	}
	return order, total, nil
}

// mayWeigh counts estimates and reports whether there may be more.
func (r *run) mayWeigh(steps int) bool {
	if r.planned += steps; r.planned > maxPlanning {
		r.fail(errorf(CodeBudget, "The query is too deeply nested to be planned"))
	}
	return r.err == nil
}

// settle returns what is bound after all steps that can be executed, in any order, and
// whether those are all.
func (b *body) settle(steps []step, bound slotset) (slotset, bool) {
	rest, bound := slices.Clone(steps), slices.Clone(bound)
	for n := -1; len(rest) != n && b.r.mayWeigh(len(rest)); {
		n = len(rest)
		rest = slices.DeleteFunc(rest, func(st step) bool {
			_, ok := st.estimate(b, bound)
			if ok {
				st.binds(bound)
			}
			return ok
		})
	}
	return bound, len(rest) == 0
}

func connected(st step, bound slotset) bool {
	any, hit := false, false
	st.slots(func(slot int) {
		any = true
		hit = hit || bound[slot]
	})
	return hit || !any
}

func (b *body) insufficient(stuck step, steps []step, bound slotset) error {
	bound, _ = b.settle(steps, bound) // what the other steps bind is not missing
	if err := b.withinStuck(stuck, bound); err != nil {
		return err
	}
	var missing []string
	stuck.slots(func(slot int) {
		if !bound[slot] && !slices.Contains(missing, b.names[slot]) {
			missing = append(missing, b.names[slot])
		}
	})
	if _, isNot := stuck.(*notStep); isNot && len(missing) == 0 {
		return errorf(CodeInsufficientBindings, "Insufficient bindings: none of its variables is bound in %s", stuck.source())
	}
	return errorf(CodeInsufficientBindings, "Insufficient bindings: #{%s} not bound in %s", strings.Join(missing, " "), stuck.source())
}

// withinStuck returns the error for a step that is stuck because of a clause within
// it or of the rule that it calls; nil if its own variables are the reason.
func (b *body) withinStuck(stuck step, bound slotset) error {
	var bodies [][]step
	switch st := stuck.(type) {
	case *ruleStep:
		for _, a := range st.args[:st.required] {
			if a.kind != termConst && (a.kind != termVar || !bound[a.slot]) {
				return nil
			}
		}
		_, err := b.r.program(st.name, st.mask(b, bound))
		return err
	case *notStep:
		if len(st.join) > 0 && bound.all(st.join) {
			bodies = [][]step{st.steps}
		}
	case *orStep:
		if bound.all(st.required) {
			bodies = st.branches
		}
	}
	for _, steps := range bodies {
		if _, _, inner := b.order(steps, bound); inner != nil && b.r.err == nil {
			return b.insufficient(inner, steps, bound)
		}
	}
	return b.r.err
}

// Run answers a query over a snapshot. The inputs are those of :in without $: values
// of the types of package edn, encoding/json (with or without UseNumber) or graphdb;
// rules are text or data. Errors are *Error, or the cause of the context.
func Run(ctx context.Context, db *graphdb.DB, q *Query, inputs []any, o Options) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	r := newRun(ctx, db, o.of(q))
	rows, err := r.query(q, inputs)
	if err != nil {
		return Result{}, err
	}
	result, err := r.result(q, rows)
	if err == nil {
		err = r.err
	}
	return result, err
}

// found holds the distinct rows of the variables of :find and :with, and the pull
// patterns among the inputs.
type found struct {
	rows     *rowset
	patterns map[string]any
}

func (r *run) query(q *Query, inputs []any) (found, error) {
	b := &body{r: r, made: map[int]bool{}}
	s := scope{}
	in, err := r.bindInputs(b, s, q, inputs)
	if err != nil {
		return found{}, err
	}
	seen := map[string]bool{}
	for name := range s {
		seen[name] = true
	}
	steps, err := b.resolve(q.where, s, seen)
	if err != nil {
		return found{}, err
	}
	emit := &emitNode{}
	for _, name := range q.outputs() {
		emit.slots = append(emit.slots, b.slot(s, name))
		b.uses[s[name]]++
	}
	emit.row, emit.into = make([]val, len(emit.slots)), r.newRowset(len(emit.slots))
	bound := make(slotset, len(b.names))
	for slot := range in.values {
		bound[slot] = true
	}
	start, err := b.link(append(in.steps, steps...), bound, emit)
	if err != nil {
		return found{}, err
	}
	emit.made = b.madeAmong(emit.slots)
	f := &frame{v: make([]val, len(b.names))}
	for slot, v := range in.values {
		f.v[slot] = v
	}
	if r.check(); r.err == nil && !in.empty {
		start.run(r, f)
	}
	return found{rows: emit.into, patterns: in.patterns}, r.err
}

// boundInputs holds the inputs of a query. Single values are in the frame from the
// start; the others are joined.
type boundInputs struct {
	values   map[int]val
	steps    []step
	patterns map[string]any
	empty    bool // a collection without elements: there are no rows
}

func (r *run) bindInputs(b *body, s scope, q *Query, inputs []any) (boundInputs, error) {
	out := boundInputs{values: map[int]val{}, patterns: map[string]any{}}
	var wanted []binding
	for _, in := range q.in {
		if in.kind != bindSource {
			wanted = append(wanted, in)
		}
	}
	if len(wanted) != len(inputs) {
		what := "few"
		if len(inputs) > len(wanted) {
			what = "many"
		}
		return out, errorf(CodeInput, "Too %s inputs passed: the query's :in expects %d beside the database, got %d", what, len(wanted), len(inputs))
	}
	for i := range wanted {
		if wanted[i].kind == bindRules {
			rules, err := parseRules(inputs[i])
			if err != nil {
				return out, err
			}
			r.rules, r.makes = rules, rules.call()
			continue
		}
		if err := out.bind(r, b, s, &wanted[i], inputs[i]); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (in *boundInputs) bind(r *run, b *body, s scope, to *binding, input any) error {
	if to.kind == bindScalar {
		in.patterns[to.name] = input
	}
	rows, err := r.expand(to, r.val(input))
	if err != nil {
		return err
	}
	var slots []int
	to.variables(func(name string) { slots = append(slots, b.slot(s, name)) })
	for _, slot := range slots {
		b.uses[slot]++
	}
	switch {
	case len(slots) == 0:
	case len(rows) == 0:
		in.empty = true
		fallthrough
	default:
		st := &inputStep{vars: slots, rows: rows}
		for _, row := range rows {
			for _, v := range row {
				st.first = st.first || v.kind == kindObject
			}
		}
		if len(rows) != 1 || !in.single(slots, rows[0]) {
			in.steps = append(in.steps, st)
		}
	}
	return nil
}

// single puts one row into the frame, if none of its variables is there yet.
func (in *boundInputs) single(slots []int, row []val) bool {
	for _, slot := range slots {
		if _, ok := in.values[slot]; ok {
			return false
		}
	}
	for i, slot := range slots {
		in.values[slot] = row[i]
	}
	return true
}
