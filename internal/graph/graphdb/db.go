package graphdb

import (
	"fmt"
	"iter"
	"maps"
)

// Reader reads a snapshot or a transaction in progress. It lists references in
// ascending order of entity id.
type Reader interface {
	// Get returns the value of an attribute; of a cardinality-many one, the first.
	Get(e EID, a Attr) (Value, bool)
	// Has reports whether the entity has the attribute.
	Has(e EID, a Attr) bool
	// String returns the text of an attribute (string, keyword, opaque), or "".
	String(e EID, a Attr) string
	// Int returns an integer; false if there is none.
	Int(e EID, a Attr) (int64, bool)
	// Ref returns the entity an attribute points to, or 0.
	Ref(e EID, a Attr) EID
	// Refs returns the entities an attribute points to, one or many.
	Refs(e EID, a Attr) []EID
	// Reverse returns the entities whose attribute points to v.
	Reverse(a Attr, v EID) []EID
	// ReverseSeq is Reverse without a copy.
	ReverseSeq(a Attr, v EID) iter.Seq[EID]
	// ReverseCount is the length of Reverse, in constant time.
	ReverseCount(a Attr, v EID) int
	// Lookup returns the entity that has the value of a unique attribute.
	Lookup(a Attr, v Value) (EID, bool)
	// Entities lists an attribute's datoms in order of entity.
	Entities(a Attr) iter.Seq2[EID, Value]
	// Datoms lists an entity's datoms, attribute by attribute.
	Datoms(e EID) iter.Seq[Datom]
	// Count returns the number of an attribute's datoms.
	Count(a Attr) int
	// Attribute returns the attribute with a name, which may have no datoms. In a
	// transaction it may be used up to the next write.
	Attribute(a Attr) Attribute
	// Schema returns the schema of the graph.
	Schema() *Schema
}

var (
	_ Reader = (*DB)(nil)
	_ Reader = (*Tx)(nil)
)

// DB is an immutable snapshot, safe for concurrent use. It shares memory with other
// snapshots as far as they are equal.
type DB struct{ state }

// BasisTx returns the number of the last transaction in the snapshot; 0: none.
func (db *DB) BasisTx() int64 { return db.basis }

// state is the data of a snapshot or a transaction.
type state struct {
	schema *Schema
	byAttr map[Attr]int // into cols; immutable once shared, see writable
	cols   []*column
	basis  int64
	last   EID // the highest entity id ever used
}

// col returns the column of an attribute; nil if it never had datoms.
func (s *state) col(a Attr) *column {
	if i, ok := s.byAttr[a]; ok {
		return s.cols[i]
	}
	return nil
}

// LastEntity returns the highest entity id used so far, retracted ones included.
func (s *state) LastEntity() EID { return s.last }

// Schema implements Reader.
func (s *state) Schema() *Schema { return s.schema }

// Get implements Reader.
func (s *state) Get(e EID, a Attr) (Value, bool) {
	v, ok := s.col(a).first(e)
	if !ok {
		return Value{}, false
	}
	return v, true
}

// Has implements Reader.
func (s *state) Has(e EID, a Attr) bool {
	_, ok := s.Get(e, a)
	return ok
}

// HasDatom reports whether the entity has this value of the attribute.
func (s *state) HasDatom(e EID, a Attr, v Value) bool { return s.col(a).has(e, v) }

// String implements Reader.
func (s *state) String(e EID, a Attr) string {
	v, _ := s.Get(e, a)
	return v.Text()
}

// Int implements Reader.
func (s *state) Int(e EID, a Attr) (int64, bool) {
	v, _ := s.Get(e, a)
	return v.Int(), v.Kind() == KindInt
}

// Ref implements Reader.
func (s *state) Ref(e EID, a Attr) EID {
	v, _ := s.Get(e, a)
	return v.Ref()
}

// Refs implements Reader.
func (s *state) Refs(e EID, a Attr) []EID { return s.col(a).refs(e).list() }

// Reverse implements Reader.
func (s *state) Reverse(a Attr, v EID) []EID { return s.col(a).pointing(v).list() }

// ReverseSeq implements Reader.
func (s *state) ReverseSeq(a Attr, v EID) iter.Seq[EID] { return s.col(a).pointing(v).all() }

// ReverseCount implements Reader.
func (s *state) ReverseCount(a Attr, v EID) int { return s.col(a).pointing(v).len() }

// Lookup implements Reader. For attributes that are not unique it finds nothing.
func (s *state) Lookup(a Attr, v Value) (EID, bool) {
	e := s.col(a).lookup(v)
	return e, e != 0
}

// Entities implements Reader. The datoms of one entity are in order of value.
func (s *state) Entities(a Attr) iter.Seq2[EID, Value] { return s.col(a).values() }

// Datoms implements Reader.
func (s *state) Datoms(e EID) iter.Seq[Datom] {
	return func(yield func(Datom) bool) {
		for _, c := range s.cols {
			for v := range c.of(e) {
				if !yield(Datom{E: e, A: c.attr, V: v, Added: true}) {
					return
				}
			}
		}
	}
}

// All lists every datom, attribute by attribute, in the order of Entities.
func (s *state) All() iter.Seq[Datom] {
	return func(yield func(Datom) bool) {
		for _, c := range s.cols {
			for e, v := range c.values() {
				if !yield(Datom{E: e, A: c.attr, V: v, Added: true}) {
					return
				}
			}
		}
	}
}

// Attrs lists the attributes that have datoms, with the number of those.
func (s *state) Attrs() iter.Seq2[Attr, int] {
	return func(yield func(Attr, int) bool) {
		for _, c := range s.cols {
			if c.count > 0 && !yield(c.attr, c.count) {
				return
			}
		}
	}
}

// Size returns the number of datoms.
func (s *state) Size() int {
	n := 0
	for _, c := range s.cols {
		n += c.count
	}
	return n
}

// MaxImport is the default of the most datoms that an import may leave in a graph. One
// of two million blocks has as many.
const MaxImport = 30_000_000

// TooLarge returns the error of an import that makes more datoms than that.
func TooLarge(most int) error {
	return fmt.Errorf("the graph would hold more than %d facts, where one of two million blocks holds %d", most, MaxImport)
}

// CheckSize returns TooLarge if there are more datoms than most.
func (s *state) CheckSize(most int) error {
	if s.Size() > most {
		return TooLarge(most)
	}
	return nil
}

// Count implements Reader.
func (s *state) Count(a Attr) int { return s.col(a).size() }

// writable returns the column of an attribute, made if needed, that the edit may
// change.
func (s *state) writable(edit uint64, a Attr) *column {
	i, ok := s.byAttr[a]
	if !ok {
		i = len(s.cols)
		s.byAttr = maps.Clone(s.byAttr) // other snapshots read the old map
		s.byAttr[a] = i
		s.cols = append(s.cols, &column{edit: edit, attr: a, def: s.schema.Def(a)})
		return s.cols[i]
	}
	s.cols[i] = s.cols[i].own(edit)
	return s.cols[i]
}

// Attribute reads one attribute. A reader that asks for the same
// attribute of many entities saves finding it by name.
type Attribute struct {
	name Attr
	def  AttrDef
	c    *column // nil: no datoms
}

// Attribute implements Reader.
func (s *state) Attribute(a Attr) Attribute {
	return Attribute{name: a, def: s.schema.Def(a), c: s.col(a)}
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
