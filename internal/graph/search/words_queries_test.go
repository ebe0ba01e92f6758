package search

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// queries returns the queries of testdata/queries.txt in their order, and what each finds
// in the demo graph.
func queries(t testing.TB) (list []string, demo map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/queries.txt")
	require.NoError(t, err)
	demo = map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		query, found, ok := strings.Cut(line, " => ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		list = append(list, query)
		demo[query] = strings.TrimSuffix(found, "none")
	}
	if len(list) < 60 {
		t.Fatalf("%d queries", len(list))
	}
	return list, demo
}

func TestQueriesOfTheDemoGraphFindWhatIsExpected(t *testing.T) {
	docs := docsOf(graphtest.FromJSON(t, demograph.JSON))
	x := indexed(docs)
	name := map[string]string{}
	for _, d := range docs {
		name[d.Key] = strings.Fields(d.Title)[0]
	}
	list, demo := queries(t)
	for _, query := range list {
		var got []string
		for _, key := range keys(t, x, query) {
			got = append(got, name[key])
		}
		want := strings.Fields(demo[query])
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
}

// The index finds the notes that a walk through all texts finds, in the same order.
func TestQueriesFindWhatAWalkThroughTheTextsFinds(t *testing.T) {
	graphs := map[string]func(t *testing.T) []Doc{
		"demo":      func(t *testing.T) []Doc { return docsOf(graphtest.FromJSON(t, demograph.JSON)) },
		"help":      func(t *testing.T) []Doc { return docsOf(graphtest.FromJSON(t, helpgraph.Read(t, "help.json"))) },
		"generated": func(t *testing.T) []Doc { return generatedDocs(t, 3000) },
	}
	list, _ := queries(t)
	for graph, docs := range graphs {
		t.Run(graph, func(t *testing.T) {
			all := docs(t)
			x, walk := indexed(all), newSlow(all)
			found := 0
			for _, query := range list {
				q, err := ParseWordQuery(query)
				require.NoError(t, err)
				s := x.newSearch(t.Context())
				set := s.find(q.root, true)
				got, want := s.best(set, set.count(), 0, len(all)), walk.search(query)
				compareHits(t, query, got, want)
				found += min(1, len(got))
			}
			if found < 20 {
				t.Errorf("only %d queries find anything", found)
			}
		})
	}
}

// compareHits compares keys in their order, and scores.
func compareHits(t *testing.T, query string, got, want []Hit) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s finds %d notes, want %d: %.300v, want %.300v", query, len(got), len(want), got, want)
		return
	}
	for i := range got {
		if got[i].Key != want[i].Key || math.Abs(got[i].Score-want[i].Score) > 1e-9 {
			t.Errorf("%s: hit %d is %v, want %v", query, i, got[i], want[i])
			return
		}
	}
}
