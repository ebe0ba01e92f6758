package nativequery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// Everything is the Limit for all results.
const Everything = -1

// PageSort is an order of pages for grouped results.
type PageSort string

// The orders of data.roamQuery with groupByPage; "" is PagesRecent.
const (
	PagesRecent  PageSort = "page-most-recent" // the last edit of the page or of a result on it
	PagesTitle   PageSort = "page-title"
	PagesCreated PageSort = "page-created-date"
	PagesDaily   PageSort = "daily-note"
)

// Options select and order the results.
type Options struct {
	// Now defines today, in its time zone.
	Now time.Time
	// Sort orders the results, newest first unless Ascending. With GroupByPage,
	// SortPages orders the pages, and the results of a page are in Sort's default
	// order.
	Sort        outline.Sort
	SortPages   PageSort
	Ascending   bool
	GroupByPage bool
	// NestUnderParent omits results below other results.
	NestUnderParent bool
	// A result must mention all pages of Includes, and none of Removes.
	Includes, Removes []graphdb.EID
	// Except is the block of the query itself, which is never a result.
	Except graphdb.EID
	Offset int // below 0 is 0
	Limit  int // Everything: no limit
}

// Result is a part of the results.
type Result struct {
	Total   int // hidden blocks are not counted
	Results []graphdb.EID
}

// Run answers a query. It returns an error if the context has ended or an order is
// unknown.
func (q *Query) Run(ctx context.Context, db *graphdb.DB, o Options) (Result, error) {
	m := newMatcher(ctx, db, o.Now)
	found, err := m.match(q.root)
	if err != nil {
		return Result{}, err
	}
	found.keep(m.whole)
	for e := range outline.AllHidden(db) {
		found.remove(e)
	}
	if o.Except > 0 && o.Except <= db.LastEntity() {
		found.remove(o.Except)
	}
	for _, page := range o.Includes {
		found.keep(m.mentions(page))
	}
	for _, page := range o.Removes {
		found.drop(m.mentions(page))
	}
	list := found.list()
	if o.NestUnderParent {
		list = slices.DeleteFunc(list, func(e graphdb.EID) bool {
			return slices.ContainsFunc(db.Refs(e, graphdb.BlockParents), found.has)
		})
	}
	if err := sorted(db, list, o); err != nil {
		return Result{}, err
	}
	offset := min(max(o.Offset, 0), len(list))
	end := len(list)
	if o.Limit >= 0 {
		end = offset + min(o.Limit, end-offset)
	}
	return Result{Total: len(list), Results: list[offset:end]}, nil
}

func sorted(db *graphdb.DB, list []graphdb.EID, o Options) error {
	if !o.GroupByPage {
		return outline.SortByDate(db, list, o.Sort, o.Ascending)
	}
	if err := outline.SortByDate(db, list, outline.SortCreated, o.Ascending); err != nil {
		return err
	}
	groups, err := groupKeys(db, list, o.SortPages)
	if err != nil {
		return err
	}
	slices.SortStableFunc(list, func(a, b graphdb.EID) int {
		x, y := groups[pageOf(db, a)], groups[pageOf(db, b)]
		if (x.at == noDate) != (y.at == noDate) {
			return cmp.Compare(y.at, x.at) // without a date: last, in both directions
		}
		c := cmp.Or(cmp.Compare(x.at, y.at), strings.Compare(x.title, y.title), cmp.Compare(x.page, y.page))
		if o.Ascending {
			return c
		}
		return -c
	})
	return nil
}

// noDate is less than every date.
const noDate = -1 << 63

// group is a page among the results, with its sort keys.
type group struct {
	page  graphdb.EID
	at    int64
	title string
}

func groupKeys(db *graphdb.DB, list []graphdb.EID, by PageSort) (map[graphdb.EID]group, error) {
	by = cmp.Or(by, PagesRecent)
	attr := map[PageSort]graphdb.Attr{PagesRecent: graphdb.PageEditTime, PagesCreated: graphdb.CreateTime, PagesDaily: graphdb.LogID}[by]
	if attr == "" && by != PagesTitle {
		return nil, fmt.Errorf("sort with groupByPage is page-most-recent, page-title, page-created-date or daily-note, not %q", by)
	}
	groups := map[graphdb.EID]group{}
	for _, e := range list {
		page := pageOf(db, e)
		g, known := groups[page]
		if !known {
			g = group{page: page, at: noDate}
			switch at, ok := db.Int(page, attr); {
			case by == PagesTitle:
				g.title, g.at = strings.ToLower(outline.TextOf(db, page)), 0
			case ok:
				g.at = at
			}
		}
		if edited, ok := db.Int(e, graphdb.EditTime); ok && by == PagesRecent {
			g.at = max(g.at, edited)
		}
		groups[page] = g
	}
	return groups, nil
}

// pageOf returns the page of a block, or the page itself.
func pageOf(db *graphdb.DB, e graphdb.EID) graphdb.EID {
	if outline.IsPage(db, e) {
		return e
	}
	return db.Ref(e, graphdb.BlockPage)
}
