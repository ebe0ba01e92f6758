package notes

import (
	"context"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// togglePin answers toggle_pin.
func togglePin(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return toggle(ctx, c, func(e *entry) draft { pinned := !e.pinned(); return draft{pinned: &pinned} })
}

// toggleArchive answers toggle_archive.
func toggleArchive(ctx context.Context, c surface.Call) (surface.Reply, error) {
	return toggle(ctx, c, func(e *entry) draft { archived := !e.is(propArchived); return draft{archived: &archived} })
}

// toggle makes a change that depends on how the note is now. Where it can't be told
// whether it was made, the answer is the note as it is then: made again, it would be
// undone.
func toggle(ctx context.Context, c surface.Call, of func(*entry) draft) (surface.Reply, error) {
	f, release, err := findToWrite(ctx, c, nil)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	e, err := editOf(ctx, c, f, of(&f.entry))
	if err != nil {
		return surface.Reply{}, err
	}
	u := newUpdating(e)
	if err := u.run(ctx); err != nil {
		if problem.CodeOf(err) != ops.CodeOutcomeUnknown {
			return surface.Reply{}, err
		}
		now, ok, lost := read(ctx, c, f.node.UID)
		if lost != nil || !ok {
			return surface.Reply{}, err
		}
		reply := now.showing(now.short, 0)
		reply.Note = "Roam's reply to the change was lost. The note is shown as it is now."
		return reply, nil
	}
	return u.reply(ctx), nil
}

// deleteNote answers delete_note.
func deleteNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	f, release, err := findToWrite(ctx, c, errInternal)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	if err := c.Shown().Renamed(c.Args().Text("id"), f.whole); err != nil {
		return surface.Reply{}, err
	}
	own := f.without(roleSection)
	sections := f.without(roleContent, roleProperty, roleItem, roleImage)
	switch {
	case f.quick && f.whole.HidesBelow():
		refused := surface.Invalid(c.ToolName(), "the note has blocks that are hidden from agents, so it was not deleted.")
		refused.Hint = say("The user can delete it in Roam.")
		return surface.Reply{}, refused
	case f.quick:
		_, err = c.Graph().Remove(ctx, ops.Block, f.node.UID)
	case len(sections.Children) > 0 || f.whole.HidesBelow(): // these stay, so the page does
		_, err = c.Graph().Rewrite(ctx, f.whole, sections.Outline(), nil)
	default:
		err = removePage(ctx, c, f.node)
	}
	if err != nil {
		return surface.Reply{}, err
	}
	blocks := count(own.Children)
	if f.quick {
		blocks++
	}
	reply := rawjson.With("success", true).With("message", "Note deleted").With("blocks", blocks).With("id", f.node.UID)
	if title, ok := f.title(); ok {
		reply = reply.With("title", title)
	}
	if date := f.node.Date(); date != "" {
		reply = reply.With("date", date)
	}
	return surface.Reply{JSON: reply.JSON()}, nil
}

// removePage deletes a page, and the blocks that quick notes left which became it: they
// would be notes again, since links to what is gone are text.
func removePage(ctx context.Context, c surface.Call, page note.Node) error {
	left, err := c.Graph().BlocksReading(ctx, page.UID, "[["+page.Title+"]]", section)
	if err != nil {
		return err
	}
	for _, uid := range left {
		if _, err := c.Graph().Remove(ctx, ops.Block, uid); err != nil {
			return err
		}
	}
	_, err = c.Graph().Remove(ctx, ops.Page, page.UID)
	return err
}

// count returns the number of nodes, with those below them.
func count(nodes []note.Node) int {
	n := len(nodes)
	for _, each := range nodes {
		n += count(each.Children)
	}
	return n
}
