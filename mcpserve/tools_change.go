package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"roam-mcp/localapi"
)

// blockLook are the parameters of update_block beside the uid.
func blockLook() []param {
	lowest, highest := between(0, 3)
	return []param{
		{name: "string", kind: kindString, about: "Whole new text"},
		{name: "heading", kind: kindInteger, min: lowest, max: highest, about: "0 to 3"},
		{name: "open", kind: kindBoolean, about: "false folds it", unlisted: true},
		viewTypeParam(),
		{name: "textAlign", kind: kindString, choices: []string{"left", "center", "right", "justify"}, about: "left, center, right, justify", unlisted: true},
	}
}

// changeTools change what is there.
func changeTools() []tool {
	uid := uidParam("Block")
	return []tool{
		{
			name: "update_block", title: "Update block", toolset: "write", effects: edits(), scope: scopeEdit, onGraph: true,
			description: "Changes a block. Read it first.",
			params:      append([]param{uid}, blockLook()...),
			output:      anyReply(),
			handle:      updateBlock,
		},
		{
			name: "update_blocks", title: "Update blocks", toolset: "write", effects: edits(), scope: scopeEdit, onGraph: true,
			description: "update_block, up to 25.",
			params: []param{
				{name: "updates", kind: kindObjects, required: true, about: "As update_block", fields: append([]param{uid}, blockLook()...)},
			},
			output: anyReply(),
			handle: updateBlocks,
		},
		{
			name: "move_block", title: "Move block", toolset: "write", effects: edits(), scope: scopeEdit, onGraph: true,
			description: "Moves a block and its children.",
			params: []param{
				uid,
				{name: "parentUid", kind: kindString, required: true, nonEmpty: true, about: "New parent"},
				{name: "order", kind: kindOrder, required: true, about: "first, last, number"},
			},
			output: anyReply(),
			handle: moveBlock,
		},
		{
			name: "update_page", title: "Update page", toolset: "write", effects: edits(), scope: scopeEdit, onGraph: true,
			description: "Renames a page everywhere.",
			params: []param{
				uidParam("Page"),
				{name: "title", kind: kindString, title: true, nonEmpty: true, about: "New title"},
				unlisted(viewTypeParam()),
				{name: "mergePages", kind: kindBoolean, about: "true merges into the page that has the title", unlisted: true},
			},
			output: anyReply(),
			handle: updatePage,
		},
	}
}

// blockChange is what an update changes, as Roam takes it: the text decoded from
// what was read, and at least one thing besides the uid.
func (c *call) blockChange(args arguments) (map[string]any, error) {
	block := args.pick(map[string]any{}, "uid", "uid", "open", "open", "heading", "heading",
		"childrenViewType", "children-view-type", "textAlign", "text-align")
	if args.has("string") {
		decoded, err := c.server.marks.decode(c.tool.name, args.text("string"))
		if err != nil {
			return nil, err
		}
		block["string"] = decoded
	}
	if len(block) == 1 {
		return nil, invalid(c.tool.name, "nothing to change: give string, heading or childrenViewType.")
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
			return nil, invalid(c.tool.name, "the block %s is listed twice.", quote(uid))
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
		return invalid(c.tool.name, "%s has %d items; it takes 1 to %d.", name, size, batchLimit)
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
		return nil, invalid(c.tool.name, "nothing to change: give title.")
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
