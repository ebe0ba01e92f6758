package tui

import (
	"cmp"
	"slices"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
)

// sortOrder is how the person wants the list sorted.
type sortOrder uint8

const (
	sortAsListed sortOrder = iota // as the configuration and Roam list them
	sortByNickname
	sortByName
	sortByState
	sortByLevel
)

// next is the order that the sort key leads to.
func (o sortOrder) next() sortOrder { return (o + 1) % (sortByLevel + 1) }

// words say how the list is sorted; empty for the order it comes in.
func (o sortOrder) words() string {
	return [...]string{"", "by nickname", "by name", "by state", "by access"}[o]
}

// listing is the list of graphs as the person wants it, filtered and sorted. It
// is made anew only when something that it rests on has changed.
type listing struct {
	filter   string
	order    sortOrder
	revision int // of the env; 0 for none yet
	rows     []row
	at       map[localapi.Graph]int
	// configured are the rows of the first section.
	configured int
}

// update brings the listing up to date.
func (l *listing) update(e *env, filter string, by sortOrder) {
	filter = configstore.FoldNickname(filter)
	if l.revision == e.revision && l.filter == filter && l.order == by {
		return
	}
	*l = listing{filter: filter, order: by, revision: e.revision, at: make(map[localapi.Graph]int)}
	for _, r := range e.rows() {
		if strings.Contains(r.foldedNickname, filter) || strings.Contains(r.foldedName, filter) {
			l.rows = append(l.rows, r)
			if r.configured {
				l.configured++
			}
		}
	}
	e.sort(l.rows[:l.configured], by)
	e.sort(l.rows[l.configured:], by)
	for i, r := range l.rows {
		l.at[r.graph] = i
	}
}

// sort brings the rows of one section into the order; what is equal in it stays
// as it was listed.
func (e *env) sort(rows []row, by sortOrder) {
	switch by {
	case sortAsListed:
	case sortByNickname:
		slices.SortStableFunc(rows, func(a, b row) int {
			return cmp.Or(strings.Compare(a.foldedNickname, b.foldedNickname), strings.Compare(a.foldedName, b.foldedName))
		})
	case sortByName:
		slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.foldedName, b.foldedName) })
	case sortByState:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(e.stateOf(a).rank, e.stateOf(b).rank) })
	case sortByLevel:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(e.levelRank(a), e.levelRank(b)) })
	}
}

// levelRank puts the strongest access first and what is not known last.
func (e *env) levelRank(r row) int {
	levels := localapi.RequestableLevels()
	if i := slices.Index(levels, e.access(r)); i >= 0 {
		return i
	}
	return len(levels)
}
