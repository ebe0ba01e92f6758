package datalog

import (
	"context"

	"roam-mcp/graphdb"
)

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
	return r.result(q, rows)
}

// found holds the distinct rows of the variables of :find and :with, and the pull
// patterns among the inputs.
type found struct {
	rows     *rowset
	patterns map[string]any
}

func (r *run) query(q *Query, inputs []any) (found, error) {
	b := &body{r: r}
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
	emit.row, emit.into = make([]val, len(emit.slots)), newRowset(len(emit.slots))
	bound := make(slotset, len(b.names))
	for slot := range in.values {
		bound[slot] = true
	}
	start, err := b.link(append(in.steps, steps...), bound, emit)
	if err != nil {
		return found{}, err
	}
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
			r.rules = rules
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
