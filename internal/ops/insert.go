package ops

import (
	"context"
	"encoding/json"
	"fmt"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// NewBlock is the creation of one block with a uid that is made here, so that it can be
// found again for certain.
type NewBlock struct {
	UID       string
	ParentUID string // a block or a page
	Order     Order
	Block     outline.Block // without its children
}

// Request implements Write.
func (b NewBlock) Request() (action string, args []any) {
	return "data.block.create", []any{b.request()}
}

// request returns what a creation takes, alone or as a part of BlockCreations.
func (b NewBlock) request() request {
	block := request{"uid": b.UID, "string": b.Block.String}.
		withText("children-view-type", b.Block.ChildrenViewType).withText("block-view-type", b.Block.BlockViewType).withText("text-align", b.Block.TextAlign)
	if b.Block.Heading != 0 {
		block["heading"] = b.Block.Heading
	}
	if b.Block.Collapsed {
		block["open"] = false
	}
	return request{"location": request{"parent-uid": b.ParentUID, "order": b.Order}, "block": block}
}

// Footprint implements Write.
func (b NewBlock) Footprint() Footprint {
	return Footprint{Places: []string{b.ParentUID}, Stored: []string{b.Block.String}}
}

// Capture implements Write.
func (b NewBlock) Capture() Capture {
	c := captureMade(b.ParentUID, "", b.UID)
	c.Below = true
	return c
}

// Done implements Write.
func (b NewBlock) Done(json.RawMessage) Done {
	made := []string{b.UID}
	return Done{What: doneInserted, UIDs: made, Made: made, Counts: Counts{Added: 1}}
}

func parseNewBlock(s sentWrite) (Write, error) {
	return sentStep{Location: s.Location, Block: s.Block}.newBlock(), nil
}

// CreateBlock creates one block: its text is stored as it is.
func (g Creates) CreateBlock(ctx context.Context, block NewBlock) error {
	_, err := g.write(ctx, block)
	return err
}

func (b NewBlock) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	return BlockCreations{b}.find(ctx, look, since)
}

// insert adds what is new.
func (r *rewriting) insert(ctx context.Context) error {
	for _, each := range r.plan.Inserts {
		if err := r.insertBlocks(ctx, r.uid(each.Parent), each.Index, each.Blocks); err != nil {
			return err
		}
	}
	return r.create(ctx)
}

// insertBlocks adds blocks below a parent: in one write where Roam's markdown can say
// them; else in two halves, or one block and then what is below it.
func (r *rewriting) insertBlocks(ctx context.Context, parent string, index int, blocks []outline.Block) error {
	one := len(blocks) == 1
	switch text, ok := markdown.ForImporter(blocks); {
	case len(blocks) == 0:
		return nil
	case one && (!ok || len(blocks[0].Children) == 0):
		uid, err := r.insertBlock(ctx, parent, index, blocks[0])
		if err != nil {
			return err
		}
		return r.insertBlocks(ctx, uid, 0, blocks[0].Children)
	case ok:
		if err := r.create(ctx); err != nil { // what is above it, and before it
			return err
		}
		return r.insertMarkdown(ctx, parent, index, blocks, text)
	}
	half := len(blocks) / 2
	if err := r.insertBlocks(ctx, parent, index, blocks[:half]); err != nil {
		return err
	}
	return r.insertBlocks(ctx, parent, index+half, blocks[half:])
}

// mostWaiting is how long the texts of the blocks are together that one request creates; one
// that is longer is alone.
const mostWaiting = 256 << 10

// insertBlock has one block made, with others that wait for it, and returns its uid.
func (r *rewriting) insertBlock(ctx context.Context, parent string, index int, b outline.Block) (string, error) {
	uid := b.UID
	if uid == "" || outline.Placeholder(uid) {
		var err error
		if uid, err = r.graph.NewUID(); err != nil {
			return "", err
		}
	}
	if b.UID != "" {
		r.made[b.UID] = uid
	}
	parent = r.uid(parent)
	if len(r.waiting) == MaxBatch || r.waitingBytes+len(b.String) > mostWaiting {
		if err := r.create(ctx); err != nil {
			return "", err
		}
	}
	r.waiting = append(r.waiting, NewBlock{UID: uid, ParentUID: parent, Order: Order{Index: &index}, Block: b})
	r.waitingBytes += len(b.String)
	return uid, nil
}

// insertMarkdown adds blocks in one write.
func (r *rewriting) insertMarkdown(ctx context.Context, parent string, index int, blocks []outline.Block, text string) error {
	parent = r.uid(parent)
	if err := r.samePlaces(ctx, parent); err != nil {
		return err
	}
	write := NewBlocks{Location: Location{ParentUID: parent, Order: Order{Index: &index}}, Markdown: text}
	reply, _, err := r.graph.create(ctx, write, write.Location, blocks)
	if err != nil {
		return err
	}
	uids := uidsIn(reply)
	r.inserted(number(blocks))
	if len(uids) == 0 {
		uids = []string{""}
	}
	r.expected.put(parent, index, uids...)
	if uids[0] != "" && len(uids) != len(blocks) { // the places of what follows are not known
		return &problem.Error{
			Code: localapi.CodeInvalidReply, Call: &problem.Call{Action: "data.block.fromMarkdown", Sent: true}, Retry: problem.RetryNever,
			Message: fmt.Sprintf("Roam made %d blocks of a text for %d.", len(uids), len(blocks)),
		}
	}
	return nil
}

// number returns how many blocks there are, with those below them.
func number(blocks []outline.Block) int {
	n := len(blocks)
	for _, b := range blocks {
		n += number(b.Children)
	}
	return n
}
