package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// BlockCreations are creations of several blocks in one request, in this order: a block
// that others of them are below comes before these. Roam reports nothing on the parts, and
// may end at one of them: then the graph says which there are.
type BlockCreations []NewBlock

// Request implements Write.
func (b BlockCreations) Request() (action string, args []any) {
	steps := make([]request, len(b))
	for i, each := range b {
		steps[i] = each.request()
		steps[i]["action"] = createStep
	}
	return batchAction, []any{request{"actions": steps}}
}

// A batch of Roam, and what its steps are called that create a block (LOCAL_API.md 2.3).
const (
	batchAction = "batchActions"
	createStep  = "create-block"
)

// Footprint implements Write.
func (b BlockCreations) Footprint() Footprint {
	parts := make([]Footprint, len(b))
	for i, each := range b {
		parts[i] = each.Footprint()
	}
	return joined(parts)
}

func (b BlockCreations) uids() []string {
	uids := make([]string, len(b))
	for i, each := range b {
		uids[i] = each.UID
	}
	return uids
}

// places returns the uids of those blocks and pages below which they are made, and that
// are none of them.
func (b BlockCreations) places() []string {
	var places []string
	own := b.uids()
	for _, each := range b {
		if !slices.Contains(own, each.ParentUID) && !slices.Contains(places, each.ParentUID) {
			places = append(places, each.ParentUID)
		}
	}
	return places
}

func (b BlockCreations) part(at int) visible { return b[at] }

func (BlockCreations) reported() bool { return false }

func (b BlockCreations) find(ctx context.Context, look verifier, _ int64) (Applied, string) {
	there, err := b.rows(ctx, look)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(there) == 0 && len(b) == 1:
		return No, "There is no block with the uid that was made for it."
	case len(there) == 0:
		return No, "None of the blocks is there that were to be made."
	case len(there) < len(b):
		return Unknown, fmt.Sprintf("%d of the %d blocks are there.", len(there), len(b))
	}
	for _, each := range b { // a uid that is given again may be another block's by now
		if now := there[each.UID]; now.parent != each.ParentUID && now.text != each.Block.String {
			return Unknown, fmt.Sprintf("There is another block with the uid %s.", textsafe.Quote(each.UID))
		}
	}
	if len(b) == 1 {
		return Yes, "The block is there."
	}
	return Yes, fmt.Sprintf("All %d blocks are there.", len(b))
}

// report implements partial.
func (b BlockCreations) report(ctx context.Context, look verifier) (json.RawMessage, bool) {
	there, err := b.rows(ctx, look)
	if err != nil || len(there) == 0 {
		return nil, false
	}
	parts := make([]json.RawMessage, len(b))
	for i, each := range b {
		_, made := there[each.UID]
		part := rawjson.With("uid", each.UID).With("ok", made)
		if !made {
			part = part.With("code", localapi.CodeNotFound).With("message", "The block was not made.")
		}
		parts[i] = part.With(Recovered, true).JSON()
	}
	return rawjson.With("results", rawjson.Array(parts)).JSON(), true
}

// Capture implements Write: of new blocks in one request some may not be made, and those that
// are, its outcome names.
func (b BlockCreations) Capture() Capture {
	c := captureMade("", "", "")
	c.Below = true
	c.Touches = func(fact.State) []fact.Touch {
		return fact.NewTouches(fact.State{}).Add(fact.RolePlace, b.places()...).List()
	}
	return c
}

// Done implements Write.
func (b BlockCreations) Done(reply json.RawMessage) Done {
	made := b.Made(reply)
	done := doneOf(doneInserted, made, Counts{Added: len(made)})
	done.Made = made
	return done
}

func parseBlockCreations(s sentWrite) (Write, error) {
	creations := make(BlockCreations, len(s.Actions))
	for i, each := range s.Actions {
		creations[i] = each.newBlock() // any other step is told by what ParseWrite compares
	}
	return creations, nil
}

