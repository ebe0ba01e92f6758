package actions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/semantic"
)

const (
	// semanticResults and maxSemanticResults are Roam's default and limit.
	semanticResults, maxSemanticResults = 25, 200
	// semanticDepth is how many levels below a result are shown by default.
	semanticDepth = 2
	// suggestedLinks is Roam's default.
	suggestedLinks = 20
)

var (
	errNoEmbeddings = errors.New("semantic search is not available: embeddings are not enabled for this graph")
	errSignedOut    = errors.New("semantic search is not available: nobody is signed in")
)

// checkSemanticSearch returns why there is no semantic search, or nil.
func (c *call) checkSemanticSearch() error {
	switch {
	case !c.registry.options.SemanticSearch:
		return errNoEmbeddings
	case c.SignedOut:
		return errSignedOut
	}
	return nil
}

// nearest returns the pages and blocks nearest to a text in meaning, best first.
func (c *call) nearest(db *graphdb.DB, query string, scope outline.Scope, k whole) ([]graphdb.EID, error) {
	if err := c.checkSemanticSearch(); err != nil {
		return nil, err
	}
	if !slices.Contains([]outline.Scope{outline.ScopeAll, outline.ScopePages, outline.ScopeBlocks}, scope) {
		return nil, fmt.Errorf("%s: scope is all, pages or blocks", c.Action)
	}
	limit := min(max(k.or(semanticResults), 0), maxSemanticResults)
	return c.Graph.meaning.Search(c.ctx, db, semantic.Query{Text: query, Scope: scope, Limit: limit})
}

// semanticFound is the result of data.ai.semanticSearch.
type semanticFound struct {
	QueriedAt string `json:"queriedAt"`
	Results   []item `json:"results"`
}

// semanticSearchForAI is data.ai.semanticSearch.
func semanticSearchForAI(c *call, asked struct {
	Query       string        `json:"query"`
	K           whole         `json:"k"`
	Scope       outline.Scope `json:"scope"`
	IncludePath *bool         `json:"includePath"`
	MaxDepth    whole         `json:"maxDepth"`
}) (any, error) {
	if strings.TrimSpace(asked.Query) == "" {
		return nil, c.missing("query")
	}
	db := c.read()
	found, err := c.nearest(db, asked.Query, cmp.Or(asked.Scope, outline.ScopeAll), asked.K)
	if err != nil {
		return nil, err
	}
	render := outline.RenderOptions{MaxDepth: max(0, asked.MaxDepth.or(semanticDepth)), Truncate: searchText}
	withPath := or(asked.IncludePath, true)
	return semanticFound{QueriedAt: c.queriedAt(), Results: items(db, found, render, withPath)}, nil
}

// nearUID is a result of data.async.semanticSearch: always one page or block here.
type nearUID struct {
	Type    string   `json:"type"`
	UID     string   `json:"uid"`
	TopUIDs []string `json:"topUids"`
}

// semanticSearch is data.async.semanticSearch, which extensions use.
func semanticSearch(c *call, asked struct {
	Query  string `json:"search-str"`
	K      whole  `json:"k"`
	Blocks *bool  `json:"search-blocks"`
	Pages  *bool  `json:"search-pages"`
}) (any, error) {
	if strings.TrimSpace(asked.Query) == "" {
		return nil, c.missing("search-str")
	}
	scope, ok := scopeOf(or(asked.Pages, true), or(asked.Blocks, true))
	if !ok {
		return []nearUID{}, nil
	}
	db := c.read()
	found, err := c.nearest(db, asked.Query, scope, asked.K)
	if err != nil {
		return nil, err
	}
	list := []nearUID{}
	for _, e := range found {
		uid, kind := db.String(e, graphdb.BlockUID), "block"
		if outline.IsPage(db, e) {
			kind = "page"
		}
		list = append(list, nearUID{Type: kind, UID: uid, TopUIDs: []string{uid}})
	}
	return list, nil
}

// suggestion is a page that a text could link.
type suggestion struct {
	Title      string `json:"title"`
	UID        string `json:"uid"`
	Text       string `json:"text"`       // the words of the text that name it
	Count      int    `json:"count"`      // how often the text has them
	References int    `json:"references"` // how often the graph refers to the page
}

// linksSuggested is the result of data.ai.suggestLinks.
type linksSuggested struct {
	Suggestions []suggestion `json:"suggestions"`
}

// suggestLinks is data.ai.suggestLinks.
func suggestLinks(c *call, asked struct {
	Text       string `json:"text"`
	MaxResults whole  `json:"maxResults"`
}) (any, error) {
	if strings.TrimSpace(asked.Text) == "" {
		return nil, c.missing("text")
	}
	if asked.MaxResults.set && asked.MaxResults.value < 1 {
		return nil, fmt.Errorf("%s: maxResults is a number from 1", c.Action)
	}
	db := c.read()
	text := outline.DecodeAnnotations(asked.Text)
	found, err := semantic.Mentions(c.ctx, db, text, asked.MaxResults.or(suggestedLinks))
	if err != nil {
		return nil, err
	}
	result := linksSuggested{Suggestions: []suggestion{}}
	for _, m := range found {
		result.Suggestions = append(result.Suggestions, suggestion{
			Title: m.Title, UID: db.String(m.Page, graphdb.BlockUID), Text: m.Text, Count: m.Count, References: m.References,
		})
	}
	return result, nil
}
