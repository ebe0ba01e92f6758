package outline

import (
	"cmp"
	"slices"

	"roam-mcp/graphdb"
)

// Sort is an order of backlinks and of the results of queries.
type Sort string

// The orders of data.ai.getBacklinks and data.ai.roamQuery; "" is SortCreated.
const (
	SortCreated   Sort = "created-date"
	SortEdited    Sort = "edited-date"
	SortDailyNote Sort = "daily-note-date" // the day of the note a block is on; others come last
)

// SortByDate puts pages and blocks in order, newest first or, ascending, oldest
// first. What has no such date comes last in both directions; equal dates go by
// entity id. An unknown order is CodeInvalid.
func SortByDate(r graphdb.Reader, entities []graphdb.EID, by Sort, ascending bool) error {
	key, err := sortKey(r, cmp.Or(by, SortCreated))
	if err != nil {
		return err
	}
	type dated struct {
		e   graphdb.EID
		key int64
	}
	list := make([]dated, len(entities))
	for i, e := range entities {
		list[i] = dated{e, key(e)}
	}
	slices.SortFunc(list, func(a, b dated) int {
		if (a.key == noDate) != (b.key == noDate) {
			return cmp.Compare(b.key, a.key)
		}
		c := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.e, b.e))
		if ascending {
			return c
		}
		return -c
	})
	for i, x := range list {
		entities[i] = x.e
	}
	return nil
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
