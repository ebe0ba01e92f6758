package actions

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/sandbox/store"
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
