package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// updateNote answers update_note.
func updateNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	d, err := draftOf(c)
	if err != nil {
		return surface.Reply{}, err
	}
	f, release, err := findToWrite(ctx, c, errInternal)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	if err := checkTitle(c, f, d.title); err != nil {
		return surface.Reply{}, err
	}
	e, err := editOf(ctx, c, f, d)
	if err != nil {
		return surface.Reply{}, err
	}
	u := newUpdating(e)
	if err := u.run(ctx); err != nil {
		return surface.Reply{}, err
	}
	u.told = append(u.told, keptLabels(f.entry, d)...)
	u.told = append(u.told, droppedItems(f.entry, e)...)
	return u.reply(ctx), nil
}

// checkTitle refuses a title that the note can't have.
func checkTitle(c surface.Call, f found, title *string) error {
	switch {
	case title == nil || *title == f.node.Title:
		return nil
	case note.KindOfTitle(*title) != note.Plain:
		return surface.Invalid(c.ToolName(), "title is %s, which is a page of Roam's own; choose another.", textsafe.Quote(*title))
	case !f.quick && note.KindOfTitle(f.node.Title) == note.Daily:
		return surface.Invalid(c.ToolName(), "the note is the daily note %s, which keeps its title.", textsafe.Quote(f.node.Title))
	}
	return nil
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

// maxDropped is how many of the items that an update takes away its reply names.
const maxDropped = 10

// droppedItems says which items of a checklist an edit that sends items takes away: those
// whose block goes, or says something else now and was not named by its id.
func droppedItems(before entry, e *edit) []string {
	if e.draft.items == nil {
		return nil
	}
	kept, dropped := map[string]string{}, []string{}
	mapBlocks(e.want, func(b *outline.Block) { kept[b.UID], _, _ = taskOf(b.String) })
	for _, was := range before.items() {
		text, there := kept[was.ID]
		named := slices.ContainsFunc(*e.draft.items, func(sent item) bool { return sent.ID == was.ID })
		if !there || text != was.Text && !named {
			dropped = append(dropped, textsafe.Quote(was.Text))
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	more := ""
	if left := len(dropped) - maxDropped; left > 0 {
		more = fmt.Sprintf(" and %d more", left)
	}
	return []string{fmt.Sprintf("Items taken away, since checkItems left them out: %s%s.", strings.Join(dropped[:min(len(dropped), maxDropped)], ", "), more)}
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
	n := e.withoutLabels()
	var told []string
	for _, tag := range note.TagsOf(n).All() {
		if slices.Contains(wanted, note.Key(tag)) {
			continue
		}
		told = append(told, fmt.Sprintf("Tag kept in the text: %s (%s).", textsafe.Quote(tag), surface.Counted(blocksWith(n, note.Key(tag)), "block")))
	}
	return told
}

// withoutLabels returns the note itself without its line of labels.
func (e *entry) withoutLabels() note.Node {
	n := e.without(roleSection)
	for _, p := range e.parts {
		if p.property != propLabels {
			continue
		}
		at := slices.IndexFunc(n.Children, func(child note.Node) bool { return child.UID == p.node.UID })
		n.Children[at].Text = ""
	}
	return n
}

// blocksWith returns how many blocks of a note have a tag in their text.
func blocksWith(n note.Node, key string) int {
	count := 0
	has := func(text string, direct bool) {
		facts := note.Read(text, direct)
		if slices.ContainsFunc(slices.Concat(facts.Inline, facts.Declared), func(tag string) bool { return note.Key(tag) == key }) {
			count++
		}
	}
	has(n.Text, false)
	var below func(nodes []note.Node, direct bool)
	below = func(nodes []note.Node, direct bool) {
		for _, each := range nodes {
			has(each.Text, direct)
			below(each.Children, false)
		}
	}
	below(n.Children, true)
	return count
}
