package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// detailChanged is the detail of an error of a change that says which fields of the note
// were changed before it.
const detailChanged = "changed"

// updating is a change of a note that is under way.
type updating struct {
	*edit
	changed []string  // fields of the note
	now     note.Node // the note after what was done
	told    []string  // what the reply says besides
}

func newUpdating(e *edit) *updating { return &updating{edit: e, now: e.node} }

// run writes what the draft changes. Where a step fails, the error says what was changed
// before.
func (u *updating) run(ctx context.Context) error {
	steps := []func(*updating, context.Context) error{(*updating).setShortcut, (*updating).rewrite, (*updating).retitle}
	if u.promoted != nil {
		steps = []func(*updating, context.Context) error{(*updating).promote, (*updating).rewrite, (*updating).setShortcut}
	}
	for _, step := range steps {
		if err := step(u, ctx); err != nil {
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
	own, top := u.promoted.whole, u.whole.Children
	if top = top[:len(top)-len(own.Children)]; len(top) > 0 {
		top = []note.Node{{Text: own.Text, Heading: own.Heading, Shortcut: -1}}
	}
	n := fresh{title: *u.draft.title, block: outline.Block{Children: (&note.Node{Children: top}).Outline()}}
	page, err := n.create(ctx, u.call)
	if err != nil {
		return err
	}
	u.changed = append(u.changed, "title")
	for _, child := range own.Children {
		if _, err := u.call.Graph().MoveBlock(ctx, ops.BlockMove{UID: child.UID, ParentUID: page}); err != nil {
			return err
		}
	}
	link, none := "[["+n.title+"]]", 0
	if _, err := u.call.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: own.UID, String: &link, Heading: &none}); err != nil {
		return err
	}
	uid := ""
	if len(top) > 0 {
		if uid, err = u.topOf(ctx, page); err != nil {
			return err
		}
		top[0].UID = uid
	}
	if uid == "" { // somebody has deleted it
		top = nil
	}
	u.becomes(note.Node{UID: page, Title: n.title, Shortcut: -1, Children: slices.Concat(top, own.Children)}, uid)
	return nil
}

// topOf returns the uid of the first block of the page that a quick note has become which
// was not below that; empty where there is none.
func (u *updating) topOf(ctx context.Context, page string) (uid string, err error) {
	var made note.Node
	err = u.call.Graph().RetryRead(ctx, func() (err error) { made, _, err = u.call.Graph().ReadNote(ctx, page); return err })
	for _, child := range made.Children {
		moved := slices.ContainsFunc(u.promoted.whole.Children, func(n note.Node) bool { return n.UID == child.UID })
		if !moved {
			return child.UID, nil
		}
	}
	return "", err
}

// becomes takes the page for the note that is changed from now on. The block with the uid
// top, if there is one, stands there for the block that was the note.
func (u *updating) becomes(page note.Node, top string) {
	named := func(uid string) []outline.Block {
		return mapBlocks(u.want, func(b *outline.Block) {
			if b.UID == u.promoted.whole.UID {
				b.UID = uid
			}
		})
	}
	if u.merged != nil { // nobody was shown the new block
		u.merged.Want = named("")
	}
	u.want = named(top)
	u.found, u.promoted, u.draft.title = found{newEntry(page, u.location), page}, nil, nil
	u.now = page
}

// setShortcut makes the page a shortcut, or takes it from them.
func (u *updating) setShortcut(ctx context.Context) error {
	if u.draft.pinned == nil || u.quick {
		return nil
	}
	var err error
	switch pinned := *u.draft.pinned; {
	case pinned && !u.pinned():
		_, err = u.call.Graph().AddShortcut(ctx, ops.NewShortcut{PageUID: u.node.UID})
		u.now.Shortcut = 0
	case !pinned:
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

// rewrite writes the blocks of the note.
func (u *updating) rewrite(ctx context.Context) error {
	if own := u.want[0:min(len(u.want), 1)]; u.quick && (own[0].String != u.node.Text || own[0].Heading != u.node.Heading) {
		if _, err := u.call.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: u.node.UID, String: &own[0].String, Heading: &own[0].Heading}); err != nil {
			return err
		}
		u.changed = append(u.changed, "content")
		u.now.Text, u.now.Heading = own[0].String, own[0].Heading
	}
	want := u.below()
	done, err := u.call.Graph().Revise(ctx, u.whole, want)
	if err != nil {
		return err
	}
	u.now.Children = nodesOf(want)
	if n := len(done.Referred); n > 0 {
		u.told = append(u.told, fmt.Sprintf("Blocks were deleted that others refer to (%s): the text stands there instead of the reference.", surface.Counted(n, "block")))
	}
	for _, field := range u.draft.below() {
		if !slices.Contains(u.changed, field) {
			u.changed = append(u.changed, field)
		}
	}
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
		u.told = append(u.told, fmt.Sprintf("There was a page %s that was only linked; the note is that page now, and has its id.", textsafe.Quote(update.Title)))
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
	err := u.call.Graph().RetryRead(ctx, func() (err error) { f, ok, err = read(ctx, u.call, u.now.UID); return err })
	if lost := err != nil || !ok; lost {
		u.now.Edited = u.call.Now().UnixMilli()
		f = found{newEntry(u.now, u.location), u.now}
		u.told = append(u.told, "It was written, and could not be read afterwards: this is what was written.")
		u.call.Shown().Forget(u.now.UID)
		reply := f.showing(f.short, 0)
		reply.Note, reply.Shows = strings.Join(u.told, " "), nil
		return reply
	}
	from := 0
	if u.merged != nil {
		from = u.merged.From(f.rendering())
	}
	reply := f.showing(f.short, from)
	reply.Note, reply.Shows[0].Wrote = strings.Join(u.told, " "), u.merged
	return reply
}
