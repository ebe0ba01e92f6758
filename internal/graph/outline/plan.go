package outline

// Ops are changes that turn one outline into another. They hold if they are done one
// after the other: all Updates, all Orders, all Inserts, all Moves, all Deletes. Each
// index is that among the siblings at its own turn. In every kind a block comes
// at most once. The parent "" is what the outline is below.
type Ops struct {
	Updates []Update
	Orders  []Reordering
	Inserts []Insert
	Moves   []Move
	Deletes []string // uids; what is below them goes, too
}

// IsEmpty reports whether nothing is to be done.
func (o Ops) IsEmpty() bool {
	return len(o.Updates)+len(o.Orders)+len(o.Inserts)+len(o.Moves)+len(o.Deletes) == 0
}

// Update changes the fields of a block that are not nil.
type Update struct {
	UID     string
	Text    *string
	Heading *int    // 0 to 3
	View    *string // children view type
	Align   *string // of PlanByUID only: left, center, right or justify
	Open    *bool   // of PlanByUID only
}

// Order changes the order of the children of a block.
type Reordering struct {
	Parent        string
	Before, After []string // uids of all children
	// Moves do the same, one after the other; nil where they would be many, or where
	// it would matter whether an index counts the block that moves.
	Moves []Move
	Moved []string // uids of the children that change their places among the others
}

// Insert adds blocks, with all below them, one after the other.
type Insert struct {
	Parent string
	Index  int // of the first
	// Blocks have the uids that the new outline has for them, a Placeholder where a
	// Move puts something below one that has none, and else no uid.
	Blocks []Block
}

// Move puts a block, with all below it, somewhere else.
type Move struct {
	UID    string
	Parent string // may be a Placeholder
	Index  int    // among the siblings, the block itself not counted
	Last   bool   // Index is that of the last place
}

// Plan says how old, whose blocks have uids, becomes new. fixed tells which blocks of
// old are no part of the comparison: they stay where they are, with all below them,
// while others are put around them; what is below a block that goes is moved to the
// place of that block. nil: none.
//
// A block of new is one of old if it has its uid; else if it has the same text and
// heading, among the children of two that are the same (the longest common
// subsequence); else if it has a text that only one of each is left with; else, below
// the same parent and in order, if at least half of the words are the same (Dice); else
// by its place: where between two blocks that stay below a parent, or at its beginning or
// end, as many blocks of old are left as of new, they are the same one by one, in order.
// Texts, headings, and the children view types that new gives, are changed where
// they differ; all other fields stay.
//
// Time and memory are bounded for any input: where two lists of siblings differ so
// much that comparing all with all would take more than maxCells steps, blocks that
// are unique on both sides are taken for the same first, and others are looked for
// nearby only. The plan is right then, too, but may keep fewer uids.
func Plan(old, new []Block, fixed func(uid string) bool) Ops {
	m := newMatching(old, new, fixed)
	m.run()
	return newBuilder(m).build()
}

// PlanByUID says how old becomes new as Plan does, where a block of new is one of old if
// it has its uid, and no other is. What differs in alignment, in folding, and in a children
// view type that new does not give, which is a bullet then, is changed as well: what is not
// fixed becomes new, uids included.
func PlanByUID(old, new []Block, fixed func(uid string) bool) Ops {
	m := newMatching(old, new, fixed)
	m.match(root, root)
	m.matchUIDs()
	b := newBuilder(m)
	b.whole = true
	return b.build()
}
