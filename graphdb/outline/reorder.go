package outline

import (
	"slices"

	"roam-mcp/graphdb"
)

// ReorderBlocks puts the children of a page or block into a new order. The uids
// must be those of all its children, each once (LOCAL_API.md 2.3).
func (w *Writer) ReorderBlocks(parentUID string, uids []string) error {
	parent, err := w.target(Location{ParentUID: parentUID})
	if err != nil {
		return err
	}
	children := Children(w.tx, parent)
	ordered := make([]graphdb.EID, 0, len(uids))
	for _, uid := range uids {
		e, err := w.block(uid)
		if err != nil {
			return err
		}
		if !slices.Contains(children, e) {
			return invalid("Block %s is not a child of %s.", quoted(uid), quoted(parentUID))
		}
		if slices.Contains(ordered, e) {
			return invalid("Block %s is listed twice.", quoted(uid))
		}
		ordered = append(ordered, e)
	}
	if len(ordered) != len(children) {
		return invalid("All %d children of %s must be listed, not %d of them.", len(children), quoted(parentUID), len(ordered))
	}
	for i, e := range ordered {
		if e != children[i] {
			if err := w.stampEdited(e); err != nil {
				return err
			}
		}
	}
	return w.number(ordered)
}
