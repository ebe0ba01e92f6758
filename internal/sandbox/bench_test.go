package sandbox

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

var million = flag.Bool("million", false, "run the benchmarks on a graph of a million blocks too; it takes minutes to make")

// measured is a sandbox with one generated graph, used over HTTP.
type measured struct {
	*testing.B
	shape  graphtest.Options
	client *localapi.Client
	token  localapi.Token
}

// BenchmarkSandbox measures what a client waits for, wire included, and what
// the process holds on to. The
// sandbox's clock moves a second with every call, so that Roam's limit of writes
// a minute is not met.
func BenchmarkSandbox(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if *million {
		sizes = append(sizes, 1_000_000)
	}
	for _, blocks := range sizes {
		b.Run(strconv.Itoa(blocks), func(b *testing.B) {
			m := measure(b, blocks)
			for _, q := range graphtest.Queries(m.shape) {
				arguments := []any{q.Text}
				if q.Rules != "" {
					arguments = append(arguments, q.Rules)
				}
				m.run("query-"+q.Name, "data.q", func(int) []any { return arguments })
			}
			m.run("search-rare", "data.ai.search", m.search(graphtest.Word(20_000)))
			m.run("search-frequent", "data.ai.search", m.search(graphtest.Word(5)))
			m.run("search-part", "data.ai.search", m.search(graphtest.Word(20_000)[1:]+" "+graphtest.Word(40)))
			m.run("getPage-1000-blocks", "data.ai.getPage", func(int) []any {
				return []any{map[string]any{"title": graphtest.Title(graphtest.BigPage)}}
			})
			m.run("write-one-block", "data.block.create", func(i int) []any {
				return []any{map[string]any{
					"location": map[string]any{"parent-uid": graphtest.PageUID(i % 500), "order": "last"},
					"block":    map[string]any{"string": "one more about [[" + graphtest.Title(7) + "]]"},
				}}
			})
		})
	}
}

func measure(b *testing.B, blocks int) *measured {
	b.Helper()
	m := &measured{B: b, shape: graphtest.Options{Blocks: blocks, Seed: 1}}
	home := b.TempDir()
	m.makeGraph(home)
	var seconds atomic.Int64
	options := Options{Home: home, Policy: desk.Allow, Now: func() time.Time {
		return time.Date(2026, 11, 21, 9, 30, int(seconds.Add(1)), 0, time.UTC)
	}}
	debug.FreeOSMemory()
	before := resident()
	started := time.Now()
	s, err := Start(b.Context(), options)
	require.NoError(b, err)
	b.Cleanup(func() { _ = s.Close(b.Context()) })
	opened := time.Since(started)
	runtime.GC()
	m.client = localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFilePath(home), Strict: true}})
	b.Cleanup(m.client.CloseIdleConnections)
	grant, err := s.Desk().RequestAccess(b.Context(), desk.Access{Graph: small, AccessLevel: localapi.Full, Description: "a benchmark"})
	require.NoError(b, err)
	m.token = grant.Token
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
		} // measured above, once
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(opened.Microseconds())/1000, "ms")
		b.ReportMetric(float64(resident()-before)/(1<<20), "RSS-MB")
	})
	return m
}

func (m *measured) makeGraph(home string) {
	m.Helper()
	folder, err := store.OpenFolder(home + "/" + DataFolder)
	require.NoError(m, err)
	defer folder.Close()
	data, err := folder.CreateFrom(m.Context(), small, store.Options{}, graphtest.UserUID, graphtest.Datoms(m.shape))
	require.NoError(m, err)
	require.NoError(m, data.Close())
}

// resident is the memory of this process, in bytes; 0 if the system does not
// tell it as Linux does.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(status), "VmRSS:")
	var kilobytes int64
	if _, err := fmt.Sscan(line, &kilobytes); err != nil {
		return 0
	}
	return kilobytes << 10
}

func (m *measured) search(query string) func(int) []any {
	return func(int) []any { return []any{map[string]any{"query": query}} }
}

func (m *measured) run(name, action string, arguments func(i int) []any) {
	m.Run(name, func(b *testing.B) {
		var reply localapi.Reply
		for i := 0; b.Loop(); i++ {
			var err error
			if reply, err = m.client.Call(b.Context(), small, m.token, action, arguments(i)...); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(hits(reply.Result)), "hits")
	})
}

// hits is how many rows or results a reply has, so that a benchmark that finds
// nothing is seen.
func hits(result json.RawMessage) int {
	var rows []json.RawMessage
	if json.Unmarshal(result, &rows) == nil {
		return len(rows)
	}
	var found struct {
		Total int `json:"total"`
	}
	_ = json.Unmarshal(result, &found) // some results are neither
	return found.Total
}
