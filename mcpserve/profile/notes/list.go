package notes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mirror"
)

// getNotes answers get_notes.
func getNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	all, err := everyNote(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	if !c.Args().Flag("includeArchived", false) {
		all = slices.DeleteFunc(all, func(n *listedNote) bool { return n.archived })
	}
	chosen, loosely := containing(all, c.Args().Text("search"))
	slices.SortFunc(chosen, func(a, b *listedNote) int {
		return cmp.Or(pinnedFirst(a, b), cmp.Compare(a.order, b.order), newestFirst(a, b))
	})
	return listReply(c, chosen, loosely, (*entry).listed), nil
}

// searchNotes answers search_notes.
func searchNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	all, err := everyNote(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	all = slices.DeleteFunc(all, func(n *listedNote) bool { return n.archived })
	chosen, loosely := containing(all, c.Args().Text("query"))
	slices.SortFunc(chosen, func(a, b *listedNote) int { return cmp.Or(pinnedFirst(a, b), newestFirst(a, b)) })
	return listReply(c, chosen, loosely, (*entry).short), nil
}

// getLabels answers get_labels.
func getLabels(ctx context.Context, c surface.Call) (surface.Reply, error) {
	view, err := c.Mirror(ctx, mirror.Links)
	if err != nil {
		return surface.Reply{}, err
	}
	labels := []string{}
	for label := range view.Tags() {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	return surface.Reply{JSON: rawjson.Encode(labels)}, nil
}

// listedNote is what is known of a note before it is shown: what it is sorted and found
// by.
type listedNote struct {
	*entry
	folded           string // title and content in lower case, a line each
	pinned, archived bool
	order            int
	created, updated int64
}

// everyNote returns all notes of the graph, archived ones too.
func everyNote(ctx context.Context, c surface.Call) ([]*listedNote, error) {
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return nil, err
	}
	var all []*listedNote
	add := func(n note.Node) *entry {
		e := newEntry(n, c.Now().Location())
		if e.exists() {
			all = append(all, newListed(&e))
		}
		return &e
	}
	for page := range view.Pages() {
		n, ok := view.Note(page.UID)
		if !ok || !page.Exists {
			continue
		}
		for _, p := range add(n).parts {
			if p.role == roleSection {
				for _, quick := range p.node.Children {
					add(quick)
				}
			}
		}
	}
	return all, nil
}

func newListed(e *entry) *listedNote {
	title, _ := e.title()
	return &listedNote{
		entry: e, folded: strings.ToLower(title) + "\n" + strings.ToLower(e.content()), pinned: e.pinned(), archived: e.is(propArchived),
		order: e.order(), created: e.created(), updated: e.updated(),
	}
}

// pinnedFirst orders pinned notes before the others.
func pinnedFirst(a, b *listedNote) int {
	switch {
	case a.pinned == b.pinned:
		return 0
	case a.pinned:
		return -1
	}
	return 1
}

// newestFirst orders notes by their last change, then by when they were made, the last
// first, and then by id.
func newestFirst(a, b *listedNote) int {
	return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(b.created, a.created), cmp.Compare(a.node.UID, b.node.UID))
}

// containing returns the notes whose title or content contains a text, without regard to
// case; all for a blank one. Where there is none, loosely is true and it returns those
// that have all its words.
func containing(all []*listedNote, text string) (chosen []*listedNote, loosely bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return all, false
	}
	having := func(texts ...string) []*listedNote {
		return slices.DeleteFunc(slices.Clone(all), func(n *listedNote) bool {
			return slices.ContainsFunc(texts, func(each string) bool { return !strings.Contains(n.folded, each) })
		})
	}
	words := strings.Fields(text)
	if chosen = having(text); len(chosen) > 0 || len(words) < 2 {
		return chosen, false
	}
	chosen = having(words...)
	return chosen, len(chosen) > 0
}

// leastTokens is less than what any note takes in a list.
const leastTokens = 50

// listReply returns the part of a list that the call asks for, and says where it goes on.
func listReply(c surface.Call, chosen []*listedNote, loosely bool, form func(*entry) json.RawMessage) surface.Reply {
	total := len(chosen)
	offset := min(c.Args().Number("offset", 0), total)
	end := min(offset+c.Args().Number("limit", total), total)
	var elements []json.RawMessage
	for _, each := range chosen[offset:min(end, offset+1+c.MaxReply()/leastTokens)] { // more would be cut
		elements = append(elements, form(each.entry))
	}
	reply := surface.Reply{JSON: rawjson.Array(elements), Total: total}
	if loosely {
		reply.Note = "No note contains the whole text. These have all its words."
	}
	if end < total && surface.Fits(reply.JSON, c.MaxReply()) {
		reply.Note = strings.TrimSpace(reply.Note + " " + fmt.Sprintf("Shown %d to %d of %d; call %s with offset %d.", offset+1, end, total, c.ToolName(), end))
	}
	return reply
}
