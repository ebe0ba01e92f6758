package wiki

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// diffNoteVersions answers diff_note_versions.
func diffNoteVersions(ctx context.Context, c surface.Call) (surface.Reply, error) {
	p, err := findPast(ctx, c, c.Args().Text("path"))
	if err != nil {
		return surface.Reply{}, err
	}
	from, before, err := p.version(ctx, c, c.Args().Text("from_version"))
	if err != nil {
		return surface.Reply{}, err
	}
	to, after, err := p.version(ctx, c, c.Args().Text("to_version"))
	if err != nil {
		return surface.Reply{}, err
	}
	head := fmt.Sprintf("Diff for %s (%s → %s):\n\n", textsafe.Title(p.path), versionName(from), versionName(to))
	d := differenceOf(before, after)
	if d.same() {
		return surface.Reply{Text: head + "No differences."}, nil
	}
	return textReply(c, head+d.head(), d.unified), nil
}

// versionName returns what a version is called in answers.
func versionName(v versions.Version) string {
	if v.ID == "" {
		return current
	}
	return v.Short()
}

// difference is what differs between a note and a later state of it.
type difference struct {
	title, tags    string // lines that say it; empty: they are the same
	unified        string // of the contents, which patch applies; empty: they are the same
	added, removed int    // lines
}

// diffContext is how many lines that are the same stand around those that are not.
const diffContext = 3

// differenceOf compares two states of a note.
func differenceOf(before, after found) difference {
	var d difference
	if before.title != after.title {
		d.title = fmt.Sprintf("Title: %s → %s\n", textsafe.Title(before.title), textsafe.Title(after.title))
	}
	if was, is := tagList(before.tags), tagList(after.tags); was != is {
		d.tags = fmt.Sprintf("Tags: %s → %s\n", cmp.Or(was, "none"), cmp.Or(is, "none"))
	}
	d.unified = unified(before.path, after.path, lined(before.content()), lined(after.content()))
	for i, line := range strings.Split(d.unified, "\n") {
		switch {
		case i < 2: // the names
		case strings.HasPrefix(line, "+"):
			d.added++
		case strings.HasPrefix(line, "-"):
			d.removed++
		}
	}
	return d
}

func (d difference) same() bool { return d.title+d.tags+d.unified == "" }

// head returns what stands above the unified diff.
func (d difference) head() string {
	text := d.title + d.tags
	if text != "" {
		text += "\n"
	}
	return text + fmt.Sprintf("+%d additions, -%d deletions\n\n", d.added, d.removed)
}

// lined returns a content as the lines of a file.
func lined(content string) string {
	if content == "" {
		return ""
	}
	return content + "\n"
}

// unified returns the unified diff of two contents, empty where they are the same.
func unified(path, newPath, before, after string) string {
	edits := udiff.Lines(before, after)
	text, err := udiff.ToUnified("a/"+textsafe.Title(path)+".md", "b/"+textsafe.Title(newPath)+".md", before, edits, diffContext)
	if err != nil { // edits that are not of before, which these are
		return ""
	}
	return text
}
