package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// queried is a sandbox whose small graph has two queries in it, one of them
// with settings.
func queried(t *testing.T) *caller {
	c := start(t, Options{})
	c.do("data.block.create", `{"location": {"page-title": "Log"}, "block": {"uid": "blk-query", "string": "{{[[query]]: {and: [[Water]]}}}"}}`)
	c.do("data.block.create", `{"location": {"page-title": "Log"}, "block": {"uid": "blk-saved", "string": "{{query: {or: [[Water]] ((blk-flour))}}}"}}`)
	c.do("data.block.update", `{"block": {"uid": "blk-saved", "props": {"query": {"sortOrder": "asc", "showPaths": false, "filters": {"removes": ["Log"]}}}}}`)
	return c
}

func TestRoamQuery(t *testing.T) {
	c := queried(t)
	const at = `"queriedAt":"2026-11-21T09:30:00.000Z"`
	const flour = `"markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"2\"/>\n  - a fine child <roam uid=\"blk-child\"/>"`
	for name, test := range map[string]struct{ argument, want string }{
		"by text": {`{"query": "{and: [[Water]] {not: [[query]]}}", "sortOrder": "asc", "limit": 1}`,
			`{` + at + `,"total":3,"results":[{"uid":"blk-flour",` + flour + `,"path":"Bread"}]}`},
		"by text, further on": {`{"query": "{and: [[Water]] {not: [[query]]}}", "sortOrder": "asc", "limit": 1, "offset": 1, "maxDepth": 0}`,
			`{` + at + `,"total":3,"results":[{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>","path":"Bread > Flour and [[Water]]"}]}`},
		"without paths": {`{"query": "{and: {search: fine}}", "includePath": false}`,
			`{` + at + `,"total":1,"results":[{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>"}]}`},
		"a page among the results": {`{"query": "{between: [[today]] [[today]]}"}`, `{` + at + `,"total":0,"results":[]}`},
		"a block's own query":      {`{"uid": "blk-query", "limit": 1, "offset": 2, "maxDepth": 0}`, `{` + at + `,"total":3,"results":[{"uid":"blk-flour","markdown":"- Flour and [[Water]] <roam uid=\"blk-flour\" heading=\"2\" refs=\"2\" hiddenChildren=\"1\"/>","path":"Bread"}]}`},
		"a block with settings": {`{"uid": "blk-saved", "limit": 1, "sortOrder": "desc", "includePath": true}`,
			`{` + at + `,"total":3,"results":[{"uid":"blk-flour",` + flour + `}]}`},
		"what is hidden": {`{"query": "{and: [[.rm-private]]}"}`, `{` + at + `,"total":0,"results":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.do("data.ai.roamQuery", test.argument); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRoamQueryRefusals(t *testing.T) {
	c := queried(t)
	for name, test := range map[string]struct{ argument, text string }{
		"neither text nor block":     {`{}`, "exactly one of uid and query"},
		"both":                       {`{"uid": "blk-query", "query": "{and: [[A]]}"}`, "exactly one of uid and query"},
		"no such block":              {`{"uid": "nowhere"}`, `the block with uid "nowhere" doesn't exist`},
		"a page":                     {`{"uid": "page-brea"}`, "doesn't exist"},
		"a hidden block":             {`{"uid": "blk-priva"}`, "doesn't exist"},
		"a block without a query":    {`{"uid": "blk-child"}`, "holds no query"},
		"a query that is not one":    {`{"query": "TODO"}`, "can't be read at character 1"},
		"an order Roam has not":      {`{"query": "{and: [[A]]}", "sort": "size"}`, "sort is created-date"},
		"a direction Roam has not":   {`{"query": "{and: [[A]]}", "sortOrder": "up"}`, "sortOrder is asc or desc"},
		"Datalog instead of a query": {`{"query": "[:find ?b :where [?b :block/uid]]"}`, "a clause in braces is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, action := range []string{"data.ai.roamQuery", "data.roamQuery"} {
				if _, err := c.try(action, test.argument); err == nil || !strings.Contains(err.Error(), test.text) {
					t.Errorf("%s: %v, want %q", action, err, test.text)
				}
			}
		})
	}
	if _, err := c.try("data.roamQuery", `{"query": "{and: [[A]]}", "pull": 7}`); err == nil || !strings.Contains(err.Error(), "pull is a pattern") {
		t.Error(err)
	}
}

func TestRoamQueryPulls(t *testing.T) {
	c := queried(t)
	for name, test := range map[string]struct{ argument, want string }{
		"text and uid": {`{"query": "{and: {search: fine}}"}`, `{"total":1,"results":[{":block/string":"a fine child",":block/uid":"blk-child"}]}`},
		"a pattern of one's own": {`{"query": "{and: {search: fine}}", "pull": "[{:block/page [:node/title]}]"}`,
			`{"total":1,"results":[{":block/page":{":node/title":"Bread"}}]}`},
		"a pattern as a list":   {`{"query": "{and: {search: fine}}", "pull": [":block/uid"]}`, `{"total":1,"results":[{":block/uid":"blk-child"}]}`},
		"parents for children":  {`{"query": "{and: [[Water]] [[Bread]]}", "nestUnderParent": true, "pull": [":block/uid"]}`, `{"total":1,"results":[{":block/uid":"blk-flour"}]}`},
		"page by page, a title": {`{"query": "{or: [[Water]] ((blk-flour))}", "groupByPage": true, "sort": "page-title", "sortOrder": "asc", "limit": 1, "pull": [":block/uid"]}`, `{"total":5,"results":[{":block/uid":"blk-flour"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.do("data.roamQuery", test.argument); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestRoamQueryLimit(t *testing.T) {
	c := queried(t)
	c.do("data.block.fromMarkdown", `{"location": {"page-title": "Log"}, "markdown-string": "`+strings.Repeat(`- drank [[Water]]\n`, 40)+`"}`)
	for limit, want := range map[string]int{`, "limit": null`: 40, "": 20, `, "limit": 3`: 3, `, "limit": 0`: 0} {
		var got queryPulled
		require.NoError(t, json.Unmarshal([]byte(c.do("data.roamQuery", fmt.Sprintf(`{"query": "{and: {search: drank}}"%s}`, limit))), &got))
		if got.Total != 40 || len(got.Results) != want {
			t.Errorf("with %q: %d of %d, want %d", limit, len(got.Results), got.Total, want)
		}
	}
}
