package datalog

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Rules are evaluated by tabling: each call with its bound arguments has one table of
// answers. A body that needs the answers of a table is suspended, and resumed once for
// each answer, whichever branch finds it. So recursion over a cycle ends when there
// are no new answers.

// maxNesting bounds the nesting of calls that need all answers first: those of rules
// that call themselves within a not.
const maxNesting = 32

type programKey struct {
	name string
	mask string // per parameter: "b" bound, "f" free
}

// program is a rule compiled for callers that bind certain parameters.
type program struct {
	branches []ruleBranch
	free     int
}

type ruleBranch struct {
	start  node
	width  int
	params []int // slots
	bound  []bool
}

// table holds the answers of one call: the values of the free parameters.
type table struct {
	solver  *solver
	program *program
	args    []val // by parameter; of the bound ones
	answers *rowset
	waiting []*consumer
}

// consumer is a suspended body.
type consumer struct {
	table  *table
	node   *ruleNode
	frame  frame
	taken  int // answers
	queued bool
}

// solver fills tables until no body has an answer to take.
type solver struct {
	tables map[string]*table
	fresh  []*table
	ready  []*consumer
}

func (r *run) program(name, mask string) (*program, error) {
	key := programKey{name, mask}
	if p, ok := r.programs[key]; ok {
		return p, nil
	}
	p := &program{free: strings.Count(mask, "f")}
	r.programs[key] = p // before the bodies, which may call the rule
	for _, branch := range r.rules[name] {
		compiled, err := r.compileBranch(branch, mask)
		if err != nil {
			return nil, err
		}
		p.branches = append(p.branches, compiled)
	}
	return p, nil
}

// openBranch resolves a branch. bound are the slots that the caller binds.
func (r *run) openBranch(rl rule, mask string) (b *body, out ruleBranch, steps []step, bound slotset, err error) {
	b = &body{r: r, inRule: true, made: map[int]bool{}}
	s, seen := scope{}, map[string]bool{}
	for i, param := range rl.params {
		slot := b.slot(s, param)
		b.uses[slot]++ // the caller knows it
		out.params = append(out.params, slot)
		out.bound = append(out.bound, mask[i] == 'b')
		seen[param] = true // for every caller, or the answer would depend on the order
	}
	steps, err = b.resolve(rl.body, s, seen)
	bound = make(slotset, len(b.names))
	for i, slot := range out.params {
		bound[slot] = out.bound[i]
	}
	return b, out, steps, bound, err
}

func (r *run) compileBranch(rl rule, mask string) (ruleBranch, error) {
	b, out, steps, bound, err := r.openBranch(rl, mask)
	if err != nil {
		return out, err
	}
	answer := &answerNode{}
	for i, slot := range out.params {
		if !out.bound[i] {
			answer.slots = append(answer.slots, slot)
		}
	}
	answer.row = make([]val, len(answer.slots))
	if out.start, err = b.link(steps, bound, answer); err != nil {
		return out, err
	}
	for _, st := range steps {
		st.binds(bound)
	}
	answer.made = b.madeAmong(answer.slots)
	for _, slot := range answer.slots {
		if !bound[slot] {
			return out, errorf(CodeInsufficientBindings, "The rule %s never binds %s", rl.name, b.names[slot])
		}
	}
	out.width = len(b.names)
	return out, nil
}

// callable reports whether a rule can be called with the parameters of the mask bound:
// whether its branches can then be executed and bind the others. A recursive call is
// assumed to be callable until that proves wrong.
func (r *run) callable(name, mask string) bool {
	key := programKey{name, mask}
	outermost := !r.trusting
	defer func() { r.trusting = !outermost }()
	for !r.uncallable[key] && !r.trusted[key] && r.err == nil {
		r.trusting, r.trusted[key] = true, true
		failed := len(r.uncallable)
		if !r.canDo(key) {
			r.uncallable[key] = true
		}
		if len(r.uncallable) > failed && outermost {
			clear(r.trusted) // some of it may depend on what failed
		}
	}
	return !r.uncallable[key]
}

func (r *run) canDo(key programKey) bool {
	return !slices.ContainsFunc(r.rules[key.name], func(rl rule) bool {
		b, branch, steps, bound, err := r.openBranch(rl, key.mask)
		if err != nil {
			return true
		}
		bound, done := b.settle(steps, bound)
		return !done || !bound.all(branch.params)
	})
}

// answerNode ends a branch of a rule.
type answerNode struct {
	slots []int
	row   []val
	made  []int // see run.keep
}

func (n *answerNode) run(r *run, f *frame) bool {
	if r.tick() {
		return true
	}
	for i, slot := range n.slots {
		n.row[i] = f.v[slot]
	}
	t := f.table
	if r.keep(t.answers, n.row, n.made) {
		for _, c := range t.waiting {
			t.solver.wake(c)
		}
	}
	return r.err != nil
}

func (s *solver) wake(c *consumer) {
	if !c.queued {
		c.queued = true
		s.ready = append(s.ready, c)
	}
}

// call returns the table of a call, made if need be.
func (s *solver) call(r *run, p *program, key string, args []val) *table {
	if t, ok := r.complete[key]; ok {
		return t
	}
	t, ok := s.tables[key]
	if !ok {
		r.hold(callBytes + 2*len(key) + len(args)*valBytes) // twice: the key and the texts within the arguments
		for i := range args {
			args[i].s = strings.Clone(args[i].s)
		}
		t = &table{solver: s, program: p, args: args, answers: r.newRowset(p.free)}
		s.tables[key] = t
		s.fresh = append(s.fresh, t)
	}
	return t
}

// work runs until every table has all its answers.
func (s *solver) work(r *run) bool {
	for r.err == nil {
		switch {
		case len(s.ready) > 0:
			c := s.ready[len(s.ready)-1]
			s.ready = s.ready[:len(s.ready)-1]
			c.queued = false
			for r.err == nil && c.taken < c.table.answers.n {
				c.taken++
				c.node.take(r, &c.frame, c.table.answers.row(c.taken-1))
			}
		case len(s.fresh) > 0:
			t := s.fresh[len(s.fresh)-1]
			s.fresh = s.fresh[:len(s.fresh)-1]
			t.fill(r)
		default:
			maps.Copy(r.complete, s.tables)
			return false
		}
	}
	return true
}

func (t *table) fill(r *run) {
	for _, b := range t.program.branches {
		f := &frame{v: make([]val, b.width), table: t}
		for i, slot := range b.params {
			if b.bound[i] {
				f.v[slot] = t.args[i]
			}
		}
		if b.start.run(r, f) {
			return
		}
	}
}

// callKey returns a key that is unique for a call: text in it is preceded by its
// length.
func callKey(name, mask string, args []val) string {
	b := append(append(append([]byte(name), 0), mask...), 0)
	for i, v := range args {
		if mask[i] == 'b' {
			b = strconv.AppendInt(append(b, byte(v.kind)), v.n, 36)
			b = append(strconv.AppendInt(append(b, ','), int64(len(v.s)), 36), ':')
			b = append(b, v.s...)
		}
	}
	return string(b)
}
