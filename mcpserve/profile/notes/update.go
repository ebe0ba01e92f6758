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
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// updateNote answers update_note.
func updateNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	d, err := draftOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	f, err := find(ctx, c, errInternal)
	if err != nil {
		return surface.Reply{}, err
	}
	if err := checkTitle(c, f, d.title); err != nil {
		return surface.Reply{}, err
	}
	if d.content != nil {
		if err := surface.CheckWhole(c.ToolName(), "content", *d.content, f.entry.content(), task.ReadPage); err != nil {
			return surface.Reply{}, err
		}
	}
	w, err := wished(ctx, c, d)
	if err != nil {
		return surface.Reply{}, err
	}
	if f.quick && d.title != nil {
		if f, err = promote(ctx, c, f, *d.title); err != nil {
			return surface.Reply{}, err
		}
		d.title = nil
	}
	done, err := change(ctx, c, f, d, w)
	if err != nil {
		return surface.Reply{}, err
	}
	uid, told, err := retitle(ctx, c, f, d.title)
	if err != nil {
		return surface.Reply{}, err
	}
	told = append(told, keptLabels(f.entry, d)...)
	if n := len(done.Referred); n > 0 {
		told = append(told, fmt.Sprintf("Blocks were deleted that others refer to (%s): the text stands there instead of the reference.", counted(n, "block")))
	}
	return after(ctx, c, uid, told...)
}

// checkTitle refuses a title that the note can't have.
func checkTitle(c surface.Call, f found, title *string) error {
	switch {
	case title == nil || *title == f.node.Title:
		return nil
	case note.KindOfTitle(*title) != note.Plain:
		return surface.Invalid(c.ToolName(), "title is %s, which is a page of Roam's own; choose another.", safetext.Quote(*title))
	case !f.quick && note.KindOfTitle(f.node.Title) == note.Daily:
		return surface.Invalid(c.ToolName(), "the note is the daily note %s, which keeps its title.", safetext.Quote(f.node.Title))
	}
	return nil
}

// wished makes a draft ready to be written. It uploads what is to be uploaded, and
// writes nothing else.
func wished(ctx context.Context, c surface.Call, d draft) (wish, error) {
	w := wish{properties: map[string]string{}, items: d.items}
	labels := d.labels
	if d.content != nil {
		parsed := note.Parse(*d.content)
		w.blocks = &parsed.Blocks
		if labels == nil && parsed.Tags != nil {
			labels = &parsed.Tags
		}
	}
	if labels != nil {
		text, err := labelsLine(ctx, c, *labels)
		if err != nil {
			return wish{}, err
		}
		w.properties[propLabels] = text
	}
	setProperties(w.properties, d)
	var err error
	w.images, err = upload(ctx, c, d.images)
	return w, err
}

// setProperties adds the property lines of a draft that need nothing else.
func setProperties(properties map[string]string, d draft) {
	if d.color != nil {
		properties[propColor] = ""
		if *d.color != colors()[0] {
			properties[propColor] = line(propColor, *d.color)
		}
	}
	if d.archived != nil {
		properties[propArchived] = line(propArchived, whether(*d.archived))
	}
}

// labelsLine returns the property line of labels, each with the title of the page that
// it names, in whatever case that is; empty where there are none.
func labelsLine(ctx context.Context, c surface.Call, labels []string) (string, error) {
	var keys []string
	for _, label := range labels {
		if key := note.Key(label); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return "", nil
	}
	pages, err := c.Graph().PagesOf(ctx, keys)
	if err != nil {
		return "", err
	}
	return note.TagsLine(labels, func(key string) (string, bool) {
		if len(pages[key]) == 0 {
			return "", false
		}
		return pages[key][0].Title, true
	}), nil
}

// upload uploads the pictures that have no address, and returns the addresses of all; nil
// for no list.
func upload(ctx context.Context, c surface.Call, pictures *[]picture) (*[]string, error) {
	if pictures == nil {
		return nil, nil
	}
	addresses := []string{}
	for _, each := range *pictures {
		if each.address == "" {
			uploaded, err := c.Graph().UploadFile(ctx, ops.FileSource{Base64: each.base64})
			if err != nil {
				return nil, err
			}
			each.address = uploaded.Address
		}
		addresses = append(addresses, each.address)
	}
	return &addresses, nil
}

// change writes what a draft changes below the note and on its block, and whether it is
// pinned.
func change(ctx context.Context, c surface.Call, f found, d draft, w wish) (ops.Rewritten, error) {
	if f.quick && w.blocks != nil {
		block := quickBlock(*d.content)
		w.blocks = &block.Children
		if block.String != f.node.Text || block.Heading != f.node.Heading {
			if _, err := c.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: f.node.UID, String: &block.String, Heading: &block.Heading}); err != nil {
				return ops.Rewritten{}, err
			}
		}
	}
	if d.pinned != nil {
		if err := setPinned(ctx, c, f, *d.pinned, &w); err != nil {
			return ops.Rewritten{}, err
		}
	}
	return c.Graph().Rewrite(ctx, f.whole, f.rewritten(w), nil)
}

