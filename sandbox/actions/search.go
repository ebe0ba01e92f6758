package actions

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/semantic"
	"roam-mcp/graphdb/unlinked"
	"roam-mcp/sandbox/desk"
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
	block := unlinked.Block{Text: outline.DecodeAnnotations(asked.Text)}
	var pages []unlinked.Page
	for page, title := range db.Entities(graphdb.NodeTitle) {
		pages = append(pages, unlinked.Page{Title: title.Text(), UID: db.String(page, graphdb.BlockUID)})
	}
	found, err := unlinked.Find(c.ctx, pages, []unlinked.Block{block})
	if err != nil {
		return nil, err
	}
	return linksSuggested{likeliest(db, found, asked.MaxResults.or(suggestedLinks))}, nil
}

// likeliest are the mentions whose pages a writer meant the most likely, in that
// order, limit at most.
func likeliest(db *graphdb.DB, found []unlinked.Mention, limit int) []suggestion {
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

const (
	// defaultLimit is Roam's number of results where none is asked for (LOCAL_API.md
	// 2.1).
	defaultLimit = 20
	// previewedReferences is how many references a page is read with.
	previewedReferences = 5
	// searchText is how many characters of a block a search shows.
	searchText = 500
	// recentPages is how many pages an empty search suggests.
	recentPages = 10
)

// findActions find pages and blocks: by reference, by text, by a query in the form
// of {{[[query]]}} blocks, and by meaning.
func findActions() map[string]action {
	return map[string]action{
		"data.ai.getBacklinks":      {desk.Read, on(getBacklinks)},
		"data.ai.search":            {desk.Read, on(search)},
		"data.search":               {desk.Read, on(searchGraph)},
		"data.async.search":         {desk.Read, on(searchGraph)},
		"data.ai.roamQuery":         {desk.Read, on(runQueryForAI)},
		"data.roamQuery":            {desk.Read, on(runQuery)},
		"data.async.roamQuery":      {desk.Read, on(runQuery)},
		"data.ai.semanticSearch":    {desk.Read, on(semanticSearchForAI)},
		"data.async.semanticSearch": {desk.Read, on(semanticSearch)},
		"data.ai.suggestLinks":      {desk.Read, on(suggestLinks)},
	}
}

// item is a page or block among results.
type item struct {
	UID      string   `json:"uid"`
	Type     string   `json:"type,omitempty"` // "page", or nothing for a block
	Markdown string   `json:"markdown"`
	Path     []string `json:"path,omitempty"`
}

func items(db *graphdb.DB, entities []graphdb.EID, options outline.RenderOptions, withPath bool) []item {
	list := make([]item, 0, len(entities))
	for _, e := range entities {
		one := item{UID: db.String(e, graphdb.BlockUID), Markdown: outline.Render(db, e, options)}
		if outline.IsPage(db, e) {
			one.Type = "page"
		}
		if withPath {
			one.Path = pathTo(db, e)
		}
		list = append(list, one)
	}
	return list
}

// preview holds the newest references to a page or block that is read.
type preview struct {
	Total   int    `json:"total"`
	Shown   int    `json:"shown"`
	Results []item `json:"results"`
	Note    string `json:"note,omitempty"`
}

func (c *call) previewReferences(db *graphdb.DB, e graphdb.EID) (preview, error) {
	found, err := outline.FindBacklinks(c.ctx, db, e, outline.BacklinkOptions{Limit: previewedReferences})
	if err != nil {
		return preview{}, err
	}
	list := items(db, found.Results, outline.RenderOptions{}, true)
	result := preview{Total: found.Total, Shown: len(list), Results: list}
	if found.NextOffset > 0 {
		result.Note = fmt.Sprintf("The %d newest of %d references. getBacklinks gives all of them.", previewedReferences, found.Total)
	}
	return result, nil
}

// referencesFound is the result of data.ai.getBacklinks.
type referencesFound struct {
	QueriedAt string `json:"queriedAt"`
	preview
	NextOffset int `json:"nextOffset,omitempty"`
}

// getBacklinks is data.ai.getBacklinks. A page that does not exist has none.
func getBacklinks(c *call, asked struct {
	node
	Offset      whole  `json:"offset"`
	Limit       whole  `json:"limit"`
	Sort        string `json:"sort"`
	SortOrder   string `json:"sortOrder"`
	Search      string `json:"search"`
	IncludePath *bool  `json:"includePath"`
}) (any, error) {
	if asked.UID == "" && asked.Title == "" {
		return nil, c.missing("uid or title")
	}
	if !slices.Contains([]string{"", "asc", "desc"}, asked.SortOrder) {
		return nil, fmt.Errorf("%s: sortOrder is asc or desc", c.Action)
	}
	db := c.read()
	found, err := outline.FindBacklinks(c.ctx, db, asked.find(db), outline.BacklinkOptions{
		Sort: outline.Sort(asked.Sort), Ascending: asked.SortOrder == "asc", Search: asked.Search,
		Offset: asked.Offset.value, Limit: asked.Limit.or(defaultLimit),
	})
	if err != nil {
		return nil, err
	}
	render := outline.RenderOptions{MaxDepth: max(0, asked.MaxDepth.or(1))}
	list := items(db, found.Results, render, or(asked.IncludePath, true))
	return referencesFound{
		QueriedAt:  c.queriedAt(),
		preview:    preview{Total: found.Total, Shown: len(list), Results: list, Note: found.Note},
		NextOffset: found.NextOffset,
	}, nil
}

// searchFound is the result of data.ai.search.
type searchFound struct {
	QueriedAt string `json:"queriedAt"`
	Total     int    `json:"total"`
	Results   []item `json:"results"`
}

// search is data.ai.search. Without a query it suggests recent pages.
func search(c *call, asked struct {
	Query       string `json:"query"`
	Scope       string `json:"scope"`
	Offset      whole  `json:"offset"`
	Limit       whole  `json:"limit"`
	IncludePath *bool  `json:"includePath"`
	MaxDepth    whole  `json:"maxDepth"`
}) (any, error) {
	if strings.TrimSpace(asked.Query) == "" {
		return c.suggest(c.read()), nil
	}
	db, found, err := c.find(outline.SearchOptions{
		Query: asked.Query, Scope: outline.Scope(asked.Scope),
		Offset: asked.Offset.value, Limit: asked.Limit.or(defaultLimit),
	})
	if err != nil {
		return nil, err
	}
	render := outline.RenderOptions{MaxDepth: max(0, asked.MaxDepth.value), Truncate: searchText}
	return searchFound{
		QueriedAt: c.queriedAt(), Total: found.Total,
		Results: items(db, found.Hits, render, or(asked.IncludePath, true)),
	}, nil
}

// suggested is the result of an empty search.
type suggested struct {
	QueriedAt   string      `json:"queriedAt"`
	Suggestions suggestions `json:"suggestions"`
}

type suggestions struct {
	Opened []openedItem `json:"recentlyOpenedByUser"`
	Edited []editedPage `json:"recentlyEditedPages"`
}

type editedPage struct {
	UID      string `json:"uid"`
	Title    string `json:"title"`
	EditedBy string `json:"editedBy,omitempty"`
	EditedAt string `json:"editedAt"`

	at int64
}

// suggest lists the pages on which something was edited last.
func (c *call) suggest(db *graphdb.DB) suggested {
	latest := map[graphdb.EID]graphdb.EID{} // by page: the page or block edited last
	hidden := map[graphdb.EID]bool{}
	for e := range outline.AllHidden(db) {
		hidden[e] = true
	}
	for e, at := range db.Entities(graphdb.EditTime) {
		page := e
		if !outline.IsPage(db, e) {
			page = db.Ref(e, graphdb.BlockPage)
		}
		if page == 0 || hidden[e] {
			continue
		}
		if before, ok := db.Int(latest[page], graphdb.EditTime); !ok || at.Int() >= before {
			latest[page] = e
		}
	}
	edited := []editedPage{}
	for page, e := range latest {
		at, _ := db.Int(e, graphdb.EditTime)
		edited = append(edited, editedPage{
			UID: db.String(page, graphdb.BlockUID), Title: outline.TextOf(db, page),
			EditedBy: db.String(db.Ref(e, graphdb.EditUser), graphdb.UserDisplayName),
			EditedAt: isoTime(time.UnixMilli(at)), at: at,
		})
	}
	slices.SortFunc(edited, func(a, b editedPage) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.Title, b.Title))
	})
	edited = edited[:min(len(edited), recentPages)]
	return suggested{QueriedAt: c.queriedAt(), Suggestions: suggestions{Opened: recentlyOpened(c, db), Edited: edited}}
}
