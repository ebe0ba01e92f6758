package actions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// everyResult is the Limit for all results.
const everyResult = -1

// pageSort is an order of pages for grouped results.
type pageSort string

// The orders of data.roamQuery with groupByPage; "" is PagesRecent.
const (
	pagesRecent  pageSort = "page-most-recent" // the last edit of the page or of a result on it
	pagesTitle   pageSort = "page-title"
	pagesCreated pageSort = "page-created-date"
	pagesDaily   pageSort = "daily-note"
)

// roamQueryOptions select and order the results.
type roamQueryOptions struct {
	// Now defines today, in its time zone.
	Now time.Time
	// Sort orders the results, newest first unless Ascending. With GroupByPage,
	// SortPages orders the pages, and the results of a page are in Sort's default
	// order.
	Sort        outline.Sort
	SortPages   pageSort
	Ascending   bool
	GroupByPage bool
	// NestUnderParent omits results below other results.
	NestUnderParent bool
	// A result must mention all pages of Includes, and none of Removes.
	Includes, Removes []graphdb.EID
	// Except is the block of the query itself, which is never a result.
	Except graphdb.EID
	Offset int // below 0 is 0
	Limit  int // everyResult: no limit
}

// roamQueryResult is a part of the results.
type roamQueryResult struct {
	Total   int // hidden blocks are not counted
	Results []graphdb.EID
}

// Run answers a query, with the same order and count for the same snapshot and never with
// hidden blocks. It returns an error if the context has ended or an order is
// unknown.
func (q *roamQuery) Run(ctx context.Context, db *graphdb.DB, o roamQueryOptions) (roamQueryResult, error) {
	m := newQueryMatcher(ctx, db, o.Now)
	found, err := m.match(q.root)
	if err != nil {
		return roamQueryResult{}, err
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
	if err := sortedResults(db, list, o); err != nil {
		return roamQueryResult{}, err
	}
	offset := min(max(o.Offset, 0), len(list))
	end := len(list)
	if o.Limit >= 0 {
		end = offset + min(o.Limit, end-offset)
	}
	return roamQueryResult{Total: len(list), Results: list[offset:end]}, nil
}

func sortedResults(db *graphdb.DB, list []graphdb.EID, o roamQueryOptions) error {
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

// pageGroup is a page among the results, with its sort keys.
type pageGroup struct {
	page  graphdb.EID
	at    int64
	title string
}

func groupKeys(db *graphdb.DB, list []graphdb.EID, by pageSort) (map[graphdb.EID]pageGroup, error) {
	by = cmp.Or(by, pagesRecent)
	attr := map[pageSort]graphdb.Attr{pagesRecent: graphdb.PageEditTime, pagesCreated: graphdb.CreateTime, pagesDaily: graphdb.LogID}[by]
	if attr == "" && by != pagesTitle {
		return nil, fmt.Errorf("sort with groupByPage is page-most-recent, page-title, page-created-date or daily-note, not %q", by)
	}
	groups := map[graphdb.EID]pageGroup{}
	for _, e := range list {
		page := pageOf(db, e)
		g, known := groups[page]
		if !known {
			g = pageGroup{page: page, at: noDate}
			switch at, ok := db.Int(page, attr); {
			case by == pagesTitle:
				g.title, g.at = strings.ToLower(outline.TextOf(db, page)), 0
			case ok:
				g.at = at
			}
		}
		if edited, ok := db.Int(e, graphdb.EditTime); ok && by == pagesRecent {
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
