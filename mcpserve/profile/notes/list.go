package notes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// getNotes answers get_notes.
func getNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return surface.Reply{}, err
	}
	all, err := everyNote(ctx, view)
	if err != nil {
		return surface.Reply{}, err
	}
	if !c.Args().Flag("includeArchived", false) {
		all = unarchived(all)
	}
	chosen, loosely := containing(all, c.Args().Text("search"))
	if len(chosen) == 0 {
		return likely(ctx, c, view, all, c.Args().Text("search"), (*entry).listed)
	}
	slices.SortFunc(chosen, func(a, b *listedNote) int {
		return cmp.Or(pinnedFirst(a, b), cmp.Compare(a.order, b.order), newestFirst(a, b))
	})
	return listReply(c, view, chosen, loosely, (*entry).listed), nil
}

// searchNotes answers search_notes.
func searchNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return surface.Reply{}, err
	}
	all, err := everyNote(ctx, view)
	if err != nil {
		return surface.Reply{}, err
	}
	all = unarchived(all)
	chosen, loosely := containing(all, c.Args().Text("query"))
	if len(chosen) == 0 {
		return likely(ctx, c, view, all, c.Args().Text("query"), (*entry).short)
	}
	slices.SortFunc(chosen, func(a, b *listedNote) int { return cmp.Or(pinnedFirst(a, b), newestFirst(a, b)) })
	return listReply(c, view, chosen, loosely, (*entry).short), nil
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

// unarchived returns the notes that are not in the archive.
func unarchived(all []*listedNote) []*listedNote {
	return slices.DeleteFunc(slices.Clone(all), func(n *listedNote) bool { return n.archived })
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
	return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(b.created, a.created), cmp.Compare(a.uid, b.uid))
}

// containing returns the notes that have the label which a text is, or else those whose
// title or content contains it, without regard to case; all for a blank one. Where there is
// none, loosely is true and it returns those that have all its words.
func containing(all []*listedNote, text string) (chosen []*listedNote, loosely bool) {
	if chosen = labelled(all, text); len(chosen) > 0 {
		return chosen, false
	}
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return slices.Clone(all), false
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

// mostLikely is how many notes are shown that have a part of a text.
const mostLikely = 10

// likely answers with the notes that have the most telling part of a text, best first.
func likely(ctx context.Context, c surface.Call, view *mirror.View, all []*listedNote, text string, form func(*entry, string) json.RawMessage) (surface.Reply, error) {
	ranked, err := view.Rank(ctx, text)
	if err != nil {
		return surface.Reply{}, err
	}
	of := make(map[string]*listedNote, len(all))
	for _, n := range all {
		of[n.uid] = n
	}
	chosen := []*listedNote{}
	for _, page := range ranked {
		n := of[page.UID]
		if quick := of[page.Block]; quick != nil {
			n = quick
		}
		if n != nil && len(chosen) < mostLikely {
			chosen = append(chosen, n)
		}
	}
	reply := listReply(c, view, chosen, false, form)
	if len(chosen) > 0 {
		reply.Note = strings.TrimSpace("No title or content has all of this. These notes come nearest. " + reply.Note)
	}
	return reply, nil
}

// What a note shows of itself in a list at most: characters of its content, and elements.
const (
	listedContent  = 1000
	listedElements = 20
	listedImages   = 2 // addresses are long
)

// shortened returns a note in a list with the first elements of what it has many of.
func shortened(element json.RawMessage) json.RawMessage {
	object, fields := rawjson.Parse(element), map[string]int{"checkItems": listedElements, "labels": listedElements, "images": listedImages}
	for field, most := range fields {
		if list := rawjson.Elements(object.Get(field)); len(list) > most {
			object = object.With(field, rawjson.Array(list[:most]))
		}
	}
	return object.JSON()
}

// leastTokens is less than what any note takes in a list.
const leastTokens = 50

// listReply returns the part of a list that the call asks for, and says where it goes on.
func listReply(c surface.Call, view *mirror.View, chosen []*listedNote, loosely bool, form func(*entry, string) json.RawMessage) surface.Reply {
	total := len(chosen)
	offset := min(c.Args().Number("offset", 0), total)
	end := min(offset+c.Args().Number("limit", total), total)
	var elements []json.RawMessage
	var shows []surface.Showing
	cut := false
	for _, each := range chosen[offset:min(end, offset+1+c.MaxReply()/leastTokens)] { // more would be cut
		if n, ok := view.Note(each.uid); ok {
			f := found{newEntry(n, c.Now().Location()), n}
			whole := f.content()
			content := surface.CutCharacters(whole, listedContent)
			element := form(&f.entry, content)
			short := shortened(element)
			cut = cut || content != whole || len(short) < len(element)
			elements, shows = append(elements, short), append(shows, f.listing())
		}
	}
	reply := surface.Reply{JSON: rawjson.Array(elements), Total: total, Shows: shows}
	if loosely {
		reply.Note = "No note contains the whole text. These have all its words."
	}
	if !surface.Fits(reply.JSON, c.MaxReply()) { // what cuts it says the rest
		return reply
	}
	if cut {
		reply.Note = strings.TrimSpace(reply.Note + " " + c.World().Say(say("Long notes are cut, to 1,000 characters, 20 items and 2 images; %s shows one whole.", problem.ReadPage).Or("Long notes are cut, to 1,000 characters, 20 items and 2 images.")))
	}
	if end < total {
		reply.Note = strings.TrimSpace(reply.Note + " " + fmt.Sprintf("Shown %d to %d of %d; call %s with offset %d.", offset+1, end, total, c.ToolName(), end))
	}
	return reply
}
