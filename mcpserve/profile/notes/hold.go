package notes

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// findToWrite reads the note that the argument id names, as find does, and holds the page
// that it is, or is on: until release is called, other calls that change it wait, also
// those of other servers.
func findToWrite(ctx context.Context, c surface.Call, under error) (f found, release func(), err error) {
	if f, err = find(ctx, c, under); err != nil {
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
