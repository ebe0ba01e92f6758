package history

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/testutil/require"
)

var generatedChanges = flag.Int("journal-changes", 300_000, "changes of the journal that benchmarks read")

// BenchmarkFirstPage measures the first page of a history (JOURNAL.md, Size and time).
func BenchmarkFirstPage(b *testing.B) {
	folder, now := b.TempDir(), time.UnixMilli(1_790_000_000_000)
	start := time.Now()
	generate(b, folder, *generatedChanges, now)
	b.Logf("generated in %v", time.Since(start))
	conn, err := sqlite.OpenConn(filepath.Join(folder, "journal.db"), sqlite.OpenReadOnly)
	require.NoError(b, err)
	defer conn.Close()
	day := 24 * time.Hour
	work, old := []Graph{{"Work", "hosted"}}, []Graph{{"Old", "hosted"}}
	for _, bench := range []struct {
		name   string
		filter Filter
	}{
		{"all", Filter{}},
		{"oldest first", Filter{OldestFirst: true}},
		{"a page in the middle", Filter{Before: int64(*generatedChanges / 2)}},
		{"a range of numbers", Filter{After: 1000, Before: 2000}},
		{"a large graph", Filter{Graphs: work}},
		{"a graph of few calls", Filter{Graphs: old}},
		{"two graphs", Filter{Graphs: append(work, old...)}},
		{"a common agent", Filter{Agent: "claude-code"}},
		{"an agent of one session", Filter{Agent: "once"}},
		{"a session", Filter{Session: 1000}},
		{"a common tool", Filter{Tool: "update_block"}},
		{"a tool of few calls", Filter{Tool: "delete_page"}},
		{"a common page", Filter{PageUID: "page-0"}},
		{"a common page by title", Filter{Page: "Title of page-0"}},
		{"a page of few calls", Filter{PageUID: "page-once"}},
		{"a page of many old calls", Filter{PageUID: "page-of-old"}},
		{"a block", Filter{Block: "block-17"}},
		{"a page of a graph", Filter{PageUID: "page-0", Graphs: work}},
		{"since an hour ago", Filter{Since: now.Add(-time.Hour)}},
		{"since a week ago", Filter{Since: now.Add(-7 * day)}},
		{"since 80 days ago", Filter{Since: now.Add(-80 * day)}},
		{"until 80 days ago", Filter{Until: now.Add(-80 * day)}},
		{"a day of long ago", Filter{Since: now.Add(-60 * day), Until: now.Add(-59 * day)}},
		{"an agent and a tool of few calls", Filter{Agent: "claude-code", Tool: "delete_page"}},
		{"a graph, an agent and a tool", Filter{Graphs: work, Agent: "cursor", Tool: "move_block"}},
		{"a graph and a week of long ago", Filter{Graphs: work, Since: now.Add(-60 * day), Until: now.Add(-53 * day)}},
		{"an agent since a week ago", Filter{Agent: "n8n", Since: now.Add(-7 * day)}},
		{"what nobody knows", Filter{Page: "no such title"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				ids, err := choose(conn, bench.filter, defaultLimit+1)
				require.NoError(b, err)
				for _, id := range ids[:min(len(ids), defaultLimit)] {
					_, _, err := readCall(conn, id)
					require.NoError(b, err)
				}
				found = len(ids)
			}
			b.ReportMetric(float64(found), "calls")
		})
		b.Run("sessions of "+bench.name, func(b *testing.B) {
			for b.Loop() {
				_, err := readSessions(conn, bench.filter)
				require.NoError(b, err)
			}
		})
	}
}
