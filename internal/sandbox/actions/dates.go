package actions

import (
	"encoding/json"
	"fmt"
	"time"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
)

// dateActions turn days into the names of daily notes and back. A Date of JavaScript
// travels as its JSON, which is ISO 8601.
func dateActions() map[string]action {
	return map[string]action{
		"util.dateToPageTitle": {desk.Read, ofDay(outline.DailyTitle)},
		"util.dateToPageUid":   {desk.Read, ofDay(outline.DailyUID)},
		"util.pageTitleToDate": {desk.Read, pageTitleToDate},
	}
}

// ofDay returns the action that names the day that is its argument: a time as text or
// in milliseconds since 1970, in the user's time zone, or a date without a time.
func ofDay(name func(time.Time) string) func(*call) (any, error) {
	return func(c *call) (any, error) {
		value, err := c.anything(0, "the date")
		if err != nil {
			return nil, err
		}
		switch value := value.(type) {
		case json.Number:
			if ms, err := value.Float64(); err == nil && ms > -1<<53 && ms < 1<<53 {
				return name(time.UnixMilli(int64(ms)).In(c.Now.Location())), nil
			}
		case string:
			if day, err := time.Parse(time.DateOnly, value); err == nil {
				return name(day), nil
			}
			if at, err := time.Parse(time.RFC3339, value); err == nil {
				return name(at.In(c.Now.Location())), nil
			}
		}
		return nil, fmt.Errorf("%s: the date is ISO 8601, as in 2026-11-21 or 2026-11-21T09:30:00Z, or milliseconds since 1970", c.Action)
	}
}

// pageTitleToDate returns midnight of a daily note's day in the user's time zone, or
// null for another title.
func pageTitleToDate(c *call) (any, error) {
	var title string
	if err := c.positional(0, "the title", &title); err != nil {
		return nil, err
	}
	day, ok := outline.ParseDailyTitle(title)
	if !ok {
		return nil, nil
	}
	return isoTime(time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, c.Now.Location())), nil
}
