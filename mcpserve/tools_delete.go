package mcpserve

import (
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/rawjson"
)

func deleteBlocks(ctx context.Context, c *call) (json.RawMessage, error) {
	uids := c.args.list("uids")
	if err := c.checkBatch("uids", len(uids)); err != nil {
		return nil, err
	}
	what := aBlock()
	hits := map[string]hit{}
	for _, uid := range uids {
		if uid == "" {
			return nil, invalid(c.tool.Name, "uids holds an empty text.")
		}
		if _, twice := hits[uid]; twice {
			continue
		}
		h, err := c.affected(ctx, what, uid)
		if err != nil {
			return nil, err
		}
		hits[uid] = h
	}
	const action = "data.block.deleteBlocks"
	items, err := batch{
		action: action, args: map[string]any{"uids": uids}, uids: uids,
		find: func(uid string) look { return c.lookForDelete(what, uid, hits[uid].known) },
		one:  c.deleteSingly(what, uids, hits),
	}.run(ctx, c)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		if string(item.Get("ok")) == "true" {
			items[i] = item.Append(hits[uids[i]].counts())
		}
	}
	return batchReply(what, action, items)
}

// deleteSingly does what a Roam without batch actions does not: a block that has
// gone with one above it, or is listed twice, counts as deleted.
func (c *call) deleteSingly(what deletable, uids []string, hits map[string]hit) func(context.Context, int) (json.RawMessage, error) {
	gone := map[string]string{} // the uid that took it along
	return func(ctx context.Context, at int) (json.RawMessage, error) {
		uid := uids[at]
		if with, ok := gone[uid]; ok {
			return rawjson.With("deleted", true).With("note", "deleted with "+quote(with)).JSON(), nil
		}
		report, err := c.removeOnce(ctx, what, uid, hits[uid])
		if err != nil {
			return nil, err
		}
		gone[uid] = uid
		for _, each := range hits[uid].descendants {
			if slices.Contains(uids, each) {
				gone[each] = uid
			}
		}
		return report, nil
	}
}

func addShortcut(ctx context.Context, c *call) (json.RawMessage, error) {
	args := []any{c.args.text("uid")}
	if c.args.has("index") {
		args = append(args, c.args.Arguments["index"])
	}
	result, err := c.write(ctx, "data.page.addShortcut", args, c.lookForShortcut)
	if err != nil {
		return nil, err
	}
	return success(result, nil), nil
}

func removeShortcut(ctx context.Context, c *call) (json.RawMessage, error) {
	result, err := c.write(ctx, "data.page.removeShortcut", []any{c.args.text("uid")}, c.lookForNoShortcut)
	if err != nil {
		return nil, err
	}
	return success(result, nil), nil
}
