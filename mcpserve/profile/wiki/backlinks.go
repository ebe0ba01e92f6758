package wiki

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/ops"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// getBacklinks answers get_backlinks.
func getBacklinks(ctx context.Context, c surface.Call) (surface.Reply, error) {
	path := c.Args().Text("path")
	var b backlinks
	var err error
	if title := titlePrinted(path); title != "" {
		b, err = readBacklinks(ctx, c, ops.PageRef{Title: title})
	}
	if err == nil && !b.of.whole.IsPage() {
		b, err = otherwiseLinked(ctx, c, path)
	}
	switch {
	case err != nil:
		return surface.Reply{}, err
	case !b.of.whole.IsPage():
		return broken(ctx, c, path, b), nil
	case !b.of.exists():
		return broken(ctx, c, b.of.path, b), nil
	}
	path, links := b.of.path, b.links
	if len(links) == 0 {
		return surface.Reply{Text: "No notes link to " + textsafe.Title(path) + asTag(b.tagged)}, nil
	}
	slices.SortStableFunc(links, func(a, b linker) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.updated, a.updated))
	})
	l := listing{head: "Backlinks to " + textsafe.Title(path) + ":\n\n", gap: "\n", foot: asTag(b.tagged)}
	for _, each := range links {
		l.add("", fmt.Sprintf("- **%s** (%s)\n  %s - %s\n", textsafe.Title(each.title), textsafe.Title(each.path), count(each.count, "link"), each.where()))
	}
	return l.reply(c, c.Args().Number("limit", maxEntries)), nil
}

// otherwiseLinked returns what links to the page that a path means which is the title of
// none, or of one that nothing links to.
func otherwiseLinked(ctx context.Context, c surface.Call, path string) (backlinks, error) {
	f, ok, err := findPage(ctx, c, path)
	if err != nil || !ok {
		return backlinks{}, err
	}
	b := backlinks{}
	if f.whole.Title != titlePrinted(path) {
		b, err = readBacklinks(ctx, c, ops.PageRef{UID: f.whole.UID})
	}
	b.of = f
	return b, err
}

// broken returns the answer for a path without a note.
func broken(ctx context.Context, c surface.Call, path string, b backlinks) surface.Reply {
	head := "Note " + textsafe.Title(path) + " does not exist."
	if page, err := lastAt(ctx, c, path); err == nil && isNote(page) {
		head += "\n" + c.World().Say(movedTo(pathOf(pageOf(page))))
	}
	if len(b.links) == 0 {
		return surface.Reply{Text: head + asTag(b.tagged)}
	}
	have := "notes have"
	if len(b.links) == 1 {
		have = "note has"
	}
	l := listing{head: fmt.Sprintf("%s\n\nHowever, %d %s links to this path:\n", head, len(b.links), have), foot: asTag(b.tagged)}
	for _, each := range b.links {
		l.add("", each.line())
	}
	return l.reply(c, c.Args().Number("limit", maxEntries))
}

// line returns a note that links to another as a line of a list.
func (l linker) line() string {
	return fmt.Sprintf("- %s (%s)\n", textsafe.Title(l.path), count(l.count, "link"))
}

// where names the lines of the links: line 8, or lines 15, 42.
func (l linker) where() string {
	numbers := make([]string, len(l.lines))
	for i, each := range l.lines {
		numbers[i] = strconv.Itoa(each)
	}
	if len(numbers) == 1 {
		return "line " + numbers[0]
	}
	return "lines " + strings.Join(numbers, ", ")
}

// asTag says how many notes have a page as their tag, below a list; empty for none.
func asTag(notes int) string {
	if notes == 0 {
		return ""
	}
	return "\n\nAs a tag: " + count(notes, "note")
}
