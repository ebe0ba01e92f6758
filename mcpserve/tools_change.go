package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"roam-mcp/localapi"
)

// blockChange is what an update changes, as Roam takes it: the text decoded from
// what was read, and at least one thing besides the uid.
func (c *call) blockChange(args arguments) (map[string]any, error) {
	block := args.pick(map[string]any{}, "uid", "uid", "open", "open", "heading", "heading",
		"childrenViewType", "children-view-type", "textAlign", "text-align")
	if args.has("string") {
		decoded, err := c.server.marks.decode(c.tool.Name, args.text("string"))
		if err != nil {
			return nil, err
		}
		block["string"] = decoded
	}
	if len(block) == 1 {
		return nil, invalid(c.tool.Name, "nothing to change: give string, heading or childrenViewType.")
	}
	return block, nil
}

func updateBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	block, err := c.blockChange(c.args)
	if err != nil {
		return nil, err
	}
	result, err := c.updateOne(ctx, block)
	if err != nil {
		return nil, err
	}
	return success(result, nil), nil
}

func (c *call) updateOne(ctx context.Context, block map[string]any) (json.RawMessage, error) {
	return c.write(ctx, "data.block.update", []any{map[string]any{"block": block}}, c.lookForUpdate(block))
}

func updateBlocks(ctx context.Context, c *call) (json.RawMessage, error) {
	updates := c.args.objects("updates")
	if err := c.checkBatch("updates", len(updates)); err != nil {
		return nil, err
	}
	var uids []string
	blocks := make([]map[string]any, len(updates))
	for i, each := range updates {
		uid := each.text("uid")
		if slices.Contains(uids, uid) {
			return nil, invalid(c.tool.Name, "the block %s is listed twice.", quote(uid))
		}
		uids = append(uids, uid)
		var err error
		if blocks[i], err = c.blockChange(each); err != nil {
			return nil, inItem(err, i, uid)
		}
	}
	const action = "data.block.updateBlocks"
	items, err := batch{
		action: action, args: map[string]any{"updates": blocks}, uids: uids,
		find: func(uid string) look { return c.lookForUpdate(blocks[slices.Index(uids, uid)]) },
		one:  func(ctx context.Context, at int) (json.RawMessage, error) { return c.updateOne(ctx, blocks[at]) },
	}.run(ctx, c)
	if err != nil {
		return nil, err
	}
	return batchReply(aBlock(), action, items)
}

// inItem says which of a batch an error is about; nothing of it was sent.
func inItem(err error, at int, uid string) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	said := *f
	said.Message = fmt.Sprintf("updates[%d]: %s Nothing was changed.", at, f.Message)
	said.UID = uid
	return &said
}

func (c *call) checkBatch(name string, size int) error {
	if size < 1 || size > batchLimit {
		return invalid(c.tool.Name, "%s has %d items; it takes 1 to %d.", name, size, batchLimit)
	}
	return nil
}

func moveBlock(ctx context.Context, c *call) (json.RawMessage, error) {
	args := map[string]any{
		"location": c.args.pick(map[string]any{}, "parentUid", "parent-uid", "order", "order"),
		"block":    map[string]any{"uid": c.args.text("uid")},
	}
	result, err := c.write(ctx, "data.block.move", []any{args}, c.lookForMove)
	if err != nil {
		return nil, err
	}
	return success(result, nil), nil
}

func updatePage(ctx context.Context, c *call) (json.RawMessage, error) {
	page := c.args.pick(map[string]any{}, "uid", "uid", "title", "title", "childrenViewType", "children-view-type")
	if len(page) == 1 {
		return nil, invalid(c.tool.Name, "nothing to change: give title.")
	}
	args := c.args.pick(map[string]any{"page": page}, "mergePages", "merge-pages")
	result, err := c.write(ctx, "data.page.update", []any{args}, c.lookForPageUpdate)
	if err == nil {
		return success(result, nil), nil
	}
	if f := failureOf(err); f.Code == localapi.CodeAlreadyExists {
		f.Hint = "Choose another title, or ask the user whether to merge the two pages."
		return nil, f
	}
	return nil, err
}
