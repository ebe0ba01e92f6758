package graphdb

import "iter"

// column holds one attribute of all entities. Values of one kind are in a typed tree;
// an attribute with values of several kinds is moved to a tree of Values. References
// have a reverse list too. The methods that read accept a nil column, which has no
// datoms.
type column struct {
	edit  uint64
	attr  Attr
	def   AttrDef
	count int // datoms

	kind  Kind // of every value in texts or words; KindNone while empty
	mixed bool // values are in anys

	texts tree[string] // KindString, KindKeyword, KindOpaque
	words tree[int64]  // the other kinds
	anys  tree[Value]
	many  tree[refSet] // cardinality many

	reverse tree[refSet] // KindRef: by the entity pointed to
	unique  index        // unique attributes
}

func (c *column) own(edit uint64) *column {
	if c.edit == edit {
		return c
	}
	copied := *c
	copied.edit = edit
	return &copied
}

func (c *column) size() int {
	if c == nil {
		return 0
	}
	return c.count
}

// get returns the value of a cardinality-one attribute.
func (c *column) get(e EID) (Value, bool) {
	if c.mixed {
		return c.anys.get(e)
	}
	if c.kind.holdsText() {
		s, ok := c.texts.get(e)
		return Value{kind: c.kind, text: s}, ok
	}
	n, ok := c.words.get(e)
	return Value{kind: c.kind, bits: n}, ok
}

// has reports whether the entity has the value.
func (c *column) has(e EID, v Value) bool {
	if c == nil {
		return false
	}
	if c.def.Many {
		set, _ := c.many.get(e)
		return v.kind == KindRef && v.bits != 0 && set.has(v.Ref())
	}
	old, ok := c.get(e)
	return ok && old == v
}

// first returns the first value of the entity.
func (c *column) first(e EID) (Value, bool) {
	if c == nil {
		return Value{}, false
	}
	if !c.def.Many {
		return c.get(e)
	}
	for to := range c.refs(e).all() {
		return RefValue(to), true
	}
	return Value{}, false
}

// refs returns the entities that one points to; none if the attribute holds no
// references.
func (c *column) refs(e EID) refSet {
	if c == nil || c.def.Kind != KindRef {
		return refSet{}
	}
	if c.def.Many {
		set, _ := c.many.get(e)
		return set
	}
	v, _ := c.get(e)
	return refSet{one: v.Ref()}
}

// pointing returns the entities that point to one.
func (c *column) pointing(to EID) refSet {
	if c == nil {
		return refSet{}
	}
	set, _ := c.reverse.get(to)
	return set
}

// of lists the entity's values in ascending order.
func (c *column) of(e EID) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if c == nil {
			return
		}
		if !c.def.Many {
			if v, ok := c.get(e); ok {
				yield(v)
			}
			return
		}
		for to := range c.refs(e).all() {
			if !yield(RefValue(to)) {
				return
			}
		}
	}
}

// put sets the value of a cardinality-one attribute.
// The caller has checked kind and uniqueness.
func (c *column) put(edit uint64, e EID, v Value) {
	c.take(edit, e)
	switch {
	case c.mixed:
	case c.count == 0:
		c.kind = v.kind
		c.texts, c.words = tree[string]{}, tree[int64]{}
	case c.kind != v.kind:
		c.mix(edit)
	}
	switch {
	case c.mixed:
		c.anys.set(edit, e, v)
	case v.kind.holdsText():
		c.texts.set(edit, e, v.text)
	default:
		c.words.set(edit, e, v.bits)
	}
	c.count++
	if c.def.Unique != NotUnique {
		c.unique.insert(edit, hashValue(v), e, c.hashOf)
	}
	if v.kind == KindRef {
		c.link(edit, e, v.Ref())
	}
}

// take removes the value of a cardinality-one attribute, if there is one.
func (c *column) take(edit uint64, e EID) {
	v, ok := c.get(e)
	if !ok {
		return
	}
	if c.def.Unique != NotUnique {
		c.unique.remove(edit, hashValue(v), e)
	}
	if v.kind == KindRef {
		c.unlink(edit, e, v.Ref())
	}
	switch {
	case c.mixed:
		c.anys.remove(edit, e)
	case c.kind.holdsText():
		c.texts.remove(edit, e)
	default:
		c.words.remove(edit, e)
	}
	c.count--
}

// mix moves the values to a tree that can hold several kinds.
func (c *column) mix(edit uint64) {
	for e, s := range c.texts.all() {
		c.anys.set(edit, e, Value{kind: c.kind, text: s})
	}
	for e, n := range c.words.all() {
		c.anys.set(edit, e, Value{kind: c.kind, bits: n})
	}
	c.texts, c.words = tree[string]{}, tree[int64]{}
	c.mixed, c.kind = true, KindNone
}

func (c *column) hashOf(e EID) uint64 {
	v, _ := c.get(e)
	return hashValue(v)
}

// add puts a reference into a cardinality-many attribute; it must not be there.
func (c *column) add(edit uint64, e, to EID) {
	set, _ := c.many.get(e)
	c.many.set(edit, e, set.add(edit, to))
	c.count++
	c.link(edit, e, to)
}

// drop removes a reference from a cardinality-many attribute; it must be there.
func (c *column) drop(edit uint64, e, to EID) {
	removeRef(&c.many, edit, e, to)
	c.count--
	c.unlink(edit, e, to)
}

func (c *column) link(edit uint64, from, to EID) {
	set, _ := c.reverse.get(to)
	c.reverse.set(edit, to, set.add(edit, from))
}

func (c *column) unlink(edit uint64, from, to EID) { removeRef(&c.reverse, edit, to, from) }

// removeRef removes an id from the set under a key, and the set if it is then empty.
func removeRef(sets *tree[refSet], edit uint64, key, e EID) {
	set, _ := sets.get(key)
	if set = set.remove(edit, e); set.len() == 0 {
		sets.remove(edit, key)
	} else {
		sets.set(edit, key, set)
	}
}

// lookup returns the entity with a value of a unique attribute, or 0.
func (c *column) lookup(v Value) EID {
	if c == nil || c.def.Unique == NotUnique {
		return 0
	}
	return c.unique.find(hashValue(v), func(e EID) bool {
		have, ok := c.get(e)
		return ok && have == v
	})
}

// values lists the datoms in order of entity, those of one entity in order of
// value.
func (c *column) values() iter.Seq2[EID, Value] {
	return func(yield func(EID, Value) bool) {
		switch {
		case c == nil:
		case c.def.Many:
			for e, set := range c.many.all() {
				for to := range set.all() {
					if !yield(e, RefValue(to)) {
						return
					}
				}
			}
		case c.mixed:
			c.anys.all()(yield)
		case c.kind.holdsText():
			c.texts.all()(func(e EID, s string) bool { return yield(e, Value{kind: c.kind, text: s}) })
		default:
			c.words.all()(func(e EID, n int64) bool { return yield(e, Value{kind: c.kind, bits: n}) })
		}
	}
}
