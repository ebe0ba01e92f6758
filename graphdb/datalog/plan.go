package datalog

import (
	"math"
	"slices"
	"strings"
)

// A step is a clause whose variables have slots. The planner asks it what it
// would cost, and in the end has it build the node that does the work.
type step interface {
	source() string
	// slots lists the variables that tie the step to others.
	slots(add func(int))
	// estimate tells, for the slots bound so far, how much is looked at and how
	// many rows come out for one row that goes in; false: not to be done yet.
	estimate(b *body, bound slotset) (estimate, bool)
	// binds marks the slots that are bound once the step is done.
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

// link orders the steps and builds their nodes, the last of which leads to
// next.
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
	maxStarts   = 12        // how many first steps are tried
	maxPlanning = 1_000_000 // how many steps are weighed in a run; nested clauses multiply
)

// order finds a cheap order: for each step that could come first, the rest is
// put greedily after it, and the cheapest whole wins. It gives a step that can
// never be done, if there is one.
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

// greedy takes the first step given and then, again and again, the cheapest of
// those that are connected to what is bound. One that is not connected comes
// before only where it gives one row at most, so that nothing is multiplied.
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

// mayWeigh counts steps that are looked at and tells whether that may go on.
func (r *run) mayWeigh(steps int) bool {
	if r.planned += steps; r.planned > maxPlanning {
		r.fail(errorf(CodeBudget, "The query is too deeply nested to be planned"))
	}
	return r.err == nil
}

// settle does what steps can be done, in any order, and gives what is bound
// then and whether they all were.
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
	bound, _ = b.settle(steps, bound) // what the others can bind is not what is missing
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

// withinStuck tells what is missing where that is not a variable of the step
// itself, but of a clause within it or of the rule that it calls.
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
