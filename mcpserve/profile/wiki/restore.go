package wiki

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// restoreNoteVersion answers restore_note_version: the note becomes what the version is,
// with the uids of its blocks, and keeps its path. One that was deleted comes back.
func restoreNoteVersion(ctx context.Context, c surface.Call) (surface.Reply, error) {
	p, err := findPast(ctx, c, c.Args().Text("path"))
	if err != nil {
		return surface.Reply{}, err
	}
	page, release, err := pageToRestore(ctx, c, p)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	version, was, err := p.version(ctx, c, c.Args().Text("version"))
	if err != nil {
		return surface.Reply{}, err
	}
	switch {
	case version.ID == "":
		return surface.Reply{}, surface.Invalid(c.ToolName(), "version is the note as it is; there is nothing to restore.")
	case version.Kind == versions.Delete:
		refused := surface.Invalid(c.ToolName(), "version %s is the deletion of the note; the one before it has its content.", version.Short())
		refused.Hint = say("%s lists the versions.", problem.ReadHistory)
		return surface.Reply{}, refused
	}
	if !page.IsPage() {
		if page, err = revive(ctx, c, page.UID); err != nil {
			return surface.Reply{}, err
		}
	}
	c.Shown().Forget(page.UID) // what comes back was not shown as it is
	done, err := restore(ctx, c, page, was.whole)
	if err != nil {
		return surface.Reply{}, err
	}
	told := recordWrite(ctx, c, page.UID, func(n note.Node) { c.Versions().Wrote(ctx, versions.Restore, version.ID, n) })
	text := fmt.Sprintf("Restored note '%s' to version %s", textsafe.Title(pathOf(pageOf(page))), version.Short())
	if done.Elsewhere > 0 {
		text += fmt.Sprintf("\n\n%s in other places by now: copies were made of them.", are(done.Elsewhere, "block"))
	}
	return surface.Reply{Text: text + paragraph(referredTo(done.Referred)...), Note: told}, nil
}

// pageToRestore returns the page of a note as it is now, and its uid alone if it has gone.
// Until release is called, other calls of the server that change it wait.
func pageToRestore(ctx context.Context, c surface.Call, p noteHistory) (page note.Node, release func(), err error) {
	look := func() ([]string, error) {
		now, there, err := c.Graph().ReadNote(ctx, p.page)
		if page = now; !there {
			page = note.Node{UID: p.page}
		}
		if err == nil {
			c.Versions().Saw(ctx, page)
		}
		return []string{p.page}, err
	}
	if release, err = c.Graph().Hold(ctx, []string{p.page}, look); err != nil {
		return page, nil, err
	}
	switch {
	case page.UID != "":
	case p.now != nil:
		page = p.now.whole
	default:
		_, err = look()
	}
	if err != nil {
		release()
		return page, nil, err
	}
	return page, release, nil
}

// revive makes a page that has gone, with the uid and the title that it had last. A page
// without blocks that has the title by now is merged into it, which keeps the links.
func revive(ctx context.Context, c surface.Call, uid string) (note.Node, error) {
	last, err := c.Versions().List(ctx, uid, 1)
	if err != nil || len(last) == 0 {
		return note.Node{}, err
	}
	title := last[0].Title
	page := note.Node{UID: uid, Title: title}
	create := func(title string) error {
		return c.Graph().CreatePageOf(ctx, ops.NewPage{Title: title, UID: uid}, nil)
	}
	err = create(title)
	if problem.CodeOf(err) != localapi.CodeAlreadyExists {
		return page, err
	}
	pages, err := pagesNamed(ctx, c, []string{title})
	if err != nil {
		return page, err
	}
	stub, err := freeAt(ctx, c, title, pages)
	if err != nil {
		return page, err
	}
	m := move{title: title, from: title + " " + uid, stub: stub.UID}
	if err := create(m.from); err != nil {
		return page, err
	}
	return page, m.run(ctx, c, found{whole: page})
}

// are returns a number with its noun and verb: "1 block is", "2 blocks are".
func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return count(n, noun) + " are"
}

// restore gives a page the blocks, and the view of them, that it had.
func restore(ctx context.Context, c surface.Call, page, was note.Node) (ops.Restored, error) {
	done, err := c.Graph().Restore(ctx, page, was.Outline(), progressOf(c))
	if view := cmp.Or(was.View, "bullet"); err == nil && view != cmp.Or(page.View, "bullet") {
		_, err = c.Graph().UpdatePage(ctx, ops.PageUpdate{UID: page.UID, ViewType: view})
	}
	return done, err
}

// progressEvery is the time between two reports on how far a restore is.
const progressEvery = time.Second

// progressOf returns what tells the client how many blocks are back: when the first are,
// and then every second.
func progressOf(c surface.Call) func(back, all int) {
	var last time.Time
	return func(back, all int) {
		if now := c.Now(); now.Sub(last) >= progressEvery {
			last = now
			c.Progress(ops.SayBack(back, all))
		}
	}
}
