package graphdb

import (
	"iter"
	"maps"
	"slices"
)

// Tx is a transaction in progress. It reads its own writes. It belongs to the function
// it was given to, in one goroutine; after that function has returned, writes fail
// with CodeClosed. A sequence must not be continued after a write: collect it first.
type Tx struct {
	state
	edit   uint64
	closed bool
	edits
	seen  map[touchKey]struct{} // nil: changes are not listed
	final []func() error        // see BeforeCommit
}

// edits is what a transaction wrote to. Before a new entity there was nothing that
// need be kept, so that a large import takes a bit for each entity.
type edits struct {
	before  EID            // the highest id used before: entities above it are new
	touched []touch        // what was changed of the others
	created tree[struct{}] // the new ones
}

// touchKey identifies what a write changes: the value of a cardinality-one attribute,
// or one reference of a cardinality-many one.
type touchKey struct {
	e  EID
	a  Attr
	to EID // 0 for cardinality one
}

// touch holds the state before the first write.
type touch struct {
	touchKey
	before Value // KindNone: nothing
}

func newTx(from *DB, edit uint64) *Tx {
	tx := &Tx{state: from.state, edit: edit, edits: edits{before: from.last}, seen: map[touchKey]struct{}{}}
	tx.cols = slices.Clone(from.cols)
	return tx
}

// BeforeCommit registers a function that ends the transaction's writes. It runs
// after the function given to Transact, if that succeeds.
func (tx *Tx) BeforeCommit(f func() error) { tx.final = append(tx.final, f) }

// NewEntity returns an id that was never used. The entity exists once it has a datom.
func (tx *Tx) NewEntity() EID {
	tx.last++
	return tx.last
}

// Set sets the value of a cardinality-one attribute, or adds one to a cardinality-many
// attribute. A value that is there already changes nothing.
func (tx *Tx) Set(e EID, a Attr, v Value) error {
	if err := tx.check(e, a, v); err != nil {
		return err
	}
	if tx.HasDatom(e, a, v) {
		return nil
	}
	if tx.schema.Def(a).Unique != NotUnique {
		if other, taken := tx.Lookup(a, v); taken {
			err := errorf(CodeUniqueConflict, e, a, "%s %s already exists", a, v)
			err.Other = other
			return err
		}
	}
	c := tx.writable(tx.edit, a)
	if c.def.Many {
		tx.note(e, a, v.Ref(), Value{})
		c.add(tx.edit, e, v.Ref())
	} else {
		before, _ := tx.Get(e, a)
		tx.note(e, a, 0, before)
		c.put(tx.edit, e, v)
	}
	tx.last = max(tx.last, e, v.Ref())
	return nil
}

// SetAll sets several attributes of an entity.
func (tx *Tx) SetAll(e EID, values map[Attr]Value) error {
	attrs := slices.AppendSeq(make([]Attr, 0, len(values)), maps.Keys(values))
	slices.Sort(attrs) // for a deterministic order of datoms
	for _, a := range attrs {
		if err := tx.Set(e, a, values[a]); err != nil {
			return err
		}
	}
	return nil
}

// Retract removes a value of an attribute. That it is not there is no error.
func (tx *Tx) Retract(e EID, a Attr, v Value) error {
	if tx.closed {
		return errorf(CodeClosed, e, a, "the transaction is over")
	}
	if !tx.HasDatom(e, a, v) {
		return nil
	}
	c := tx.writable(tx.edit, a)
	if c.def.Many {
		tx.note(e, a, v.Ref(), v)
		c.drop(tx.edit, e, v.Ref())
	} else {
		tx.note(e, a, 0, v)
		c.take(tx.edit, e)
	}
	return nil
}

// RetractAttr removes all values of an attribute.
func (tx *Tx) RetractAttr(e EID, a Attr) error {
	if !tx.schema.Def(a).Many {
		v, _ := tx.Get(e, a)
		return tx.Retract(e, a, v)
	}
	for _, to := range tx.Refs(e, a) {
		if err := tx.Retract(e, a, RefValue(to)); err != nil {
			return err
		}
	}
	return nil
}

