package outline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

const (
	// leastTokens is less than what any page takes in a list.
	leastTokens = 30
	// frameTokens is what a reply takes besides its blocks, about.
	frameTokens = 400
)

// pageListed is a page in a list. Fields may only ever be added.
type pageListed struct {
	Name    string `json:"page_name"`
	UID     string `json:"page_uuid"`
	Journal bool   `json:"journal"`
	Created string `json:"created_at,omitempty"`
	Updated string `json:"updated_at,omitempty"`
	Empty   bool   `json:"empty,omitempty"` // it has no block that is not hidden
}

// listPages answers list_pages. Names cost one query, and the times of the pages that are
// shown another one.
func listPages(ctx context.Context, c surface.Call) (surface.Reply, error) {
	all, err := c.Graph().Pages(ctx)
	if err != nil {
		return surface.Reply{}, err
	}
	if !c.Args().Flag("include_journals", false) {
		all = slices.DeleteFunc(all, func(p ops.PageFound) bool { return isJournal(p.Title) })
	}
	offset := min(c.Args().Number("offset", 0), len(all))
	end := min(offset+c.Args().Number("limit", len(all)), len(all))
	shown := all[offset:min(end, offset+1+c.MaxReply()/leastTokens)] // more would be cut
	uids := make([]string, len(shown))
	for i, each := range shown {
		uids[i] = each.UID
	}
	times, err := c.Graph().ReadTimes(ctx, uids)
	if err != nil {
		return surface.Reply{}, err
	}
	pages := []pageListed{}
	for _, each := range shown {
		n := times[each.UID] // zero: it has gone since
		n = n.Visible()
		pages = append(pages, pageListed{each.Title, each.UID, isJournal(each.Title), isoTime(n.CreatedAt()), isoTime(n.UpdatedAt()), len(n.Children) == 0})
	}
	reply := surface.Reply{JSON: rawjson.With("pages", pages).With("total", len(all)).JSON(), Total: len(all)}
	return withMore(c, reply, offset, offset+len(shown)), nil
}

// withMore adds to a part of a list which call goes on, unless the server cuts the part
// and says so itself.
func withMore(c surface.Call, reply surface.Reply, offset, end int) surface.Reply {
	if end < reply.Total && surface.Fits(reply.JSON, c.MaxReply()) {
		reply.Note = fmt.Sprintf("Shown %d to %d of %d; call %s with offset %d.", offset+1, end, reply.Total, c.ToolName(), end)
	}
	return reply
}

// getPageContent answers get_page_content.
func getPageContent(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	page, err := findPage(ctx, c, args.Text("page_name"))
	if err != nil {
		return surface.Reply{}, err
	}
	v := viewer{properties: args.Flag("include_properties", true), max: c.MaxReply() - frameTokens}
	object := rawjson.With("page_name", page.node.Title).With("page_uuid", page.node.UID).With("journal", isJournal(page.node.Title))
	props, uids := properties(page.node)
	if v.properties {
		object = object.With("properties", props.JSON())
	}
	blocks, levels := blocksOf(page.node), args.Number("block_depth", allLevels)
	switch {
	case !args.Flag("include_blocks", true):
		blocks = nil
	case levels == 0 && len(blocks) > 0:
		object, blocks = object.With("hidden_children", len(blocks)), nil
	}
	if levels > 0 {
		levels--
	}
	if args.Text("format") == formatJSON {
		if v.properties && len(uids) > 0 {
			object = object.With("property_uuids", uids)
		}
		return v.pageJSON(c, object, blocks, levels), nil
	}
	return v.pageText(c, object, page.node, blocks, levels), nil
}

// pageJSON returns a page with its blocks as JSON, from the argument offset on.
func (v viewer) pageJSON(c surface.Call, object rawjson.Object, blocks []note.Node, levels int) surface.Reply {
	if !c.Args().Flag("include_blocks", true) {
		return surface.Reply{JSON: object.JSON()}
	}
	offset := min(c.Args().Number("offset", 0), len(blocks))
	views := v.all(blocks[offset:], levels, c.MaxReply())
	reply := surface.Reply{JSON: object.With("blocks", views).JSON(), Total: len(blocks)}
	return withMore(c, reply, offset, offset+len(views))
}

// all returns blocks as JSON, as many as can have room in max tokens, and one more.
func (v viewer) all(blocks []note.Node, levels, max int) []blockView {
	views := []blockView{}
	for _, each := range blocks {
		if len(views) > max/leastTokens {
			break
		}
		views = append(views, v.json(each, levels))
	}
	return views
}

// pageText returns a page with its blocks as an outline, from the argument offset on:
// whole blocks, as many as fit.
func (v viewer) pageText(c surface.Call, object rawjson.Object, page note.Node, blocks []note.Node, levels int) surface.Reply {
	var out strings.Builder
	offset := min(c.Args().Number("offset", 0), len(blocks))
	if offset == 0 {
		v.lines(&out, page, "")
	}
	end, room := offset, v.max-textsafe.CountTokens(rawjson.Encode(out.String()))
	for ; end < len(blocks); end++ {
		block := v.text(blocks[end], levels)
		if room -= textsafe.CountTokens(rawjson.Encode(block)); room < 0 && end > offset {
			break
		}
		out.WriteString(block)
	}
	reply := surface.Reply{JSON: object.With("text", strings.TrimSuffix(out.String(), "\n")).JSON()}
	if end < len(blocks) {
		reply.Note = fmt.Sprintf("Shown %d to %d of %d blocks; call %s with offset %d.", offset+1, end, len(blocks), c.ToolName(), end)
	}
	return reply
}
