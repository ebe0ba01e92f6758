package notes

import (
	"cmp"
	"context"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// found is a note as a read of Roam shows it.
type found struct {
	entry
	whole note.Node // hidden blocks included
}

// find reads the note that the argument id names: by an id that get_notes shows, else by
// whatever names a page. under is what stands under the error of one that is not there.
func find(ctx context.Context, c surface.Call, under error) (found, error) {
	id := c.Args().Text("id")
	if bare := strings.TrimSpace(id); ops.LooksLikeUID(bare) {
		if f, ok, err := read(ctx, c, bare); err != nil || ok {
			return f, err
		}
	}
	uid, err := c.Graph().UIDNamed(ctx, note.ParseName(id, c.Now()), func(p note.Page) string { return p.UID })
	if err != nil || uid == "" {
		return found{}, cmp.Or(err, error(missing(under)))
	}
	f, ok, err := read(ctx, c, uid)
	if err == nil && !ok {
		err = missing(under)
	}
	return f, err
}

// read reads a note by its uid; false where it is no note's. A quick note that became a
// page when it got a title is that page.
func read(ctx context.Context, c surface.Call, uid string) (found, bool, error) {
	n, ok, err := c.Graph().ReadNote(ctx, uid)
	if err != nil || !ok || n.Hidden {
		return found{}, false, err
	}
	f := found{newEntry(n, c.Now().Location()), n}
	if !f.quick {
		return f, f.exists(), nil
	}
	if note.KindOfTitle(n.PageTitle) != note.Daily {
		return found{}, false, nil
	}
	above, title, ok, err := c.Graph().Section(ctx, uid)
	if err != nil || !ok || title != n.PageTitle || !isSection(above) {
		return found{}, false, err
	}
	if title := f.pointsTo(); title != "" {
		for _, ref := range n.Refs {
			if ref.Title == title {
				return read(ctx, c, ref.UID)
			}
		}
	}
	return f, f.exists(), nil
}

// findToWrite reads the note that the argument id names, as find does, or else by the title
// with which it was shown, and holds the page that it is, or is on: until release is called,
// other calls that change it wait, also those of other servers.
func findToWrite(ctx context.Context, c surface.Call, under error) (f found, release func(), err error) {
	f, err = find(ctx, c, under)
	if uid := c.Shown().Titled(c.Args().Text("id")); problem.CodeOf(err) == localapi.CodeNotFound && uid != "" {
		var there bool
		if f, there, err = read(ctx, c, uid); err == nil && !there {
			err = missing(under)
		}
	}
	if err != nil {
		return found{}, nil, err
	}
	release, err = c.Graph().Hold(ctx, []string{f.whole.Page()}, func() ([]string, error) {
		var there bool
		if f, there, err = read(ctx, c, f.whole.UID); err == nil && !there {
			err = missing(under)
		}
		return []string{f.whole.Page()}, err
	})
	return f, release, err
}