// setPinned makes the page a shortcut, or takes it from them. A quick note has a property
// line instead, and a page that has one loses it.
func setPinned(ctx context.Context, c surface.Call, f found, pinned bool, w *wish) error {
	if f.quick {
		w.properties[propPinned] = line(propPinned, whether(pinned))
		return nil
	}
	isShortcut := f.node.Shortcut >= 0
	if !pinned {
		w.properties[propPinned] = ""
	}
	var err error
	switch {
	case pinned && !f.pinned():
		_, err = c.Graph().AddShortcut(ctx, ops.NewShortcut{PageUID: f.node.UID})
	case !pinned && isShortcut:
		_, err = c.Graph().RemoveShortcut(ctx, f.node.UID)
	}
	return err
}

// retitle renames the page. A title that is taken gets a number; where the page that has
// it is empty, the two become one, which keeps the links to both.
func retitle(ctx context.Context, c surface.Call, f found, title *string) (uid string, told []string, err error) {
	if title == nil || *title == f.node.Title {
		return f.node.UID, nil, nil
	}
	update := ops.PageUpdate{UID: f.node.UID, Title: *title}
	_, err = c.Graph().UpdatePage(ctx, update)
	if problem.CodeOf(err) != localapi.CodeAlreadyExists {
		return f.node.UID, nil, err
	}
	free, stub, err := freeTitle(ctx, c, *title)
	if err != nil {
		return "", nil, err
	}
	update.Title, update.Merge = free, stub != ""
	if _, err = c.Graph().UpdatePage(ctx, update); err != nil {
		return "", nil, err
	}
	if uids, err := c.Graph().UIDsOf(ctx, []string{free}); err == nil && uids[free] != "" && uids[free] != f.node.UID {
		return uids[free], []string{fmt.Sprintf("There was a page %s that was only linked; the note is that page now, and has its id.", safetext.Quote(free))}, nil
	}
	return f.node.UID, nil, nil
}

// promote makes a page of a quick note: its block becomes a link to the page, on which
// its text stands first, and then what was below it, with the same uids.
func promote(ctx context.Context, c surface.Call, f found, title string) (found, error) {
	var top []outline.Block
	if strings.TrimSpace(f.node.Text) != "" {
		top = []outline.Block{{String: f.node.Text, Heading: f.node.Heading}}
	}
	n := fresh{title: title, block: outline.Block{Children: top}}
	page, err := n.create(ctx, c)
	if err != nil {
		return found{}, err
	}
	for _, child := range f.whole.Children {
		if _, err := c.Graph().MoveBlock(ctx, ops.BlockMove{UID: child.UID, ParentUID: page}); err != nil {
			return found{}, err
		}
	}
	link, none := "[["+n.title+"]]", 0
	if _, err := c.Graph().UpdateBlock(ctx, ops.BlockUpdate{UID: f.node.UID, String: &link, Heading: &none}); err != nil {
		return found{}, err
	}
	made, ok, err := c.Graph().ReadNote(ctx, page)
	if err == nil && !ok {
		err = missing(errInternal)
	}
	return found{newEntry(made, f.location), made}, err
}

// after returns the note as it is now.
func after(ctx context.Context, c surface.Call, uid string, told ...string) (surface.Reply, error) {
	f, ok, err := read(ctx, c, uid)
	if err == nil && !ok {
		err = missing(errInternal)
	}
	if err != nil {
		return surface.Reply{}, err
	}
	return surface.Reply{JSON: f.short(), Note: strings.Join(told, " ")}, nil
}

// keptLabels says which labels stay although the draft leaves them out, since they stand
// in the text.
func keptLabels(e entry, d draft) []string {
	if d.labels == nil || d.content != nil {
		return nil
	}
	var wanted []string
	for _, label := range *d.labels {
		wanted = append(wanted, note.Key(label))
	}
	n := e.without(roleSection)
	var told []string
	for _, tag := range note.TagsOf(withoutLabels(n)).Inline {
		if slices.Contains(wanted, note.Key(tag)) {
			continue
		}
		told = append(told, fmt.Sprintf("Tag kept in the text: %s (%s).", safetext.Quote(tag), counted(blocksWith(n, note.Key(tag)), "block")))
	}
	return told
}

// counted returns a number of things: "1 block", "2 blocks".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// withoutLabels returns a note without its line of labels.
func withoutLabels(n note.Node) note.Node {
	n.Children = slices.DeleteFunc(slices.Clone(n.Children), func(child note.Node) bool { name, _, ok := property(child.Text); return ok && name == propLabels })
	return n
}

// blocksWith returns how many blocks of a note have a tag in their text.
func blocksWith(n note.Node, key string) int {
	count := 0
	if slices.ContainsFunc(note.Read(n.Text, false).Inline, func(tag string) bool { return note.Key(tag) == key }) {
		count++
	}
	for _, child := range n.Children {
		if name, _, ok := property(child.Text); !ok || name != propLabels {
			count += blocksWith(child, key)
		}
	}
	return count
}
