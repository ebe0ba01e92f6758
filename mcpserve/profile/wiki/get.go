package wiki

import (
	"context"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// getNote answers get_note.
func getNote(ctx context.Context, c surface.Call) (surface.Reply, error) {
	f, err := find(ctx, c, c.Args().Text("path"))
	if err != nil {
		return surface.Reply{}, err
	}
	c.Versions().Saw(ctx, f.whole)
	head := f.header("", f.node.CreatedAt(), f.node.UpdatedAt())
	r := f.rendering()
	reply := textReply(c, head, r.Text)
	reply.Shows = f.shows(head, r, c.Args().Number("line", 1))
	return reply, nil
}

// header returns what stands above the content of a note: of a version what it is called,
// else empty, and the times of the note in ms since 1970.
func (f found) header(version string, created, updated int64) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString("**" + name + ":** " + value + "\n")
		}
	}
	b.WriteString("# " + textsafe.Title(f.title))
	if version != "" {
		b.WriteString(" (version " + version + ")")
	}
	b.WriteString("\n\n")
	line("Path", textsafe.Title(f.path))
	line("Tags", tagList(f.tags))
	line("Version", version)
	line("Created", stamp(created))
	line("Updated", stamp(updated))
	b.WriteString("\n---\n\n")
	return b.String()
}

// tagList returns tags as a line shows them; empty where there are none.
func tagList(tags note.Tags) string { return textsafe.Title(strings.Join(tags.All(), ", ")) }

// stamp returns a time in ms since 1970 as answers have it; empty where it is unknown.
func stamp(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05Z")
}
