package roam

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// maxPages is how many pages one call reads.
const maxPages = 25

// The fields of a reply with several pages.
const (
	fieldPages   = "pages"
	fieldNotRead = "notRead"
)

func getPage(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	if pages := c.Args().List("pages"); len(pages) > 0 {
		return getPages(ctx, c, pages)
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
	if !c.Args().Flag("linkedReferences", true) {
		page = page.Without("linkedReferences")
	}
	page, err = readOn(ctx, c, page)
	return page.JSON(), err
}

func getBlock(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	uid := c.Args().Text("uid")
	block, err := c.Graph().ReadBlock(ctx, uid, maxDepth(c))
	if err != nil || block == nil {
		return foundOr(block, err)
	}
	raw := block.Get("markdown")
	if below := bytes.Contains(raw, []byte(`\n  - `)) || bytes.Contains(raw, []byte(` hiddenChildren=`)); below && c.Graph().IsFolded(ctx, uid) {
		block = block.With("folded", true)
	}
	block, err = readOn(ctx, c, withPath(block))
	return block.JSON(), err
}

// fieldComments says how many of the references that a block's tag counts are
// threads of comments, by uid.
const fieldComments = "commentThreads"

// readOn returns what of a page or block is behind the cursor of the call, all of
// it where the call has none, with the threads of comments among its references; as plain text
// where the call asks for that. It says how many blocks there are where not all are shown.
func readOn(ctx context.Context, c surface.Call, thing rawjson.Object) (rawjson.Object, error) {
	after, plain := unlessBlank(c, surface.ParamAfter), c.Args().Flag("plain", false)
	raw := thing.Get("markdown")
	cut := maxDepth(c) != nil && bytes.Contains(raw, []byte(` hiddenChildren=`))
	if raw == nil || after == "" && !plain && !cut && !bytes.Contains(raw, []byte(` refs=`)) {
		return thing, nil
	}
	markdown, _ := thing.Text("markdown")
	if threads := c.Graph().Threads(ctx, markdown); !plain && len(threads) > 0 {
		thing = thing.With(fieldComments, threads)
	}
	if after == "" && !plain && !cut {
		return thing, nil
	}
	all := below(markdown)
	shown, total := len(all), len(all)
	if uid, _ := thing.Text("uid"); cut && shown > 0 {
		n, err := c.Graph().CountBelow(ctx, uid)
		if all[0].UID == uid { // it is a block, and not below itself
			n++
		}
		if err == nil {
			total = max(shown, n)
		}
	}
	if after != "" {
		rest, _, err := outline.RenderedAfter(markdown, outline.ParseCursor(after))
		if err != nil {
			return nil, surface.Invalid(c.ToolName(), "after is %s, and there is no such block here now; read again without after.", textsafe.Quote(after))
		}
		thing, shown = thing.With("markdown", rest).Without("linkedReferences"), len(below(rest))
	}
	if plain {
		return plainly(c, thing, total), nil
	}
	if shown < total {
		thing = thing.With(surface.FieldBlocks, surface.BlocksShown(shown, total))
	}
	return thing, nil
}

// below returns the blocks of a part that it shows for the first time.
func below(markdown string) (blocks []outline.RenderedBlock) {
	for b := range outline.EachRendered(markdown) {
		if !b.Header && !b.Repeated {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// getPages reads pages, by title or uid, until the reply is full. What is not read is named.
func getPages(ctx context.Context, c surface.Call, asked []string) (json.RawMessage, error) {
	switch {
	case c.Args().Has("title") || c.Args().Has("uid"):
		return nil, surface.Invalid(c.ToolName(), "give only one of title, uid and pages.")
	case len(asked) > maxPages:
		return nil, surface.Invalid(c.ToolName(), "it reads up to %d pages at once; the call has %d.", maxPages, len(asked))
	case c.Args().Has(surface.ParamAfter):
		return nil, surface.Invalid(c.ToolName(), "after reads on in one page: give its title or uid.")
	}
	const around = 200 // tokens of the reply besides its pages
	room := c.MaxReply() - around
	pages, notRead := []rawjson.Object{}, []string{}
	for i, name := range asked {
		read, err := readNamed(ctx, c, name)
		if err != nil {
			return nil, err
		}
		page := rawjson.With("asked", name)
		if read == nil {
			page = page.Append(notThere(ctx, c, ops.PageRef{Title: name}))
		}
		read = read.Without("linkedReferences", "queriedAt")
		if read != nil && c.Args().Flag("plain", false) {
			markdown, _ := read.Text("markdown")
			read = plainly(c, read, len(below(markdown)))
		}
		page = page.Append(read)
		if room -= textsafe.CountTokens(page.JSON()); room < 0 && i > 0 {
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

// readNamed reads a page by its title, else by its uid; nil where there is none.
func readNamed(ctx context.Context, c surface.Call, name string) (rawjson.Object, error) {
	read, err := c.Graph().ReadPage(ctx, ops.PageRef{Title: name}, maxDepth(c))
	if uid := strings.TrimSpace(name); err == nil && read == nil && ops.LooksLikeUID(uid) {
		return c.Graph().ReadPage(ctx, ops.PageRef{UID: uid}, maxDepth(c))
	}
	return read, err
}
