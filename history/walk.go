package history

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"
)

// probed is up to how many rows are counted to find the narrowest index.
const probed = 1000

// Of so many calls for each one that is wanted, the nearest ones are looked at before
// those of more than fewValues sessions one by one.
const (
	nearest   = 50
	fewValues = 3
)

// errEnough ends a statement before its last row.
var errEnough = errors.New("enough rows")

// walk takes the narrowest way.
func (c *choice) walk() error {
	switch {
	case c.touched != nil:
		c.conditionsBut(-1)
		return c.walkTouches()
	case len(c.ways) == 0:
		return c.walkIndex("NOT INDEXED", "call.id > 0")
	}
	taken, err := c.narrowest()
	if err != nil {
		return err
	}
	way := c.ways[taken]
	c.conditionsBut(taken)
	if len(way.values) > fewValues {
		if err := c.walkNearest(way.condition); err != nil || len(c.found) == c.wanted {
			return err
		}
	}
	for _, value := range way.values {
		if err := c.walkIndex("INDEXED BY "+way.index, "call."+way.column+" = ?", value); err != nil {
			return err
		}
	}
	return nil
}

// conditionsBut makes conditions of all ways but one.
func (c *choice) conditionsBut(taken int) {
	for i, way := range c.ways {
		if i != taken {
			c.conditions = append(c.conditions, way.condition)
		}
	}
}

// narrowest returns which way has the fewest calls.
func (c *choice) narrowest() (int, error) {
	if len(c.ways) == 1 {
		return 0, nil
	}
	best, least := 0, int64(math.MaxInt64)
	for i, way := range c.ways {
		n, err := c.count(way)
		if err != nil {
			return i, err
		}
		if n < least {
			best, least = i, n
		}
	}
	return best, nil
}

// count returns how many calls a way has, probed where these are more.
func (c *choice) count(way way) (n int64, err error) {
	for _, value := range way.values {
		more, err := number(c.conn, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM call INDEXED BY %s WHERE %s = ? LIMIT %d)",
			way.index, way.column, probed), value)
		if err != nil {
			return 0, err
		}
		if n += more; n >= probed {
			return probed, nil
		}
	}
	return n, nil
}

// walkNearest adds the calls that fulfil a condition among those that come first. It
// spares a look at each of many sessions where an agent is at work all the time.
func (c *choice) walkNearest(condition condition) error {
	end, err := number(c.conn, "SELECT ifnull(max(id), 0) + 1 FROM call")
	if err != nil {
		return err
	}
	near, window := *c, int64(nearest*min(c.wanted, 1000))
	if near.conditions = append(slices.Clip(near.conditions), condition); c.oldest {
		first, err := number(c.conn, "SELECT ifnull(min(id), 0) FROM call")
		if err != nil {
			return err
		}
		near.before = min(c.before, max(c.after, first)+window)
	} else {
		near.after = max(c.after, min(c.before, end)-window)
	}
	if err := near.walkIndex("NOT INDEXED", "call.id > 0"); err != nil {
		return err
	}
	c.add(near.found)
	return nil
}

// order is how SQL orders numbers as they are asked for.
func (c *choice) order() string {
	if c.oldest {
		return " ASC"
	}
	return " DESC"
}

// where returns the bounds of numbers and the conditions, as a continued WHERE clause.
func (c *choice) where() (string, []any) {
	where, args := " AND call.id > ? AND call.id < ?", []any{c.after, c.before}
	for _, condition := range c.conditions {
		where += " AND " + condition.text
		args = append(args, condition.args...)
	}
	return where, args
}

// walkIndex adds the calls that fulfil a condition, which an index answers.
func (c *choice) walkIndex(index, condition string, value ...any) error {
	where, args := c.where()
	var found []int64
	err := rows(c.conn, "SELECT call.id FROM call "+index+" WHERE "+condition+where+" ORDER BY call.id"+c.order()+" LIMIT ?",
		append(append(value, args...), c.wanted), func(row *sqlite.Stmt) error {
			found = append(found, row.ColumnInt64(0))
			return nil
		})
	c.add(found)
	return err
}

// add adds numbers to those found, and narrows the bounds to what can still be among
// those wanted.
func (c *choice) add(found []int64) {
	c.found = append(c.found, found...)
	slices.Sort(c.found)
	if c.found = slices.Compact(c.found); !c.oldest {
		slices.Reverse(c.found)
	}
	if len(c.found) < c.wanted {
		return
	}
	c.found = c.found[:c.wanted]
	if last := c.found[c.wanted-1]; c.oldest {
		c.before = min(c.before, last)
	} else {
		c.after = max(c.after, last)
	}
}

// walkTouches adds the calls that touched one of the places.
func (c *choice) walkTouches() error {
	for _, place := range c.touched {
		if err := c.walkTouched(place); err != nil {
			return err
		}
	}
	return nil
}

// walkTouched adds the calls that touched a place.
//
// Touches are in the order of changes, which is not quite that of calls: of two calls
// that are made at the same time, the earlier one may have the later change. But the
// first changes of calls are in the order of calls, and that says how far back to look.
func (c *choice) walkTouched(place touched) error {
	index := ""
	if place.column == "page" {
		index = "INDEXED BY touch_page"
	}
	where, args := c.where()
	query := "SELECT change.call, change.id FROM touch " + index +
		" CROSS JOIN change ON change.id = touch.change CROSS JOIN call ON call.id = change.call" +
		" WHERE touch.graph = ? AND touch." + place.column + " = ? AND touch.change > ?"
	if place.column == "page" {
		query += " AND touch.page <> ''"
	}
	first, err := c.firstChange(c.after)
	if err != nil {
		return err
	}
	var found []int64
	known, end := map[int64]bool{}, first
	err = rows(c.conn, query+where+" ORDER BY touch.change"+c.order(), append([]any{place.graph, place.uid, first}, args...),
		func(row *sqlite.Stmt) error {
			call, change := row.ColumnInt64(0), row.ColumnInt64(1)
			if !c.oldest && change < end {
				return errEnough
			}
			if known[call] {
				return nil
			}
			known[call] = true
			if found = append(found, call); c.oldest || len(found) < c.wanted {
				return nil
			}
			slices.SortFunc(found, func(a, b int64) int { return cmp.Compare(b, a) })
			end, err = c.firstChange(found[c.wanted-1])
			return err
		})
	if errors.Is(err, errEnough) {
		err = nil
	}
	c.add(found)
	return err
}

// firstChange returns a call's first change, 0 where there is no such call.
func (c *choice) firstChange(call int64) (int64, error) {
	return number(c.conn, "SELECT ifnull(min(id), 0) FROM change WHERE call = ?", call)
}
