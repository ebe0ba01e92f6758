package datalog

import (
	"slices"

	"roam-mcp/internal/graph/edn"
)

// Result is the answer of a query. Values are nil, bool, int64 (entity ids too),
// float64, string, graphdb.Keyword, []any (vectors and lists), edn.Set, *edn.Map
// (pulled entities too, with Keyword or string keys) and edn.Regex. The order of rows
// is unspecified.
type Result struct {
	Shape Shape
	Keys  []any   // of :keys, :strs or :syms; nil: rows are not maps
	Rows  [][]any // for a Tuple or Scalar at most one; for a Collection or Scalar of one value

	memory *Share // that holds it; nil: nobody counts
}

// Value returns the result in its shape: a list of rows, a list of values, one row or
// one value; nil for a Tuple or Scalar without a row.
func (r Result) Value() any {
	switch r.Shape {
	case Scalar:
		if len(r.Rows) > 0 {
			return r.Rows[0][0]
		}
		return nil
	case Tuple:
		if len(r.Rows) > 0 {
			return r.row(r.Rows[0])
		}
		return nil
	}
	out := make([]any, len(r.Rows))
	for i, row := range r.Rows {
		if out[i] = r.row(row); r.Shape == Collection {
			out[i] = row[0]
		}
	}
	return out
}

func (r Result) row(row []any) any {
	if r.Keys == nil {
		return row
	}
	return &edn.Map{Keys: r.Keys, Values: row}
}

// result returns the values of :find for the rows.
func (r *run) result(q *Query, found found) (Result, error) {
	groups, err := r.group(q, found.rows)
	if err != nil {
		return Result{}, err
	}
	out := Result{Shape: q.shape, Keys: q.keys, memory: r.memory}
	wanted := len(groups)
	if q.shape == Tuple || q.shape == Scalar {
		wanted = min(wanted, 1)
	}
	if !r.hold(wanted * (rowBytes + len(q.find)*anyBytes)) {
		return Result{}, r.err
	}
	out.Rows = make([][]any, 0, wanted)
	if len(groups) == 0 {
		return out, nil // DataScript does not look at pull patterns then
	}
	pulls := make([]*pullPattern, len(q.find))
	for i, f := range q.find {
		if !f.pull {
			continue
		}
		pattern := f.pattern
		if f.patternIn != "" {
			pattern = found.patterns[f.patternIn]
		}
		if pulls[i], err = r.pullParser().parsePattern(pattern); err != nil {
			return Result{}, err
		}
	}
	for _, group := range groups[:wanted] {
		row := make([]any, len(q.find))
		for i, f := range q.find {
			if !f.pull {
				row[i] = r.value(group[i])
				continue
			}
			if err := r.builtin().mayBeEntity(group[i]); err != nil {
				return Result{}, err
			}
			if row[i] = r.pullParser().pull(pulls[i], r.builtin().entityArg(group[i])); r.err != nil {
				return Result{}, r.err
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// group returns the rows of :find, with aggregates computed over the rows that have
// equal values of the other variables.
func (r *run) group(q *Query, rows *rowset) ([][]val, error) {
	n := len(q.find)
	aggregated := slices.ContainsFunc(q.find, func(f findElement) bool { return f.aggregate != "" })
	if !aggregated {
		if !r.hold(rows.n * rowBytes) {
			return nil, r.err
		}
		list := make([][]val, rows.n)
		for i := range list {
			list[i] = rows.row(i)[:n:n]
		}
		return list, nil
	}
	const numberBytes = 2*8 + 8 // a row's number, in a list that has just grown
	if !r.hold(rows.n * numberBytes) {
		return nil, r.err
	}
	keys := r.newRowset(n)
	var members [][]int
	key := make([]val, n)
	for i := range rows.n {
		copy(key, rows.row(i))
		for j, f := range q.find {
			if f.aggregate != "" {
				key[j] = val{}
			}
		}
		at, isNew := keys.place(key)
		if r.err != nil {
			return nil, r.err
		}
		if isNew {
			members = append(members, nil)
		}
		members[at] = append(members[at], i)
	}
	return r.aggregate(q, rows, keys, members)
}

func (r *run) aggregate(q *Query, rows, keys *rowset, members [][]int) ([][]val, error) {
	if !r.hold(len(members) * (2*rowBytes + len(q.find)*valBytes)) {
		return nil, r.err
	}
	list := make([][]val, 0, len(members))
	var all []val // of the group, made anew for each
	for g, group := range members {
		row := slices.Clone(keys.row(g))
		for j, f := range q.find {
			if f.aggregate == "" {
				continue
			}
			if !r.borrow(len(group) * 2 * valBytes) {
				return nil, r.err
			}
			all = all[:0]
			for _, i := range group {
				all = append(all, rows.row(i)[j])
			}
			var err error
			if row[j], err = aggregates[f.aggregate].call(r, f.count(), all); err != nil {
				return nil, err
			}
			r.giveBack()
		}
		list = append(list, row)
	}
	return list, nil
}