// Made returns the uids of the blocks that a batch made which was done: all, unless its
// reply says something of each.
func (b BlockCreations) Made(reply json.RawMessage) []string {
	if rawjson.Parse(reply).Get("results") == nil {
		return b.uids()
	}
	return partsDone(b, reply)
}

// create makes the blocks that wait to be made: in one request where there are several,
// and else, or where Roam does not do it, one by one.
func (r *rewriting) create(ctx context.Context) error {
	blocks := r.waiting
	r.waiting, r.waitingBytes = nil, 0
	if err := r.samePlaces(ctx, blocks.places()...); err != nil {
		return err
	}
	if len(blocks) > 1 {
		var err error
		if blocks, err = r.createTogether(ctx, r.renewed(blocks)); err != nil {
			return err
		}
	}
	for i := range blocks {
		if err := r.createOne(ctx, blocks, i); err != nil {
			return err
		}
	}
	return nil
}

// again reports whether the block is to get a uid that a block had which has gone.
func (b NewBlock) again() bool { return b.Block.UID == b.UID }

// renewed gives those blocks new uids that are to get one again, where Roam gives none again.
func (r *rewriting) renewed(blocks BlockCreations) BlockCreations {
	for i := range blocks {
		if r.neverReuses && blocks[i].again() {
			r.rename(blocks, i)
		}
	}
	return blocks
}

// rename gives one of the blocks that wait to be made a new uid.
func (r *rewriting) rename(blocks BlockCreations, at int) {
	old := blocks[at].UID
	uid, _ := r.graph.NewUID() // which does not fail
	r.graph.done.say("Roam does not give the uids of blocks that have gone again: they are back with new ones.")
	blocks[at].UID, r.made[old] = uid, uid
	for i := range blocks {
		if blocks[i].ParentUID == old {
			blocks[i].ParentUID = uid
		}
	}
}

// createOne makes one of some blocks. Where Roam refuses the uid that it had, it gets a new one.
func (r *rewriting) createOne(ctx context.Context, blocks BlockCreations, at int) error {
	if r.neverReuses && blocks[at].again() {
		r.rename(blocks, at)
	}
	err := r.graph.CreateBlock(ctx, blocks[at])
	if blocks[at].again() && !r.reuseKnown && err != nil && MayRefuseUID(err) {
		r.neverReuses = true
		r.rename(blocks, at)
		err = r.graph.CreateBlock(ctx, blocks[at])
	}
	if err != nil {
		return err
	}
	r.reuseKnown = r.reuseKnown || r.neverReuses || blocks[at].again()
	r.expect(blocks[at])
	r.inserted(1)
	return nil
}

// expect notes that a block was made.
func (r *rewriting) expect(b NewBlock) {
	r.expected.put(b.ParentUID, *b.Order.Index, b.UID)
	r.expected.kids[b.UID] = nil
}

// createTogether makes blocks in one request, and returns those that are left to be made
// one by one.
func (r *rewriting) createTogether(ctx context.Context, blocks BlockCreations) (left BlockCreations, err error) {
	var made []string
	switch reply, err := r.graph.write(ctx, blocks); {
	case err == nil:
		made = blocks.Made(reply)
	case !MayRefuseUID(err):
		return nil, err
	default: // some may be there; one by one, Roam says which of the others it was
		there, err := blocks.rows(ctx, verifier{r.graph.core})
		if err != nil {
			return nil, err
		}
		for _, each := range blocks {
			if there[each.UID].parent == each.ParentUID {
				made = append(made, each.UID)
			}
		}
	}
	for _, each := range blocks {
		if !slices.Contains(made, each.UID) {
			left = append(left, each)
			continue
		}
		r.expect(each)
	}
	r.inserted(len(made))
	return left, nil
}

// MayRefuseUID reports whether Roam refused a creation for what is in it, as it may refuse the uid
// of a block.
func MayRefuseUID(err error) bool {
	failed, isCall := problem.AsCall(err)
	return isCall && failed.Sent() && !endsBatch(failed) && failed.Detail(DetailApplied) == nil
}
