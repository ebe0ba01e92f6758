//go:build campaign

package mirror

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	graphstore "roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// largeGraphs are the graphs of TestLargeGraphs: of the shape of a graph that people
// wrote, and of as many blocks as the mirror has to hold.
var largeGraphs = []struct {
	name  string
	graph localapi.Graph
}{
	{"50,000 pages, 200,000 blocks", localapi.Graph{Name: "generated", Type: localapi.Hosted}},
	{"50,000 pages, 1,000,000 blocks", localapi.Graph{Name: "million", Type: localapi.Hosted}},
}

// roleVariable is the environment variable that says what a process of this test does:
// "sandbox HOME", or "HOME GRAPH NEED" for one that loads.
const roleVariable = "ROAM_MCP_MIRROR_ROLE"

func TestMain(m *testing.M) {
	role := strings.Fields(os.Getenv(roleVariable))
	switch {
	case len(role) == 0:
		os.Exit(m.Run())
	case role[0] == "sandbox":
		serveLarge(role[1], role[2:])
	case role[2] == needSearch:
		searchLarge(role[0], role[1])
	default:
		loadLarge(role[0], role[1], role[2])
	}
}

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// serveLarge is a sandbox with the large graphs, until its input ends.
func serveLarge(home string, settings []string) {
	ctx := context.Background()
	data := filepath.Join(home, ".roam-sandbox")
	if _, err := os.Stat(data); err != nil {
		folder, err := graphstore.OpenFolder(data)
		must(err)
		made, err := folder.CreateFrom(ctx, largeGraphs[0].graph, graphstore.Options{}, graphtest.UserUID, graphtest.Datoms(graphtest.Options{Blocks: 200_000, Seed: 1}))
		must(err)
		must(made.Close())
		must(folder.Close())
	}
	parsed, err := sandbox.ParseSettings(settings)
	must(err)
	s, err := sandbox.Start(ctx, sandbox.Options{
		Home: home, Policy: desk.Allow, New: []sandbox.NewGraph{{Graph: largeGraphs[1].graph, Blocks: 1_000_000}}, Switches: parsed,
	})
	must(err)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = s.Close(ctx)
}

func process(t *testing.T, role string) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), program)
	c.Env = append(os.Environ(), roleVariable+"="+role)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	return c, in, bufio.NewScanner(out)
}

// TestLargeGraphs prints a table for docs/benchmarks.md: calls, time, time in Roam, most
// memory of the process, how long a cheap call of another client takes before and
// meanwhile (p50, p99, most, in ms), and a path with nothing changed.
func TestLargeGraphs(t *testing.T) {
	home := t.TempDir()
	for _, run := range []struct {
		switches string
		graphs   int
	}{{"", len(largeGraphs)}, {"slow-queries=400ms", 1}} {
		server, in, lines := process(t, "sandbox "+home+" "+run.switches)
		if !lines.Scan() || lines.Text() != "ready" {
			t.Fatalf("the sandbox says %q", lines.Text())
		}
		for _, large := range largeGraphs[:run.graphs] {
			for _, need := range []string{"links", "texts"} {
				loader, _, said := process(t, home+" "+large.graph.Name+" "+need)
				for said.Scan() {
					t.Logf("| %s %s, %s | %s |", large.name, run.switches, need, said.Text())
				}
				if err := loader.Wait(); err != nil {
					t.Error(err)
				}
			}
		}
		require.NoError(t, in.Close())
		require.NoError(t, server.Wait())
	}
}

// loadLarge loads a graph, and says how many calls and how long it took, how much memory
// the process has had at most, and how long a cheap call of another client took
// meanwhile, and took before.
func loadLarge(home, name, stage string) {
	ctx := context.Background()
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	graph := localapi.Graph{Name: name, Type: localapi.Hosted}
	grant, err := client.RequestToken(ctx, localapi.TokenRequest{Graph: graph, AccessLevel: localapi.ReadOnly, Description: "a test"})
	must(err)
	calls, inRoam := 0, time.Duration(0)
	ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		calls++
		start := time.Now()
		reply, err := client.Call(ctx, graph, grant.Token, action, args...)
		inRoam += time.Since(start)
		return reply.Result, err
	}
	poll := func(until func() bool) []time.Duration {
		var took []time.Duration
		for !until() {
			start := time.Now()
			_, err := client.Call(ctx, graph, grant.Token, "data.pull", "[:block/uid]", 2)
			must(err)
			took = append(took, time.Since(start))
			time.Sleep(max(0, 50*time.Millisecond-time.Since(start)))
		}
		slices.Sort(took)
		return took
	}
	end := time.Now().Add(3 * time.Second)
	before := poll(func() bool { return time.Now().After(end) })

	k := New(Options{})
	need := Links
	if stage == "texts" {
		need = Texts
	}
	done := make(chan struct{})
	var during []time.Duration
	var group sync.WaitGroup
	group.Go(func() {
		during = poll(func() bool {
			select {
			case <-done:
				return true
			default:
				return false
			}
		})
	})
	source := Source{Graph: graph, Key: "key", Ask: ask}
	start := time.Now()
	_, err = k.View(ctx, source, need)
	took := time.Since(start)
	close(done)
	group.Wait()
	must(err)
	said := fmt.Sprintf("%d | %.1f s | %.1f s | %d MB | %s | %s", calls, took.Seconds(), inRoam.Seconds(), status("VmHWM:")>>20, spread(before), spread(during))
	var warm []time.Duration
	for n := range 101 {
		start := time.Now()
		v, err := k.View(ctx, source, need)
		must(err)
		v.Links().Path(0, int32(v.Links().Len()-1))
		if n > 0 { // the first makes the links
			warm = append(warm, time.Since(start))
		}
	}
	slices.Sort(warm)
	runtime.GC()
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	k.mu.Lock()
	size := k.mirrors[graph].size
	k.mu.Unlock()
	fmt.Printf("%s | %s | %d MB, reckoned %d\n", said, spread(warm), heap.HeapAlloc>>20, size>>20)
}

func spread(took []time.Duration) string {
	at := func(share float64) string {
		return fmt.Sprintf("%.1f", float64(took[int(share*float64(len(took)-1))].Microseconds())/1000)
	}
	return at(0.5) + ", " + at(0.99) + ", " + at(1)
}

func status(field string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	must(err)
	_, line, _ := strings.Cut(string(text), field)
	kilobytes, err := strconv.ParseInt(strings.Fields(line)[0], 10, 64)
	must(err)
	return kilobytes << 10
}
