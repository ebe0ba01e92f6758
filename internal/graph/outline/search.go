package outline

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/graphdb"
)

// Scope is what a search looks at.
type Scope string

// The scopes of data.ai.search; "" is ScopeAll.
const (
	ScopeAll    Scope = "all"
	ScopePages  Scope = "pages"
	ScopeBlocks Scope = "blocks"
)

// SearchOptions say what to look for and which part of the hits to give.
type SearchOptions struct {
	Query  string
	Scope  Scope
	Offset int
	Limit  int
	// Among, where not nil, are the only pages and blocks to look at: an index
	// may know which ones can have the words (SearchWords) at all.
	Among []graphdb.EID
	// Related are pages and blocks that an index finds besides, such as by other
	// forms of the words. They come after all others.
	Related []graphdb.EID
}

// SearchResult holds a window of the hits.
type SearchResult struct {
	Total int // all hits, hidden ones left out
	Hits  []graphdb.EID
}

// SearchWords are the words, in lower case, that a text must contain to be a
// hit of a search: none for an empty query.
func SearchWords(query string) []string { return strings.Fields(strings.ToLower(query)) }

// Search finds pages and blocks by their text, without regard to case, best
// first: title equals the query, contains it, has all its words; block contains
// it, has all its words (LOCAL_API.md 9.8). Equal ranks go by time of edit, newest
// first. An empty query finds nothing, an unknown scope is CodeInvalid.
func Search(ctx context.Context, r graphdb.Reader, options SearchOptions) (SearchResult, error) {
	scope := cmp.Or(options.Scope, ScopeAll)
	if !slices.Contains([]Scope{ScopeAll, ScopePages, ScopeBlocks}, scope) {
		return SearchResult{}, invalid("scope is all, pages or blocks, not %s.", quoted(string(scope)))
	}
	s := newSearcher(r, options.Query)
	if len(s.words) == 0 {
		return SearchResult{}, nil
	}
	if scope != ScopeBlocks {
		if err := s.find(ctx, graphdb.NodeTitle, options.Among); err != nil {
			return SearchResult{}, err
		}
	}
	if scope != ScopePages {
		if err := s.find(ctx, graphdb.BlockString, options.Among); err != nil {
			return SearchResult{}, err
		}
	}
	s.relate(options.Related, scope)
	hits := s.sorted()
	result := SearchResult{Total: len(hits)}
	for _, h := range window(hits, options.Offset, options.Limit) {
		result.Hits = append(result.Hits, h.e)
	}
	return result, nil
}

type hit struct {
	e      graphdb.EID
	rank   int
	edited int64
}

// The best ranks of each kind of hit.
const (
	rankTitle   = 1 // 0 where it is the query
	rankBlock   = 3
	rankRelated = 5
)

// searcher collects hits.
type searcher struct {
	r      graphdb.Reader
	query  []byte
	words  [][]byte
	buffer []byte // of the text in lower case
	hits   []hit
}

func newSearcher(r graphdb.Reader, query string) *searcher {
	s := &searcher{r: r, query: []byte(strings.ToLower(strings.TrimSpace(query)))}
	for _, w := range SearchWords(query) {
		s.words = append(s.words, []byte(w))
	}
	return s
}

// find looks at an attribute of all entities, or of those.
func (s *searcher) find(ctx context.Context, a graphdb.Attr, among []graphdb.EID) error {
	if among != nil {
		for _, e := range among {
			if text, ok := s.r.Get(e, a); ok {
				s.look(e, a, text.Text())
			}
		}
		return ctx.Err()
	}
	n := 0
	for e, v := range s.r.Entities(a) {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.look(e, a, v.Text())
	}
	return nil
}

func (s *searcher) look(e graphdb.EID, a graphdb.Attr, text string) {
	best := rankBlock
	if a == graphdb.NodeTitle {
		best = rankTitle
	}
	if k := s.rank(text, best); k >= 0 {
		s.hit(e, k)
	}
}

