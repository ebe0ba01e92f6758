package wiki

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// updateNote answers update_note. All that can be refused is refused before the first
// write; then come the blocks, and then the move.
func updateNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	if err := checkUpdate(c); err != nil {
		return surface.Reply{}, err
	}
	f, release, err := findToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	u, err := updateOf(c, f)
	if err != nil {
		return surface.Reply{}, err
	}
	m, err := moveOf(c, f)
	if err != nil {
		return surface.Reply{}, err
	}
	pages, err := pagesNamed(ctx, c, append(u.newTags(f), m.newTitle()...))
	if err != nil {
		return surface.Reply{}, err
	}
	if err := m.prepare(ctx, c, f, pages); err != nil {
		return surface.Reply{}, err
	}
	want := u.blocks(f, m.title, pages)
	if m.from != "" {
		if err := c.Graph().Permit(ctx, c.Graph().Revision(f.whole, want), ops.PageUpdate{UID: f.whole.UID, Title: m.title}.Footprint()); err != nil {
			return surface.Reply{}, err
		}
	}
	c.Versions().Saw(ctx, f.whole)
	done, err := c.Graph().Revise(ctx, f.whole, want)
	if err == nil {
		err = m.run(ctx, c, f)
	}
	if err != nil { // some of it may have been written
		c.Shown().Forget(f.whole.UID)
		return surface.Reply{}, err
	}
	now, told := recordUpdate(ctx, c, f, m.from, u.changes())
	if told != "" {
		c.Shown().Forget(f.whole.UID)
	}
	text := "Updated note at " + textsafe.Title(f.path)
	if m.from != "" {
		text = m.told(f)
	}
	text += paragraph(u.keptInText(now)...) + paragraph(referredTo(done.Referred)...)
	return surface.Reply{Text: text, Note: told, Shows: changed(now, u.merged, u.lists(c, f))}, nil
}

// checkUpdate refuses arguments that contradict each other, or change nothing.
func checkUpdate(c surface.Call) error {
	args := c.Args()
	if args.Has("tags") && (args.Has("add_tags") || args.Has("remove_tags")) {
		return surface.Invalid(c.ToolName(), "tags replaces all tags; it can't be mixed with add_tags or remove_tags.")
	}
	for _, name := range []string{"new_path", "title", "content", "tags", "add_tags", "remove_tags"} {
		if args.Has(name) {
			return nil
		}
	}
	return surface.Invalid(c.ToolName(), "give at least one of new_path, title, content, tags, add_tags and remove_tags.")
}

// findToWrite reads the note that a call is to change, also at the path at which it was
// shown. Until release is called, other calls that change it wait, also those of other
// servers.
func findToWrite(ctx context.Context, c surface.Call) (f found, release func(), err error) {
	path := c.Args().Text("path")
	f, err = find(ctx, c, path)
	if uid := c.Shown().Titled(titleAt(c, path)); problem.CodeOf(err) == localapi.CodeNotFound && uid != "" {
		if n, there, failed := c.Graph().ReadNote(ctx, uid); there || failed != nil {
			f, err = newFound(n), failed
		}
	}
	if err != nil {
		return found{}, nil, err
	}
	whole, there, release, err := c.Graph().HoldNote(ctx, f.whole)
	switch {
	case err != nil:
		return found{}, nil, err
	case !there:
		return found{}, nil, missing(f.path, nil)
	case !isNote(whole):
		release()
		return found{}, nil, missing(f.path, nil)
	}
	return newFound(whole), release, nil
}

// update is what update_note makes of the blocks of a note.
type update struct {
	content *draft        // nil: it stays
	merged  *shown.Merged // what becomes of the blocks with it
	title   *string       // "": that which the path says; nil: it stays
	sent    []string      // tags that were sent for those that it has
	tags    *[]string     // that it is to declare; nil: they stay
	gone    []string      // keys of tags that the note shall not have
	only    bool          // it shall have no other tags than these
}

// updateOf reads the arguments that are about the blocks of a note: content and tags are
// the difference between what the connection was shown of them and what it sends.
func updateOf(c surface.Call, f found) (update, error) {
	args, now := c.Args(), f.current()
	var u update
	if args.Has("content") {
		how := f.reading("content")
		seen, err := c.Shown().Read(now, how)
		if err != nil {
			return update{}, err
		}
		sent, err := seen.Parse(withoutHeader(args.Text("content")), how)
		if err != nil {
			return update{}, err
		}
		d := draftOf(sent.Parsed, args.Text("title"), f.node)
		sent.Blocks = d.blocks
		merged, err := c.Shown().Merge(seen, sent, now, f.leading(), how)
		if err != nil {
			return update{}, err
		}
		if u.content, u.merged = &d, &merged; d.title != "" {
			u.title = &d.title
		}
	}
	if args.Has("title") && u.title == nil {
		title := args.Text("title")
		u.title = &title
	}
	was, _ := c.Shown().Note(f.whole.UID)
	renamed := u.content != nil && was.Title != f.whole.Title
	if renamed && u.title != nil && *u.title == plainTitle(was.Title) && f.titleLine() == "" {
		u.title = nil // as it was shown
	}
	return u, u.retag(c, f)
}

