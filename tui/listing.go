package tui

import (
	"cmp"
	"slices"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
)

// sortOrder is how the list is sorted.
type sortOrder uint8

// The headings of the columns.
const (
	columnNickname = "NICKNAME"
	columnGraph    = "GRAPH"
	columnType     = "TYPE"
	columnAccess   = "ACCESS"
	columnState    = "STATE"
)

const (
	sortAsListed sortOrder = iota // in the order of the configuration and of Roam's list
	sortByNickname
	sortByName
	sortByState
	sortByLevel
)

// next returns the order that the sort key switches to.
func (o sortOrder) next() sortOrder { return (o + 1) % (sortByLevel + 1) }

// column returns the heading of the column that the list is sorted by; "" for
// sortAsListed.
func (o sortOrder) column() string {
	return [...]string{"", columnNickname, columnGraph, columnState, columnAccess}[o]
}

// sortedBy returns the order of a column, whose heading may be in lower case; sortAsListed
// where no such column is sorted by.
func sortedBy(column string) sortOrder {
	for o := sortByNickname; o <= sortByLevel; o++ {
		if strings.EqualFold(o.column(), column) {
			return o
		}
	}
	return sortAsListed
}

// sentence says how the list is sorted.
func (o sortOrder) sentence() string {
	if o == sortAsListed {
		return "Sorted as in the configuration, and as Roam lists them."
	}
	return "Sorted by " + strings.ToLower(o.column()) + "."
}

// row is a graph of the list.
type row struct {
	manage.Graph
	// The case-folded texts to search and sort by.
	foldedNickname, foldedName string
}

// rows returns the graphs of the roster. The caller must not change it.
func (e *env) rows() []row {
	if e.rowCacheRevision == e.roster.Revision() {
		return e.rowCache
	}
	graphs := e.roster.Graphs()
	e.rowCache, e.rowCacheRevision = make([]row, len(graphs)), e.roster.Revision()
	for i, g := range graphs {
		e.rowCache[i] = row{g, configstore.FoldNickname(g.Entry.Nickname), configstore.FoldNickname(g.Name)}
	}
	e.columns = graphColumns(e.Glyphs, e.rowCache)
	return e.rowCache
}

// listing is the filtered and sorted list of graphs. It is made anew only when its
// inputs have changed.
type listing struct {
	filter   string
	order    sortOrder
	revision int // of the env when it was made; 0 before
	rows     []row
	// configured is the number of configured graphs, which come first.
	configured int
}

// update brings the listing up to date.
func (l *listing) update(e *env, filter string, by sortOrder) {
	filter = configstore.FoldNickname(filter)
	if l.revision == e.roster.Revision() && l.filter == filter && l.order == by {
		return
	}
	*l = listing{filter: filter, order: by, revision: e.roster.Revision()}
	for _, r := range e.rows() {
		if strings.Contains(r.foldedNickname, filter) || strings.Contains(r.foldedName, filter) {
			l.rows = append(l.rows, r)
			if r.Connected {
				l.configured++
			}
		}
	}
	by.sort(l.rows[:l.configured], e.roster)
	by.sort(l.rows[l.configured:], e.roster)
}

// sort sorts the rows of a section. It is stable.
func (o sortOrder) sort(rows []row, roster *manage.Roster) {
	switch o {
	case sortAsListed:
	case sortByNickname:
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Or(strings.Compare(a.foldedNickname, b.foldedNickname), strings.Compare(a.foldedName, b.foldedName))
		})
	case sortByName:
		slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.foldedName, b.foldedName) })
	case sortByState:
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Compare(roster.State(a.Graph), roster.State(b.Graph))
		})
	case sortByLevel:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(levelRank(roster, a), levelRank(roster, b)) })
	}
}

// levelRank orders by access, the strongest first and unknown levels last.
func levelRank(roster *manage.Roster, r row) int {
	levels := localapi.RequestableLevels()
	if i := slices.Index(levels, roster.AccessLevel(r.Entry)); i >= 0 {
		return i
	}
	return len(levels)
}
