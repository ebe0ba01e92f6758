package wiki

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// folder is what browse shows of a folder in another one.
type folder struct {
	path  string
	notes int // all below it
}

// level is what browse shows of a folder.
type level struct {
	itself  []listed // the note at its path; several where they differ in case alone
	folders []folder // most notes first
	notes   []listed // changed last first
}

// browse answers browse.
func browse(ctx context.Context, c surface.Call) (surface.Reply, error) {
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return surface.Reply{}, err
	}
	path := folderPath(c.Args().Text("path"))
	all, err := everyNote(ctx, view)
	if err != nil {
		return surface.Reply{}, err
	}
	at := levelAt(all, path, false)
	if at.empty() {
		at = levelAt(all, path, true)
	}
	l := listing{head: "Browsing: " + textsafe.Title(path) + "/\n\n", none: "No folders or notes at this path.\n"}
	for _, each := range at.itself {
		l.add("Note at this path:", each.line())
	}
	for _, each := range at.folders {
		l.add("Folders:", fmt.Sprintf("- %s/    (%s)\n", textsafe.Title(each.path), count(each.notes, "note")))
	}
	for _, each := range at.notes {
		l.add("Notes at this level:", each.line())
	}
	l.rest = func(next, left int) string {
		return c.World().Say(say("… and %s more. Narrow with %s, or call %s with offset %d.", humanize.Comma(int64(left)), problem.Search, problem.Browse, next).
			Or("… and %s more. Call %s with offset %d.", humanize.Comma(int64(left)), c.ToolName(), next))
	}
	return l.reply(c, c.Args().Number("limit", maxEntries)), nil
}

// folderPath returns the path of a folder without / around it; empty for the root.
func folderPath(path string) string {
	return strings.Trim(note.BareTitle(strings.TrimSpace(path)), "/")
}

// levelAt returns what is at the path of a folder; folded: without regard to case.
func levelAt(all []listed, path string, folded bool) level {
	var wanted []string
	if path != "" {
		wanted = parts(path)
	}
	same := func(a, b string) bool { return a == b || folded && strings.EqualFold(a, b) }
	var at level
	folders := map[string]int{}
	for _, each := range all {
		list := parts(each.path)
		if len(list) < len(wanted) || !slices.EqualFunc(list[:len(wanted)], wanted, same) {
			continue
		}
		switch len(list) - len(wanted) {
		case 0:
			at.itself = append(at.itself, each)
		case 1:
			at.notes = append(at.notes, each)
		default:
			folders[strings.Join(list[:len(wanted)+1], "/")]++
		}
	}
	for path, notes := range folders {
		at.folders = append(at.folders, folder{path, notes})
	}
	slices.SortFunc(at.folders, func(a, b folder) int { return cmp.Or(cmp.Compare(b.notes, a.notes), byPath(a.path, b.path)) })
	slices.SortFunc(at.notes, newestFirst)
	slices.SortFunc(at.itself, newestFirst)
	return at
}

func (l level) empty() bool { return len(l.itself)+len(l.folders)+len(l.notes) == 0 }

// line returns a note as a line of browse.
func (l listed) line() string {
	line := fmt.Sprintf("- **%s** (%s)", textsafe.Title(l.title), textsafe.Title(l.path))
	if l.updated != 0 {
		line += " - Updated " + stamp(l.updated)[:len("2006-01-02")]
	}
	return line + "\n"
}

// newestFirst compares notes by the times of their last edits, then by path.
func newestFirst(a, b listed) int {
	return cmp.Or(cmp.Compare(b.updated, a.updated), byPath(a.path, b.path))
}

// byPath compares paths without regard to case first.
func byPath(a, b string) int {
	return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
}
