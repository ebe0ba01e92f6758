package actions

import (
	"encoding/json"
	"strings"
	"testing"

	"roam-mcp/sandbox/desk"
)

func TestSemanticSearchIsOff(t *testing.T) {
	c := start(t, Options{})
	for action, argument := range map[string]string{
		"data.ai.semanticSearch": `{"query": "bread"}`, "data.async.semanticSearch": `{"search-str": "bread"}`,
	} {
		if _, err := c.try(action, argument); err == nil || !strings.Contains(err.Error(), "embeddings") || !strings.Contains(err.Error(), "semantic search") {
			t.Errorf("%s: %v", action, err)
		}
	}
	if got := c.do("data.semanticSearchEnabled", ""); got != "false" {
		t.Errorf("semanticSearchEnabled is %s", got)
	}
}

func TestSemanticSearch(t *testing.T) {
	c := start(t, Options{SemanticSearch: true})
	const at = `"queriedAt":"2026-11-21T09:30:00.000Z"`
	const child = `{"uid":"blk-child","markdown":"- a fine child <roam uid=\"blk-child\"/>","path":["Bread","Flour and [[Water]]"]}`
	for name, test := range map[string]struct{ action, argument, want string }{
		"one":               {"ai.semanticSearch", `{"query": "any fine children", "k": 1}`, `{` + at + `,"results":[` + child + `]}`},
		"pages":             {"ai.semanticSearch", `{"query": "water", "scope": "pages", "k": 1, "maxDepth": 0}`, `{` + at + `,"results":[{"uid":"page-wate","type":"page","markdown":"# Water <roam uid=\"page-wate\" refs=\"1\"/>"}]}`},
		"without path":      {"ai.semanticSearch", `{"query": "fine child", "scope": "blocks", "k": 1, "includePath": false}`, `{` + at + `,"results":[` + strings.Replace(child, `,"path":["Bread","Flour and [[Water]]"]`, "", 1) + `]}`},
		"nothing hidden":    {"ai.semanticSearch", `{"query": "secret"}`, `{` + at + `,"results":[]}`},
		"nothing asked for": {"ai.semanticSearch", `{"query": "water", "k": 0}`, `{` + at + `,"results":[]}`},
		"uids":              {"async.semanticSearch", `{"search-str": "water", "search-blocks": false, "k": 1}`, `[{"type":"page","uid":"page-wate","topUids":["page-wate"]}]`},
		"uids of blocks":    {"async.semanticSearch", `{"search-str": "child", "search-pages": false, "k": 1}`, `[{"type":"block","uid":"blk-child","topUids":["blk-child"]}]`},
		"uids of nothing":   {"async.semanticSearch", `{"search-str": "water", "search-blocks": false, "search-pages": false}`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.do("data."+test.action, test.argument); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
	for argument, text := range map[string]string{`{}`: "query is required", `{"query": "x", "scope": "users"}`: "scope is all, pages or blocks"} {
		if _, err := c.try("data.ai.semanticSearch", argument); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", argument, err)
		}
	}
	c.do("data.block.create", `{"location": {"page-title": "Log"}, "block": {"uid": "blk-light", "string": "a lighthouse"}}`)
	if got := c.do("data.ai.semanticSearch", `{"query": "lighthouses", "k": 1}`); !strings.Contains(got, "blk-light") {
		t.Errorf("what was just written is not found: %s", got)
	}
}

func TestSuggestLinks(t *testing.T) {
	c := start(t, Options{})
	want := `{"suggestions":[{"title":"Bread","uid":"page-brea","text":"bread","count":1,"references":0},{"title":"Water","uid":"page-wate","text":"water","count":2,"references":1}]}`
	if got := c.do("data.ai.suggestLinks", `{"text": "No bread without water, and more water; [[Oven]] has it <roam uid=\"x\"/>"}`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := c.do("data.ai.suggestLinks", `{"text": "bread, water", "maxResults": 1}`); !strings.Contains(got, `"Bread"`) || strings.Contains(got, `"Water"`) {
		t.Error(got)
	}
	for _, text := range []string{"granite", "[[Water]] in the water", "breads"} {
		if got := c.do("data.ai.suggestLinks", `{"text": "`+text+`"}`); got != `{"suggestions":[]}` {
			t.Errorf("%s: %s", text, got)
		}
	}
	for argument, text := range map[string]string{`{}`: "text is required", `{"text": "x", "maxResults": 0}`: "maxResults is a number from 1", `{"text": 3}`: "text"} {
		if _, err := c.try("data.ai.suggestLinks", argument); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v", argument, err)
		}
	}
}

func TestSemanticSearchSignedOut(t *testing.T) {
	c := start(t, Options{SemanticSearch: true})
	if got := c.do("data.semanticSearchEnabled", ""); got != "true" {
		t.Errorf("semanticSearchEnabled is %s", got)
	}
	c.SignedOut = true
	if _, err := c.try("data.ai.semanticSearch", `{"query": "bread"}`); err == nil || !strings.Contains(err.Error(), "signed in") {
		t.Error(err)
	}
	if got := c.do("data.semanticSearchEnabled", ""); got != "false" {
		t.Errorf("semanticSearchEnabled is %s", got)
	}
}

// A token that may only read may do all of these.
func TestFindingNeedsReadScope(t *testing.T) {
	c := start(t, Options{SemanticSearch: true})
	for action, argument := range map[string]string{
		"data.ai.roamQuery": `{"query": "{and: [[Water]]}"}`, "data.roamQuery": `{"query": "{and: [[Water]]}"}`,
		"data.ai.semanticSearch": `{"query": "water"}`, "data.async.semanticSearch": `{"search-str": "water"}`, "data.ai.suggestLinks": `{"text": "water"}`,
	} {
		if scope, _ := c.registry.Scope(action); scope != desk.Read || !json.Valid([]byte(c.do(action, argument))) {
			t.Errorf("%s needs %s", action, scope)
		}
	}
}
