package recording_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// BenchmarkServed is a call of a tool with a Roam that answers after 5 ms, with a journal
// and without one. Calls that come at once compete with reads of what those before have
// left, and an edit waits for them.
func BenchmarkServed(b *testing.B) {
	for _, tc := range []struct {
		name, tool, arguments string
		atOnce                bool
	}{
		{"append", "create_block", `{"parentUid":"list","markdown":"- number %d"}`, false},
		{"append at once", "create_block", `{"parentUid":"list","markdown":"- number %d"}`, true},
		{"edit", "update_block", `{"uid":"one","string":"number %d"}`, false},
		{"edit at once", "update_block", `{"uid":"one","string":"number %d"}`, true},
		{"move", "move_block", `{"uid":"one","parentUid":"list","order":%d}`, false},
	} {
		for _, journal := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/journal=%v", tc.name, journal), func(b *testing.B) {
				w := profiletest.NewSuite(b, profiletest.Options{Export: export, Server: func(o *mcpserve.Options) {
					if journal {
						o.Journal = history.New(history.Options{Folder: b.TempDir() + "/history", Kind: history.KindStdio, Now: o.Now})
					}
				}}).World(b)
				require.NoError(b, w.Store.SetHistory(b.Context(), profiletest.MainGraph, configstore.On))
				c := w.Connect(profiletest.Ways()[0])
				w.Switch("latency=5ms")
				call := func(i int) {
					w.Clock.Advance(time.Second)
					if r := c.CallAtOnce(b.Context(), tc.tool, fmt.Sprintf(tc.arguments, i%2)); r.IsError || r.RPC != nil {
						b.Fatal(r)
					}
				}
				call(0)
				b.ResetTimer()
				var took []time.Duration
				for i := 0; b.Loop(); i++ {
					if !tc.atOnce {
						b.StopTimer()
						time.Sleep(30 * time.Millisecond) // a model thinks for longer
						b.StartTimer()
					}
					began := time.Now()
					call(i)
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "median-ms")
			})
		}
	}
}
