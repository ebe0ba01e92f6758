package graphdb

import "iter"

// Attribute reads one attribute of a snapshot. It spares a reader that asks for
// the same attribute of many entities the search by name. An attribute without
// datoms answers that there is nothing.
type Attribute struct {
	name Attr
	def  AttrDef
	c    *column // nil: no datoms
}

// Attribute finds an attribute of the snapshot by its name.
func (db *DB) Attribute(a Attr) Attribute {
	return Attribute{name: a, def: db.schema.Def(a), c: db.col(a)}
}

// Name is the attribute's name.
func (a Attribute) Name() Attr { return a.name }

// Def is the attribute's definition in the schema.
func (a Attribute) Def() AttrDef { return a.def }

// Count is the number of datoms.
func (a Attribute) Count() int {
	if a.c == nil {
		return 0
	}
	return a.c.count
}

// Get is the entity's value; of a cardinality-many attribute, the first.
func (a Attribute) Get(e EID) (Value, bool) {
	if a.c == nil {
		return Value{}, false
	}
	return a.c.first(e)
}

// HasRef tells whether the entity points to another through the attribute.
func (a Attribute) HasRef(e, to EID) bool {
	return a.c != nil && a.def.Kind == KindRef && a.c.has(e, RefValue(to))
}

// Values lists the entity's values in ascending order.
func (a Attribute) Values(e EID) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		switch {
		case a.c == nil:
		case !a.def.Many:
			if v, ok := a.c.get(e); ok {
				yield(v)
			}
		default:
			set, _ := a.c.many.get(e)
			for to := range set.all() {
				if !yield(RefValue(to)) {
					return
				}
			}
		}
	}
}

// Refs lists the entities that one points to, in ascending order; none where
// the attribute holds no references.
func (a Attribute) Refs(e EID) iter.Seq[EID] {
	var set refSet
	switch {
	case a.c == nil || a.def.Kind != KindRef:
	case a.def.Many:
		set, _ = a.c.many.get(e)
	default:
		if v, ok := a.c.get(e); ok {
			set.one = v.Ref()
		}
	}
	return set.all()
}

// All lists the datoms in order of entity, those of one entity in order of
// value.
func (a Attribute) All() iter.Seq2[EID, Value] {
	if a.c == nil {
		return func(func(EID, Value) bool) {}
	}
	return a.c.values()
}

// Reverse lists the entities that point to one, in ascending order.
func (a Attribute) Reverse(to EID) iter.Seq[EID] {
	set := a.reverse(to)
	return set.all()
}

// ReverseCount is the number of entities that point to one, at no cost.
func (a Attribute) ReverseCount(to EID) int {
	set := a.reverse(to)
	return set.len()
}

// Lookup finds the entity with a value of a unique attribute, or 0.
func (a Attribute) Lookup(v Value) EID {
	if a.c == nil || a.def.Unique == NotUnique {
		return 0
	}
	return a.c.lookup(v)
}

// Fan estimates, from the first few, how many values an entity that has the
// attribute has of it, and how many entities point to one that is pointed to.
// Both are at least 1.
func (a Attribute) Fan() (forward, reverse float64) {
	forward, reverse = 1, 1
	if a.c == nil || a.def.Kind != KindRef {
		return forward, reverse
	}
	if a.def.Many {
		forward = averageSize(&a.c.many)
	}
	return forward, averageSize(&a.c.reverse)
}

func averageSize(sets *tree[refSet]) float64 {
	const sample = 256
	n, sum := 0, 0
	for _, set := range sets.all() {
		sum += set.len()
		if n++; n == sample {
			break
		}
	}
	return max(1, float64(sum)/float64(max(1, n)))
}

func (a Attribute) reverse(to EID) refSet {
	if a.c == nil {
		return refSet{}
	}
	set, _ := a.c.reverse.get(to)
	return set
}
