package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

// queryAsked holds the arguments of both data.ai.roamQuery and data.roamQuery. Sort
// and order are for queries given as text; a query block has its own.
type queryAsked struct {
	UID       string `json:"uid"`
	Query     string `json:"query"`
	Sort      string `json:"sort"`
	SortOrder string `json:"sortOrder"`
	Offset    whole  `json:"offset"`
}

// prepareQuery reads the query and how to return its results.
func prepareQuery(c *call, db *graphdb.DB, asked queryAsked) (*roamQuery, roamQueryOptions, savedQuery, error) {
	options := roamQueryOptions{Now: c.Now, Offset: asked.Offset.value}
	if (asked.UID == "") == (asked.Query == "") {
		return nil, options, savedQuery{}, fmt.Errorf("%s: exactly one of uid and query is required", c.Action)
	}
	text, saved := asked.Query, savedQuery{}
	if asked.UID != "" {
		block := outline.ByUID(db, asked.UID)
		if block == 0 || !outline.IsBlock(db, block) || outline.Hidden(db, block) {
			return nil, options, saved, fmt.Errorf("%s: the block with uid %q doesn't exist", c.Action, Loggable(asked.UID))
		}
		text = outline.TextOf(db, block)
		if _, ok := roamtext.FindComponent(text, "query"); !ok {
			return nil, options, saved, fmt.Errorf("%s: the block %s holds no query, as in {{[[query]]: {and: [[Project]] [[TODO]]}}}", c.Action, Loggable(asked.UID))
		}
		saved = savedSettings(db, block)
		saved.Apply(db, &options)
		options.Except = block
	} else {
		if !slices.Contains([]string{"", "asc", "desc"}, asked.SortOrder) {
			return nil, options, saved, fmt.Errorf("%s: sortOrder is asc or desc", c.Action)
		}
		options.Sort, options.Ascending = outline.Sort(asked.Sort), asked.SortOrder == "asc"
	}
	query, err := parseRoamQuery(text)
	return query, options, saved, err
}

// queryFound is the result of data.ai.roamQuery.
type queryFound struct {
	QueriedAt string       `json:"queriedAt"`
	Total     int          `json:"total"`
	Results   []queryMatch `json:"results"`
}

// queryMatch is an item whose path is one text (LOCAL_API.md 2.1).
type queryMatch struct {
	UID      string `json:"uid"`
	Type     string `json:"type,omitempty"`
	Markdown string `json:"markdown"`
	Path     string `json:"path,omitempty"`
}

// runQueryForAI is data.ai.roamQuery.
func runQueryForAI(c *call, asked struct {
	queryAsked
	Limit       whole `json:"limit"`
	IncludePath *bool `json:"includePath"`
	MaxDepth    whole `json:"maxDepth"`
}) (any, error) {
	db := c.read()
	query, options, saved, err := prepareQuery(c, db, asked.queryAsked)
	if err != nil {
		return nil, err
	}
	options.Limit = max(0, asked.Limit.or(defaultLimit))
	withPath := asked.IncludePath
	if asked.UID != "" {
		withPath = saved.ShowPaths
	}
	result, err := query.Run(c.ctx, db, options)
	if err != nil {
		return nil, err
	}
	found := queryFound{QueriedAt: c.queriedAt(), Total: result.Total, Results: []queryMatch{}}
	render := outline.RenderOptions{MaxDepth: max(0, asked.MaxDepth.or(1))}
	for _, one := range items(db, result.Results, render, or(withPath, true)) {
		found.Results = append(found.Results, queryMatch{
			UID: one.UID, Type: one.Type, Markdown: one.Markdown, Path: strings.Join(one.Path, " > "),
		})
	}
	return found, nil
}

// limited is a number, or null for no limit.
type limited struct {
	whole
	none bool
}

func (l *limited) UnmarshalJSON(data []byte) error {
	if l.none = string(bytes.TrimSpace(data)) == "null"; l.none {
		return nil
	}
	return l.whole.UnmarshalJSON(data)
}

// queryPulled is the result of data.roamQuery.
type queryPulled struct {
	Total   int               `json:"total"`
	Results []json.RawMessage `json:"results"`
}

// runQuery is data.roamQuery, which pulls its results. The keys are those of
// data.pull.
func runQuery(c *call, asked struct {
	queryAsked
	GroupByPage     bool    `json:"groupByPage"`
	NestUnderParent bool    `json:"nestUnderParent"`
	Limit           limited `json:"limit"`
	Pull            any     `json:"pull"`
}) (any, error) {
	db := c.read()
	query, options, _, err := prepareQuery(c, db, asked.queryAsked)
	if err != nil {
		return nil, err
	}
	if options.Limit = max(0, asked.Limit.or(defaultLimit)); asked.Limit.none {
		options.Limit = everyResult
	}
	if asked.UID == "" {
		options.GroupByPage, options.NestUnderParent = asked.GroupByPage, asked.NestUnderParent
		if asked.GroupByPage {
			options.SortPages = pageSort(asked.Sort)
		}
	}
	result, err := query.Run(c.ctx, db, options)
	if err != nil {
		return nil, err
	}
	pattern, err := pullPattern(asked.Pull)
	if err != nil {
		return nil, err
	}
	pulled, err := c.pullAll(db, pattern, result.Results)
	return queryPulled{Total: result.Total, Results: pulled}, err
}

var errPull = errors.New("data.roamQuery: pull is a pattern, as in [:block/uid :block/string]")

// pullPattern returns the pattern that data.roamQuery is asked for: text, or a
// list of attribute names, as JavaScript has it.
func pullPattern(asked any) (any, error) {
	switch asked := asked.(type) {
	case nil, string:
		return asked, nil
	case []any:
		names := make([]string, len(asked))
		for i, name := range asked {
			text, ok := name.(string)
			if !ok {
				return nil, errPull
			}
			names[i] = text
		}
		return "[" + strings.Join(names, " ") + "]", nil
	}
	return nil, errPull
}
