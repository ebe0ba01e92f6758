package wiki

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// move is that of a note to another path, which is another title of its page. Roam
// changes all links to it.
type move struct {
	title   string // of the page afterwards
	from    string // title before; empty: it stays where it is
	stub    string // uid of the page without blocks that has the title; empty: none
	links   []linker
	explain bool // the caller did not want links to follow
}

// moveOf reads the arguments that are about the path of a note.
func moveOf(c surface.Call, f found) (move, error) {
	args := c.Args()
	m := move{title: f.whole.Title}
	if !args.Has("new_path") {
		return m, nil
	}
	title, err := newPage(c, "new_path")
	switch {
	case err != nil || title == m.title:
		return m, err
	case note.KindOfTitle(m.title) == note.Daily || note.KindOfTitle(title) == note.Daily:
		return m, surface.Invalid(c.ToolName(), "a daily note does not move, and no other note becomes one.")
	}
	m.title, m.from = title, m.title
	m.explain = args.Has("update_backlinks") && !args.Flag("update_backlinks", true)
	return m, nil
}

// newTitle returns the title that is looked for, to see whether it is free.
func (m move) newTitle() []string {
	if m.from == "" || strings.EqualFold(m.title, m.from) {
		return nil
	}
	return []string{m.title}
}

// prepare finds out whether the path is free, and what links to the note. pages are by
// key.
func (m *move) prepare(ctx context.Context, c surface.Call, f found, pages map[string][]ops.PageFound) (err error) {
	if m.from == "" {
		return nil
	}
	if len(m.newTitle()) > 0 {
		stub, err := freeAt(ctx, c, m.title, pages)
		if err != nil {
			return err
		}
		m.stub = stub.UID
	}
	m.links, err = linkers(ctx, c, f.whole.UID)
	return err
}

// run moves the note. A page without blocks that has the title is merged into the note's
// first, which keeps the uid of the note, and the links to both.
func (m move) run(ctx context.Context, c surface.Call, f found) error {
	if m.from == "" {
		return nil
	}
	if m.stub != "" {
		if _, err := c.Graph().UpdatePage(ctx, ops.PageUpdate{UID: m.stub, Title: m.from, Merge: true}); err != nil {
			return err
		}
	}
	_, err := c.Graph().UpdatePage(ctx, ops.PageUpdate{UID: f.whole.UID, Title: m.title})
	if problem.CodeOf(err) == localapi.CodeAlreadyExists {
		return taken(pathTitled(m.title))
	}
	return err
}

// told returns the answer to a move.
func (m move) told(f found) string {
	text := fmt.Sprintf("Moved note from %s to %s", textsafe.Title(f.path), textsafe.Title(pathOf(note.Page{UID: f.whole.UID, Title: m.title})))
	if len(m.links) > 0 {
		text += fmt.Sprintf("\n\nUpdated links in %s:\n%s", count(len(m.links), "note"), listLinks(m.links))
	}
	if m.explain {
		text += "\n\nRoam keeps links in step with a rename; nothing is left pointing to the old path."
	}
	return text
}

// maxLinks is how many notes an answer to a write names.
const maxLinks = 50

// listLinks lists notes with the number of their links, a line for each.
func listLinks(links []linker) string {
	var lines []string
	for i, each := range links {
		if i == maxLinks {
			lines = append(lines, fmt.Sprintf("… and %d more", len(links)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("- %s (%s)", textsafe.Title(each.path), count(each.count, "link")))
	}
	return strings.Join(lines, "\n")
}
