package datalog

import (
	"roam-mcp/internal/graph/graphdb"
)

// patternStep is a data pattern: entity, attribute, value, transaction, added.
type patternStep struct {
	text
	terms [5]operand
	attr  *attribute // nil: not known before the query runs
}

func (s *patternStep) slots(add func(int)) {
	for _, t := range s.terms {
		if t.kind == termVar {
			add(t.slot)
		}
	}
}

func (s *patternStep) binds(bound slotset) {
	s.slots(func(slot int) { bound[slot] = true })
}

// known reports whether a position has a value when the step is reached.
func (s *patternStep) known(i int, bound slotset) bool {
	t := s.terms[i]
	return t.kind == termConst || t.kind == termVar && bound[t.slot]
}

func (s *patternStep) estimate(b *body, bound slotset) (estimate, bool) {
	e, v := s.known(0, bound), s.known(2, bound)
	if s.attr == nil {
		total := float64(b.r.datoms())
		switch {
		case e && v:
			return estimate{20, 0.5}, true
		case e:
			return estimate{20, 12}, true
		case v:
			return estimate{total, total * 0.01}, true
		case s.isBlank(b, 0) && s.isBlank(b, 2):
			return estimate{50, 50}, true
		}
		return estimate{total, total}, true
	}
	n := float64(s.attr.Count())
	forward, reverse := s.attr.fan()
	switch {
	case e && v:
		return estimate{1, 0.3}, true
	case e && s.isBlank(b, 2):
		return estimate{1, 0.9}, true
	case e:
		return estimate{1, min(forward, n)}, true
	case v && s.attr.Def().Kind == graphdb.KindRef:
		if t := s.terms[2]; t.kind == termConst {
			reverse = float64(s.attr.ReverseCount(t.v.entity()))
		}
		return estimate{1 + min(reverse, n), min(reverse, n)}, true
	case v && s.attr.Def().Unique != graphdb.NotUnique:
		return estimate{1, min(1, n)}, true
	case v && s.terms[2].kind == termConst:
		return estimate{n, max(1, n*0.05)}, true
	case v:
		return estimate{3, max(1, n*0.02)}, true
	}
	return estimate{n, n}, true
}

// isBlank reports whether a position is _ or a variable that occurs nowhere else.
func (s *patternStep) isBlank(b *body, i int) bool {
	t := s.terms[i]
	return t.kind == termBlank || t.kind == termSource || t.kind == termVar && b.uses[t.slot] == 1
}

// access is how a node treats a position of its pattern.
type access struct {
	mode accessMode
	slot int
	v    val
}

type accessMode uint8

const (
	accessAny   accessMode = iota // accept any value
	accessConst                   // compare with v
	accessBound                   // compare with the slot
	accessSet                     // set the slot
)

func (a access) get(f *frame) (val, bool) {
	switch a.mode {
	case accessConst:
		return a.v, true
	case accessBound:
		return f.v[a.slot], true
	}
	return val{}, false
}

func (s *patternStep) build(b *body, bound slotset, next node) (node, error) {
	n := &patternNode{attr: s.attr}
	seen := map[int]bool{}
	for i, t := range s.terms {
		a := &n.at[i]
		switch {
		case t.kind == termConst:
			*a = access{mode: accessConst, v: t.v}
		case s.isBlank(b, i):
		case bound[t.slot]:
			*a = access{mode: accessBound, slot: t.slot}
		case seen[t.slot]: // the same variable again
			again := b.fresh(b.names[t.slot])
			*a = access{mode: accessSet, slot: again}
			next = &equalNode{a: t.slot, b: again, next: next}
		default:
			*a = access{mode: accessSet, slot: t.slot}
			seen[t.slot] = true
		}
	}
	n.next = next
	n.extra = n.at[3].mode != accessAny || n.at[4].mode != accessAny
	return n, nil
}

// patternNode finds datoms.
type patternNode struct {
	at    [5]access
	attr  *attribute
	extra bool // transaction or added matter
	next  node
}

