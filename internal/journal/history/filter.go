package history

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// defaultLimit is how many calls a page has where Filter.Limit is 0.
const defaultLimit = 50

// hour is the unit of the index call_hour.
const hour = int64(time.Hour / time.Millisecond)

// choose returns the numbers of the calls that a filter chooses, newest first unless it
// says otherwise, at most so many.
func choose(conn *sqlite.Conn, filter Filter, wanted int) ([]int64, error) {
	where, args := filter.where()
	return numbersOf(conn, "SELECT call.id FROM call WHERE "+where+" ORDER BY call.id"+filter.order()+" LIMIT ?", append(args, wanted)...)
}

// order is how SQL orders the numbers.
func (f Filter) order() string {
	if f.OldestFirst {
		return " ASC"
	}
	return " DESC"
}

// where returns the condition that a row of call fulfils where the filter chooses it.
func (f Filter) where() (condition string, args []any) {
	condition = "TRUE"
	add := func(text string, values ...any) {
		condition, args = condition+" AND "+text, append(args, values...)
	}
	if f.Session != 0 {
		add("call.session = ?", f.Session)
	}
	if f.Tool != "" {
		add("call.tool = ?", f.Tool)
	}
	if f.Agent != "" {
		add("call.session IN (SELECT id FROM session WHERE agent = ?)", f.Agent)
	}
	if f.Gone {
		add("call.id IN (SELECT change.call FROM change WHERE change.class IN ('gone', 'rename', 'merge') AND change.state NOT IN ('refused', 'not-done'))")
	}
	if len(f.Graphs) > 0 {
		graphs, values := graphsQuery(f.Graphs)
		add("call.graph IN ("+graphs+")", values...)
	}
	if f.Block != "" {
		add("call.id IN ("+touching("uid", anyGraph)+")", f.Block)
	}
	if pages, values := f.pages(); pages != "" {
		add("call.id IN ("+touching("uid", pages)+" UNION ALL "+touching("page", pages)+")", append(values, values...)...)
	}
	f.bounds(add)
	return condition, args
}

// bounds adds the conditions of time and number. SQLite looks at the calls between two
// numbers, of which there may be one on each side.
func (f Filter) bounds(add func(text string, values ...any)) {
	first, last, before := int64(0), int64(math.MaxInt64), cmp.Or(f.Before, math.MaxInt64)
	if !f.Since.IsZero() {
		first = f.Since.UnixMilli()
	}
	if !f.Until.IsZero() {
		last = f.Until.UnixMilli()
	}
	if !f.Since.IsZero() {
		add("call.at >= ? AND call.id >= max(?, "+fmt.Sprintf(withinHours, "min")+")", first, f.After+1, first/hour, last/hour, last/hour)
	} else if f.After != 0 {
		add("call.id > ?", f.After)
	}
	if !f.Until.IsZero() {
		add("call.at < ? AND call.id <= min(?, "+fmt.Sprintf(withinHours, "max")+")", last, before-1, first/hour, last/hour, last/hour)
	} else if f.Before != 0 {
		add("call.id < ?", f.Before)
	}
}

// withinHours is a query for the least or the greatest number of the calls of a range of
// hours. It goes from one hour to the next.
const withinHours = `(WITH RECURSIVE hours (hour) AS (
		SELECT min(at / 3600000) FROM call WHERE at / 3600000 >= ?
		UNION ALL
		SELECT (SELECT min(at / 3600000) FROM call WHERE at / 3600000 > hour) FROM hours WHERE hour < ?
	) SELECT %[1]s((SELECT %[1]s(id) FROM call WHERE at / 3600000 = hour)) FROM hours WHERE hour <= ?)`

// pages returns a query for graph and uid of the pages that a filter names; empty: any.
func (f Filter) pages() (query string, args []any) {
	switch {
	case f.Page == "" && f.PageUID == "":
		return "", nil
	case f.Page == "":
		return anyGraph, []any{f.PageUID}
	case f.PageUID == "":
		return "SELECT graph, uid FROM page WHERE title = ?", []any{f.Page}
	}
	return "SELECT graph, uid FROM page WHERE title = ? AND uid = ?", []any{f.Page, f.PageUID}
}

// anyGraph is a query for one uid in all graphs.
const anyGraph = "SELECT id AS graph, ? AS uid FROM graph"

// touching returns a query for the calls with a touch that has, in a column, one of the
// uids that another query finds.
func touching(column, places string) string {
	index := ""
	if column == "page" {
		index = " INDEXED BY touch_page"
	}
	return "SELECT change.call FROM (" + places + ") AS place CROSS JOIN touch" + index +
		" ON touch.graph = place.graph AND touch." + column + " = place.uid AND touch." + column + " <> '' CROSS JOIN change ON change.id = touch.change"
}

// graphsQuery returns a query for the numbers of graphs, of all for none. A graph without
// a type is meant with every type.
func graphsQuery(graphs []Graph) (query string, args []any) {
	if len(graphs) == 0 {
		return "SELECT id FROM graph", nil
	}
	for _, graph := range graphs {
		args = append(args, graph.Name, graph.Type)
	}
	return "SELECT id FROM graph WHERE " + strings.TrimPrefix(strings.Repeat(" OR name = ? AND ? IN ('', type)", len(graphs)), " OR "), args
}

// numbersOf returns a column of numbers.
func numbersOf(conn *sqlite.Conn, query string, args ...any) (found []int64, err error) {
	err = rows(conn, query, args, func(row *sqlite.Stmt) error {
		found = append(found, row.ColumnInt64(0))
		return nil
	})
	return found, err
}
