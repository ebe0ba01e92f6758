package datalog

import (
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// body compiles the clauses of a query or of one branch of a rule. Its variables have
// slots in the frame that the clauses share.
type body struct {
	r      *run
	names  []string // of the variables, by slot
	uses   []int    // number of occurrences of a slot; one that occurs once is a blank
	inRule bool
	made   map[int]bool // slots whose values a function may have made; shared by copies of the body
}

// madeAmong returns the positions of slots whose values a function may have made.
func (b *body) madeAmong(slots []int) (at []int) {
	for i, slot := range slots {
		if b.made[slot] {
			at = append(at, i)
		}
	}
	return at
}

// allMade returns the slots whose values a function may have made.
func (b *body) allMade() []int { return slices.Sorted(maps.Keys(b.made)) }

// scope maps the visible variables to slots.
type scope map[string]int

func (b *body) slot(s scope, name string) int {
	i, ok := s[name]
	if !ok {
		i = b.fresh(name)
		s[name] = i
	}
	b.uses[i]++
	return i
}

func (b *body) fresh(name string) int {
	b.names = append(b.names, name)
	b.uses = append(b.uses, 0)
	return len(b.names) - 1
}

// operand is a term with its variable's slot, or its constant as a val.
type operand struct {
	kind termKind
	slot int
	v    val
}

func (b *body) operand(s scope, t term) operand {
	switch t.kind {
	case termVar:
		return operand{kind: termVar, slot: b.slot(s, t.name)}
	case termConst:
		return operand{kind: termConst, v: b.r.val(t.value)}
	}
	return operand{kind: t.kind}
}

func (b *body) operands(s scope, terms []term) []operand {
	out := make([]operand, len(terms))
	for i, t := range terms {
		out[i] = b.operand(s, t)
	}
	return out
}

// resolve assigns slots to the variables of clauses. seen holds the variables bound
// outside, and gets those of each clause: a not is joined on the variables of the
// clauses before it or, if it shares none with those, of the clauses after it.
func (b *body) resolve(clauses []clause, s scope, seen map[string]bool) ([]step, error) {
	all := map[string]int{} // number of clauses with the variable, nots excepted
	for _, c := range clauses {
		if _, isNot := c.(*notClause); !isNot {
			for _, name := range sortedVariables([]clause{c}) {
				all[name]++
			}
		}
	}
	var out []step
	for _, c := range clauses {
		st, err := b.resolveClause(c, s, seen, all)
		if err != nil {
			return nil, err
		}
		out = append(out, st)
		if _, isNot := c.(*notClause); !isNot {
			clauseVariables(c, func(name string) { seen[name] = true })
		}
	}
	return out, nil
}

func (b *body) resolveClause(c clause, s scope, seen map[string]bool, all map[string]int) (step, error) {
	switch c := c.(type) {
	case *patternClause:
		return b.resolvePattern(c, s)
	case *callClause:
		st := &callStep{text: c.text, function: c.function, args: b.operands(s, c.args)}
		if c.out != nil {
			st.out = c.out
			c.out.variables(func(name string) { st.outSlots = append(st.outSlots, b.slot(s, name)) })
		}
		return st, nil
	case *ruleClause:
		branches, ok := b.r.rules[c.name]
		if !ok {
			return nil, errorf(CodeParse, "Unknown rule '%s in %s", c.name, c.text)
		}
		if len(branches[0].params) != len(c.args) {
			return nil, errorf(CodeParse, "The rule %s takes %d arguments: %s", c.name, len(branches[0].params), c.text)
		}
		return &ruleStep{text: c.text, name: c.name, required: branches[0].required, args: b.operands(s, c.args)}, nil
	case *notClause:
		return b.resolveNot(c, s, seen, all)
	}
	return b.resolveOr(c.(*orClause), s, seen, all)
}

func (b *body) resolvePattern(c *patternClause, s scope) (step, error) {
	st := &patternStep{text: c.text}
	copy(st.terms[:], b.operands(s, c.terms))
	attr := &st.terms[1]
	if attr.kind == termConst {
		name, err := attrArg(attr.v)
		if err != nil {
			return nil, errorf(CodeParse, "%s in %s is no attribute; attributes are keywords such as :block/uid", show(attr.v), c.text)
		}
		st.attr = b.r.attribute(name)
	}
	for i := range st.terms {
		t := &st.terms[i]
		isEntity := i == 0 || i == 2 && st.attr != nil && st.attr.Def().Kind == graphdb.KindRef
		if t.kind != termConst || !isEntity {
			continue
		}
		if _, _, ok := lookupRef(b.r.value(t.v)); ok {
			e := b.r.lookup(t.v)
			if e == 0 {
				return nil, errorf(CodeNotFound, "Nothing found for entity id %s", show(t.v))
			}
			t.v = entityVal(e)
		}
	}
	return st, nil
}

// inner returns the scope of a join clause, which sees only the named variables.
func (b *body) inner(s scope, names []string) (scope, []int, map[string]bool) {
	in, slots, seen := scope{}, []int{}, map[string]bool{}
	for _, name := range names {
		slot := b.slot(s, name)
		b.uses[slot]++ // so that it is not a blank
		in[name] = slot
		slots = append(slots, slot)
		seen[name] = true
	}
	return in, slots, seen
}

func (b *body) resolveNot(c *notClause, s scope, seen map[string]bool, all map[string]int) (step, error) {
	join := c.vars
	if !c.join {
		names := sortedVariables(c.body)
		join = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !seen[name] })
		if len(join) == 0 {
			join = slices.DeleteFunc(names, func(name string) bool { return all[name] == 0 })
		}
	}
	in, slots, inSeen := b.inner(s, join)
	steps, err := b.resolve(c.body, in, inSeen)
	return &notStep{text: c.text, join: slots, steps: steps}, err
}

