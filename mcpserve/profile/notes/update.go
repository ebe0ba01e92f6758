package notes

import (
	"context"
	"fmt"
	"slices"

	"roam-mcp/graphdb/note"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
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
	u := newUpdating(c, f, d, w)
	if err := u.run(ctx); err != nil {
		return surface.Reply{}, err
	}
	u.told = append(u.told, keptLabels(f.entry, d)...)
	return u.reply(ctx), nil
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
		told = append(told, fmt.Sprintf("Tag kept in the text: %s (%s).", safetext.Quote(tag), surface.Counted(blocksWith(n, note.Key(tag)), "block")))
	}
	return told
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
