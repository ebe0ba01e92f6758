package datalog

import "sync"

// ruleStep is the call of a rule.
type ruleStep struct {
	text
	name     string
	required int // of the first so many args each must be bound when the rule is called
	args     []operand
}

func (s *ruleStep) slots(add func(int)) {
	for _, a := range s.args {
		if a.kind == termVar {
			add(a.slot)
		}
	}
}

func (s *ruleStep) binds(bound slotset) { s.slots(func(slot int) { bound[slot] = true }) }

// mask returns a letter for each argument: "b" for bound or "f" for free. A rule is compiled
// once for each mask that it is called with (run.program).
func (s *ruleStep) mask(b *body, bound slotset) string {
	mask := make([]byte, len(s.args))
	for i, a := range s.args {
		mask[i] = 'f'
		if a.kind == termConst || a.kind == termVar && b.uses[a.slot] > 1 && bound[a.slot] {
			mask[i] = 'b'
		}
	}
	return string(mask)
}

func (s *ruleStep) estimate(b *body, bound slotset) (estimate, bool) {
	known := 0
	for i, a := range s.args {
		if a.kind == termConst || a.kind == termVar && bound[a.slot] {
			known++
		} else if i < s.required {
			return estimate{}, false
		}
	}
	if !b.r.callable(s.name, s.mask(b, bound)) {
		return estimate{}, false
	}
	switch known {
	case len(s.args):
		return estimate{50, 0.5}, true
	case 0:
		n := 10 * float64(b.r.datoms())
		return estimate{n, n}, true
	}
	return estimate{50, 20}, true
}

func (s *ruleStep) build(b *body, bound slotset, next node) (node, error) {
	n := &ruleNode{name: s.name, mask: s.mask(b, bound), suspend: b.inRule, args: make([]access, len(s.args)), values: make([]val, len(s.args))}
	seen := map[int]bool{}
	for i, a := range s.args {
		switch {
		case a.kind == termConst:
			n.args[i] = access{mode: accessConst, v: a.v}
		case a.kind != termVar || b.uses[a.slot] == 1:
		case bound[a.slot]:
			n.args[i] = access{mode: accessBound, slot: a.slot}
		case seen[a.slot]:
			again := b.fresh(b.names[a.slot])
			n.args[i] = access{mode: accessSet, slot: again}
			next = &equalNode{a: a.slot, b: again, next: next}
		default:
			seen[a.slot] = true
			n.args[i] = access{mode: accessSet, slot: a.slot}
		}
	}
	n.next = next
	n.made = sync.OnceValue(b.allMade)
	if b.r.makes {
		for _, a := range n.args {
			if a.mode == accessSet {
				b.made[a.slot] = true
			}
		}
	}
	var err error
	n.program, err = b.r.program(s.name, n.mask)
	return n, err
}

// ruleNode calls a rule. Answers of equal calls are found once, in a table (tabling; rules.go),
// so that a rule that calls itself ends.
type ruleNode struct {
	name, mask string
	program    *program
	suspend    bool // within a rule: wait for answers instead of finding all first
	args       []access
	values     []val
	made       func() []int // slots of the frame, known when the whole body is built
	next       node
}

// run implements node. A call within a rule does not wait: the body with its frame becomes a
// consumer of the table of the call, and goes on for each answer that is found.
func (n *ruleNode) run(r *run, f *frame) bool {
	if r.tick() {
		return true
	}
	for i, a := range n.args {
		n.values[i], _ = a.get(f)
	}
	key := callKey(n.name, n.mask, n.values)
	args := append([]val(nil), n.values...)
	if !n.suspend {
		return n.runNow(r, f, key, args)
	}
	s := f.table.solver
	t := s.call(r, n.program, key, args)
	c := &consumer{table: t, node: n, frame: frame{v: append([]val(nil), f.v...), table: f.table}}
	r.hold(consumerBytes + len(f.v)*valBytes)
	for _, slot := range n.made() {
		r.own(&c.frame.v[slot], nil)
	}
	if t.solver == s {
		t.waiting = append(t.waiting, c)
	}
	if t.answers.n > 0 {
		s.wake(c)
	}
	return false
}

// runNow finds all answers of the rule and continues with each.
func (n *ruleNode) runNow(r *run, f *frame, key string, args []val) bool {
	t, ok := r.complete[key]
	if !ok {
		if r.nesting++; r.nesting > maxNesting {
			return r.fail(errorf(CodeParse, "The rule %s calls itself within a not; such a rule has no meaning", n.name))
		}
		s := &solver{tables: map[string]*table{}}
		t = s.call(r, n.program, key, args)
		stop := s.work(r)
		r.nesting--
		if stop {
			return true
		}
	}
	for i := range t.answers.n {
		if n.take(r, f, t.answers.row(i)) {
			return true
		}
	}
	return false
}

// take continues with one answer.
func (n *ruleNode) take(r *run, f *frame, answer []val) bool {
	if r.tick() {
		return true
	}
	free := 0
	for i, a := range n.args {
		if n.mask[i] == 'f' {
			if a.mode == accessSet {
				f.v[a.slot] = answer[free]
			}
			free++
		}
	}
	return n.next.run(r, f)
}