func (n *patternNode) run(r *run, f *frame) bool {
	if n.attr != nil {
		return n.match(r, f, n.attr)
	}
	if a, ok := n.at[1].get(f); ok {
		name, err := attrArg(a)
		return err == nil && n.match(r, f, r.attribute(name))
	}
	for name := range r.db.Attrs() {
		if n.at[1].mode == accessSet {
			f.v[n.at[1].slot] = val{kind: kindKeyword, s: string(name)}
		}
		if n.match(r, f, r.attribute(name)) {
			return true
		}
	}
	return false
}

func (n *patternNode) match(r *run, f *frame, attr *attribute) bool {
	v, wanted := n.at[2].get(f)
	if wanted && attr.Def().Kind == graphdb.KindRef {
		v = entityVal(r.builtin().entityArg(v))
	}
	if e, ok := n.at[0].get(f); ok {
		return n.ofEntity(r, f, attr, r.builtin().entityArg(e), v, wanted)
	}
	if wanted {
		return n.withValue(r, f, attr, v)
	}
	return n.scan(r, f, attr)
}

// ofEntity runs the next node for the values of one entity.
func (n *patternNode) ofEntity(r *run, f *frame, attr *attribute, e graphdb.EID, v val, wanted bool) bool {
	if r.tick() {
		return true
	}
	switch {
	case wanted && attr.Def().Many:
		return attr.HasRef(e, v.entity()) && n.emit(r, f)
	case wanted:
		have, ok := attr.Get(e)
		return ok && r.stored(have) == v && n.emit(r, f)
	case n.at[2].mode == accessAny:
		_, ok := attr.Get(e)
		return ok && n.emit(r, f)
	}
	for have := range attr.Values(e) {
		if r.tick() {
			return true
		}
		f.v[n.at[2].slot] = r.stored(have)
		if n.emit(r, f) {
			return true
		}
	}
	return false
}

// withValue runs the next node for the entities that have a value.
func (n *patternNode) withValue(r *run, f *frame, attr *attribute, v val) bool {
	switch {
	case attr.Def().Kind == graphdb.KindRef:
		for e := range attr.Reverse(v.entity()) {
			if n.emitEntity(r, f, e) {
				return true
			}
			if n.at[0].mode == accessAny {
				return false
			}
		}
		return false
	case attr.Def().Unique != graphdb.NotUnique:
		want, ok := v.storable()
		if !ok {
			return false
		}
		e := attr.Lookup(want)
		return e != 0 && n.emitEntity(r, f, e)
	}
	for _, e := range r.holders(attr, v) {
		if n.emitEntity(r, f, e) {
			return true
		}
		if n.at[0].mode == accessAny {
			return false
		}
	}
	return r.err != nil
}

// scan runs the next node for all datoms of the attribute.
func (n *patternNode) scan(r *run, f *frame, attr *attribute) bool {
	if n.at[0].mode == accessAny && n.at[2].mode == accessAny {
		return attr.Count() > 0 && n.emit(r, f)
	}
	var last graphdb.EID
	for e, v := range attr.All() {
		if n.at[2].mode == accessSet {
			f.v[n.at[2].slot] = r.stored(v)
		} else if e == last {
			continue // another value of the same entity tells nothing new
		}
		last = e
		if n.emitEntity(r, f, e) {
			return true
		}
	}
	return false
}

func (n *patternNode) emitEntity(r *run, f *frame, e graphdb.EID) bool {
	if r.tick() {
		return true
	}
	if n.at[0].mode == accessSet {
		f.v[n.at[0].slot] = entityVal(e)
	}
	return n.emit(r, f)
}

// emit runs the next node if transaction and added match: all datoms of a snapshot
// are additions of its last transaction.
func (n *patternNode) emit(r *run, f *frame) bool {
	if n.extra && !(n.at[3].accept(f, intVal(r.db.BasisTx())) && n.at[4].accept(f, boolVal(true))) {
		return false
	}
	return n.next.run(r, f)
}

func (a access) accept(f *frame, v val) bool {
	switch a.mode {
	case accessConst:
		return a.v == v
	case accessBound:
		return f.v[a.slot] == v
	case accessSet:
		f.v[a.slot] = v
	}
	return true
}