func (s *searcher) hit(e graphdb.EID, rank int) {
	edited, _ := s.r.Int(e, graphdb.EditTime)
	s.hits = append(s.hits, hit{e, rank, edited})
}

// rank gives best where the text contains the query (one less for a title that
// is the query), best+1 where it has all the words, -1 otherwise.
func (s *searcher) rank(text string, best int) int {
	lower := s.lower(text)
	if bytes.Contains(lower, s.query) {
		if best == rankTitle && len(bytes.TrimSpace(lower)) == len(s.query) {
			return best - 1
		}
		return best
	}
	for _, w := range s.words {
		if !bytes.Contains(lower, w) {
			return -1
		}
	}
	return best + 1
}

// lower is strings.ToLower into a buffer that is used again.
func (s *searcher) lower(text string) []byte {
	s.buffer = s.buffer[:0]
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			s.buffer = append(s.buffer[:0], strings.ToLower(text)...)
			break
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		s.buffer = append(s.buffer, c)
	}
	return s.buffer
}

// relate adds related hits that were not found already.
func (s *searcher) relate(related []graphdb.EID, scope Scope) {
	found := make(map[graphdb.EID]bool, len(s.hits))
	for _, h := range s.hits {
		found[h.e] = true
	}
	for _, e := range related {
		page := IsPage(s.r, e)
		if found[e] || page && scope == ScopeBlocks || !page && (scope == ScopePages || !IsBlock(s.r, e)) {
			continue
		}
		s.hit(e, rankRelated)
	}
}

// sorted gives the hits that are not hidden, best first.
func (s *searcher) sorted() []hit {
	marks := hidingPages(s.r)
	hits := slices.DeleteFunc(s.hits, func(h hit) bool { return hides(s.r, marks, h.e) })
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.edited, a.edited), cmp.Compare(a.e, b.e))
	})
	return hits
}

// window is the part of a list from offset on, limit long at most.
func window[T any](list []T, offset, limit int) []T {
	offset = min(max(offset, 0), len(list))
	return list[offset : offset+min(max(limit, 0), len(list)-offset)]
}

// Sort is an order of backlinks and of the results of queries.
type Sort string

// The orders of data.ai.getBacklinks and data.ai.roamQuery; "" is SortCreated.
const (
	SortCreated   Sort = "created-date"
	SortEdited    Sort = "edited-date"
	SortDailyNote Sort = "daily-note-date" // the day of the note a block is on; others come last
)

// SortByDate puts pages and blocks in order, newest first or, ascending, oldest
// first. What has no such date comes last in both directions; equal dates go by
// entity id. An unknown order is CodeInvalid.
func SortByDate(r graphdb.Reader, entities []graphdb.EID, by Sort, ascending bool) error {
	key, err := sortKey(r, cmp.Or(by, SortCreated))
	if err != nil {
		return err
	}
	type dated struct {
		e   graphdb.EID
		key int64
	}
	list := make([]dated, len(entities))
	for i, e := range entities {
		list[i] = dated{e, key(e)}
	}
	slices.SortFunc(list, func(a, b dated) int {
		if (a.key == noDate) != (b.key == noDate) {
			return cmp.Compare(b.key, a.key)
		}
		c := cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.e, b.e))
		if ascending {
			return c
		}
		return -c
	})
	for i, x := range list {
		entities[i] = x.e
	}
	return nil
}

// noDate is before every date.
const noDate = -1 << 63

func sortKey(r graphdb.Reader, by Sort) (func(graphdb.EID) int64, error) {
	attr := map[Sort]graphdb.Attr{SortCreated: graphdb.CreateTime, SortEdited: graphdb.EditTime, SortDailyNote: graphdb.LogID}[by]
	if attr == "" {
		return nil, invalid("sort is created-date, edited-date or daily-note-date, not %s.", quoted(string(by)))
	}
	return func(e graphdb.EID) int64 {
		if by == SortDailyNote && !IsPage(r, e) {
			e = r.Ref(e, graphdb.BlockPage)
		}
		if n, ok := r.Int(e, attr); ok {
			return n
		}
		return noDate
	}, nil
}
