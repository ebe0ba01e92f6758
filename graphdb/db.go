package graphdb

import (
	"iter"
	"maps"
)

// Reader is what a snapshot and a transaction in progress have in common.
// References come in ascending order of entity id.
type Reader interface {
	// Get is the value of an attribute; of a cardinality-many one, the first.
	Get(e EID, a Attr) (Value, bool)
	// Has tells whether the entity has the attribute.
	Has(e EID, a Attr) bool
	// String is the text of an attribute (string, keyword, opaque), or "".
	String(e EID, a Attr) string
	// Int is a whole number; false where there is none.
	Int(e EID, a Attr) (int64, bool)
	// Ref is the entity an attribute points to, or 0.
	Ref(e EID, a Attr) EID
	// Refs are the entities an attribute points to, one or many.
	Refs(e EID, a Attr) []EID
	// Reverse are the entities whose attribute points to v.
	Reverse(a Attr, v EID) []EID
	// ReverseSeq is Reverse without a copy.
	ReverseSeq(a Attr, v EID) iter.Seq[EID]
	// ReverseCount is the length of Reverse, at no cost.
	ReverseCount(a Attr, v EID) int
	// Lookup finds the entity that has the value of a unique attribute.
	Lookup(a Attr, v Value) (EID, bool)
	// Entities lists an attribute's datoms in order of entity.
	Entities(a Attr) iter.Seq2[EID, Value]
	// Datoms lists an entity's datoms, attribute by attribute.
	Datoms(e EID) iter.Seq[Datom]
	// Count is the number of an attribute's datoms.
	Count(a Attr) int
	// Schema is the schema the graph was made with.
	Schema() *Schema
}

var (
	_ Reader = (*DB)(nil)
	_ Reader = (*Tx)(nil)
)

// DB is an immutable snapshot, safe for any number of readers. It costs memory
// only where later snapshots differ from it, and only while it is held.
type DB struct{ state }

// BasisTx is the number of the last transaction in the snapshot; 0: none yet.
func (db *DB) BasisTx() int64 { return db.basis }

// state is what snapshots and transactions read.
type state struct {
	schema *Schema
	byAttr map[Attr]int // into columns; never changed once shared, see Tx.column
	cols   []*column
	basis  int64
	last   EID // the highest entity id ever used
}

func (s *state) col(a Attr) *column {
	if i, ok := s.byAttr[a]; ok {
		return s.cols[i]
	}
	return nil
}

// LastEntity is the highest entity id used so far, retracted ones included.
func (s *state) LastEntity() EID { return s.last }

// Schema is the schema the graph was made with.
func (s *state) Schema() *Schema { return s.schema }

// Get is the value of an attribute; of a cardinality-many one, the first.
func (s *state) Get(e EID, a Attr) (Value, bool) {
	if c := s.col(a); c != nil {
		if v, ok := c.first(e); ok {
			return v, true
		}
	}
	return Value{}, false
}

// Has tells whether the entity has the attribute.
func (s *state) Has(e EID, a Attr) bool {
	_, ok := s.Get(e, a)
	return ok
}

// HasDatom tells whether the entity has this value of the attribute.
func (s *state) HasDatom(e EID, a Attr, v Value) bool {
	c := s.col(a)
	return c != nil && c.has(e, v)
}

// String is the text of an attribute (string, keyword, opaque), or "".
func (s *state) String(e EID, a Attr) string {
	v, _ := s.Get(e, a)
	return v.Text()
}

// Int is a whole number; false where there is none.
func (s *state) Int(e EID, a Attr) (int64, bool) {
	v, _ := s.Get(e, a)
	return v.Int(), v.Kind() == KindInt
}

// Ref is the entity an attribute points to, or 0.
func (s *state) Ref(e EID, a Attr) EID {
	v, _ := s.Get(e, a)
	return v.Ref()
}

// Refs are the entities an attribute points to, in ascending order.
func (s *state) Refs(e EID, a Attr) []EID {
	c := s.col(a)
	if c == nil {
		return nil
	}
	if !c.def.Many {
		if to := s.Ref(e, a); to != 0 {
			return []EID{to}
		}
		return nil
	}
	set, _ := c.many.get(e)
	return set.list()
}

// Reverse are the entities whose attribute points to v, in ascending order.
func (s *state) Reverse(a Attr, v EID) []EID {
	set := s.reverse(a, v)
	return set.list()
}

// ReverseSeq is Reverse without a copy.
func (s *state) ReverseSeq(a Attr, v EID) iter.Seq[EID] {
	set := s.reverse(a, v)
	return set.all()
}

// ReverseCount is the length of Reverse, at no cost.
func (s *state) ReverseCount(a Attr, v EID) int {
	set := s.reverse(a, v)
	return set.len()
}

func (s *state) reverse(a Attr, v EID) refSet {
	c := s.col(a)
	if c == nil {
		return refSet{}
	}
	set, _ := c.reverse.get(v)
	return set
}

// Lookup finds the entity that has the value of a unique attribute. For other
// attributes it finds nothing.
func (s *state) Lookup(a Attr, v Value) (EID, bool) {
	c := s.col(a)
	if c == nil || c.def.Unique == NotUnique {
		return 0, false
	}
	e := c.lookup(v)
	return e, e != 0
}

// Entities lists an attribute's datoms in order of entity, those of one entity
// in order of value.
func (s *state) Entities(a Attr) iter.Seq2[EID, Value] {
	if c := s.col(a); c != nil {
		return c.values()
	}
	return func(func(EID, Value) bool) {}
}

// Datoms lists an entity's datoms, attribute by attribute.
func (s *state) Datoms(e EID) iter.Seq[Datom] {
	return func(yield func(Datom) bool) {
		for _, c := range s.cols {
			if !c.def.Many {
				if v, ok := c.get(e); ok && !yield(Datom{E: e, A: c.attr, V: v, Added: true}) {
					return
				}
				continue
			}
			set, _ := c.many.get(e)
			for to := range set.all() {
				if !yield(Datom{E: e, A: c.attr, V: RefValue(to), Added: true}) {
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

// Attrs lists the attributes that have datoms, with their number.
func (s *state) Attrs() iter.Seq2[Attr, int] {
	return func(yield func(Attr, int) bool) {
		for _, c := range s.cols {
			if c.count > 0 && !yield(c.attr, c.count) {
				return
			}
		}
	}
}

// Count is the number of an attribute's datoms.
func (s *state) Count(a Attr) int {
	if c := s.col(a); c != nil {
		return c.count
	}
	return 0
}

// writable gives the column of an attribute as the edit's own, made if needed.
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
