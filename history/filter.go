package history

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// defaultLimit is how many calls a page has where Filter.Limit is 0.
const defaultLimit = 50

// hour is the unit of the index call_hour.
const hour = int64(time.Hour / time.Millisecond)

// choice finds the numbers of the calls that a filter chooses.
//
// It walks one index in the order of the numbers and stops when it has as many as are
// wanted, so that a page costs the same in a large journal as in a small one, as long as
// one condition of the filter is narrow or the others are met often.
type choice struct {
	conn         *sqlite.Conn
	oldest       bool
	wanted       int
	after        int64 // numbers are greater
	before       int64 // numbers are less
	graphs       []any // rows of the graphs asked for, or of all
	conditions   []condition
	touched      []touched // places in the index of touches; nil: the filter names none
	ways         []way
	found        []int64 // in the order asked for, at most as many as are wanted
	foundNothing bool    // the filter names something that the journal does not know
}

// way is an index by which calls are found in the order of their numbers.
type way struct {
	index, column string
	values        []any
	condition     condition // that says the same, where another way is taken
}

// condition is what has to hold for a row of call.
type condition struct {
	text string
	args []any
}

// touched is a place in the index of touches.
type touched struct {
	graph  int64
	column string // "uid" or "page"
	uid    string
}

// choose returns the numbers of the calls that a filter chooses, newest first unless it
// says otherwise, at most so many.
func choose(conn *sqlite.Conn, filter Filter, wanted int) ([]int64, error) {
	c, err := newChoice(conn, filter, wanted)
	if err != nil || c.foundNothing {
		return nil, err
	}
	err = c.walk()
	return c.found, err
}

// newChoice returns the choice that a filter means, before anything is walked.
func newChoice(conn *sqlite.Conn, filter Filter, wanted int) (*choice, error) {
	c := &choice{
		conn: conn, oldest: filter.OldestFirst, wanted: wanted,
		after: filter.After, before: cmp.Or(filter.Before, math.MaxInt64),
	}
	for _, step := range []func(Filter) error{c.withTime, c.withWho, c.withGraphs, c.withTouches} {
		if err := step(filter); err != nil || c.foundNothing {
			return c, err
		}
	}
	return c, nil
}

// in adds a condition that an index can answer.
func (c *choice) in(index, column string, values []any, text string, args ...any) {
	c.ways = append(c.ways, way{index, column, values, condition{text, args}})
}

// withTime narrows the numbers to those of the hours asked for.
func (c *choice) withTime(filter Filter) error {
	first, last := int64(0), int64(math.MaxInt64)
	if !filter.Since.IsZero() {
		first = filter.Since.UnixMilli()
		c.conditions = append(c.conditions, condition{"call.at >= ?", []any{first}})
	}
	if !filter.Until.IsZero() {
		last = filter.Until.UnixMilli()
		c.conditions = append(c.conditions, condition{"call.at < ?", []any{last}})
	}
	if filter.Since.IsZero() && filter.Until.IsZero() {
		return nil
	}
	c.foundNothing = true
	return rows(c.conn, `
		WITH RECURSIVE hours (hour) AS (
			SELECT min(at / 3600000) FROM call WHERE at / 3600000 >= ?1
			UNION ALL
			SELECT (SELECT min(at / 3600000) FROM call WHERE at / 3600000 > hour) FROM hours WHERE hour < ?2
		)
		SELECT min((SELECT min(id) FROM call WHERE at / 3600000 = hour)), max((SELECT max(id) FROM call WHERE at / 3600000 = hour))
		FROM hours WHERE hour <= ?2`,
		[]any{first / hour, last / hour}, func(row *sqlite.Stmt) error {
			if row.ColumnType(0) == sqlite.TypeNull {
				return nil
			}
			c.after = max(c.after, row.ColumnInt64(0)-1)
			c.before = min(c.before, row.ColumnInt64(1)+1)
			c.foundNothing = c.after >= c.before-1
			return nil
		})
}