func (b *body) resolveOr(c *orClause, s scope, seen map[string]bool, all map[string]int) (step, error) {
	st := &orStep{text: c.text}
	names := append(slices.Clone(c.required), c.vars...)
	if !c.join {
		names = sortedVariables([]clause{c})
		if err := c.checkFree(seen, all); err != nil {
			return nil, err
		}
	}
	for _, branch := range c.branches {
		in, slots, inSeen := b.inner(s, names)
		for name := range inSeen {
			inSeen[name] = seen[name]
		}
		steps, err := b.resolve(branch, in, inSeen)
		if err != nil {
			return nil, err
		}
		st.join, st.required = slots, slots[:len(c.required)]
		st.branches = append(st.branches, steps)
	}
	return st, nil
}

// checkFree checks that all branches of an or have the same free variables. A variable
// that is bound before it, or by other clauses in any order, may be in some branches
// only.
func (c *orClause) checkFree(seen map[string]bool, all map[string]int) error {
	free := func(isBound func(string) bool) (sets []string) {
		for _, branch := range c.branches {
			names := slices.DeleteFunc(sortedVariables(branch), isBound)
			sets = append(sets, "#{"+strings.Join(names, " ")+"}")
		}
		return sets
	}
	differ := func(sets []string) bool { return len(slices.Compact(slices.Clone(sets))) > 1 }
	before := free(func(name string) bool { return seen[name] })
	if !differ(before) || !differ(free(func(name string) bool { return seen[name] || all[name] > 1 })) {
		return nil
	}
	return errorf(CodeParse, "All clauses in 'or' must use same set of free vars, had [%s] in %s; or-join names those that matter",
		strings.Join(before, " "), c.text)
}

// lookup returns the entity of a lookup ref, or 0.
func (r *run) lookup(v val) graphdb.EID {
	if v.kind != kindObject {
		return 0
	}
	attr, x, ok := lookupRef(r.objects[v.n])
	if !ok {
		return 0
	}
	want, ok := r.val(x).storable()
	if !ok {
		return 0
	}
	return r.attribute(attr).Lookup(want)
}