// retag plans the tags that the note declares: removals come before additions.
func (u *update) retag(c surface.Call, f found) error {
	args, tags := c.Args(), slices.Clone(f.tags.Declared)
	switch u.only = args.Has("tags") || u.content != nil && u.content.tagged; {
	case u.only:
		before := keys(tags)
		tags = args.List("tags")
		if u.content != nil {
			within := u.content.within
			if args.Has("tags") { // which leaves out what the note declares already
				within = slices.DeleteFunc(slices.Clone(within), func(tag string) bool { return slices.Contains(before, note.Key(tag)) })
			}
			tags = slices.Concat(tags, u.content.tags, within)
		}
		before, err := c.Shown().ReadList(f.current(), shown.Tags, f.tags.Declared, f.reading("tags"))
		if err != nil {
			return err
		}
		u.sent = tags
		tags = shown.MergeList(before, tags, f.tags.Declared, note.Key)
	case !args.Has("add_tags") && !args.Has("remove_tags"):
		return nil
	}
	added := args.List("add_tags")
	u.gone = keys(args.List("remove_tags"))
	tags = slices.DeleteFunc(tags, func(tag string) bool { return slices.Contains(u.gone, note.Key(tag)) })
	tags = append(tags, added...)
	for i, tag := range tags { // as the note spells it already
		if at := slices.Index(keys(f.tags.Declared), note.Key(tag)); at >= 0 {
			tags[i] = f.tags.Declared[at]
		}
	}
	u.tags = &tags
	u.gone = slices.DeleteFunc(u.gone, func(key string) bool { return slices.Contains(keys(added), key) })
	return nil
}

// lists returns what is known of the lists of the note after the call: what was sent, and
// what was added to and taken from what was shown.
func (u *update) lists(c surface.Call, f found) shown.Lists {
	var lists shown.Lists
	switch before, ok := c.Shown().Note(f.whole.UID); {
	case u.tags == nil:
	case u.only:
		lists[shown.Tags] = append([]string{}, u.sent...)
	case ok:
		left := slices.DeleteFunc(slices.Clone(before.Lists[shown.Tags]), func(tag string) bool { return slices.Contains(u.gone, note.Key(tag)) })
		lists[shown.Tags] = append(left, c.Args().List("add_tags")...)
	}
	return lists
}

// changes reports whether blocks of the note may change.
func (u *update) changes() bool { return u.content != nil || u.title != nil || u.tags != nil }

// newTags returns the tags that the note does not declare yet.
func (u *update) newTags(f found) []string {
	if u.tags == nil {
		return nil
	}
	before := keys(f.tags.Declared)
	return slices.DeleteFunc(slices.Clone(*u.tags), func(tag string) bool { return slices.Contains(before, note.Key(tag)) })
}

// blocks returns the blocks that the note is to have, on a page that has a title, or gets
// it.
func (u *update) blocks(f found, page string, pages map[string][]ops.PageFound) []outline.Block {
	var ch change
	want := f.whole.Outline()
	if u.merged != nil {
		want = u.merged.Want
	}
	if u.title != nil {
		line := titleLine(*u.title, page)
		ch.title = &line
	}
	if u.tags != nil {
		line := tagsLine(*u.tags, pages)
		ch.tags = &line
	}
	return ch.inWhole(f, want, page)
}

// keptInText names the tags that stay although the call wanted them gone, since they
// stand in the text of the note.
func (u *update) keptInText(now note.Node) []string {
	var told []string
	for _, tag := range note.TagsOf(now).Inline {
		key := note.Key(tag)
		if slices.Contains(u.gone, key) || u.only && !slices.Contains(keys(u.sent), key) {
			told = append(told, fmt.Sprintf("Tag kept in the text: %s (%s)", textsafe.Title(tag), count(note.BlocksTagged(now, key), "block")))
		}
	}
	return told
}

// referredTo tells that blocks were deleted that others referred to.
func referredTo(referred []ops.Referring) []string {
	if len(referred) == 0 {
		return nil
	}
	text := "its text stands there now"
	if len(referred) > 1 {
		text = "their texts stand there now"
	}
	return []string{fmt.Sprintf("%s referred to blocks that are gone: %s.", count(len(referred), "block"), text)}
}

// recordUpdate reads a note that was changed, and records what it is now; of one that was
// moved also what it became before that, if its blocks were changed. It returns the note,
// as it was where it can't be read, and what is to be said beside the answer.
func recordUpdate(ctx context.Context, c surface.Call, f found, movedFrom string, changed bool) (now note.Node, told string) {
	now, ok := readAgain(ctx, c, f.whole.UID)
	switch {
	case !ok:
		return f.node, couldNotRead
	case movedFrom == "":
		c.Versions().Wrote(ctx, versions.Update, "", now)
		return now, ""
	case changed:
		before := now
		before.Title = movedFrom
		c.Versions().Wrote(ctx, versions.Update, "", before)
	}
	c.Versions().Wrote(ctx, versions.Move, movedFrom, now)
	return now, ""
}

// paragraph returns lines as a paragraph of their own, behind a text.
func paragraph(lines ...string) string {
	if len(lines) == 0 {
		return ""
	}
	return "\n\n" + strings.Join(lines, "\n")
}
