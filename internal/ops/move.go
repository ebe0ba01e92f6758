package ops

import (
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/graph/fact"
)

// BlockMove is the move of a block, with all below it, to another place.
type BlockMove struct {
	UID       string
	ParentUID string // a block or a page
	Order     Order
}

// Request implements Write.
func (m BlockMove) Request() (action string, args []any) {
	return "data.block.move", []any{map[string]any{
		"block":    map[string]any{"uid": m.UID},
		"location": map[string]any{"parent-uid": m.ParentUID, "order": m.Order},
	}}
}

// Footprint implements Write.
func (m BlockMove) Footprint() Footprint {
	return Footprint{Places: []string{m.UID, m.ParentUID}, Moved: []string{m.UID}}
}

// Capture implements Write.
func (m BlockMove) Capture() Capture {
	return captureThings(fact.ClassPlace, []string{m.UID, m.ParentUID}, func(before fact.State) *fact.Touches {
		return fact.NewTouches(before).Add(fact.RoleTarget, m.UID).Add(fact.RolePlace, before.Things[m.UID].Parent, m.ParentUID)
	})
}

// Done implements Write.
func (m BlockMove) Done(json.RawMessage) Done {
	return Done{What: "moved", UIDs: []string{m.UID}, Counts: Counts{Moved: 1}}
}

func parseBlockMove(s sentWrite) (Write, error) {
	return BlockMove{UID: s.Block.UID, ParentUID: s.Location.ParentUID, Order: s.Location.Order}, nil
}

// MoveBlock moves a block. It returns Roam's reply, nil where there is none.
func (g Edits) MoveBlock(ctx context.Context, move BlockMove) (json.RawMessage, error) {
	return g.write(ctx, move)
}

func (m BlockMove) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?p ?t :in $ ?uid :where [?e :block/uid ?uid] [?c :block/children ?e] [?c :block/uid ?p] [(get-else $ ?e :edit/time 0) ?t]]`, m.UID)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(rows) == 0:
		return m.findPage(ctx, look)
	}
	changed := isSince(rows[0], 1, since)
	switch {
	case rows[0][0] == m.ParentUID:
		return m.judgeOrder(ctx, look, changed)
	case changed:
		return Unknown, "The block is not below the new parent, but was changed since the call."
	}
	return No, "The block is not below the new parent."
}

// judgeOrder decides from the children of the new parent.
func (m BlockMove) judgeOrder(ctx context.Context, look verifier, changed bool) (Applied, string) {
	rows, err := look.rows(ctx, childrenQuery, m.ParentUID)
	if err != nil {
		return Unknown, cantLook(err)
	}
	return m.judgePlace(inPlace(rows), changed)
}

// seen implements seeker.
func (m BlockMove) seen(ctx context.Context, look verifier, _ int64) effect {
	rows, err := look.rows(ctx, childrenQuery, m.ParentUID)
	if err != nil {
		return unseen(err)
	}
	return m.effect(fact.State{}, fact.State{Things: map[string]fact.Fact{m.ParentUID: {UID: m.ParentUID, Children: inPlace(rows)}}})
}

// findPage looks at what is below nothing: a page stays where it is.
func (m BlockMove) findPage(ctx context.Context, look verifier) (Applied, string) {
	rows, err := look.rows(ctx, `[:find ?n :in $ ?uid :where [?e :block/uid ?uid] [?e :node/title ?n]]`, m.UID)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(rows) > 0:
		return No, "It is a page, which can't be moved."
	}
	return No, "There is no such block."
}

// judgePlace decides from the block's place among the children of its new parent; changed says
// that it was changed since the call.
func (m BlockMove) judgePlace(children []string, changed bool) (Applied, string) {
	at := slices.Index(children, m.UID)
	switch {
	case at < 0:
		return No, "The block is not below the new parent."
	case !m.Order.is(at, len(children)):
		return Unknown, "The block is below the new parent, but at another place."
	case changed:
		return Yes, "The block is at the place it was to move to."
	}
	return Unknown, "The block is at the place it was to move to, but may have been there before."
}
