package wiki

import (
	"context"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// deleteNote answers delete_note. Roam takes the brackets off the links to a page that it
// deletes; so a page that others mention loses its blocks and stays, and with it the
// links. A daily note stays too.
func deleteNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	f, release, err := findToWrite(ctx, c)
	if err != nil {
		return surface.Reply{}, err
	}
	defer release()
	if err := c.Shown().Renamed(titleAt(c, c.Args().Text("path")), f.whole); err != nil {
		return surface.Reply{}, err
	}
	if f.whole.HidesBelow() {
		refused := surface.Invalid(c.ToolName(), "%s has blocks that are hidden from agents, so it was not deleted.", textsafe.Title(f.path))
		refused.Hint = say("The user can delete it in Roam.")
		return surface.Reply{}, refused
	}
	links, err := linkers(ctx, c, f.whole.UID)
	if err != nil {
		return surface.Reply{}, err
	}
	stays := len(links) > 0 || note.KindOfTitle(f.whole.Title) == note.Daily
	if !stays {
		if stays, err = isMentioned(ctx, c, f.whole); err != nil {
			return surface.Reply{}, err
		}
	}
	c.Versions().Saw(ctx, f.whole)
	var referred []ops.Referring
	if stays {
		done, err := c.Graph().Rewrite(ctx, f.whole, nil, nil)
		if err != nil {
			return surface.Reply{}, err
		}
		referred = done.Referred
	} else {
		removed, err := c.Graph().Remove(ctx, ops.Page, f.whole.UID)
		if err != nil {
			return surface.Reply{}, err
		}
		referred = removed.ReferredBy
	}
	c.Shown().Forget(f.whole.UID)
	c.Versions().Wrote(ctx, versions.Delete, "", f.whole)
	text := "Deleted note at " + textsafe.Title(f.path)
	if len(links) > 0 {
		text += fmt.Sprintf("\n\nWarning: %s links that are now broken:\n%s\n\nThese links were not modified. Update or remove them manually if desired.", have(len(links), "note"), listLinks(links))
	}
	return surface.Reply{Text: text + paragraph(referredTo(referred)...) + paragraph(deletedPage(f.whole))}, nil
}

// deletedPage says which page a deletion was of.
func deletedPage(page note.Node) string {
	told := fmt.Sprintf("Page: %s, uid %s", textsafe.QuoteUpTo(page.Title, maxTitle), textsafe.Title(page.UID))
	if date := page.Date(); date != "" {
		told += ", daily note of " + date
	}
	return told
}

// maxTitle is how many characters of a title are told of a page that was deleted.
const maxTitle = 300

// have returns a number with its noun and verb: "1 note has", "2 notes have".
func have(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return count(n, noun) + " have"
}

// isMentioned reports whether anything but the page itself mentions it: tags, names of
// attributes, titles and hidden blocks do so too.
func isMentioned(ctx context.Context, c surface.Call, page note.Node) (bool, error) {
	around, err := c.Graph().RefsAround(ctx, page.UID)
	if err != nil {
		return false, err
	}
	own := map[string]bool{}
	var walk func(nodes []note.Node)
	walk = func(nodes []note.Node) {
		for _, each := range nodes {
			own[each.UID] = true
			walk(each.Children)
		}
	}
	walk(page.Children)
	return slices.ContainsFunc(around.From, func(uid string) bool { return !own[uid] }), nil
}
