package notes

import (
	"cmp"
	"context"

	"roam-mcp/graphdb/note"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// findToWrite reads the note that the argument id names, as find does, and holds the page
// that it is, or is on: until release is called, other calls that change it wait, also
// those of other servers.
func findToWrite(ctx context.Context, c surface.Call, under error) (f found, release func(), err error) {
	f, err = find(ctx, c, under)
	if problem.CodeOf(err) == localapi.CodeNotFound {
		renamed := c.Shown().Renamed(c.Args().Text("id"), func(uid string) (note.Node, bool, error) { return c.Graph().ReadNote(ctx, uid) })
		return found{}, nil, cmp.Or(renamed, err)
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
