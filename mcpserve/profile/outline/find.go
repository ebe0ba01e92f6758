package outline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// maxCandidates is how many titles an error names that may have been meant.
const maxCandidates = 5

// pageFound is a page as a read of Roam shows it.
type pageFound struct {
	whole note.Node // hidden blocks included
	node  note.Node // without them
}

// findPage reads the page that a name means (note.Name.Resolve). NOT_FOUND names up to five
// titles that are near.
func findPage(ctx context.Context, c surface.Call, name string) (pageFound, error) {
	found, ok, err := lookForPage(ctx, c, name)
	if err == nil && !ok {
		err = pageMissing(ctx, c, barePage(name))
	}
	return found, err
}

// lookForPage reads the page that a name means, as findPage does; ok reports whether there
// is one.
func lookForPage(ctx context.Context, c surface.Call, name string) (found pageFound, ok bool, err error) {
	uid, err := c.Graph().UIDNamed(ctx, note.ParseName(name, c.Now()), nil)
	if err != nil || uid == "" {
		return pageFound{}, false, err
	}
	whole, ok, err := c.Graph().ReadNote(ctx, uid)
	if err != nil || !ok || !whole.IsPage() {
		return pageFound{}, false, err
	}
	return pageFound{whole, whole.Visible()}, true, nil
}

// barePage returns the name of a page without blanks and brackets around it.
func barePage(name string) string {
	return strings.TrimSpace(note.BareTitle(strings.TrimSpace(name)))
}

// pageMissing is the error of a name that is no page's.
func pageMissing(ctx context.Context, c surface.Call, name string) error {
	missing := &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no page %s.", textsafe.Quote(name)), Retry: problem.RetryNever,
		Hint: say("%s finds pages by words of their names.", problem.Search), Next: problem.Search,
	}
	if near, err := c.Graph().NearTitles(ctx, name); err == nil && len(near) > 0 {
		var titles []string
		for _, page := range near[:min(len(near), maxCandidates)] {
			titles = append(titles, page.Title)
		}
		missing.Details = []problem.Detail{{Name: "candidates", Value: slices.Clip(titles)}}
	}
	return missing
}
