package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// updateNode answers update_node. All that can be refused is refused before the first
// write; then come the title, and content and tags together.
func updateNode(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	if !args.Has("title") && !args.Has("content") && !args.Has("tags") {
		return surface.Reply{}, surface.Invalid(c.ToolName(), "give at least one of title, content and tags.")
	}
	n, release, err := changeable(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	title := n.Title
	if args.Has("title") {
		title = pageTitle(args.Text("title"), "")
		if was, ok := c.Shown().Note(n.UID); ok && title == was.Title && args.Has("content") {
			title = n.Title
		}
		if title != n.Title {
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
		if err := c.Graph().Permit(ctx, ops.PageUpdate{UID: n.UID, Title: title}.Footprint(), c.Graph().Revision(n, edit.want)); err != nil {
			return surface.Reply{}, err
		}
		if err := rename(ctx, c.Graph(), n.UID, title); err != nil {
			return surface.Reply{}, err
		}
	}
	if edit.rewrites {
		done, err := c.Graph().Revise(ctx, n, edit.want)
		if err != nil { // some of it may have been written
			c.Shown().Forget(n.UID)
			return surface.Reply{}, err
		}
		edit.warnings = append(edit.warnings, orphaned(done.Referred)...)
	}
	return written(ctx, c, note.Node{UID: n.UID, Title: title}, edit.merged, func(now note.Node) []string {
		if !edit.retags {
			return edit.warnings
		}
		return append(edit.warnings, keptInline(now, edit.tags)...)
	})
}

// changeable reads the page that update_node or delete_node is to change, also by the title
// with which it was shown, and holds it: until release is called, other calls that change it
// wait, also those of other servers.
func changeable(ctx context.Context, c surface.Call) (n note.Node, release func(), err error) {
	n, candidates, err := fresh(ctx, c, c.Args().Text("id"))
	if uid := c.Shown().Titled(c.Args().Text("id")); err == nil && n.UID == "" && uid != "" {
		n, _, err = c.Graph().ReadNote(ctx, uid)
	}
	switch {
	case err != nil:
		return note.Node{}, nil, err
	case n.UID == "" || n.Hidden:
		return note.Node{}, nil, nodeNotFound(c.Args().Text("id"), candidates)
	case !n.IsPage():
		return note.Node{}, nil, surface.Invalid(c.ToolName(), "id names a block, on the page %s; it takes a page.", textsafe.Quote(n.PageTitle))
	case note.KindOfTitle(n.Title) == note.System:
		return note.Node{}, nil, surface.Invalid(c.ToolName(), "id names %s, a page of Roam's own; the user can change it in Roam.", textsafe.Quote(n.Title))
	}
	n, there, release, err := c.Graph().HoldNote(ctx, n)
	if err == nil && !there {
		err = nodeNotFound(c.Args().Text("id"), nil)
	}
	return n, release, err
}

// fresh reads what an id names: by its uid at once, by any other name with the help of
// the mirror. The uid of the node is empty where there is none, with titles that may be
// meant.
func fresh(ctx context.Context, c surface.Call, id string) (n note.Node, candidates []string, err error) {
	uid := blockUID(id)
	if ops.LooksLikeUID(strings.TrimSpace(id)) {
		n, ok, err := c.Graph().ReadNote(ctx, uid)
		if err != nil || ok {
			return n, nil, err
		}
		uid = ""
	}
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return note.Node{}, nil, err
	}
	named := view.Names().Resolve(id, c.Now(), true)
	if named.Several {
		return note.Node{}, nil, severalNodes(id, named.Candidates)
	}
	if uid = cmp.Or(named.UID, uid); uid == "" {
		return note.Node{}, named.Candidates, nil
	}
	n, ok, err := c.Graph().ReadNote(ctx, uid)
	if !ok {
		n = note.Node{}
	}
	return n, named.Candidates, err
}

// checkRename refuses a title that a page may not get.
func checkRename(c surface.Call, n note.Node, title string) error {
	if err := checkTitle(c, title); err != nil {
		return err
	}
	if note.KindOfTitle(n.Title) == note.Daily {
		return surface.Invalid(c.ToolName(), "%s is a daily note, which keeps its title.", textsafe.Quote(n.Title))
	}
	if note.KindOfTitle(title) == note.Daily {
		return surface.Invalid(c.ToolName(), "title is %s, that of a daily note.", textsafe.Quote(title))
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
	want     []outline.Block // all below the page, hidden blocks included
	merged   *shown.Merged   // of content that was sent; nil: none was
	tags     []string        // what the caller wants declared
	retags   bool
	warnings []string
}

// editOf plans the change of content and tags: the difference between what the connection
// was shown of them and what it sends. Without tags in the call or in its content the line
// that declares them stays as it is.
func editOf(ctx context.Context, c surface.Call, n note.Node) (edit, error) {
	args := c.Args()
	e := edit{rewrites: args.Has("content") || args.Has("tags"), retags: args.Has("tags")}
	if !e.rewrites {
		return e, nil
	}
	now, wanted := current(n), draft{}
	if args.Has("content") {
		how := reading(n, "content")
		seen, err := c.Shown().Read(now, how)
		if err != nil {
			return edit{}, err
		}
		sent, err := seen.Parse(args.Text("content"), how)
		if err != nil {
			return edit{}, err
		}
		wanted = draftOf(sent.Parsed, n)
		sent.Blocks = wanted.blocks
		merged, err := c.Shown().Merge(seen, sent, now, leadingTags(n), how)
		if err != nil {
			return edit{}, err
		}
		e.want, e.merged = merged.Want, &merged
		e.retags = e.retags || len(wanted.tags) > 0
	} else {
		e.want = n.Outline()
	}
	if !e.retags {
		return e, nil
	}
	declared := note.TagsOf(n).Declared
	before, err := c.Shown().ReadList(now, shown.Tags, declared, reading(n, "tags"))
	if err != nil {
		return edit{}, err
	}
	e.tags, e.warnings = distinctTags(append(args.List("tags"), wanted.tags...))
	e.tags, _ = distinctTags(append(e.tags, wanted.withinNew(args.Has("tags"), n)...))
	line, err := tagsLine(ctx, c, shown.MergeList(before, e.tags, declared, note.Key))
	if err != nil {
		return edit{}, err
	}
	e.want = retagged(n, e.want, line)
	return e, nil
}

// current returns a page as it is now, for what was shown of it.
func current(n note.Node) shown.Current {
	now := shown.Current{Node: n, Content: note.ShownUIDs(n, note.TagsName)}
	now.Lists[shown.Tags] = note.TagsOf(n).All()
	return now
}

// reading says how a page is read.
func reading(n note.Node, param string) shown.Reading {
	return shown.Reading{Param: param, Call: say("%s with id %s reads it.", problem.ReadPage, textsafe.Quote(n.UID))}
}

// leadingTags returns how many lines in front of a page declare its tags.
func leadingTags(n note.Node) int {
	at := slices.IndexFunc(n.Children, func(child note.Node) bool { return child.Hidden || !isTagsLine(child) })
	if at < 0 {
		return len(n.Children)
	}
	return at
}

// isTagsLine reports whether a block directly below a page declares its tags and is no
// content, since nothing that is shown stands below it.
func isTagsLine(n note.Node) bool {
	return note.DeclaresTags(n.Text) && len(n.Visible().Children) == 0
}

// retagged returns blocks of a page with a line as the one that declares its tags; an empty
// line is none.
func retagged(n note.Node, blocks []outline.Block, line string) []outline.Block {
	return note.SetLine(blocks, note.TagsName, line, 0, n.Below())
}

// deleteNode answers delete_node.
func deleteNode(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	n, release, err := changeable(ctx, c)
	if missing, ok := problem.As(err); ok && missing.Code == CodeNodeNotFound {
		return rawjson.With("deleted", false).JSON(), nil
	}
	if err != nil {
		return nil, err
	}
	defer release()
	if err := c.Shown().Renamed(c.Args().Text("id"), n); err != nil {
		return nil, err
	}
	if n.HidesBelow() {
		refused := surface.Invalid(c.ToolName(), "%s has blocks that are hidden from agents, so it was not deleted.", textsafe.Quote(n.Title))
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
	reply := rawjson.With("deleted", true).With("blocks", len(removed.Descendants)).With("references", links).With("id", n.UID).With("title", n.Title)
	if date := n.Date(); date != "" {
		reply = reply.With("date", date)
	}
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
