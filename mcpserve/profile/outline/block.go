package outline

import (
	"context"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// getBlock answers get_block.
func getBlock(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	whole, err := readVisible(ctx, c, args.Text("block_uuid"))
	if err != nil {
		return surface.Reply{}, err
	}
	if whole.IsPage() {
		refused := surface.Invalid(c.ToolName(), "block_uuid is the uid of the page %s; it takes that of a block.", textsafe.Quote(whole.Title))
		refused.Hint = say("%s reads pages.", problem.ReadPage)
		return surface.Reply{}, refused
	}
	parent, references, err := c.Graph().PlaceOf(ctx, whole.UID)
	if err != nil {
		return surface.Reply{}, err
	}
	n := whole.Visible()
	levels := args.Number("depth", allLevels)
	if !args.Flag("include_children", true) {
		levels = 0
	}
	v := viewer{properties: true, max: c.MaxReply() - frameTokens}
	object := rawjson.Parse(rawjson.Encode(v.block(n, 0)))
	offset, total := 0, 0
	if levels != 0 {
		blocks := blocksOf(n)
		total, offset = len(blocks), min(args.Number("offset", 0), len(blocks))
		object = object.With("children", v.all(blocks[offset:], levels-1, c.MaxReply())).Without("hidden_children")
	}
	object = object.With("page_name", n.PageTitle).With("parent_uuid", parent)
	object = withText(withText(object, "created_at", isoTime(n.CreatedAt())), "updated_at", isoTime(n.UpdatedAt()))
	reply := surface.Reply{JSON: object.With("references", references).JSON(), Total: total}
	return withMore(c, reply, offset, total), nil
}
