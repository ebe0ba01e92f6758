package roam

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/roammarkdown"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// maxPages is how many pages one call reads.
const maxPages = 25

// The fields of a reply with several pages.
const (
	fieldPages   = "pages"
	fieldNotRead = "notRead"
)

func getPage(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	titles, uids := c.Args().List("titles"), c.Args().List("uids")
	if len(titles)+len(uids) > 0 {
		return getPages(ctx, c, titles, uids)
	}
	ref, err := pageOrBlock(c)
	if err != nil {
		return nil, err
	}
	page, err := c.Graph().ReadPage(ctx, ref, maxDepth(c))
	if err != nil {
		return nil, err
	}
	if page == nil {
		return notThere(ctx, c, ref).JSON(), nil
	}
	page, err = readOn(ctx, c, withFormat(c, page))
	return foundOr(page, err)
}

func getBlock(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	block, err := c.Graph().ReadBlock(ctx, c.Args().Text("uid"), maxDepth(c))
	if err != nil {
		return nil, err
	}
	block, err = readOn(ctx, c, withFormat(c, block))
	return foundOr(block, err)
}

// withFormat adds a warning to a page or block whose blocks have no uids.
func withFormat(c surface.Call, thing rawjson.Object) rawjson.Object {
	if !ops.ReadsUntagged(thing) {
		return thing
	}
	return thing.With("warning", c.World().Say(problem.Say("%s: the format of this Roam's reads is not known to roam-mcp, so the blocks have no uids here.", ops.CodeReadFormatUnknown).
		Append(problem.Say("%s finds uids by text.", task.RunDatalog).Or("roam-mcp may have to be updated."))))
}

// fieldComments says how many of the references that a block's tag counts are
// threads of comments, by uid.
const fieldComments = "commentThreads"

// readOn returns what of a page or block is behind the cursor of the call, all of
// it where the call has none, with the threads of comments among its references.
func readOn(ctx context.Context, c surface.Call, thing rawjson.Object) (rawjson.Object, error) {
	after := unlessBlank(c, surface.ParamAfter)
	raw := thing.Get("markdown")
	if raw == nil || after == "" && !bytes.Contains(raw, []byte(` refs=`)) {
		return thing, nil
	}
	markdown, _ := thing.Text("markdown")
	if threads := c.Graph().Threads(ctx, markdown); len(threads) > 0 {
		thing = thing.With(fieldComments, threads)
	}
	if after == "" {
		return thing, nil
	}
	rest, _, err := roammarkdown.After(markdown, roammarkdown.ParseCursor(after))
	if err != nil {
		return nil, surface.Invalid(c.ToolName(), "after is %s, and there is no such block here now; read again without after.", safetext.Quote(after))
	}
	return thing.With("markdown", rest).Without("linkedReferences"), nil
}

// getPages reads pages until the reply is full. What is not read is named.
func getPages(ctx context.Context, c surface.Call, titles, uids []string) (json.RawMessage, error) {
	switch {
	case c.Args().Has("title") || c.Args().Has("uid") || len(titles) > 0 && len(uids) > 0:
		return nil, surface.Invalid(c.ToolName(), "give only one of title, uid, titles and uids.")
	case len(titles)+len(uids) > maxPages:
		return nil, surface.Invalid(c.ToolName(), "it reads up to %d pages at once; the call has %d.", maxPages, len(titles)+len(uids))
	case c.Args().Has(surface.ParamAfter):
		return nil, surface.Invalid(c.ToolName(), "after reads on in one page: give its title or uid.")
	}
	const around = 200 // tokens of the reply besides its pages
	asked, room := append(titles, uids...), c.MaxReply()-around
	pages, notRead := []rawjson.Object{}, []string{}
	for i, name := range asked {
		ref := ops.PageRef{Title: name}
		if len(uids) > 0 {
			ref = ops.PageRef{UID: strings.TrimSpace(name)}
		}
		read, err := c.Graph().ReadPage(ctx, ref, maxDepth(c))
		if err != nil {
			return nil, err
		}
		page := rawjson.With("asked", name)
		if read == nil {
			page = page.Append(notThere(ctx, c, ref))
		}
		page = page.Append(withFormat(c, read).Without("linkedReferences", "queriedAt"))
		if room -= safetext.CountTokens(page.JSON()); room < 0 && i > 0 {
			notRead = asked[i:]
			break
		}
		pages = append(pages, page)
	}
	reply := rawjson.With(fieldPages, pages)
	if len(notRead) > 0 {
		reply = reply.With(fieldNotRead, notRead)
	}
	return reply.JSON(), nil
}
