package notes

import (
	"cmp"
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
	release, waited, err := c.Graph().Hold(ctx, cmp.Or(f.whole.PageUID, f.whole.UID))
	if err != nil || !waited {
		return f, release, err
	}
	f, ok, err := read(ctx, c, f.whole.UID)
	if err == nil && !ok {
		err = missing(under)
	}
	if err != nil {
		release()
		return found{}, nil, err
	}
	return f, release, nil
}
