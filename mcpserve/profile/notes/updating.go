package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// detailChanged is the detail of an error of a change that says which fields of the note
// were changed before it.
const detailChanged = "changed"

// updating is a change of a note that is under way.
type updating struct {
	found
	call    surface.Call
	draft   draft
	wish    wish
	changed []string  // fields of the note
	now     note.Node // the note after what was done
	told    []string  // what the reply says besides
}

func newUpdating(c surface.Call, f found, d draft, w wish) *updating {
	return &updating{found: f, call: c, draft: d, wish: w, now: f.node}
}

// run writes what the draft changes. Where a step fails, the error says what was changed
// before.
func (u *updating) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{u.promote, u.setBlock, u.setPinned, u.rewrite, u.retitle} {
		if err := step(ctx); err != nil {
			return u.halfway(err)
		}
	}
	return nil
}

func (u *updating) halfway(err error) error {
	if len(u.changed) == 0 {
		return err
	}
	return ops.Explained(err).With(detailChanged, u.changed)
}

// promote makes a page of a quick note that gets a title: its block becomes a link to the
// page, on which its text stands first, and then what was below it, with the same uids.
func (u *updating) promote(ctx context.Context) error {
	if !u.quick || u.draft.title == nil {
		return nil
	}
	var top []outline.Block
	if strings.TrimSpace(u.node.Text) != "" {
		top = []outline.Block{{String: u.node.Text, Heading: u.node.Heading}}
	}
	alike := newEntry(note.Node{Title: *u.draft.title, Children: slices.Concat(nodesOf(top), u.node.Children)}, u.location)
	if alike.kind != u.kind { // the text of the block counts now
		top = slices.Insert(top, 0, outline.Block{String: line(propType, u.kind)})
	}
	n := fresh{title: *u.draft.title, block: outline.Block{Children: top}}
	page, err := n.create(ctx, u.call)
	if err != nil {
		return err
	}
	u.changed = append(u.changed, "title")
	for _, child := range u.whole.Children {
		if _, err := u.call.Graph().MoveBlock(ctx, ops.BlockMove{UID: child.UID, ParentUID: page}); err != nil {
			return err
		}
	}
	link, none := "[["+n.title+"]]", 0
	if _, err := u.call.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: u.node.UID, String: &link, Heading: &none}); err != nil {
		return err
	}
	var made note.Node
	ok := false
	err = u.call.Graph().Again(ctx, func() (err error) { made, ok, err = u.call.Graph().ReadNote(ctx, page); return err })
	if err == nil && !ok {
		err = missing(errInternal)
	}
	u.found = found{newEntry(made, u.location), made}
	u.draft.title, u.now = nil, u.node
	return err
}

// setBlock gives the block of a quick note the first line of the content.
func (u *updating) setBlock(ctx context.Context) error {
	if !u.quick || u.wish.blocks == nil {
		return nil
	}
	block := quickBlock(*u.draft.content)
	u.wish.blocks = &block.Children
	if block.String == u.node.Text && block.Heading == u.node.Heading {
		return nil
	}
	_, err := u.call.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: u.node.UID, String: &block.String, Heading: &block.Heading})
	if err == nil {
		u.changed = append(u.changed, "content")
		u.now.Text, u.now.Heading = block.String, block.Heading
	}
	return err
}

// setPinned makes the page a shortcut, or takes it from them. A quick note has a property
// line instead, and a page that has one loses it.
func (u *updating) setPinned(ctx context.Context) error {
	switch {
	case u.draft.pinned == nil:
		return nil
	case u.quick:
		u.wish.properties[propPinned] = line(propPinned, whether(*u.draft.pinned))
		return nil
	}
	var err error
	switch pinned := *u.draft.pinned; {
	case pinned && !u.pinned():
		_, err = u.call.Graph().AddShortcut(ctx, ops.NewShortcut{PageUID: u.node.UID})
		u.now.Shortcut = 0
	case !pinned:
		u.wish.properties[propPinned] = ""
		if u.node.Shortcut < 0 {
			return nil
		}
		_, err = u.call.Graph().RemoveShortcut(ctx, u.node.UID)
		u.now.Shortcut = -1
	}
	if err == nil {
		u.changed = append(u.changed, "isPinned")
	}
	return err
}

// rewrite writes what is below the note.
func (u *updating) rewrite(ctx context.Context) error {
	want := u.rewritten(u.wish)
	done, err := u.call.Graph().Rewrite(ctx, u.whole, want, nil)
	if err != nil {
		return err
	}
	u.now.Children = nodesOf(want)
	if n := len(done.Referred); n > 0 {
		u.told = append(u.told, fmt.Sprintf("Blocks were deleted that others refer to (%s): the text stands there instead of the reference.", surface.Counted(n, "block")))
	}
	u.changed = append(u.changed, u.draft.below()...)
	return nil
}

// retitle renames the page. A title that is taken gets a number; where the page that has
// it is empty, the two become one, which keeps the links to both.
func (u *updating) retitle(ctx context.Context) error {
	if u.draft.title == nil || *u.draft.title == u.node.Title {
		return nil
	}
	update := ops.PageUpdate{UID: u.node.UID, Title: *u.draft.title}
	_, err := u.call.Graph().UpdatePage(ctx, update)
	if problem.CodeOf(err) == localapi.CodeAlreadyExists {
		stub := ""
		if update.Title, stub, err = freeTitle(ctx, u.call, update.Title); err != nil {
			return err
		}
		update.Merge = stub != ""
		_, err = u.call.Graph().UpdatePage(ctx, update)
	}
	if err != nil {
		return err
	}
	u.now.Title = update.Title
	if !update.Merge {
		return nil
	}
	if uids, err := u.call.Graph().UIDsOf(ctx, []string{update.Title}); err == nil && !slices.Contains([]string{"", u.node.UID}, uids[update.Title]) {
		u.now.UID = uids[update.Title]
		u.told = append(u.told, fmt.Sprintf("There was a page %s that was only linked; the note is that page now, and has its id.", safetext.Quote(update.Title)))
		return u.pinAgain(ctx)
	}
	return nil
}

// pinAgain gives the page that the note has become the shortcut that the note's own page
// had.
func (u *updating) pinAgain(ctx context.Context) error {
	if u.now.Shortcut < 0 {
		return nil
	}
	u.changed = append(u.changed, "title")
	shortcut := ops.NewShortcut{PageUID: u.now.UID}
	if u.node.Shortcut >= 0 {
		shortcut.Index = &u.node.Shortcut
	}
	_, err := u.call.Graph().AddShortcut(ctx, shortcut)
	return err
}

// reply returns the note as it is now; where it can't be read, as it was written, since
// an error would say that nothing was.
func (u *updating) reply(ctx context.Context) surface.Reply {
	var f found
	ok := false
	err := u.call.Graph().Again(ctx, func() (err error) { f, ok, err = read(ctx, u.call, u.now.UID); return err })
	if err != nil || !ok {
		u.now.Edited = u.call.Now().UnixMilli()
		f.entry = newEntry(u.now, u.location)
		u.told = append(u.told, "It was written, and could not be read afterwards: this is what was written.")
	}
	return surface.Reply{JSON: f.short(), Note: strings.Join(u.told, " ")}
}
