package outline

import (
	"iter"

	"roam-mcp/graphdb"
)

// AllHidden lists the blocks that Hidden is true of, for those who leave them
// out of many results at once. A block may come more than once.
func AllHidden(r graphdb.Reader) iter.Seq[graphdb.EID] {
	return func(yield func(graphdb.EID) bool) {
		for _, mark := range hidingPages(r) {
			for e := range r.ReverseSeq(graphdb.BlockRefs, mark) {
				if IsPage(r, e) {
					continue // as for marked
				}
				if !yield(e) {
					return
				}
				for below := range r.ReverseSeq(graphdb.BlockParents, e) {
					if !yield(below) {
						return
					}
				}
			}
		}
	}
}
