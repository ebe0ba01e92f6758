package fact

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"roam-mcp/internal/rawjson"
)

// Field names what a Difference is in.
type Field string

// The fields, in the order in which Diff gives them.
const (
	Existence    Field = "existence" // of the thing: one of the facts is Gone
	Title        Field = "title"
	Text         Field = "text"
	Heading      Field = "heading"
	Open         Field = "open"
	Align        Field = "align"
	ChildrenView Field = "childrenView"
	BlockView    Field = "blockView"
	Props        Field = "props"
	Place        Field = "place"     // the parent, or both neighbours
	Children     Field = "children"  // in both their order is known
	Shortcut     Field = "shortcut"  // whether a page is one
	List         Field = "shortcuts" // of no thing: the list, known in both
)

// IsLook reports whether the field is of how a block is shown, and not of what it says.
func (f Field) IsLook() bool {
	return slices.Contains([]Field{Heading, Open, Align, ChildrenView, BlockView, Props}, f)
}

// Difference is one field of one thing that is not as it was. Times and users are none.
type Difference struct {
	UID           string // "": that of the list of shortcuts
	Field         Field
	Before, After Fact
}

// Diff returns the differences between two states in order of uid and field, for the
// things that are in both: one that is missing in one of them is not known there.
func Diff(before, after State) []Difference {
	var all []Difference
	if before.Shortcuts != nil && after.Shortcuts != nil && !slices.Equal(before.Shortcuts, after.Shortcuts) {
		all = append(all, Difference{Field: List})
	}
	for _, uid := range slices.Sorted(maps.Keys(before.Things)) {
		was := before.Things[uid]
		is, known := after.Things[uid]
		if !known {
			continue
		}
		for _, field := range was.Differs(is) {
			all = append(all, Difference{UID: uid, Field: field, Before: was, After: is})
		}
	}
	return all
}

// Differs returns the fields in which two facts of one thing differ, in the order of Diff.
func (f Fact) Differs(g Fact) []Field {
	if f.Gone || g.Gone {
		if f.Gone && g.Gone {
			return nil
		}
		return []Field{Existence}
	}
	var fields []Field
	for _, each := range []struct {
		field   Field
		differs bool
	}{
		{Title, f.Title != g.Title},
		{Text, f.Text != g.Text},
		{Heading, f.Heading != g.Heading},
		{Open, f.IsOpen() != g.IsOpen()},
		{Align, f.Align != g.Align},
		{ChildrenView, f.ChildrenView != g.ChildrenView},
		{BlockView, f.BlockView != g.BlockView},
		{Props, !sameJSON(f.Props, g.Props)},
		{Place, f.moved(g)},
		{Children, f.Children != nil && g.Children != nil && !slices.Equal(f.Children, g.Children)},
		{Shortcut, (f.Shortcut == nil) != (g.Shortcut == nil)},
	} {
		if each.differs {
			fields = append(fields, each.field)
		}
	}
	return fields
}

// moved reports whether a thing lies elsewhere. Neighbours that were not read, and the
// loss of only one, say nothing.
func (f Fact) moved(g Fact) bool {
	if f.Parent != g.Parent {
		return true
	}
	known := (f.Left != "" || f.Right != "") && (g.Left != "" || g.Right != "")
	return known && f.Left != g.Left && f.Right != g.Right
}

// IsOpen reports whether the children of a block are shown.
func (f Fact) IsOpen() bool { return f.Open == nil || *f.Open }

// sameJSON reports whether two values differ in nothing but spaces and the order of
// members.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return a != nil && b != nil && bytes.Equal(canonical(a), canonical(b))
}

// canonical returns JSON without spaces and with its members in order of their names;
// what is no JSON as it is.
func canonical(text json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return text
	}
	return rawjson.Encode(value)
}
