package outline

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// deletePage answers delete_page. Pages that are mentioned, daily notes and Roam's own
// pages need force; hidden blocks are deleted by no call.
func deletePage(ctx context.Context, c surface.Call) (surface.Reply, error) {
	page, release, err := pageToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	if page.HidesBelow() {
		return surface.Reply{}, hidesBlocks(c, page.Title)
	}
	referring, err := c.Graph().Referring(ctx, uidsFrom(page))
	if err != nil {
		return surface.Reply{}, err
	}
	if why := needsForce(page, referring); why != "" && !c.Args().Flag("force", false) {
		refused := surface.Invalid(c.ToolName(), "%s %s, so it was not deleted.", textsafe.Quote(page.Title), why)
		refused.Hint = say("Ask the user; with force true it is deleted all the same, and links to it become text.")
		return surface.Reply{}, refused
	}
	removed, err := c.Graph().Remove(ctx, ops.Page, page.UID)
	if err != nil {
		return surface.Reply{}, err
	}
	reply := rawjson.With(paramPage, page.Title).With("success", true).
		With(fieldDeleted, len(removed.Descendants)).With(fieldReferences, len(referring)).With(fieldPageUID, page.UID)
	if date := page.Date(); date != "" {
		reply = reply.With("date", date)
	}
	return surface.Reply{JSON: reply.JSON()}, nil
}

// needsForce says why a page is not deleted just like that; empty where it is.
func needsForce(page note.Node, referring []ops.Referring) string {
	var why []string
	switch note.KindOfTitle(page.Title) {
	case note.Daily:
		why = append(why, "is a daily note")
	case note.System:
		why = append(why, "is a page of Roam's own")
	case note.Plain, note.Word:
	}
	if len(referring) > 0 {
		pages := map[string]bool{}
		for _, each := range referring {
			pages[each.Page] = true
		}
		why = append(why, fmt.Sprintf("is mentioned by %s on %s", surface.Counted(len(referring), "block"), surface.Counted(len(pages), "page")))
	}
	return strings.Join(why, " and ")
}

// hidesBlocks is the error of a deletion with which hidden blocks would go.
func hidesBlocks(c surface.Call, what string) error {
	refused := surface.Invalid(c.ToolName(), "%s has blocks that are hidden from agents, so it was not deleted.", textsafe.Quote(what))
	refused.Hint = say("The user can delete it in Roam.")
	return refused
}

// deleteBlock answers delete_block.
func deleteBlock(ctx context.Context, c surface.Call) (surface.Reply, error) {
	block, release, err := blockToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	below := len(uidsFrom(block.Visible())) - 1
	switch {
	case block.HidesBelow():
		return surface.Reply{}, hidesBlocks(c, block.UID)
	case below > 0 && !c.Args().Flag("recursive", false):
		refused := surface.Invalid(c.ToolName(), "%s has %s below it, so it was not deleted.", textsafe.Quote(block.UID), surface.Counted(below, "block"))
		refused.Hint = say("With recursive true they are deleted too.")
		return surface.Reply{}, refused
	}
	referring, err := c.Graph().Referring(ctx, uidsFrom(block))
	if err != nil {
		return surface.Reply{}, err
	}
	if _, err := c.Graph().Remove(ctx, ops.Block, block.UID); err != nil {
		return surface.Reply{}, err
	}
	return surface.Reply{JSON: rawjson.With(paramBlock, block.UID).With("success", true).
		With(fieldDeleted, 1+below).With(fieldReferences, len(referring)).With(paramPage, block.PageTitle).JSON()}, nil
}

// uidsFrom returns the uids of a page or block and of all below it.
func uidsFrom(n note.Node) []string {
	uids := []string{n.UID}
	for _, child := range n.Children {
		uids = append(uids, uidsFrom(child)...)
	}
	return uids
}
