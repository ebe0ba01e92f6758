package actions

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/bits"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// roamQuery is one of Roam's own queries, the ones in {{[[query]]: …}} blocks: references to
// pages and blocks, search, days and authors, combined by and, or and not (LOCAL_API.md 9.8).
// A block counts as mentioning what the blocks above it mention, and the page it is on.
type roamQuery struct {
	// Title is the name that the query was given, "" for none.
	Title string
	root  queryClause
}

// clauseKind is the kind of a clause.
type clauseKind uint8

const (
	clauseAll        clauseKind = iota // every kid
	clauseSome                         // at least one kid
	clauseNone                         // not the kid
	clauseLinksPage                    // mentions the page titled text
	clauseLinksBlock                   // mentions the block with the uid text
	clauseSearch                       // the block's own text contains text
	clauseBetween                      // belongs to a day from first to last
	clauseDailyNotes                   // belongs to any day
	clauseCreatedBy                    // the author is text
	clauseEditedBy                     // the last editor is text
	clauseBy                           // one of the two
)

type queryClause struct {
	kind clauseKind
	kids []queryClause
	text string
	// first and last are the ends of a span of days.
	first, last day
}

// roamQueryError is a syntax error in a query.
type roamQueryError struct {
	Offset  int // characters from the start of the query's own text
	Message string
}

func (e *roamQueryError) Error() string {
	return fmt.Sprintf("the query can't be read at character %d: %s", e.Offset+1, e.Message)
}

var _ error = (*roamQueryError)(nil)

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

// savedQuery holds the settings of a query block. Roam keeps them among the block's
// properties in an undocumented form. Here they are the property "query" with the
// names of data.roamQuery; the settings of an imported graph are ignored.
type savedQuery struct {
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

// savedSettings returns the settings of a query block, with the defaults of a new query
// for those that are missing or can't be read.
func savedSettings(r graphdb.Reader, block graphdb.EID) savedQuery {
	var props struct {
		Query savedQuery `json:"query"`
	}
	if json.Unmarshal([]byte(outline.ReadBlock(r, block).Props), &props) != nil {
		return savedQuery{}
	}
	return props.Query
}

// Apply sets options to the saved settings. An included page that does not exist
// excludes everything. An unknown order is ignored.
func (s savedQuery) Apply(r graphdb.Reader, o *roamQueryOptions) {
	o.GroupByPage, o.NestUnderParent, o.Ascending = s.GroupByPage, s.NestUnderParent, s.SortOrder == "asc"
	switch by := outline.Sort(s.Sort); by {
	case outline.SortCreated, outline.SortEdited, outline.SortDailyNote:
		o.Sort = by
	}
	switch by := pageSort(s.Sort); by {
	case pagesRecent, pagesTitle, pagesCreated, pagesDaily:
		o.SortPages = by
	}
	for _, title := range s.Filters.Includes {
		o.Includes = append(o.Includes, outline.PageByTitle(r, title))
	}
	for _, title := range s.Filters.Removes {
		o.Removes = append(o.Removes, outline.PageByTitle(r, title))
	}
}

// entitySet is a bit set of entities, up to the highest id of the snapshot.
type entitySet []uint64

func newEntitySet(highest graphdb.EID) entitySet { return make(entitySet, highest/64+1) }

func (s entitySet) add(e graphdb.EID) { s[e/64] |= 1 << (e % 64) }

func (s entitySet) addAll(entities iter.Seq[graphdb.EID]) {
	for e := range entities {
		s.add(e)
	}
}

func (s entitySet) remove(e graphdb.EID) { s[e/64] &^= 1 << (e % 64) }

func (s entitySet) has(e graphdb.EID) bool { return s[e/64]>>(e%64)&1 != 0 }

// keep removes what is not in the other set.
func (s entitySet) keep(other entitySet) {
	for i := range s {
		s[i] &= other[i]
	}
}

// join adds the other set.
func (s entitySet) join(other entitySet) {
	for i := range s {
		s[i] |= other[i]
	}
}

// drop removes the other set.
func (s entitySet) drop(other entitySet) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// list returns the entities in ascending order.
func (s entitySet) list() []graphdb.EID {
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
