package graph

import (
	"context"
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

// draft is what a caller wants a page to hold.
type draft struct {
	blocks []outline.Block // the content
	tags   []string        // front matter, and lines at the top that declare tags and are no content
	within []string        // tags that lines of the content declare
}

// draftOf reads the content that a caller sent. A line that declares tags is content where
// something stands below it, and where it is content of the node already.
func draftOf(parsed note.Parsed, now note.Node) draft {
	d := draft{tags: parsed.Tags}
	for _, block := range parsed.Blocks {
		facts := note.Read(block.String, true)
		switch shown := func(n note.Node) bool { return n.Text == block.String && !isTagsLine(n) }; {
		case !facts.Reserved:
		case len(block.Children) > 0 || slices.ContainsFunc(now.Visible().Children, shown):
			d.within = append(d.within, facts.Declared...)
		default:
			d.tags = append(d.tags, facts.Declared...)
			continue
		}
		d.blocks = append(d.blocks, block)
	}
	return d
}

// withinNew returns the tags that lines of the content declare; where the caller sends tags
// as well, without those that the page declares already.
func (d draft) withinNew(sends bool, now note.Node) []string {
	if !sends {
		return d.within
	}
	before := note.TagsOf(now).Declared
	return slices.DeleteFunc(slices.Clone(d.within), func(tag string) bool {
		return slices.ContainsFunc(before, func(had string) bool { return note.Key(had) == note.Key(tag) })
	})
}

// with returns the blocks behind a line that declares tags; an empty line is none.
func (d draft) with(line string) []outline.Block {
	if line == "" {
		return d.blocks
	}
	return append([]outline.Block{{String: line}}, d.blocks...)
}

// pageTitle returns the title of a page in a directory, which is the path in front of
// it. Nothing is taken out of it but blanks at the ends and empty parts of the path.
func pageTitle(title, directory string) string {
	title = strings.TrimSpace(note.BareTitle(title))
	var path []string
	for part := range strings.SplitSeq(note.BareTitle(directory), "/") {
		if part = strings.TrimSpace(part); part != "" {
			path = append(path, part)
		}
	}
	if len(path) > 0 {
		title = strings.TrimLeft(title, "/ ")
	}
	return strings.Join(append(path, title), "/")
}

// checkTitle refuses what can't be the title of a page.
func checkTitle(c surface.Call, title string) error {
	if title == "" || strings.ContainsAny(title, "\n\r") {
		return surface.Invalid(c.ToolName(), "title has no letters or more than one line; it takes one line of text.")
	}
	if note.KindOfTitle(title) == note.System {
		return surface.Invalid(c.ToolName(), "title is %s, that of a page of Roam's own; the user can write there in Roam.", textsafe.Quote(title))
	}
	return nil
}

// tagsLine returns the line that declares tags, each written as the title of the page
// whose key it has, so that there are not two pages of one tag.
func tagsLine(ctx context.Context, c surface.Call, tags []string) (string, error) {
	if len(tags) == 0 {
		return "", nil
	}
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return "", err
	}
	return note.TagsLine(tags, view.TagTitle), nil
}

// createNode answers create_node.
func createNode(ctx context.Context, c surface.Call) (surface.Reply, error) {
	title := pageTitle(c.Args().Text("title"), c.Args().Text("directory"))
	if err := checkTitle(c, title); err != nil {
		return surface.Reply{}, err
	}
	wanted := draftOf(note.Parse(c.Args().Text("content")), note.Node{})
	tags, warnings := distinctTags(append(c.Args().List("tags"), wanted.tags...))
	line, err := tagsLine(ctx, c, tags)
	if err != nil {
		return surface.Reply{}, err
	}
	blocks := wanted.with(line)
	stub, err := stubOf(ctx, c.Graph(), title)
	if err != nil {
		return surface.Reply{}, err
	}
	uid, err := writeNew(ctx, c, title, stub, blocks)
	if err != nil {
		return surface.Reply{}, err
	}
	made := shown.Made(blocks)
	return written(ctx, c, note.Node{UID: uid, Title: title}, &made, func(note.Node) []string { return warnings })
}

// stubOf returns the page without blocks that has a title; its uid is empty where there
// is no page. One that has blocks, hidden ones included, is NODE_EXISTS.
func stubOf(ctx context.Context, g *ops.Graph, title string) (note.Node, error) {
	uids, err := g.UIDsOf(ctx, []string{title})
	if err != nil || uids[title] == "" {
		return note.Node{}, err
	}
	n, ok, err := g.ReadNote(ctx, uids[title])
	switch {
	case err != nil:
		return note.Node{}, err
	case ok && len(n.Children) > 0:
		return note.Node{}, nodeExists(title, n.UID)
	case !ok: // gone since
		return note.Node{}, nil
	}
	return n, nil
}

// writeNew makes a page, or fills one that is there without blocks, and returns its uid.
func writeNew(ctx context.Context, c surface.Call, title string, stub note.Node, blocks []outline.Block) (uid string, err error) {
	g := c.Graph()
	if stub.UID != "" {
		_, err := g.CreateBlocksOf(ctx, ops.Location{ParentUID: stub.UID}, blocks)
		return stub.UID, err
	}
	uid, daily := outline.DailyUIDOf(title)
	if !daily {
		if uid, err = c.NewUID(); err != nil {
			return "", err
		}
	}
	err = g.CreatePageOf(ctx, ops.NewPage{Title: title, UID: uid}, blocks)
	if taken, ok := problem.As(err); ok && seedError(taken).Code == CodeNodeExists {
		return "", nodeExists(title, "")
	}
	return uid, err
}

// written answers a write that was done: with the node as it reads now, or where it
// can't be read, with what is known of it. Its content is shown from where the part begins
// that was sent. warn returns what there is to warn of.
func written(ctx context.Context, c surface.Call, known note.Node, merged *shown.Merged, warn func(now note.Node) []string) (surface.Reply, error) {
	var n note.Node
	ok := false
	err := c.Graph().RetryRead(ctx, func() (err error) { n, ok, err = c.Graph().ReadNote(ctx, known.UID); return err })
	lost := err != nil || !ok
	if lost {
		n = known
	}
	r, from := rendering(n), 0
	shaped := shapeWith(n, r.Text, whole())
	shaped.warn(emptyPages(n)...)
	shaped.warn(warn(n)...)
	if lost {
		shaped.warn("It was written, and could not be read back")
		c.Shown().Forget(n.UID)
		return surface.Reply{JSON: rawjson.Encode(shaped)}, nil
	}
	if merged != nil {
		from = merged.From(r)
	}
	reply := showing(shaped, n, r, from)
	reply.Shows[0].Wrote = merged
	return reply, nil
}
