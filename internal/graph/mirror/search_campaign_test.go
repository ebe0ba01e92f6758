//go:build campaign

package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/search"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// needSearch is the need of a loader that makes a full-text index too.
const needSearch = "search"

// TestLargeGraphsAreSearched prints a table for docs/benchmarks.md: how far the load was
// when it was cancelled, where the next one went on, the calls and the time of both; the
// time of the index; most memory of the process, and what is left of it; what a search
// takes (p50, p99, most, in ms).
func TestLargeGraphsAreSearched(t *testing.T) {
	home := t.TempDir()
	server, in, lines := process(t, "sandbox "+home)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the sandbox says %q", lines.Text())
	}
	for _, large := range largeGraphs {
		loader, _, said := process(t, home+" "+large.graph.Name+" "+needSearch)
		for said.Scan() {
			t.Logf("| %s | %s |", large.name, said.Text())
		}
		if err := loader.Wait(); err != nil {
			t.Error(err)
		}
	}
	require.NoError(t, in.Close())
	require.NoError(t, server.Wait())
}

// searchLarge loads a graph, which is cancelled half way, makes its index, and searches.
func searchLarge(home, name string) {
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	graph := localapi.Graph{Name: name, Type: localapi.Hosted}
	grant, err := client.RequestToken(context.Background(), localapi.TokenRequest{Graph: graph, AccessLevel: localapi.ReadOnly, Description: "a test"})
	must(err)
	calls := 0
	var told []string
	ctx, cancel := context.WithCancel(context.Background())
	source := Source{
		Graph: graph, Key: "key",
		Ask: func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
			calls++
			reply, err := client.Call(ctx, graph, grant.Token, action, args...)
			return reply.Result, err
		},
		Progress: func(text string) {
			if told = append(told, text); len(told) == 10 {
				cancel()
			}
		},
	}
	k := New(Options{})
	start := time.Now()
	if _, err := k.View(ctx, source, Texts); !errors.Is(err, context.Canceled) {
		must(fmt.Errorf("the load was cancelled, and ended with %v", err))
	}
	before := len(told)
	v, err := k.View(context.Background(), source, Texts)
	must(err)
	loaded := time.Since(start)
	x := search.NewWordIndex()
	start = time.Now()
	var docs []search.Doc
	for p := range v.Pages() {
		if n, ok := v.Note(p.UID); ok && p.Exists {
			docs = append(docs, search.Doc{Key: p.UID, Path: p.Title, Title: p.Title, Tags: note.TagsOf(n).All(), Created: n.CreatedAt(), Updated: n.UpdatedAt(), Blocks: blockTexts(nil, n.Visible())})
		}
		if len(docs) == 500 {
			x.Apply(docs, nil)
			docs = docs[:0]
		}
	}
	x.Apply(docs, nil)
	indexed := time.Since(start)
	most := status("VmHWM:")
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	fmt.Printf("%s; %s | %d | %.0f s | %d notes, %.0f s | %d MB, %d MB | %s\n", told[before-1], told[before], calls, loaded.Seconds(), x.Len(), indexed.Seconds(),
		most>>20, heap.HeapAlloc>>20, spread(searches(x)))
	runtime.KeepAlive(v)
}

func blockTexts(texts []string, n note.Node) []string {
	for _, each := range n.Children {
		texts = blockTexts(append(texts, each.Text), each)
	}
	return texts
}

// searches returns how long searches for frequent and rare words take.
func searches(x *search.WordIndex) []time.Duration {
	var took []time.Duration
	for i := range 1000 {
		a, b := graphtest.Word(i%37), graphtest.Word(i*i%4999)
		for _, query := range []string{a, a + " " + b, `"` + a + " " + b + `"`, "-" + b + " (" + a + " OR title:" + b + ")"} {
			start := time.Now()
			q, err := search.ParseWordQuery(query)
			must(err)
			_, err = x.Search(context.Background(), q, 0, 10)
			must(err)
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	return took
}
