package graphdb

import "iter"

// Attribute reads one attribute of a snapshot. A reader that asks for the same
// attribute of many entities saves finding it by name.
type Attribute struct {
	name Attr
	def  AttrDef
	c    *column // nil: no datoms
}

// Attribute returns the attribute with a name, which may have no datoms.
func (db *DB) Attribute(a Attr) Attribute {
	return Attribute{name: a, def: db.schema.Def(a), c: db.col(a)}
}

// Name returns the attribute's name.
func (a Attribute) Name() Attr { return a.name }

// Def returns the attribute's definition in the schema.
func (a Attribute) Def() AttrDef { return a.def }

// Count returns the number of datoms.
func (a Attribute) Count() int { return a.c.size() }

// Get returns the entity's value; of a cardinality-many attribute, the first.
func (a Attribute) Get(e EID) (Value, bool) { return a.c.first(e) }

// HasRef reports whether the entity points to another through the attribute.
func (a Attribute) HasRef(e, to EID) bool {
	return a.def.Kind == KindRef && a.c.has(e, RefValue(to))
}

// Values lists the entity's values in ascending order.
func (a Attribute) Values(e EID) iter.Seq[Value] { return a.c.of(e) }

// Refs lists the entities that one points to, in ascending order; none if the
// attribute holds no references.
func (a Attribute) Refs(e EID) iter.Seq[EID] { return a.c.refs(e).all() }

// All lists the datoms in order of entity, those of one entity in order of value.
func (a Attribute) All() iter.Seq2[EID, Value] { return a.c.values() }

// Reverse lists the entities that point to one, in ascending order.
func (a Attribute) Reverse(to EID) iter.Seq[EID] { return a.c.pointing(to).all() }

// ReverseCount returns the number of entities that point to one, in constant time.
func (a Attribute) ReverseCount(to EID) int { return a.c.pointing(to).len() }

// Lookup returns the entity with a value of a unique attribute, or 0.
func (a Attribute) Lookup(v Value) EID { return a.c.lookup(v) }

// Fan estimates from a sample how many values an entity with the attribute has, and
// how many entities point to one that is pointed to. Both are at least 1.
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
