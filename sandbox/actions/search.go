package actions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/datalog"
	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/desk"
)

// searchActions look for text beside data.ai.search.
func searchActions() map[string]action {
	return map[string]action{
		"data.search": {desk.Read, searchGraph}, "data.async.search": {desk.Read, searchGraph},
	}
}

const (
	// fewCandidates and candidateShare bound how much an index may find before
	// reading all texts is as quick: so many, or one in so many of the graph.
	fewCandidates  = 2000
	candidateShare = 20

	// graphSearchLimit and graphSearchPattern are the defaults of data.search.
	graphSearchLimit   = 300
	graphSearchPattern = "[:block/string :node/title :block/uid]"
)

// find searches with the help of the full-text index, where it is of help.
func (c *call) find(options outline.SearchOptions) (*graphdb.DB, outline.SearchResult, error) {
	db := c.read()
	most := max(fewCandidates, (db.Count(graphdb.NodeTitle)+db.Count(graphdb.BlockString))/candidateShare)
	if indexed, among, ok := c.Graph.Data.Containing(c.ctx, outline.SearchWords(options.Query), most); ok {
		db, options.Among = indexed, append([]graphdb.EID{}, among...) // not nil, even where nothing was found
	}
	found, err := outline.Search(c.ctx, db, options)
	return db, found, err
}

// searchGraph is data.search: what Roam's own search box finds, pulled. Blocks
// and pages with other forms of the words come after those with the words.
func searchGraph(c *call) (any, error) {
	asked := struct {
		Text     *string `json:"search-str"`
		Blocks   *bool   `json:"search-blocks"`
		Pages    *bool   `json:"search-pages"`
		HideCode bool    `json:"hide-code-blocks"`
		Limit    whole   `json:"limit"`
		Pull     any     `json:"pull"`
	}{}
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	if asked.Text == nil {
		return nil, c.missing("search-str")
	}
	scope, any := scopeOf(asked.Pages == nil || *asked.Pages, asked.Blocks == nil || *asked.Blocks)
	if !any {
		return []struct{}{}, nil
	}
	if asked.Pull == nil {
		asked.Pull = graphSearchPattern
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

func scopeOf(pages, blocks bool) (outline.Scope, bool) {
	switch {
	case pages && blocks:
		return outline.ScopeAll, true
	case pages:
		return outline.ScopePages, true
	}
	return outline.ScopeBlocks, blocks
}

// pullAll gives entities with a pull pattern, in their order.
func (c *call) pullAll(db *graphdb.DB, pattern any, entities []graphdb.EID) (any, error) {
	ids := make([]any, len(entities))
	for i, e := range entities {
		ids[i] = e
	}
	pulled, err := datalog.PullMany(c.ctx, db, pattern, ids, datalog.Options{})
	if err != nil {
		return nil, err
	}
	list := [][]byte{}
	for _, x := range pulled {
		list = append(list, datalog.AppendJSON(nil, x, datalog.Qualified))
	}
	return json.RawMessage("[" + string(bytes.Join(list, []byte(","))) + "]"), nil
}
