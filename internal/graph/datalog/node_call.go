package datalog

import "errors"

// callNode calls a predicate, which filters rows, or a function, whose result it binds.
type callNode struct {
	call   func(*run, []val) (val, error)
	args   []operand
	values []val // the arguments, reused for each row
	source string
	out    *binding
	slots  []int
	bound  []bool // by position in slots: compare instead of set
	makes  bool   // the result may be a new text
	text   int    // bytes held for the one in the frame
	next   node
}

func (n *callNode) run(r *run, f *frame) bool {
	if r.tick() {
		return true
	}
	for i, a := range n.args {
		if a.kind == termVar {
			n.values[i] = f.v[a.slot]
		} else {
			n.values[i] = a.v
		}
	}
	v, err := n.call(r, n.values)
	if err != nil {
		return r.fail(inClause(err, n.source))
	}
	r.giveBack()
	switch {
	case n.out == nil:
		return v.truthy() && n.next.run(r, f)
	case v.kind == kindNil:
		return false
	case n.out.kind == bindScalar:
		return n.holdText(r, v) && n.set(f, 0, v) && n.next.run(r, f) || r.err != nil
	}
	rows, err := r.expand(n.out, v)
	if err != nil {
		return r.fail(inClause(err, n.source))
	}
	bytes := 0
	for _, row := range rows {
		bytes += 2*rowBytes + len(row)*valBytes
	}
	if !r.hold(bytes) {
		return true
	}
	defer r.free(bytes)
	r.giveBack()
rows:
	for _, row := range rows {
		if r.tick() {
			return true
		}
		for i, v := range row {
			if !n.set(f, i, v) {
				continue rows
			}
		}
		if n.next.run(r, f) {
			return true
		}
	}
	return false
}

// holdText counts a long text while it is in the frame, that is until the next one.
func (n *callNode) holdText(r *run, v val) bool {
	if n.text > 0 {
		r.free(n.text)
		n.text = 0
	}
	if !n.makes || v.kind != kindString || len(v.s) <= freeText {
		return true
	}
	if !r.hold(len(v.s)) {
		return false
	}
	n.text = len(v.s)
	return true
}

func (n *callNode) set(f *frame, i int, v val) bool {
	slot := n.slots[i]
	if n.bound[i] {
		return f.v[slot] == v
	}
	f.v[slot] = v
	return true
}

// inClause adds the clause to an error of a function.
func inClause(err error, source string) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeFunction {
		return errorf(e.Code, "%s, in %s", e.Message, source)
	}
	return err
}

// expand destructures a value: it returns rows of values for the binding's variables.
func (r *run) expand(b *binding, v val) ([][]val, error) {
	switch b.kind {
	case bindIgnore:
		return [][]val{{}}, nil
	case bindScalar:
		return [][]val{{v}}, nil
	}
	items, ok := r.items(v)
	if !ok {
		what := "collection"
		if b.kind == bindTuple {
			what = "tuple"
		}
		return nil, errorf(CodeInput, "Cannot bind value %s to %s", show(v), what)
	}
	if b.kind == bindCollection {
		var rows [][]val
		for _, item := range items {
			more, err := r.expand(&b.parts[0], r.val(item))
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
		return rows, nil
	}
	if len(items) < len(b.parts) {
		return nil, errorf(CodeInput, "Not enough elements in a collection %s to bind tuple of %d", show(v), len(b.parts))
	}
	return r.expandTuple(b.parts, items)
}

func (r *run) expandTuple(parts []binding, items []any) ([][]val, error) {
	rows := [][]val{{}}
	for i := range parts {
		heads, err := r.expand(&parts[i], r.val(items[i]))
		if err != nil {
			return nil, err
		}
		if !r.borrow(len(rows) * len(heads) * (2*rowBytes + len(parts)*valBytes)) {
			return nil, r.err
		}
		var longer [][]val
		for _, row := range rows {
			for _, head := range heads {
				longer = append(longer, append(row[:len(row):len(row)], head...))
			}
		}
		rows = longer
	}
	return rows, nil
}
