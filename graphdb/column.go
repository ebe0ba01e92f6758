package graphdb

import "iter"

// column holds one attribute of all entities. Values of one kind lie in a
// typed tree; an attribute that turns out to mix kinds is moved to a tree of
// whole Values. References also keep the list of those that point.
type column struct {
	edit  uint64
	attr  Attr
	def   AttrDef
	count int // datoms

	kind  Kind // of every value in texts or words; KindNone while empty
	mixed bool // values lie in anys

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

// get is the value of a cardinality-one attribute.
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

// has tells whether the datom is there.
func (c *column) has(e EID, v Value) bool {
	if c.def.Many {
		set, _ := c.many.get(e)
		return v.kind == KindRef && v.bits != 0 && set.has(v.Ref())
	}
	old, ok := c.get(e)
	return ok && old == v
}

// first is any one value of the entity: for has-checks and Get.
func (c *column) first(e EID) (Value, bool) {
	if !c.def.Many {
		return c.get(e)
	}
	set, ok := c.many.get(e)
	if ok {
		for v := range set.all() {
			return RefValue(v), true
		}
	}
	return Value{}, false
}

// put stores the value of a cardinality-one attribute in place of any other.
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

// drop takes a reference out of a cardinality-many attribute; it must be there.
func (c *column) drop(edit uint64, e, to EID) {
	set, _ := c.many.get(e)
	if set = set.remove(edit, to); set.len() == 0 {
		c.many.remove(edit, e)
	} else {
		c.many.set(edit, e, set)
	}
	c.count--
	c.unlink(edit, e, to)
}

func (c *column) link(edit uint64, from, to EID) {
	set, _ := c.reverse.get(to)
	c.reverse.set(edit, to, set.add(edit, from))
}

func (c *column) unlink(edit uint64, from, to EID) {
	set, _ := c.reverse.get(to)
	if set = set.remove(edit, from); set.len() == 0 {
		c.reverse.remove(edit, to)
	} else {
		c.reverse.set(edit, to, set)
	}
}

// lookup finds the entity with a value of a unique attribute.
func (c *column) lookup(v Value) EID {
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
