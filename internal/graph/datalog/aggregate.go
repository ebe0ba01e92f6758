package datalog

import (
	"math"
	"math/rand/v2"
	"slices"
)

// aggregate is an aggregate function. It is called with the values of a variable in a
// group of rows, one per row. n is the number before the variable, or -1.
type aggregate struct {
	counted bool // takes a number before the variable
	must    bool // needs it
	call    func(r *run, n int, values []val) (val, error)
}

var aggregates = map[string]aggregate{
	"count":          {call: func(_ *run, _ int, vs []val) (val, error) { return intVal(int64(len(vs))), nil }},
	"count-distinct": {call: func(r *run, _ int, vs []val) (val, error) { return intVal(int64(len(distinct(r, vs)))), r.err }},
	"distinct": {call: func(r *run, _ int, vs []val) (val, error) {
		return r.intern(r.builtin().setOf(r.builtin().values(distinct(r, vs)))), r.err
	}},
	"sum":      {call: func(_ *run, _ int, vs []val) (val, error) { s, err := sum("sum", vs); return floatVal(s), err }},
	"avg":      {call: func(_ *run, _ int, vs []val) (val, error) { m, err := mean("avg", vs); return floatVal(m), err }},
	"median":   {call: median},
	"variance": {call: func(_ *run, _ int, vs []val) (val, error) { v, err := variance(vs); return floatVal(v), err }},
	"stddev":   {call: func(_ *run, _ int, vs []val) (val, error) { v, err := variance(vs); return floatVal(math.Sqrt(v)), err }},
	"min":      {counted: true, call: least(1)},
	"max":      {counted: true, call: least(-1)},
	"rand":     {counted: true, call: pick},
	"sample":   {counted: true, must: true, call: sample},
}

func checkAggregate(f findElement) error {
	a, ok := aggregates[f.aggregate]
	if !ok {
		return errorf(CodeUnknownFunction, "Unknown aggregate '%s", f.aggregate)
	}
	if len(f.args) == 0 && a.must {
		return errorf(CodeParse, "The aggregate %s takes a number and a variable", f.aggregate)
	}
	if len(f.args) > 0 {
		n, ok := f.args[0].(int64)
		if !ok || len(f.args) > 1 || !a.counted || n < 0 || n > maxRange {
			return errorf(CodeParse, "The aggregate %s can't be used with these arguments", f.aggregate)
		}
	}
	return nil
}

// count returns the number before the variable, or -1.
func (f findElement) count() int {
	if len(f.args) == 1 {
		if n, ok := f.args[0].(int64); ok {
			return int(n)
		}
	}
	return -1
}

func distinct(r *run, vs []val) []val {
	if !r.borrow(len(vs) * entryBytes) {
		return nil
	}
	seen := make(map[val]bool, len(vs))
	var out []val
	for _, v := range vs {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

func sum(name string, vs []val) (float64, error) {
	total := 0.0
	for _, v := range vs {
		if !v.isNumber() {
			return 0, errorf(CodeFunction, "The aggregate %s works on numbers, not on %s", name, show(v))
		}
		total += v.float()
	}
	return total, nil
}

func mean(name string, vs []val) (float64, error) {
	total, err := sum(name, vs)
	return total / float64(len(vs)), err
}

// variance returns the variance of a whole population.
func variance(vs []val) (float64, error) {
	m, err := mean("variance", vs)
	squares := 0.0
	for _, v := range vs {
		d := v.float() - m
		squares += d * d
	}
	return squares / float64(len(vs)), err
}

func sorted(vs []val, sign int) ([]val, error) {
	var failed error
	vs = slices.Clone(vs)
	slices.SortStableFunc(vs, func(a, b val) int {
		c, err := compareAlike(a, b)
		if err != nil {
			failed = err
		}
		return c * sign
	})
	return vs, failed
}

func median(_ *run, _ int, vs []val) (val, error) {
	if _, err := sum("median", vs); err != nil {
		return val{}, err
	}
	vs, err := sorted(vs, 1)
	middle := vs[len(vs)/2]
	if len(vs)%2 == 0 {
		middle = floatVal((middle.float() + vs[len(vs)/2-1].float()) / 2)
	}
	return middle, err
}

// least returns the first value, or the first n in ascending order, sorted upward
// (sign 1) or downward (-1).
func least(sign int) func(*run, int, []val) (val, error) {
	return func(r *run, n int, vs []val) (val, error) {
		if n < 0 {
			return first(vs, sign)
		}
		vs, err := sorted(vs, sign)
		vs = vs[:min(n, len(vs))]
		if sign < 0 {
			slices.Reverse(vs)
		}
		return r.intern(r.builtin().values(vs)), err
	}
}

func first(vs []val, sign int) (val, error) {
	best := vs[0]
	for _, v := range vs[1:] {
		c, err := compareAlike(v, best)
		if err != nil {
			return val{}, err
		}
		if c*sign < 0 {
			best = v
		}
	}
	return best, nil
}

func pick(r *run, n int, vs []val) (val, error) {
	if n < 0 {
		return vs[rand.IntN(len(vs))], nil
	}
	out := make([]val, n)
	for i := range out {
		out[i] = vs[rand.IntN(len(vs))]
	}
	return r.intern(r.builtin().values(out)), nil
}

func sample(r *run, n int, vs []val) (val, error) {
	vs = slices.Clone(vs)
	rand.Shuffle(len(vs), func(i, j int) { vs[i], vs[j] = vs[j], vs[i] })
	return r.intern(r.builtin().values(vs[:min(n, len(vs))])), nil
}
