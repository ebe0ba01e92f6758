package datalog

// node executes a step for one row: it finds the values that fit the frame and runs
// the next node for each. run reports whether to stop, because of r.err or because a
// foundNode was reached.
type node interface {
	run(r *run, f *frame) (stop bool)
}

// frame holds the variables of a body. The order of the nodes determines which are
// bound, so they are never unset.
type frame struct {
	v     []val
	table *table // of the rule call that is answered; nil in a query
}

// foundNode is the last node of a not, or of an or that only filters.
type foundNode struct{}

func (foundNode) run(*run, *frame) bool { return true }

// emitNode adds the values of slots to the rows found.
type emitNode struct {
	slots []int
	into  *rowset
	row   []val
	made  []int // see run.keep
}

func (n *emitNode) run(r *run, f *frame) bool {
	for i, slot := range n.slots {
		n.row[i] = f.v[slot]
	}
	r.keep(n.into, n.row, n.made)
	return r.err != nil
}

// equalNode passes rows in which two slots are equal.
type equalNode struct {
	a, b int
	next node
}

func (n *equalNode) run(r *run, f *frame) bool {
	return f.v[n.a] == f.v[n.b] && n.next.run(r, f)
}

// notNode passes rows for which the body finds nothing.
type notNode struct{ body, next node }

func (n *notNode) run(r *run, f *frame) bool {
	switch found := n.body.run(r, f); {
	case r.err != nil:
		return true
	case found:
		return false
	}
	return n.next.run(r, f)
}

// orNode runs all branches, which share the next node.
type orNode struct{ branches []node }

func (n *orNode) run(r *run, f *frame) bool {
	for _, b := range n.branches {
		if b.run(r, f) {
			return true
		}
	}
	return false
}

// someNode passes rows for which a branch finds something.
type someNode struct {
	branches []node
	next     node
}

func (n *someNode) run(r *run, f *frame) bool {
	for _, b := range n.branches {
		found := b.run(r, f)
		if r.err != nil {
			return true
		}
		if found {
			return n.next.run(r, f)
		}
	}
	return false
}

// inputNode joins the rows of an input.
type inputNode struct {
	rows  [][]val
	slots []int
	bound []bool // by position: compare instead of set
	next  node
}

func (n *inputNode) run(r *run, f *frame) bool {
rows:
	for _, row := range n.rows {
		if r.tick() {
			return true
		}
		for i, slot := range n.slots {
			if n.bound[i] && f.v[slot] != row[i] {
				continue rows
			}
		}
		for i, slot := range n.slots {
			f.v[slot] = row[i]
		}
		if n.next.run(r, f) {
			return true
		}
	}
	return false
}
