package outline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
)

// BacklinkOptions say which backlinks to give, and in what order.
type BacklinkOptions struct {
	Sort      Sort
	Ascending bool
	Search    string // text that the block, one above it (the page included) or a direct child must contain
	Offset    int    // below 0 is 0
	Limit     int
}

// Backlinks is a window of the blocks and pages that refer to something.
type Backlinks struct {
	Total      int           // before hidden ones are left out
	Results    []graphdb.EID // what of the window is not hidden
	NextOffset int           // where the next window starts; 0: nothing remains, or the limit was 0
	Note       string        // says that there is more; "" with NextOffset 0
}

// FindBacklinks lists what has the target among its references (LOCAL_API.md 2.1).
// Hidden blocks are left out after paging, so a window may give fewer than
// Limit; go on with NextOffset.
func FindBacklinks(ctx context.Context, r graphdb.Reader, target graphdb.EID, options BacklinkOptions) (Backlinks, error) {
	var list []graphdb.EID
	query := strings.ToLower(strings.TrimSpace(options.Search))
	for e := range r.ReverseSeq(graphdb.BlockRefs, target) {
		if err := ctx.Err(); err != nil {
			return Backlinks{}, err
		}
		if query == "" || matchesAround(r, e, query) {
			list = append(list, e)
		}
	}
	if err := SortByDate(r, list, options.Sort, options.Ascending); err != nil {
		return Backlinks{}, err
	}
	found := Backlinks{Total: len(list)}
	offset := max(options.Offset, 0)
	page := window(list, offset, options.Limit)
	marks := hidingPages(r)
	for _, e := range page {
		if !hides(r, marks, e) {
			found.Results = append(found.Results, e)
		}
	}
	if end := offset + len(page); len(page) > 0 && end < len(list) {
		found.NextOffset = end
		found.Note = fmt.Sprintf("%d of %d are left: go on with offset %d.", len(list)-end, len(list), end)
	}
	return found, nil
}

// matchesAround tells whether the text stands in a block, above it or directly
// below.
func matchesAround(r graphdb.Reader, e graphdb.EID, query string) bool {
	has := func(e graphdb.EID) bool { return strings.Contains(strings.ToLower(TextOf(r, e)), query) }
	return has(e) || slices.ContainsFunc(Ancestors(r, e), has) || slices.ContainsFunc(r.Refs(e, graphdb.BlockChildren), has)
}
