package actions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
)

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
		"data.ai.search":            {desk.Read, on(searchForAI)},
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

func previewReferences(c *call, db *graphdb.DB, e graphdb.EID) (preview, error) {
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

// searchForAI is data.ai.search. Without a query it suggests recent pages.
func searchForAI(c *call, asked struct {
	Query       string `json:"query"`
	Scope       string `json:"scope"`
	Offset      whole  `json:"offset"`
	Limit       whole  `json:"limit"`
	IncludePath *bool  `json:"includePath"`
	MaxDepth    whole  `json:"maxDepth"`
}) (any, error) {
	if strings.TrimSpace(asked.Query) == "" {
		return suggest(c, c.read()), nil
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
func suggest(c *call, db *graphdb.DB) suggested {
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
