package wiki

import (
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// createNote answers create_note. A page that is only linked to is filled, so that its
// links are whole.
func createNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	args := c.Args()
	page, err := newPage(c, "path")
	if err != nil {
		return surface.Reply{}, err
	}
	d := draftOf(note.Parse(withoutHeader(args.Text("content"))), args.Text("title"), note.Node{})
	tags := slices.Concat(args.List("tags"), d.tags)
	pages, err := pagesNamed(ctx, c, append(slices.Clone(tags), page))
	if err != nil {
		return surface.Reply{}, err
	}
	stub, err := freeAt(ctx, c, page, pages)
	if err != nil {
		return surface.Reply{}, err
	}
	if stub.Title != "" {
		page = stub.Title
	}
	blocks := d.under(titleLine(d.title, page), tagsLine(tags, pages), page)
	uid, err := writeNew(ctx, c, page, stub.UID, blocks)
	if err != nil {
		return surface.Reply{}, err
	}
	var shows []surface.Showing
	told := recordWrite(ctx, c, uid, func(n note.Node) {
		c.Versions().Wrote(ctx, versions.Create, "", n)
		made := shown.Made(blocks)
		shows = changed(n, &made, shown.Lists{shown.Tags: note.TagsOf(n).All()})
	})
	title := d.title
	if title == "" {
		title = plainTitle(page)
	}
	return surface.Reply{Text: fmt.Sprintf("Created note %s at %s", textsafe.Quote(title), textsafe.Title(pathOf(note.Page{UID: uid, Title: page}))), Note: told, Shows: shows}, nil
}

// under returns the blocks of a new note: the content below lines for its title and its
// tags, empty ones are none.
func (d draft) under(title, tags, page string) []outline.Block {
	if title == "" && (slices.Contains(heldBy(d.blocks), propTitle) || len(d.blocks) == 0 && tags == "") {
		title = propTitle + ":: " + plainTitle(page) // no line of the content gives it
	}
	blocks := d.blocks
	for _, line := range []string{tags, title} {
		if line != "" {
			blocks = slices.Concat([]outline.Block{{String: line}}, blocks)
		}
	}
	return blocks
}

// newPage returns the title of the page that a note is at the path which an argument
// names, if a note can be there.
func newPage(c surface.Call, param string) (string, error) {
	path := c.Args().Text(param)
	page, err := titleOf(path)
	if err == nil && note.KindOfTitle(page) == note.System {
		err = surface.Invalid(c.ToolName(), "%s is %s, a page of Roam's own; choose another.", param, textsafe.Quote(path))
	}
	return page, err
}

// freeAt returns the page without blocks that has a title, in whatever case, among pages by
// key; its title is empty where there is none. A page that has blocks, hidden ones
// included, is an error.
func freeAt(ctx context.Context, c surface.Call, title string, pages map[string][]ops.PageFound) (note.Node, error) {
	uid := ops.Titled(pages[note.Key(title)], title)
	if uid == "" {
		return note.Node{}, nil
	}
	n, there, err := c.Graph().ReadNote(ctx, uid)
	switch {
	case err != nil || !there:
		return note.Node{}, err
	case len(n.Children) > 0:
		return note.Node{}, taken(pathOf(pageOf(n)))
	}
	return n, nil
}

// writeNew writes the blocks of a new note, on the page that has a uid if it is not empty,
// and returns the uid. A page that has gone comes back with the uid that it had, and so
// with its versions.
func writeNew(ctx context.Context, c surface.Call, title, uid string, blocks []outline.Block) (string, error) {
	g := c.Graph()
	if day, ok := outline.DailyUIDOf(title); ok && uid == "" { // makes the page too
		_, err := g.CreateBlocksOf(ctx, ops.Location{Day: day}, blocks)
		return day, err
	}
	if uid != "" {
		_, err := g.CreateBlocksOf(ctx, ops.Location{ParentUID: uid}, blocks)
		return uid, err
	}
	uid, err := freshUID(ctx, c, title)
	if err != nil {
		return "", err
	}
	if err = g.CreatePageOf(ctx, ops.NewPage{Title: title, UID: uid}, blocks); problem.CodeOf(err) == localapi.CodeAlreadyExists {
		return "", taken(pathTitled(title))
	}
	return uid, err
}

// freshUID returns a uid for a page that is to be made: that of the page that had the
// title last, if it has gone.
func freshUID(ctx context.Context, c surface.Call, title string) (string, error) {
	if uid, ok, err := c.Versions().PageOf(ctx, title); err == nil && ok {
		if _, there, err := c.Graph().ReadNote(ctx, uid); err != nil || !there {
			return uid, err
		}
	}
	return c.NewUID()
}

// recordWrite reads a page that was written, and records what it is now. It returns what
// is to be said beside the answer.
func recordWrite(ctx context.Context, c surface.Call, uid string, record func(now note.Node)) (told string) {
	if now, ok := readAgain(ctx, c, uid); ok {
		record(now)
		return ""
	}
	return couldNotRead
}

// couldNotRead is said where a write was done and nobody can read what it made.
const couldNotRead = "It was written, and could not be read afterwards."

// readAgain reads a page that was written.
func readAgain(ctx context.Context, c surface.Call, uid string) (now note.Node, ok bool) {
	err := c.Graph().RetryRead(ctx, func() (err error) { now, ok, err = c.Graph().ReadNote(ctx, uid); return err })
	return now, err == nil && ok
}