// withWho adds session, agent and tool.
func (c *choice) withWho(filter Filter) error {
	if filter.Session != 0 {
		c.in("call_session", "session", []any{filter.Session}, "call.session = ?", filter.Session)
	}
	if filter.Tool != "" {
		c.in("call_tool", "tool", []any{filter.Tool}, "call.tool = ?", filter.Tool)
	}
	if filter.Agent != "" {
		sessions, err := column0(c.conn, "SELECT id FROM session WHERE agent = ? ORDER BY id DESC", filter.Agent)
		if err != nil {
			return err
		}
		c.foundNothing = len(sessions) == 0
		c.in("call_session", "session", sessions, "call.session IN (SELECT id FROM session WHERE agent = ?)", filter.Agent)
	}
	return nil
}

// withGraphs adds graphs.
func (c *choice) withGraphs(filter Filter) (err error) {
	c.graphs, err = graphRows(c.conn, filter.Graphs)
	if c.foundNothing = len(c.graphs) == 0; err != nil || c.foundNothing || len(filter.Graphs) == 0 {
		return err
	}
	c.in("call_graph", "graph", c.graphs, "call.graph IN (?"+strings.Repeat(", ?", len(c.graphs)-1)+")", c.graphs...)
	return nil
}

// withTouches adds block and page. If both are asked for, the block is walked, and the
// page is a condition.
func (c *choice) withTouches(filter Filter) error {
	if filter.Block != "" {
		for _, graph := range c.graphs {
			c.touched = append(c.touched, touched{graph.(int64), "uid", filter.Block})
		}
	}
	if filter.PageUID == "" && filter.Page == "" {
		return nil
	}
	places, err := pagePlaces(c.conn, c.graphs, filter)
	if c.foundNothing = len(places) == 0; err != nil || c.foundNothing {
		return err
	}
	if filter.Block == "" {
		c.touched = places
		return nil
	}
	var either []string
	var args []any
	for _, place := range places {
		either = append(either, "touch.graph = ? AND touch."+place.column+" = ?")
		args = append(args, place.graph, place.uid)
	}
	c.conditions = append(c.conditions, condition{"EXISTS (SELECT 1 FROM change CROSS JOIN touch ON touch.change = change.id" +
		" WHERE change.call = call.id AND (" + strings.Join(either, " OR ") + "))", args})
	return nil
}

// graphRows returns the rows of graphs, all for none. A graph without a type is meant
// with every type.
func graphRows(conn *sqlite.Conn, graphs []Graph) ([]any, error) {
	if len(graphs) == 0 {
		return column0(conn, "SELECT id FROM graph")
	}
	var found []any
	for _, graph := range graphs {
		ids, err := column0(conn, "SELECT id FROM graph WHERE name = ?1 AND (?2 = '' OR type = ?2)", graph.Name, graph.Type)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if !slices.Contains(found, id) {
				found = append(found, id)
			}
		}
	}
	return found, nil
}

// column0 returns a column of numbers, to be used as parameters.
func column0(conn *sqlite.Conn, query string, args ...any) ([]any, error) {
	var found []any
	err := rows(conn, query, args, func(row *sqlite.Stmt) error {
		found = append(found, row.ColumnInt64(0))
		return nil
	})
	return found, err
}

// pagePlaces returns where touches of a page are found: what is on it, and itself.
func pagePlaces(conn *sqlite.Conn, graphs []any, filter Filter) ([]touched, error) {
	var places []touched
	add := func(graph any, uid string) {
		if (filter.PageUID == "" || uid == filter.PageUID) && slices.Contains(graphs, graph) {
			places = append(places, touched{graph.(int64), "uid", uid}, touched{graph.(int64), "page", uid})
		}
	}
	if filter.Page == "" {
		for _, graph := range graphs {
			add(graph, filter.PageUID)
		}
		return places, nil
	}
	err := rows(conn, "SELECT graph, uid FROM page WHERE title = ?", []any{filter.Page}, func(row *sqlite.Stmt) error {
		add(row.ColumnInt64(0), row.ColumnText(1))
		return nil
	})
	return places, err
}
