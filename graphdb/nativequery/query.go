// Package nativequery answers Roam's own queries, the ones in {{[[query]]: …}}
// blocks: references to pages and blocks, search, days and authors, combined by
// and, or and not (LOCAL_API.md 9.8). A block counts as mentioning what the blocks
// above it mention, and the page it is on.
//
// It promises the same order and count for the same snapshot, and never returns hidden
// blocks. It knows nothing of JSON or rendering.
package nativequery

import (
	"fmt"
	"time"
)

// Query is a parsed query.
type Query struct {
	// Title is the name that the query was given, "" for none.
	Title string
	root  clause
}

// kind is the kind of a clause.
type kind uint8

const (
	all        kind = iota // every kid
	some                   // at least one kid
	none                   // not the kid
	linksPage              // mentions the page titled text
	linksBlock             // mentions the block with the uid text
	search                 // the block's own text contains text
	between                // belongs to a day from first to last
	dailyNotes             // belongs to any day
	createdBy              // the author is text
	editedBy               // the last editor is text
	by                     // one of the two
)

type clause struct {
	kind kind
	kids []clause
	text string
	// first and last are the ends of a span of days.
	first, last day
}

// Error is a syntax error in a query.
type Error struct {
	Offset  int // characters from the start of the query's own text
	Message string
}

func (e *Error) Error() string {
	return fmt.Sprintf("the query can't be read at character %d: %s", e.Offset+1, e.Message)
}

var _ error = (*Error)(nil)

// day is a date, or one relative to today.
type day struct {
	date  time.Time // midnight UTC; zero if shift is set
	shift func(today time.Time) time.Time
}

// on returns the date, midnight UTC, relative to a day.
func (d day) on(today time.Time) time.Time {
	if d.shift == nil {
		return d.date
	}
	return d.shift(time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC))
}

// relativeDay returns the day of a phrase such as "last week", which is a week before
// today (LOCAL_API.md 9.2).
func relativeDay(word string) (day, bool) {
	days := map[string]int{"today": 0, "yesterday": -1, "tomorrow": 1, "last week": -7, "next week": 7}
	if n, ok := days[word]; ok {
		return day{shift: func(today time.Time) time.Time { return today.AddDate(0, 0, n) }}, true
	}
	months := map[string]int{"last month": -1, "next month": 1}
	if n, ok := months[word]; ok {
		return day{shift: func(today time.Time) time.Time { return sameDayOfMonth(today, n) }}, true
	}
	return day{}, false
}

// sameDayOfMonth adds months to a date, without overflow into the next month: a month
// before March 31st is the last of February.
func sameDayOfMonth(t time.Time, months int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
