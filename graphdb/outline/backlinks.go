package outline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb"
)

// Sort is an order of backlinks.
type Sort string

// The orders of data.ai.getBacklinks; "" is SortCreated.
const (
	SortCreated   Sort = "created-date"
	SortEdited    Sort = "edited-date"
	SortDailyNote Sort = "daily-note-date" // the day of the note a block is on; others come last
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

// FindBacklinks lists what has the target among its references (LOCAL_API 2.1).
// Hidden blocks are left out after paging, so a window may give fewer than
// Limit; go on with NextOffset.
func FindBacklinks(ctx context.Context, r graphdb.Reader, target graphdb.EID, options BacklinkOptions) (Backlinks, error) {
	key, err := sortKey(r, cmp.Or(options.Sort, SortCreated))
	if err != nil {
		return Backlinks{}, err
	}
	type referrer struct {
		e   graphdb.EID
		key int64
	}
	var list []referrer
	query := strings.ToLower(strings.TrimSpace(options.Search))
	for e := range r.ReverseSeq(graphdb.BlockRefs, target) {
		if err := ctx.Err(); err != nil {
			return Backlinks{}, err
		}
		if query == "" || matchesAround(r, e, query) {
			list = append(list, referrer{e, key(e)})
		}
	}
	slices.SortFunc(list, func(a, b referrer) int {
		if (a.key == noDate) != (b.key == noDate) {
			return cmp.Compare(b.key, a.key) // without a date: last, in both directions
		}
		c := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.e, b.e))
		if options.Ascending {
			return c
		}
		return -c
	})
	found := Backlinks{Total: len(list)}
	offset := max(options.Offset, 0)
	page := window(list, offset, options.Limit)
	marks := hidingPages(r)
	for _, x := range page {
		if !hides(r, marks, x.e) {
			found.Results = append(found.Results, x.e)
		}
	}
	if end := offset + len(page); len(page) > 0 && end < len(list) {
		found.NextOffset = end
		found.Note = fmt.Sprintf("%d of %d are left: go on with offset %d.", len(list)-end, len(list), end)
	}
	return found, nil
}

// noDate is before every date.
const noDate = -1 << 63

func sortKey(r graphdb.Reader, by Sort) (func(graphdb.EID) int64, error) {
	attr := map[Sort]graphdb.Attr{SortCreated: graphdb.CreateTime, SortEdited: graphdb.EditTime, SortDailyNote: graphdb.LogID}[by]
	if attr == "" {
		return nil, invalid("sort is created-date, edited-date or daily-note-date, not %s.", quoted(string(by)))
	}
	return func(e graphdb.EID) int64 {
		if by == SortDailyNote && !IsPage(r, e) {
			e = r.Ref(e, graphdb.BlockPage)
		}
		if n, ok := r.Int(e, attr); ok {
			return n
		}
		return noDate
	}, nil
}

// matchesAround tells whether the text stands in a block, above it or directly
// below.
func matchesAround(r graphdb.Reader, e graphdb.EID, query string) bool {
	has := func(e graphdb.EID) bool { return strings.Contains(strings.ToLower(TextOf(r, e)), query) }
	return has(e) || slices.ContainsFunc(Ancestors(r, e), has) || slices.ContainsFunc(r.Refs(e, graphdb.BlockChildren), has)
}
