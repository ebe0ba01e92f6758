package wiki

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// noteHistory is a page whose versions are asked for. The note may be gone, or never have been.
type noteHistory struct {
	path string // as it is now, or else as it was asked for
	page string // uid; empty: nothing is known of the page
	now  *found // nil: there is no such note
}

// findPast finds the page at a path, or else the one that had it last, and sees to it that
// the note as it is now is a version. The error of a page that nobody knows names what is
// near.
func findPast(ctx context.Context, c surface.Call, path string) (noteHistory, error) {
	f, ok, err := findPage(ctx, c, path)
	if err != nil {
		return noteHistory{}, err
	}
	if !ok || !f.exists() {
		page, err := lastAt(ctx, c, path)
		if err == nil && page.UID == "" {
			err = notThere(ctx, c, path)
		}
		if err != nil {
			return noteHistory{}, err
		}
		f = newFound(page)
	}
	c.Versions().Saw(ctx, f.whole)
	if !f.exists() {
		return noteHistory{path: path, page: f.whole.UID}, nil
	}
	return noteHistory{f.path, f.whole.UID, &f}, nil
}

// version returns a version of the note, and the note as it was then. current is the note
// as it is.
func (p noteHistory) version(ctx context.Context, c surface.Call, id string) (versions.Version, found, error) {
	if strings.EqualFold(id, current) && p.now != nil {
		return versions.Version{}, newFound(versions.Kept(p.now.whole)), nil
	}
	if why, off := c.Versions().Off(ctx); off {
		return versions.Version{}, found{}, &problem.Error{Code: versions.CodeVersionNotFound, Message: noHistory(p.path) + ".", Hint: why, Retry: problem.RetryNever}
	}
	v, then, err := c.Versions().Find(ctx, p.page, id)
	return v, foundThen(v, then), err
}

// current is what the note as it is is called among versions.
const current = "current"

// foundThen returns a note as a version has it.
func foundThen(v versions.Version, then note.Node) found {
	then.Title, then.UID = cmp.Or(then.Title, v.Title), cmp.Or(then.UID, v.Page)
	return newFound(then)
}

// getNoteHistory answers get_note_history.
func getNoteHistory(ctx context.Context, c surface.Call) (surface.Reply, error) {
	p, err := findPast(ctx, c, c.Args().Text("path"))
	if err != nil {
		return surface.Reply{}, err
	}
	none := noHistory(p.path)
	if why, off := c.Versions().Off(ctx); off {
		return surface.Reply{Text: none, Note: c.World().Say(why)}, nil
	}
	list, err := c.Versions().List(ctx, p.page, c.Args().Number("offset", 0)+c.Args().Number("limit", defaultVersions))
	if err != nil || len(list) == 0 {
		return surface.Reply{Text: none}, err
	}
	l := listing{head: "Version history for " + textsafe.Title(p.path) + ":\n\n", gap: "\n"}
	for _, each := range list {
		l.add("", fmt.Sprintf("- %s (%s)%s\n  %s\n", each.Short(), stamp(each.At.UnixMilli()), by(each), textsafe.Title(each.Message(pathTitled))))
	}
	return l.reply(c, len(list)), nil
}

// noHistory says that there are no versions.
func noHistory(path string) string { return "No version history available for " + textsafe.Title(path) }

// by says who made a version; empty where nobody knows.
func by(v versions.Version) string {
	switch {
	case v.Agent == "" && v.Author == "":
		return ""
	case v.Agent == "":
		return " by " + textsafe.Title(v.Author)
	case v.Author == "":
		return " via " + textsafe.Title(v.Agent)
	}
	return " by " + textsafe.Title(v.Author) + " via " + textsafe.Title(v.Agent)
}
