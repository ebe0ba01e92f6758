package datalog

import "slices"

// notStep is (not …) or (not-join …). All variables that it is joined on must be bound.
type notStep struct {
	text
	join  []int
	steps []step
}

func (s *notStep) slots(add func(int)) {
	for _, slot := range s.join {
		add(slot)
	}
}

func (s *notStep) estimate(b *body, bound slotset) (estimate, bool) {
	if len(s.join) == 0 || !bound.all(s.join) {
		return estimate{}, false
	}
	_, e, stuck := b.order(s.steps, bound)
	return estimate{e.work + 1, 0.7}, stuck == nil
}

func (s *notStep) binds(slotset) {}

func (s *notStep) build(b *body, bound slotset, next node) (node, error) {
	inner := *b
	inner.inRule = false // it needs all answers first
	body, err := inner.link(s.steps, bound, foundNode{})
	b.adopt(&inner)
	return &notNode{body: body, next: next}, err
}

// adopt adopts the slots that a copy of the body has added.
func (b *body) adopt(inner *body) { b.names, b.uses = inner.names, inner.uses }

// orStep is (or …) or (or-join …).
type orStep struct {
	text
	join, required []int
	branches       [][]step
}

func (s *orStep) slots(add func(int)) {
	for _, slot := range s.join {
		add(slot)
	}
}

func (s *orStep) estimate(b *body, bound slotset) (estimate, bool) {
	if !bound.all(s.required) {
		return estimate{}, false
	}
	var sum estimate
	for _, branch := range s.branches {
		_, e, stuck := b.order(branch, bound)
		if stuck != nil || !s.bindsAll(branch, bound) {
			return estimate{}, false
		}
		sum.work += e.work
		sum.rows += e.rows
	}
	if bound.all(s.join) {
		sum.rows = min(sum.rows, 0.9)
	}
	return sum, true
}

// bindsAll reports whether a branch binds all variables that other steps use.
func (s *orStep) bindsAll(branch []step, bound slotset) bool {
	bound = slices.Clone(bound)
	for _, st := range branch {
		st.binds(bound)
	}
	return bound.all(s.join)
}

func (s *orStep) binds(bound slotset) {
	for _, slot := range s.join {
		bound[slot] = true
	}
}

func (s *orStep) build(b *body, bound slotset, next node) (node, error) {
	filter := bound.all(s.join) && !(b.inRule && slices.ContainsFunc(s.branches, callsRules))
	after := next
	if filter {
		after = foundNode{}
	}
	inner := *b
	inner.inRule = b.inRule && !filter
	var branches []node
	for _, branch := range s.branches {
		n, err := inner.link(branch, bound, after)
		if err != nil {
			return nil, err
		}
		branches = append(branches, n)
	}
	b.adopt(&inner)
	if filter {
		return &someNode{branches: branches, next: next}, nil
	}
	return &orNode{branches: branches}, nil
}

func callsRules(steps []step) bool {
	return slices.ContainsFunc(steps, func(st step) bool {
		switch st := st.(type) {
		case *ruleStep:
			return true
		case *orStep:
			return slices.ContainsFunc(st.branches, callsRules)
		}
		return false
	})
}

// inputStep is an input of several rows.
type inputStep struct {
	text
	vars  []int
	rows  [][]val
	first bool // it holds lookup refs, which join as what they were given
}

func (s *inputStep) slots(add func(int)) {
	for _, slot := range s.vars {
		add(slot)
	}
}

func (s *inputStep) estimate(_ *body, bound slotset) (estimate, bool) {
	n := float64(len(s.rows))
	if s.first {
		return estimate{0, 0}, true
	}
	rows := n
	for _, slot := range s.vars {
		if bound[slot] {
			rows = min(rows, 0.5)
		}
	}
	return estimate{n, rows}, true
}

func (s *inputStep) binds(bound slotset) {
	for _, slot := range s.vars {
		bound[slot] = true
	}
}

func (s *inputStep) build(_ *body, bound slotset, next node) (node, error) {
	n := &inputNode{rows: s.rows, slots: s.vars, next: next}
	for _, slot := range s.vars {
		n.bound = append(n.bound, bound[slot])
	}
	return n, nil
}

// callStep is a predicate, or a function whose result is bound.
type callStep struct {
	text
	function string
	args     []operand
	out      *binding
	outSlots []int
}

func (s *callStep) slots(add func(int)) {
	for _, a := range s.args {
		if a.kind == termVar {
			add(a.slot)
		}
	}
	for _, slot := range s.outSlots {
		add(slot)
	}
}

func (s *callStep) estimate(_ *body, bound slotset) (estimate, bool) {
	for _, a := range s.args {
		if a.kind == termVar && !bound[a.slot] {
			return estimate{}, false
		}
	}
	switch {
	case s.out == nil:
		return estimate{1, 0.4}, true
	case s.out.kind == bindCollection:
		return estimate{1, 3}, true
	}
	return estimate{1, 1}, true
}

func (s *callStep) binds(bound slotset) {
	for _, slot := range s.outSlots {
		bound[slot] = true
	}
}

// shares reports whether a text that the function gives is one of the graph or the query.
func (s *callStep) shares() bool {
	switch s.function {
	case "ground":
		return s.args[0].kind == termConst
	case "get-else":
		return len(s.args) == 4 && s.args[3].kind == termConst
	}
	return false
}

func (s *callStep) build(b *body, bound slotset, next node) (node, error) {
	n := &callNode{call: functions[s.function].call, args: s.args, values: make([]val, len(s.args)), source: s.source(), out: s.out, next: next}
	if f := functions[s.function]; len(s.args) < f.least || f.most >= 0 && len(s.args) > f.most {
		return nil, errorf(CodeFunction, "Wrong number of arguments (%d) for %s in %s", len(s.args), s.function, s.source())
	}
	n.makes = !s.shares()
	for i, slot := range s.outSlots {
		b.made[slot] = b.made[slot] || n.makes
		n.slots = append(n.slots, slot)
		n.bound = append(n.bound, bound[slot] || slices.Contains(s.outSlots[:i], slot))
	}
	return n, nil
}
