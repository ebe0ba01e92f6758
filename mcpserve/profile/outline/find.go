package outline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// maxCandidates is how many titles an error names that may have been meant.
const maxCandidates = 5

// pageFound is a page as a read of Roam shows it.
type pageFound struct {
	whole note.Node // hidden blocks included
	node  note.Node // without them
}

// findPage reads the page that a name means: a title, a day, a title without regard to
// case where only one page has it, or the page's uid. Blanks around and [[…]] are left
// out. NOT_FOUND names up to five titles that are near.
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
	title := barePage(name)
	uid, err := pageTitled(ctx, c, title)
	if err != nil {
		return pageFound{}, false, err
	}
	whole, ok, err := c.Graph().ReadNote(ctx, cmp.Or(uid, title))
	if err != nil || !ok || !whole.IsPage() {
		return pageFound{}, false, err
	}
	return pageFound{whole, whole.Visible()}, true, nil
}

// barePage returns the name of a page without blanks and brackets around it.
func barePage(name string) string {
	return strings.TrimSpace(surface.BareTitle(strings.TrimSpace(name)))
}

// pageTitled returns the uid of the page with a title: exactly that, else that of the
// day that it names, else the only one that differs in case; empty where there is none.
func pageTitled(ctx context.Context, c surface.Call, title string) (string, error) {
	keys, day := []string{note.Key(title)}, ""
	if parsed, err := ops.ParseDay(title, c.Now()); err == nil {
		day = ops.DayTitle(parsed)
		keys = append(keys, note.Key(day))
	}
	found, err := c.Graph().PagesOf(ctx, keys)
	if err != nil {
		return "", err
	}
	for _, exact := range []string{title, day} {
		for _, page := range found[note.Key(exact)] {
			if page.Title == exact {
				return page.UID, nil
			}
		}
	}
	return ops.Titled(found[note.Key(title)], title), nil
}

// pageMissing is the error of a name that is no page's.
func pageMissing(ctx context.Context, c surface.Call, name string) error {
	missing := &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("There is no page %s.", safetext.Quote(name)), Retry: problem.RetryNever,
		Hint: say("%s finds pages by words of their names.", task.Search), Next: task.Search,
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
