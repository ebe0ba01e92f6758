package actions

import (
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/graphdb/outline"
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

// pullAll pulls entities, in their order; a nil pattern stands for defaultPull.
func (c *call) pullAll(db *graphdb.DB, pattern any, entities []graphdb.EID) ([]json.RawMessage, error) {
	if pattern == nil {
		pattern = defaultPull
	}
	ids := make([]any, len(entities))
	for i, e := range entities {
		ids[i] = e
	}
	values, err := datalog.PullMany(c.ctx, db, pattern, ids, datalog.Options{})
	if err != nil {
		return nil, err
	}
	pulled := make([]json.RawMessage, len(values))
	for i, value := range values {
		pulled[i] = datalog.AppendJSON(nil, value, datalog.Qualified)
	}
	return pulled, nil
}
