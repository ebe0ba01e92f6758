package actions

import (
	"context"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// queryMatcher finds what clauses match in one snapshot.
type queryMatcher struct {
	ctx   context.Context
	db    *graphdb.DB
	today time.Time
	pages entitySet
	whole entitySet // every page, and every block on one
}

func newQueryMatcher(ctx context.Context, db *graphdb.DB, today time.Time) *queryMatcher {
	m := &queryMatcher{ctx: ctx, db: db, today: today, pages: newEntitySet(db.LastEntity()), whole: newEntitySet(db.LastEntity())}
	for e := range db.Entities(graphdb.NodeTitle) {
		m.pages.add(e)
	}
	m.whole.join(m.pages)
	for e := range db.Entities(graphdb.BlockPage) {
		if outline.IsBlock(db, e) {
			m.whole.add(e)
		}
	}
	return m
}

func (m *queryMatcher) empty() entitySet { return newEntitySet(m.db.LastEntity()) }

// match returns the matches of a clause, in a set that the caller may change. It may
// hold entities that are neither pages nor blocks of a page, which Run removes.
func (m *queryMatcher) match(c queryClause) (entitySet, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	switch c.kind {
	case clauseAll, clauseSome, clauseNone:
		return m.combine(c)
	case clauseLinksPage:
		return m.mentions(outline.PageByTitle(m.db, c.text)), nil
	case clauseLinksBlock:
		return m.mentions(outline.ByUID(m.db, c.text)), nil
	case clauseSearch:
		return m.search(c.text, m.whole)
	case clauseBetween:
		first, last := c.first.on(m.today), c.last.on(m.today)
		if last.Before(first) {
			first, last = last, first
		}
		return m.days(func(day time.Time) bool { return !day.Before(first) && !day.After(last) })
	case clauseDailyNotes:
		return m.days(func(time.Time) bool { return true })
	default:
		return m.written(c.kind, c.text), nil
	}
}

func (m *queryMatcher) combine(c queryClause) (entitySet, error) {
	if c.kind == clauseAll {
		return m.every(c.kids)
	}
	found := m.empty()
	for _, kid := range c.kids {
		s, err := m.match(kid)
		if err != nil {
			return nil, err
		}
		found.join(s)
	}
	if c.kind == clauseNone {
		rest := m.empty()
		rest.join(m.whole)
		rest.drop(found)
		return rest, nil
	}
	return found, nil
}

// every returns the matches of all kids. It searches texts last, and only in the
// matches of the other kids.
func (m *queryMatcher) every(kids []queryClause) (entitySet, error) {
	found := m.empty()
	found.join(m.whole)
	for _, kid := range kids {
		if kid.kind == clauseSearch {
			continue
		}
		s, err := m.match(kid)
		if err != nil {
			return nil, err
		}
		found.keep(s)
	}
	for _, kid := range kids {
		if kid.kind == clauseSearch {
			s, err := m.search(kid.text, found)
			if err != nil {
				return nil, err
			}
			found = s
		}
	}
	return found, nil
}

// mentions returns the blocks that refer to a page or block, the blocks below them, and
// the blocks on the page.
func (m *queryMatcher) mentions(target graphdb.EID) entitySet {
	found := m.empty()
	if target != 0 {
		m.addMentions(found, target)
	}
	return found
}

func (m *queryMatcher) addMentions(found entitySet, target graphdb.EID) {
	for e := range m.db.ReverseSeq(graphdb.BlockRefs, target) {
		found.add(e)
		found.addAll(m.db.ReverseSeq(graphdb.BlockParents, e))
	}
	if outline.IsPage(m.db, target) {
		found.addAll(m.db.ReverseSeq(graphdb.BlockParents, target))
	}
}

// days returns the daily notes of wanted days, the blocks on them and those that mention
// them.
func (m *queryMatcher) days(wanted func(time.Time) bool) (entitySet, error) {
	found := m.empty()
	for page := range m.db.Entities(graphdb.LogID) {
		day, ok := outline.ParseDailyTitle(m.db.String(page, graphdb.NodeTitle))
		if !ok || !wanted(day) {
			continue
		}
		if err := m.ctx.Err(); err != nil {
			return nil, err
		}
		found.add(page)
		m.addMentions(found, page)
	}
	return found, nil
}

// search returns the blocks of a set whose text contains the words, without
// regard to case, as the search for text does (LOCAL_API.md 9.8, ranks 3 and 4).
func (m *queryMatcher) search(text string, within entitySet) (entitySet, error) {
	words := strings.Fields(strings.ToLower(text))
	found := m.empty()
	for n, e := range within.list() {
		if n%1024 == 0 && m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
		if outline.IsBlock(m.db, e) && containsAll(strings.ToLower(m.db.String(e, graphdb.BlockString)), words) {
			found.add(e)
		}
	}
	return found, nil
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// written returns the blocks that a person created or edited last. The person is
// named as displayed, or by the title of their page.
func (m *queryMatcher) written(how clauseKind, name string) entitySet {
	found := m.empty()
	page := outline.PageByTitle(m.db, name)
	for user := range m.db.Entities(graphdb.UserUID) {
		named := m.db.String(user, graphdb.UserDisplayName) == name
		if !named && (page == 0 || m.db.Ref(user, graphdb.UserDisplayPage) != page) {
			continue
		}
		if how != clauseEditedBy {
			found.addAll(m.db.ReverseSeq(graphdb.CreateUser, user))
		}
		if how != clauseCreatedBy {
			found.addAll(m.db.ReverseSeq(graphdb.EditUser, user))
		}
	}
	found.drop(m.pages)
	return found
}
