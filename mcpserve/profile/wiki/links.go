package wiki

import (
	"context"

	"roam-mcp/mcpserve/surface"
)

// linker is a note that links to a page.
type linker struct {
	path, title, uid string
	count            int   // mentions of the page, and of blocks on it
	lines            []int // of its content, with a mention; each once
	updated          int64 // ms since 1970
}

// linkers returns the notes that link to a page, most links first, then by path. Lines of
// tags are no links, and the page's own ones do not count. They are read live.
func linkers(ctx context.Context, c surface.Call, pageUID string) ([]linker, error) {
	return nil, errUnderway("links")
}
