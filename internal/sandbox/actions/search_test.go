package actions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

func TestGraphSearch(t *testing.T) {
	c := start(t, Options{})
	for _, text := range []string{"baked breads", "I bake my bread", "```bake bread```"} {
		c.do("data.block.create", fmt.Sprintf(`{"location": {"parent-uid": "page-wate", "order": "last"}, "block": {"string": %q}}`, text))
	}
	for name, x := range map[string]struct{ argument, want string }{
		"words first, then their forms": {`{"search-str": "breads", "pull": "[:block/string]", "search-pages": false}`,
			"[{\":block/string\":\"baked breads\"},{\":block/string\":\"I bake my bread\"},{\":block/string\":\"```bake bread```\"}]"},
		"forms alone, without code": {`{"search-str": "baking bread", "pull": "[:block/string]", "hide-code-blocks": true}`,
			`[{":block/string":"baked breads"},{":block/string":"I bake my bread"}]`},
		"pages only":     {`{"search-str": "breads", "search-blocks": false}`, `[{":node/title":"Bread",":block/uid":"page-brea"}]`},
		"blocks only":    {`{"search-str": "water", "search-pages": false, "pull": "[:block/uid]"}`, `[{":block/uid":"blk-flour"}]`},
		"neither":        {`{"search-str": "water", "search-pages": false, "search-blocks": false}`, `[]`},
		"a limit":        {`{"search-str": "water", "limit": 1, "pull": "[:node/title]"}`, `[{":node/title":"Water"}]`},
		"what is hidden": {`{"search-str": "secret"}`, `[]`},
		"an empty text":  {`{"search-str": ""}`, `[]`},
		"no hit":         {`{"search-str": "nothing at all"}`, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, action := range []string{"data.search", "data.async.search"} {
				if got := c.do(action, x.argument); got != x.want {
					t.Errorf("%s gives %s\nwant %s", action, got, x.want)
				}
			}
		})
	}
	for _, bad := range []string{"", `{}`, `{"search-str": 7}`, `{"search-str": "water", "pull": "[:block/"}`} {
		if got, err := c.try("data.search", bad); err == nil {
			t.Errorf("%s gives %s", bad, got)
		}
	}
}

// With and without the index a search gives the same hits in the same order.
func TestIndexedSearch(t *testing.T) {
	folder, err := store.OpenFolder(t.TempDir())
	require.NoError(t, err)
	defer folder.Close()
	data, err := folder.CreateFrom(t.Context(), small, store.Options{}, "a", graphtest.Datoms(graphtest.Options{Blocks: 5000, Seed: 4}))
	require.NoError(t, err)
	defer data.Close()
	c := &call{Call: Call{Graph: &Graph{Data: data}}, ctx: t.Context()}
	random := rand.New(rand.NewPCG(1, 2))
	for _, query := range queries(random, data.DB()) {
		for _, scope := range []outline.Scope{outline.ScopeAll, outline.ScopePages, outline.ScopeBlocks} {
			options := outline.SearchOptions{Query: query, Scope: scope, Limit: 50}
			_, got, err := c.find(options)
			require.NoError(t, err)
			want, err := outline.Search(t.Context(), data.DB(), options)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%q in %s gives %v, without the index %v (%v)", query, scope, got, want, err)
			}
		}
	}
}

// queries are parts of texts, words that stand apart, and titles.
func queries(random *rand.Rand, db *graphdb.DB) []string {
	list := []string{"a", "  ", "no such words", graphtest.Title(3), strings.ToUpper(graphtest.Title(60)), `"`, "((", "[["}
	var texts []string
	for _, v := range db.Entities(graphdb.BlockString) {
		texts = append(texts, v.Text())
	}
	for range 150 {
		text := texts[random.IntN(len(texts))]
		from := random.IntN(len(text) + 1)
		list = append(list, text[from:from+random.IntN(min(20, len(text)-from)+1)])
		if words := strings.Fields(text); len(words) > 2 {
			list = append(list, words[len(words)-1]+" "+words[0])
		}
	}
	return list
}

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
