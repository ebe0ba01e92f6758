package ops

import (
	"context"
	"fmt"
	"slices"
)

const (
	// cutAt is how many values of an attribute a pull gives that heeds no :limit nil
	// (LOCAL_API.md 9.8). What has exactly as many is asked for by a query, which cuts
	// nothing.
	cutAt = 1000
	// maxCut is how many such lists may stand in each other.
	maxCut = 20
)

// The queries of what a pull may have cut.
const (
	childUIDsQuery = `[:find ?u :in $ ?of :where [?e :block/uid ?of] [?e :block/children ?c] [?c :block/uid ?u]]`
	refsQuery      = `[:find ?u :in $ ?of :where [?e :block/uid ?of] [?e :block/refs ?r] [?r :block/uid ?u]]`
	referrerQuery  = `[:find ?u :in $ ?of :where [?e :block/uid ?of] [?r :block/refs ?e] [?r :block/uid ?u]]`
)

// related returns the uids that a query finds of a thing.
func (g *Graph) related(ctx context.Context, query, uid string) ([]string, error) {
	rows, err := g.rows(ctx, query, uid)
	if err != nil {
		return nil, err
	}
	uids := make([]string, 0, len(rows))
	for each := range uidsOfRows(rows) {
		uids = append(uids, each)
	}
	slices.Sort(uids)
	return uids, nil
}

// uncut adds what lists of exactly cutAt children lack in notes that were pulled by a
// pattern. References are not added: a text that has more is an error.
func (g *Graph) uncut(ctx context.Context, pattern string, notes []pulledNote, depth int) error {
	for i := range notes {
		n := &notes[i]
		if err := g.uncut(ctx, pattern, n.Children, depth); err != nil {
			return err
		}
		if len(n.Refs) == cutAt {
			if refs, err := g.related(ctx, refsQuery, n.UID); err != nil {
				return err
			} else if len(refs) > cutAt {
				return invalidNote(fmt.Errorf("%d of the %d references of %s are missing", len(refs)-cutAt, len(refs), n.UID))
			}
		}
		if len(n.Children) != cutAt {
			continue
		}
		missing, err := g.related(ctx, childUIDsQuery, n.UID)
		if err != nil {
			return err
		}
		if depth == maxCut {
			return invalidNote(fmt.Errorf("the lists below %s have no end", n.UID))
		}
		known := make(map[string]bool, cutAt)
		for i := range n.Children {
			known[n.Children[i].UID] = true
		}
		missing = slices.DeleteFunc(missing, func(uid string) bool { return known[uid] })
		for some := range slices.Chunk(missing, cutAt) {
			more, err := g.pullNotes(ctx, pattern, some, depth+1)
			if err != nil {
				return err
			}
			n.Children = append(n.Children, more...)
		}
	}
	return nil
}
