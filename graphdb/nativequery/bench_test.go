package nativequery

import (
	"fmt"
	"testing"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

func BenchmarkRun(b *testing.B) {
	for _, blocks := range []int{10_000, 100_000} {
		conn, err := graphdb.Load(b.Context(), graphdb.RoamSchema(), graphtest.Datoms(graphtest.Options{Blocks: blocks}))
		require.NoError(b, err)
		for name, text := range map[string]string{
			"and":     fmt.Sprintf("{and: [[%s]] {not: [[%s]]}}", graphtest.Title(1), graphtest.Title(2)),
			"search":  fmt.Sprintf("{and: [[%s]] {search: %s}}", graphtest.Title(1), graphtest.Word(20)),
			"between": "{between: [[last month]] [[today]]}",
			"not":     fmt.Sprintf("{not: [[%s]]}", graphtest.Title(1)),
		} {
			query, err := Parse(text)
			require.NoError(b, err)
			b.Run(fmt.Sprintf("%d/%s", blocks, name), func(b *testing.B) {
				for b.Loop() {
					if _, err := query.Run(b.Context(), conn.DB(), Options{Now: time.UnixMilli(1_700_000_000_000), Limit: 20}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