// RetractEntity removes all datoms of an entity and of its components, and all
// references to them.
func (tx *Tx) RetractEntity(e EID) error {
	gone := []EID{e}
	seen := map[EID]bool{e: true}
	for i := 0; i < len(gone); i++ {
		for _, d := range slices.Collect(tx.Datoms(gone[i])) {
			if to := d.V.Ref(); to != 0 && tx.schema.Def(d.A).Component && !seen[to] {
				seen[to] = true
				gone = append(gone, to)
			}
			if err := tx.Retract(d.E, d.A, d.V); err != nil {
				return err
			}
		}
		if err := tx.retractPointers(gone[i]); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) retractPointers(to EID) error {
	for _, c := range slices.Clone(tx.cols) {
		for _, from := range tx.Reverse(c.attr, to) {
			if err := tx.Retract(from, c.attr, RefValue(to)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tx *Tx) check(e EID, a Attr, v Value) error {
	def := tx.schema.Def(a)
	switch {
	case tx.closed:
		return errorf(CodeClosed, e, a, "the transaction is over")
	case e <= 0 || e > MaxEID:
		return errorf(CodeInvalidEntity, e, a, "%d is no entity id", e)
	case len(a) < 2 || a[0] != ':':
		return errorf(CodeInvalidValue, e, a, "%q is no attribute name: it must start with a colon", a)
	case v.kind == KindNone:
		return errorf(CodeInvalidValue, e, a, "%s can't be set to nothing; retract it", a)
	case def.Kind != KindNone && v.kind != def.Kind, def.Kind == KindNone && v.kind == KindRef:
		return errorf(CodeInvalidValue, e, a, "%s can't hold the %s %s", a, v.kind, v)
	case v.kind == KindRef && (v.Ref() <= 0 || v.Ref() > MaxEID):
		return errorf(CodeInvalidEntity, e, a, "%s can't point to %d: that is no entity id", a, v.Ref())
	}
	return nil
}

// note keeps what was there before the first write.
func (tx *Tx) note(e EID, a Attr, to EID, before Value) {
	if tx.seen == nil {
		return
	}
	if e > tx.before {
		if _, known := tx.created.get(e); !known {
			tx.created.set(tx.edit, e, struct{}{})
		}
		return
	}
	key := touchKey{e, a, to}
	if _, ok := tx.seen[key]; !ok {
		tx.seen[key] = struct{}{}
		tx.touched = append(tx.touched, touch{key, before})
	}
}

// Datoms lists the net change: the retractions and additions of entities that were
// there before, in order of the first writes, then the datoms of new entities.
func (r Report) Datoms() iter.Seq[Datom] {
	return func(yield func(Datom) bool) {
		for _, t := range r.touched {
			after := t.after(r.After)
			if t.before == after {
				continue
			}
			if t.before.kind != KindNone && !yield(Datom{E: t.e, A: t.a, V: t.before, Tx: r.Tx}) {
				return
			}
			if after.kind != KindNone && !yield(Datom{E: t.e, A: t.a, V: after, Tx: r.Tx, Added: true}) {
				return
			}
		}
		for e := range r.created.all() {
			for d := range r.After.Datoms(e) {
				d.Tx = r.Tx
				if !yield(d) {
					return
				}
			}
		}
	}
}

// after returns the value that a transaction has left; KindNone: nothing.
func (t touch) after(db *DB) Value {
	var after Value
	if t.to == 0 {
		after, _ = db.Get(t.e, t.a)
	} else if db.HasDatom(t.e, t.a, RefValue(t.to)) {
		after = RefValue(t.to)
	}
	return after
}

// changes reports whether the transaction has a net change.
func (r Report) changes() bool {
	for range r.Datoms() {
		return true
	}
	return false
}
