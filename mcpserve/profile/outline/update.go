package outline

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	graphoutline "roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// The fields of replies to writes.
const (
	fieldPageUID    = "page_uuid"
	fieldBlocks     = "block_uuids"
	fieldParent     = "parent_uuid"
	fieldDeleted    = "deleted_blocks"
	fieldReferences = "references"
)

// updatePage answers update_page: properties are changed first, then the content added.
func updatePage(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	settings, err := settingsOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	if strings.TrimSpace(args.Text("content_append")) == "" && len(settings) == 0 {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "nothing to change: give content_append, properties or both.")
	}
	page, release, err := pageToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	plan, err := planSettings(ctx, c, page, settings)
	if err == nil && len(settings) > 0 {
		err = c.Graph().Permit(ctx, plan.footprint(), ops.NewBlocks{Location: ops.Location{ParentUID: page.UID}, Markdown: args.Text("content_append")}.Footprint())
	}
	if err != nil {
		return surface.Reply{}, err
	}
	if err := plan.run(ctx, c); err != nil {
		return surface.Reply{}, err
	}
	uids, unread, err := appendContent(ctx, c, page, args.Text("content_append"), plan)
	if err != nil {
		return surface.Reply{}, err
	}
	reply := rawjson.With(paramPage, page.Title).With("success", true).With(fieldPageUID, page.UID).With(fieldBlocks, uids)
	return replyWith(plan.told(reply), slices.Concat(plan.warnings, unread)), nil
}

// appendContent adds markdown at the end of a page, and returns the uids of the blocks
// that it became. Roam tells those of the topmost, and old builds none: they are read.
func appendContent(ctx context.Context, c surface.Call, page note.Node, content string, plan propertyPlan) (uids, warnings []string, err error) {
	blocks := markdown.Parse(content).Blocks
	if len(blocks) == 0 {
		return []string{}, nil, nil
	}
	uids, err = c.Graph().CreateBlocksOf(ctx, ops.Location{ParentUID: page.UID}, blocks)
	flat := !slices.ContainsFunc(blocks, func(b graphoutline.Block) bool { return len(b.Children) > 0 })
	switch {
	case err != nil || flat && len(uids) > 0:
		return uids, nil, err
	case len(uids) > 0:
		uids, warnings = madeBelow(ctx, c, uids)
		return uids, warnings, nil
	}
	known := append(uidsFrom(page), plan.made...)
	uids, warnings = madeOn(ctx, c, page.UID, func(_ int, n note.Node) bool { return !slices.Contains(known, n.UID) })
	return uids, warnings, nil
}

// updateBlock answers update_block.
func updateBlock(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	settings, err := settingsOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	if !args.Has(paramContent) && len(settings) == 0 {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "nothing to change: give content, properties or both.")
	}
	block, release, err := blockToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	plan, err := planSettings(ctx, c, block, settings)
	if err != nil {
		return surface.Reply{}, err
	}
	text, err := newText(c, block.Text)
	if err == nil {
		err = checkShown(c, block, text)
	}
	if err == nil && len(settings) > 0 {
		err = c.Graph().Permit(ctx, plan.footprint(), ops.BlockUpdate{UID: block.UID, String: &text}.Footprint())
	}
	if err != nil {
		return surface.Reply{}, err
	}
	if text != block.Text {
		if _, err := c.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: block.UID, String: &text}); err != nil {
			return surface.Reply{}, err
		}
		c.Shown().KeepText(block.UID, text)
	}
	if err := plan.run(ctx, c); err != nil {
		return surface.Reply{}, err
	}
	reply := rawjson.With(paramBlock, block.UID).With("success", true)
	if args.Has(paramProperties) {
		reply = plan.told(reply)
	}
	return replyWith(reply, plan.warnings), nil
}

// checkShown refuses to replace a text that is another one than was shown, since somebody
// else has changed it.
func checkShown(c surface.Call, block note.Node, text string) error {
	if !c.Args().Has(paramContent) || !c.Args().Flag("replace_content", true) || text == block.Text {
		return nil
	}
	before, ok := c.Shown().Text(block.UID, textsIn)
	if !ok || before == block.Text {
		return nil
	}
	changed := shown.TextConflict([]shown.Changed{{UID: block.UID, Shown: before, Sent: &text, Now: &block.Text}})
	c.Shown().KeepChanged(changed)
	return changed
}

// textsIn returns the texts of the blocks that a reply shows with their uids.
func textsIn(reply string) map[string]string {
	texts := map[string]string{}
	rawjson.Each([]byte(reply), func(value json.RawMessage) {
		block := rawjson.Parse(value)
		uid, known := block.Text(paramBlock)
		if text, ok := block.Text(paramContent); ok && known && !strings.HasSuffix(text, surface.TextCut) {
			texts[uid] = textsafe.Unescape(text)
		}
	})
	return texts
}

// newText returns the text that a block gets. One that was cut when it was read is
// refused, since the rest of the block would be lost.
func newText(c surface.Call, before string) (string, error) {
	args := c.Args()
	text := args.Text(paramContent)
	switch {
	case !args.Has(paramContent):
		return before, nil
	case args.Flag("replace_content", true):
		if err := surface.CheckWhole(c.ToolName(), paramContent, text, before, problem.ReadBlock); err != nil {
			cut := problem.FromError(err)
			cut.Code = ops.CodeTruncatedSource
			return "", cut
		}
		return text, nil
	case before == "":
		return text, nil
	}
	return before + "\n" + text, nil
}
