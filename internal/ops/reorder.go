package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/graph/fact"
)

// Reordering puts the children of a block or page into an order.
type Reordering struct {
	ParentUID string
	UIDs      []string // of all children
	Before    []string // their order right before; nil: it is not known
}

// Request implements Write.
func (r Reordering) Request() (action string, args []any) {
	return "data.block.reorderBlocks", []any{map[string]any{"location": map[string]any{"parent-uid": r.ParentUID}, "blocks": r.UIDs}}
}

// Footprint implements Write.
func (r Reordering) Footprint() Footprint {
	return Footprint{Places: []string{r.ParentUID}, Restructures: true}
}

// Capture implements Write: the facts are those of what the children are below, and the touched
// are the children that get another place.
func (r Reordering) Capture() Capture {
	return captureThings(fact.ClassPlace, []string{r.ParentUID}, func(before fact.State) *fact.Touches {
		return fact.NewTouches(before).Add(fact.RoleTarget, r.moved(before.Things[r.ParentUID].Children)...).Add(fact.RolePlace, r.ParentUID)
	})
}

// moved returns the children that get another place than they had before.
func (r Reordering) moved(before []string) (uids []string) {
	for i, uid := range r.UIDs {
		if i >= len(before) || before[i] != uid {
			uids = append(uids, uid)
		}
	}
	return uids
}

// Done implements Write.
func (r Reordering) Done(json.RawMessage) Done {
	return Done{What: "reordered", UIDs: []string{r.ParentUID}, Counts: Counts{Moved: len(r.moved(r.Before))}}
}

func parseReordering(s sentWrite) (Write, error) {
	parent := s.Location.ParentUID
	return Reordering{ParentUID: parent, UIDs: s.Blocks, Before: s.before.Things[parent].Children}, nil
}

const childrenQuery = `[:find ?o ?u :in $ ?p :where [?e :block/uid ?p] [?e :block/children ?c] [?c :block/uid ?u] [?c :block/order ?o]]`

// inPlace returns the uids of rows of place and uid, by their places.
func inPlace(rows [][]any) []string {
	type placed struct {
		place float64
		uid   string
	}
	var list []placed
	for _, row := range rows {
		if place, uid, ok := placeIn(row); ok {
			list = append(list, placed{place, uid})
		}
	}
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	uids := make([]string, len(list))
	for i, each := range list {
		uids[i] = each.uid
	}
	return uids
}

func (r Reordering) find(ctx context.Context, look verifier, _ int64) (Applied, string) {
	rows, err := look.rows(ctx, childrenQuery, r.ParentUID)
	if err != nil {
		return Unknown, cantLook(err)
	}
	switch now := inPlace(rows); {
	case slices.Equal(now, r.UIDs):
		return Yes, "The blocks are in the order wanted."
	case r.Before != nil && slices.Equal(now, r.Before):
		return No, "The blocks are in the order they had before."
	case r.Before == nil:
		return Unknown, "The blocks are not in the order wanted. The order before is not known."
	}
	return Unknown, "The blocks are in another order than before, and not in the one wanted."
}
