package actions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/graph/search"
)

const (
	// fewCandidates and candidateShare bound how many candidates an index may give
	// before reading all texts is as quick: a number, or a share of the graph (one
	// in so many).
	fewCandidates  = 2000
	candidateShare = 20

	// graphSearchLimit is the default limit of data.search.
	graphSearchLimit = 300
	// defaultPull is what data.search and data.roamQuery pull by default.
	defaultPull = "[:block/string :node/title :block/uid]"
)

// find searches, with the full-text index where that is quicker.
func (c *call) find(options outline.SearchOptions) (*graphdb.DB, outline.SearchResult, error) {
	db := c.read()
	most := max(fewCandidates, (db.Count(graphdb.NodeTitle)+db.Count(graphdb.BlockString))/candidateShare)
	if indexed, among, ok := c.Graph.Data.Containing(c.ctx, outline.SearchWords(options.Query), most); ok {
		db, options.Among = indexed, append([]graphdb.EID{}, among...) // not nil, even where nothing was found
	}
	found, err := outline.Search(c.ctx, db, options)
	return db, found, err
}

// searchGraph is data.search: it pulls what Roam's own search box finds. Blocks and
// pages with other forms of the words come after those with the words.
func searchGraph(c *call, asked struct {
	Text     *string `json:"search-str"`
	Blocks   *bool   `json:"search-blocks"`
	Pages    *bool   `json:"search-pages"`
	HideCode bool    `json:"hide-code-blocks"`
	Limit    whole   `json:"limit"`
	Pull     any     `json:"pull"`
}) (any, error) {
	if asked.Text == nil {
		return nil, c.missing("search-str")
	}
	scope, ok := scopeOf(or(asked.Pages, true), or(asked.Blocks, true))
	if !ok {
		return []struct{}{}, nil
	}
	options := outline.SearchOptions{Query: *asked.Text, Scope: scope, Limit: 1 << 30}
	db := c.read()
	if indexed, related, ok := c.Graph.Data.WithStems(c.ctx, *asked.Text, fewCandidates); ok {
		db, options.Related = indexed, related
	}
	found, err := outline.Search(c.ctx, db, options)
	if err != nil {
		return nil, err
	}
	hits := found.Hits
	if asked.HideCode {
		hits = slices.DeleteFunc(hits, func(e graphdb.EID) bool {
			return strings.HasPrefix(db.String(e, graphdb.BlockString), "```")
		})
	}
	return c.pullAll(db, asked.Pull, hits[:min(len(hits), max(0, asked.Limit.or(graphSearchLimit)))])
}

// scopeOf returns the scope of a search for pages, blocks or both, and false for
// neither.
func scopeOf(pages, blocks bool) (outline.Scope, bool) {
	switch {
	case pages && blocks:
		return outline.ScopeAll, true
	case pages:
		return outline.ScopePages, true
	}
	return outline.ScopeBlocks, blocks
}

// copies is how many more times a text within a result is there while that is encoded.
const copies = 3

// pullAll pulls entities, in their order; a nil pattern stands for defaultPull.
func (c *call) pullAll(db *graphdb.DB, pattern any, entities []graphdb.EID) ([]json.RawMessage, error) {
	if pattern == nil {
		pattern = defaultPull
	}
	ids := make([]any, len(entities))
	for i, e := range entities {
		ids[i] = e
	}
	values, err := datalog.PullMany(c.ctx, db, pattern, ids, datalog.Options{Memory: c.Memory})
	if err != nil {
		return nil, err
	}
	pulled := make([]json.RawMessage, len(values))
	for i, value := range values {
		text, err := c.Memory.JSON(value, datalog.Qualified)
		if err == nil && !c.Memory.Hold(copies*len(text)) {
			err = c.Memory.Full()
		}
		if err != nil {
			return nil, err
		}
		pulled[i] = text
	}
	return pulled, nil
}

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
	return c.Graph.meaning.Search(c.ctx, db, search.MeaningQuery{Text: query, Scope: scope, Limit: limit})
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
	block := roamtext.Passage{Text: outline.DecodeAnnotations(asked.Text)}
	var pages []roamtext.NamedPage
	for page, title := range db.Entities(graphdb.NodeTitle) {
		pages = append(pages, roamtext.NamedPage{Title: title.Text(), UID: db.String(page, graphdb.BlockUID)})
	}
	found, err := roamtext.FindMentions(c.ctx, pages, []roamtext.Passage{block})
	if err != nil {
		return nil, err
	}
	return linksSuggested{likeliest(db, found, asked.MaxResults.or(suggestedLinks))}, nil
}

// likeliest are the mentions whose pages a writer meant the most likely, in that
// order, limit at most.
func likeliest(db *graphdb.DB, found []roamtext.Mention, limit int) []suggestion {
	type rated struct {
		suggestion
		likely float64
	}
	list := make([]rated, len(found))
	for i, m := range found {
		page := outline.ByUID(db, m.Page.UID)
		references := db.ReverseCount(graphdb.BlockRefs, page)
		likely := 0.5*float64(min(m.Words-1, 3)) + 0.35*math.Log2(1+float64(min(references, 100)))
		if m.Exact {
			likely += 0.4
		}
		if db.Has(page, graphdb.BlockChildren) {
			likely += 0.4
		}
		list[i] = rated{suggestion{m.Page.Title, m.Page.UID, m.Text, m.Count, references}, likely}
	}
	slices.SortStableFunc(list, func(a, b rated) int { return cmp.Compare(b.likely, a.likely) })
	out := []suggestion{}
	for _, r := range list[:min(len(list), limit)] {
		out = append(out, r.suggestion)
	}
	return out
}
