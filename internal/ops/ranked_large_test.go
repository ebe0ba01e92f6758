package ops

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// helpTimes returns Roam's help graph so many times, as an export.
func helpTimes(t *testing.T, times int) string {
	t.Helper()
	var pages []map[string]any
	require.NoError(t, json.Unmarshal([]byte(helpgraph.Export(t)), &pages))
	var all []any
	var copied func(of map[string]any, n int) map[string]any
	copied = func(of map[string]any, n int) map[string]any {
		out := map[string]any{}
		for key, value := range of {
			switch key {
			case "uid":
				value = fmt.Sprintf("%s-%d", value, n)
			case "title":
				value = fmt.Sprintf("%s (%d)", value, n)
			case "children":
				var children []any
				for _, child := range value.([]any) {
					children = append(children, copied(child.(map[string]any), n))
				}
				value = children
			}
			out[key] = value
		}
		return out
	}
	for n := range times {
		for _, page := range pages {
			all = append(all, copied(page, n))
		}
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text)
}

// TestRankOfALargeGraph measures; ROAM_MCP_TEST_LARGE says how many times the help graph.
func TestRankOfALargeGraph(t *testing.T) {
	times := 0
	if _, err := fmt.Sscan(os.Getenv("ROAM_MCP_TEST_LARGE"), &times); err != nil {
		t.Skip("ROAM_MCP_TEST_LARGE is not set")
	}
	b := newBoxOf(t, helpTimes(t, times))
	g := b.graph()
	var took []time.Duration
	for _, query := range []string{
		"What happens to my encrypted notes if I lose my password?", "How do I keep two pages open next to each other?", "calculator sum numbers", "daily notes template",
		"How do I make words bold or underlined or coloured yellow?", "block reference embed", "latex OR katex OR formula OR equation", "install the newest version",
	} {
		q, err := search.ParseQuestion(query)
		require.NoError(t, err)
		for range 3 {
			began := time.Now()
			found, err := g.Rank(t.Context(), Question{Query: q, Pages: true, Blocks: true, Limit: 20})
			require.NoError(t, err)
			took = append(took, time.Since(began))
			t.Logf("%v %s: %d whole, %d in part, %v", time.Since(began), query, found.Total, found.Partial, found.Words)
		}
	}
	slices.Sort(took)
	t.Logf("median %v, p95 %v", took[len(took)/2], took[len(took)*95/100])
}
