// Package nativequery answers Roam's own queries, the ones in {{[[query]]: …}}
// blocks: references to pages and blocks, search, days and authors, combined by
// and, or and not (LOCAL_API.md 9.8). A block counts as mentioning what the blocks
// above it mention, and the page it is on.
//
// It promises the same order and count for the same snapshot, and never returns hidden
// blocks. It knows nothing of JSON or rendering.
package nativequery

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/bits"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
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

// Saved holds the settings of a query block. Roam keeps them among the block's
// properties in an undocumented form. Here they are the property "query" with the
// names of data.roamQuery; the settings of an imported graph are ignored.
type Saved struct {
	Sort            string `json:"sort"`
	SortOrder       string `json:"sortOrder"` // asc, or desc for anything else
	GroupByPage     bool   `json:"groupByPage"`
	NestUnderParent bool   `json:"nestUnderParent"`
	ShowPaths       *bool  `json:"showPaths"` // nil: yes
	// Filters are titles of pages, as in ui.filters.
	Filters struct {
		Includes []string `json:"includes"`
		Removes  []string `json:"removes"`
	} `json:"filters"`
}

// SavedSettings returns the settings of a query block, with the defaults of a new query
// for those that are missing or can't be read.
func SavedSettings(r graphdb.Reader, block graphdb.EID) Saved {
	var props struct {
		Query Saved `json:"query"`
	}
	if json.Unmarshal([]byte(outline.ReadBlock(r, block).Props), &props) != nil {
		return Saved{}
	}
	return props.Query
}

// Apply sets options to the saved settings. An included page that does not exist
// excludes everything. An unknown order is ignored.
func (s Saved) Apply(r graphdb.Reader, o *Options) {
	o.GroupByPage, o.NestUnderParent, o.Ascending = s.GroupByPage, s.NestUnderParent, s.SortOrder == "asc"
	switch by := outline.Sort(s.Sort); by {
	case outline.SortCreated, outline.SortEdited, outline.SortDailyNote:
		o.Sort = by
	}
	switch by := PageSort(s.Sort); by {
	case PagesRecent, PagesTitle, PagesCreated, PagesDaily:
		o.SortPages = by
	}
	for _, title := range s.Filters.Includes {
		o.Includes = append(o.Includes, outline.PageByTitle(r, title))
	}
	for _, title := range s.Filters.Removes {
		o.Removes = append(o.Removes, outline.PageByTitle(r, title))
	}
}

// set is a bit set of entities, up to the highest id of the snapshot.
type set []uint64

func newSet(highest graphdb.EID) set { return make(set, highest/64+1) }

func (s set) add(e graphdb.EID) { s[e/64] |= 1 << (e % 64) }

func (s set) addAll(entities iter.Seq[graphdb.EID]) {
	for e := range entities {
		s.add(e)
	}
}

func (s set) remove(e graphdb.EID) { s[e/64] &^= 1 << (e % 64) }

func (s set) has(e graphdb.EID) bool { return s[e/64]>>(e%64)&1 != 0 }

// keep removes what is not in the other set.
func (s set) keep(other set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// join adds the other set.
func (s set) join(other set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// drop removes the other set.
func (s set) drop(other set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// list returns the entities in ascending order.
func (s set) list() []graphdb.EID {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	out := make([]graphdb.EID, 0, n)
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			out = append(out, graphdb.EID(i*64+bits.TrailingZeros64(word)))
		}
	}
	return out
}
