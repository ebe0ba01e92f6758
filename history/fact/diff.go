package fact

// Field names a field of Fact.
type Field string

// The fields that a Difference is in. Existence is that of the thing itself: its
// Before or After is a Gone fact.
const (
	Existence    Field = "existence"
	Title        Field = "title"
	Text         Field = "text"
	Heading      Field = "heading"
	Open         Field = "open"
	Align        Field = "align"
	ChildrenView Field = "childrenView"
	BlockView    Field = "blockView"
	Props        Field = "props"
	Place        Field = "place"    // parent, or neighbours under the same parent
	Children     Field = "children" // of a thing whose children were read both times
	Shortcut     Field = "shortcut"
)

// Difference is one field of one thing that is not as it was. Times and users are
// none.
type Difference struct {
	UID           string // "": of the list of shortcuts
	Field         Field
	Before, After Fact
}

// Diff returns the differences between two states in order of uid and field, for things
// that are in both. One that is missing in one of them is not known there.
func Diff(before, after State) []Difference { return nil }
