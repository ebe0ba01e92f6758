package outline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"roam-mcp/graphdb"
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
}

// SearchResult holds a window of the hits.
type SearchResult struct {
	Total int // all hits, hidden ones left out
	Hits  []graphdb.EID
}

type hit struct {
	e      graphdb.EID
	rank   int
	edited int64
}

// Search finds pages and blocks by their text, without regard to case, best
// first: title equals the query, contains it, has all its words; block contains
// it, has all its words (LOCAL_API 9.8). Equal ranks go by time of edit, newest
// first. An empty query finds nothing, an unknown scope is CodeInvalid.
func Search(ctx context.Context, r graphdb.Reader, options SearchOptions) (SearchResult, error) {
	scope := cmp.Or(options.Scope, ScopeAll)
	if !slices.Contains([]Scope{ScopeAll, ScopePages, ScopeBlocks}, scope) {
		return SearchResult{}, invalid("scope is all, pages or blocks, not %s.", quoted(string(scope)))
	}
	query := strings.ToLower(strings.TrimSpace(options.Query))
	words := strings.Fields(query)
	var hits []hit
	if query == "" {
		return SearchResult{}, nil
	}
	find := func(a graphdb.Attr, rank func(text string) int) error {
		n := 0
		for e, v := range r.Entities(a) {
			if n++; n%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if k := rank(strings.ToLower(v.Text())); k >= 0 {
				edited, _ := r.Int(e, graphdb.EditTime)
				hits = append(hits, hit{e, k, edited})
			}
		}
		return nil
	}
	if scope != ScopeBlocks {
		if err := find(graphdb.NodeTitle, func(title string) int {
			if strings.TrimSpace(title) == query {
				return 0
			}
			return rankText(title, query, words, 1)
		}); err != nil {
			return SearchResult{}, err
		}
	}
	if scope != ScopePages {
		if err := find(graphdb.BlockString, func(text string) int { return rankText(text, query, words, 3) }); err != nil {
			return SearchResult{}, err
		}
	}
	marks := hidingPages(r)
	hits = slices.DeleteFunc(hits, func(h hit) bool { return hides(r, marks, h.e) })
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.edited, a.edited), cmp.Compare(a.e, b.e))
	})
	result := SearchResult{Total: len(hits)}
	for _, h := range window(hits, options.Offset, options.Limit) {
		result.Hits = append(result.Hits, h.e)
	}
	return result, nil
}

// rankText gives best where the text contains the query, best+1 where it has
// all the words, -1 otherwise.
func rankText(text, query string, words []string, best int) int {
	if strings.Contains(text, query) {
		return best
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			return -1
		}
	}
	return best + 1
}

// window is the part of a list from offset on, limit long at most.
func window[T any](list []T, offset, limit int) []T {
	offset = min(max(offset, 0), len(list))
	return list[offset : offset+min(max(limit, 0), len(list)-offset)]
}
