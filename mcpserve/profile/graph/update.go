package graph

import (
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/mirror"
	"roam-mcp/problem"
)

// updateNode answers update_node. All that can be refused is refused before the first
// write; then come the title, and content and tags together.
func updateNode(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	if !args.Has("title") && !args.Has("content") && !args.Has("tags") {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "give at least one of title, content and tags.")
	}
	n, err := changeable(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	title := n.Title
	if args.Has("title") {
		if title = pageTitle(args.Text("title"), ""); title != n.Title {
			if err := checkRename(c, n, title); err != nil {
				return surface.Reply{}, err
			}
		}
	}
	edit, err := editOf(ctx, c, n)
	if err != nil {
		return surface.Reply{}, err
	}
	if title != n.Title {
		if err := rename(ctx, c.Graph(), n.UID, title); err != nil {
			return surface.Reply{}, err
		}
	}
	if edit.rewrites {
		done, err := c.Graph().Rewrite(ctx, n, edit.want, edit.keep)
		if err != nil {
			return surface.Reply{}, err
		}
		edit.warnings = append(edit.warnings, orphaned(done.Referred)...)
	}
	return written(ctx, c, note.Node{UID: n.UID, Title: title}, func(now note.Node) []string {
		if !edit.retags {
			return edit.warnings
		}
		return append(edit.warnings, keptInline(now, edit.tags)...)
	})
}

// changeable reads the page that update_node or delete_node is to change.
func changeable(ctx context.Context, c surface.Call) (note.Node, error) {
	n, candidates, err := fresh(ctx, c, c.Args().Text("id"))
	switch {
	case err != nil:
		return note.Node{}, err
	case n.UID == "" || n.Hidden:
		return note.Node{}, nodeNotFound(c.Args().Text("id"), candidates)
	case !n.IsPage():
		return note.Node{}, surface.Invalid(c.ToolName(), "id names a block, on the page %s; it takes a page.", safetext.Quote(n.PageTitle))
	case note.KindOfTitle(n.Title) == note.System:
		return note.Node{}, surface.Invalid(c.ToolName(), "id names %s, a page of Roam's own; the user can change it in Roam.", safetext.Quote(n.Title))
	}
	return n, nil
}

// fresh reads what an id names: by its uid at once, by any other name with the help of
// the mirror. The uid of the node is empty where there is none, with titles that may be
// meant.
func fresh(ctx context.Context, c surface.Call, id string) (n note.Node, candidates []string, err error) {
	uid := blockUID(id)
	if uid != "" {
		n, ok, err := c.Graph().ReadNote(ctx, uid)
		if err != nil || ok {
			return n, nil, err
		}
	}
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return note.Node{}, nil, err
	}
	named, candidates := view.Names().Resolve(id, c.Now(), true)
	if named == "" || named == uid {
		return note.Node{}, candidates, nil
	}
	n, ok, err := c.Graph().ReadNote(ctx, named)
	if !ok {
		n = note.Node{}
	}
	return n, candidates, err
}

// checkRename refuses a title that a page may not get.
func checkRename(c surface.Call, n note.Node, title string) error {
	if err := checkTitle(c, title); err != nil {
		return err
	}
	if note.KindOfTitle(n.Title) == note.Daily {
		return surface.Invalid(c.ToolName(), "%s is a daily note, which keeps its title.", safetext.Quote(n.Title))
	}
	if note.KindOfTitle(title) == note.Daily {
		return surface.Invalid(c.ToolName(), "title is %s, that of a daily note.", safetext.Quote(title))
	}
	return nil
}

// rename gives a page another title. Roam changes all links to it, and the uid stays.
func rename(ctx context.Context, g *ops.Graph, uid, title string) error {
	_, err := g.UpdatePage(ctx, ops.PageUpdate{UID: uid, Title: title})
	if taken, ok := problem.As(err); ok && seedError(taken).Code == CodeNodeExists {
		return nodeExists(title, "")
	}
	return err
}

// edit is what an update makes of the blocks of a page.
type edit struct {
	rewrites bool
	want     []outline.Block
	keep     func(note.Node) bool
	tags     []string // what the caller wants declared
	retags   bool
	warnings []string
}

// editOf plans the change of content and tags. Without tags in the call or in its
// content the line that declares them stays as it is.
func editOf(ctx context.Context, c surface.Call, n note.Node) (edit, error) {
	args := c.Args()
	e := edit{rewrites: args.Has("content") || args.Has("tags"), retags: args.Has("tags")}
	wanted := draft{}
	if args.Has("content") {
		if err := surface.CheckWhole(c.ToolName(), "content", args.Text("content"), contentOf(n), task.ReadPage); err != nil {
			return edit{}, err
		}
		wanted = draftOf(args.Text("content"))
		e.retags = e.retags || len(wanted.tags) > 0
	}
	if !e.retags {
		e.want, e.keep = wanted.blocks, declaresTags
		return e, nil
	}
	e.tags, e.warnings = distinctTags(append(args.List("tags"), wanted.tags...))
	line, err := tagsLine(ctx, c, e.tags)
	if err != nil {
		return edit{}, err
	}
	if args.Has("content") {
		e.want = retagged(append(declarations(n), wanted.blocks...), line)
	} else {
		e.want = retagged(n.Visible().Outline(), line)
	}
	return e, nil
}

// declaresTags reports whether a block directly below a page declares its tags.
func declaresTags(n note.Node) bool { return note.Read(n.Text, true).Reserved }

// retagged returns blocks with a line that declares tags in the place of those that they
// have, with the uid of the first of them; an empty line is none.
func retagged(blocks []outline.Block, line string) []outline.Block {
	var changed []outline.Block
	declared := line == ""
	for _, block := range blocks {
		if note.Read(block.String, true).Reserved {
			if declared {
				continue
			}
			block.String, declared = line, true
		}
		changed = append(changed, block)
	}
	if !declared {
		changed = slices.Insert(changed, 0, outline.Block{String: line})
	}
	return changed
}

// declarations returns the blocks directly below a page that declare its tags.
func declarations(n note.Node) []outline.Block {
	return slices.DeleteFunc(n.Visible().Outline(), func(b outline.Block) bool { return !note.Read(b.String, true).Reserved })
}

// deleteNode answers delete_node.
func deleteNode(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	n, err := changeable(ctx, c)
	if missing, ok := problem.As(err); ok && missing.Code == CodeNodeNotFound {
		return rawjson.With("deleted", false).JSON(), nil
	}
	if err != nil {
		return nil, err
	}
	if n.HidesBelow() {
		refused := surface.Invalid(c.ToolName(), "%s has blocks that are hidden from agents, so it was not deleted.", safetext.Quote(n.Title))
		refused.Hint = say("The user can delete it in Roam.")
		return nil, refused
	}
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return nil, err
	}
	links, nodes := linksTo(view, n.UID)
	removed, err := c.Graph().Remove(ctx, ops.Page, n.UID)
	if err != nil {
		return nil, err
	}
	reply := rawjson.With("deleted", true).With("blocks", len(removed.Descendants)).With("references", links)
	if warning := unlinked(links, nodes); warning != "" {
		reply = reply.With("_warnings", []string{warning})
	}
	return reply.JSON(), nil
}

// linksTo counts the blocks that link to a page, and the nodes that they are on.
func linksTo(view *mirror.View, uid string) (links, nodes int) {
	at, ok := view.NodeOf(uid)
	if !ok {
		return 0, 0
	}
	from := view.Links().In(at)
	for _, each := range from {
		links += int(view.Links().Weight(each, at))
	}
	return links, len(from)
}
