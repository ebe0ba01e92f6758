package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

var benchGraph = localapi.Graph{Name: "large", Type: localapi.Hosted}

// benchBlocks is how many blocks the large graph has, on a quarter as many pages.
const benchBlocks = 200_000

// runBenchSandbox is a process with a graph of so many blocks: it tells its port and a
// token, and ends with its input.
func runBenchSandbox(home, blocks string) error {
	ctx := context.Background()
	count, err := strconv.Atoi(blocks)
	if err != nil {
		return err
	}
	benchShape := graphtest.Options{Blocks: count, Seed: 1}
	box, err := sandbox.Start(ctx, sandbox.Options{Home: home, Policy: desk.Allow, InMemory: []sandbox.InMemory{{Graph: benchGraph, Datoms: graphtest.Datoms(benchShape)}}})
	if err != nil {
		return err
	}
	defer func() { _ = box.Close(ctx) }()
	grant, err := box.Desk().RequestAccess(ctx, desk.Access{Graph: benchGraph, AccessLevel: localapi.Full, Description: "a benchmark", AI: true})
	if err != nil {
		return err
	}
	fmt.Println(box.Port(), grant.Token.Reveal())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// benchWorld is a server of a profile over the large graph, each a process of its own.
// The time that Roam takes is measured between the two.
type benchWorld struct {
	*benchProcess
	token  localapi.Token
	direct *localapi.Client

	mu     sync.Mutex
	calls  int
	inRoam time.Duration
}

func newBenchWorld(b *testing.B, profile string, blocks int, flags ...string) *benchWorld {
	box := exec.Command(programPath(b, "bench-sandbox"), b.TempDir(), strconv.Itoa(blocks))
	box.Stderr = os.Stderr
	in, err := box.StdinPipe()
	require.NoError(b, err)
	out, err := box.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, box.Start())
	b.Cleanup(func() { _ = in.Close(); _ = box.Wait() })
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	port, token, _ := strings.Cut(strings.TrimSpace(said), " ")

	w := new(benchWorld)
	w.token, err = localapi.ParseToken(token)
	require.NoError(b, err)
	w.direct = localapi.New(localapi.Options{PortFile: portFileIn(b, b.TempDir(), port)})
	b.Cleanup(w.direct.CloseIdleConnections)
	roam, err := url.Parse("http://127.0.0.1:" + port)
	require.NoError(b, err)
	forward := httputil.NewSingleHostReverseProxy(roam)
	forward.Transport = &http.Transport{MaxIdleConnsPerHost: 8}
	between := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.Host = roam.Host
		began := time.Now()
		forward.ServeHTTP(rw, r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.calls, w.inRoam = w.calls+1, w.inRoam+time.Since(began)
	}))
	b.Cleanup(between.Close)
	home := b.TempDir()
	portFileIn(b, home, between.URL[strings.LastIndexByte(between.URL, ':')+1:])
	require.NoError(b, configstore.New(filepath.Join(home, ".roam-mcp.json")).Save(b.Context(), configstore.Entry{
		Name: benchGraph.Name, Type: benchGraph.Type, Token: w.token, Nickname: benchGraph.Name, AccessLevel: localapi.Full,
	}))
	w.benchProcess = startServing(b, buildProgram(b), home, append([]string{"--profile", profile}, flags...)...)
	return w
}

func portFileIn(b *testing.B, folder, port string) localapi.PortFile {
	path := filepath.Join(folder, localapi.PortFileName)
	require.NoError(b, os.WriteFile(path, []byte(`{"port":`+port+`}`), 0o600))
	return localapi.PortFile{Path: path, Strict: true}
}

// ask calls a tool, and returns how long Roam took of it, in how many calls.
func (w *benchWorld) ask(tool, arguments string) (inRoam time.Duration, calls int) {
	w.mu.Lock()
	w.inRoam, w.calls = 0, 0
	w.mu.Unlock()
	w.id++
	w.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(w.id) + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}` + "\n")
	for {
		line := w.line()
		if !bytes.Contains(line, []byte(`"id":`+strconv.Itoa(w.id))) {
			continue // a notification
		}
		if bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":`)) {
			w.b.Fatalf("%s", line)
		}
		break
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inRoam, w.calls
}

// cpu returns the processor time that the server has taken in all; 0 where the system
// does not tell.
func (w *benchWorld) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.process.Process.Pid))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // a tick is a hundredth of a second
}

// edit changes a block, as another client does.
func (w *benchWorld) edit(n int) {
	text := "the " + strconv.Itoa(n) + "th edit, see [[" + graphtest.Title(n*7%50_000) + "]]"
	_, err := w.direct.Call(w.b.Context(), benchGraph, w.token, "data.block.update", map[string]any{"block": map[string]any{"uid": graphtest.BlockUID(n * 31 % 200_000), "string": text}})
	require.NoError(w.b, err)
}

// BenchmarkProfileGraph asks the profile graph about 50,000 pages, whose links it has
// read: with nothing changed, and with a block changed by another client before each
// call.
func BenchmarkProfileGraph(b *testing.B) {
	page := func(n int) string {
		uid, _ := json.Marshal(graphtest.PageUID(n % 50_000))
		return string(uid)
	}
	title := func(n int) string {
		title, _ := json.Marshal(graphtest.Title(n % 50_000))
		return string(title)
	}
	questions := []struct {
		name, tool string
		arguments  func(n int) string
	}{
		{"find_path", "find_path", func(n int) string { return `{"source":` + page(n*17) + `,"target":` + title(n*3) + `}` }},
		{"get_hubs-in", "get_hubs", func(int) string { return `{}` }},
		{"get_hubs-out", "get_hubs", func(int) string { return `{"metric":"out_degree"}` }},
		{"get_hubs-pagerank", "get_hubs", func(int) string { return `{"metric":"pagerank"}` }},
		{"get_neighbors", "get_neighbors", func(n int) string { return `{"id":` + page(n*17) + `}` }},
		{"search_by_tags", "search_by_tags", func(n int) string { return `{"tags":[` + title(n*3) + `]}` }},
		{"get_node", "get_node", func(n int) string { return `{"id":` + page(n*17) + `,"depth":1}` }},
	}
	w := newBenchWorld(b, "graph", benchBlocks)
	w.ask("get_hubs", `{"metric":"pagerank"}`)
	edits := 0
	for _, edited := range []bool{false, true} {
		for _, q := range questions {
			name := "nothing-changed/" + q.name
			if edited {
				name = "one-block-changed/" + q.name
			}
			b.Run(name, func(b *testing.B) {
				w.b = b
				var all, own samples
				calls, n, cpu := 0, 0, w.cpu()
				for b.Loop() {
					if n++; edited {
						edits++
						w.edit(edits)
					}
					began := time.Now()
					inRoam, made := w.ask(q.tool, q.arguments(n))
					took := time.Since(began)
					all.all, own.all, calls = append(all.all, took), append(own.all, took-inRoam), calls+made
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(all.at(50)/1000, "p50-ms")
				b.ReportMetric(all.at(99)/1000, "p99-ms")
				b.ReportMetric(own.at(50)/1000, "own-p50-ms")
				b.ReportMetric(own.at(99)/1000, "own-p99-ms")
				b.ReportMetric(float64((w.cpu()-cpu).Microseconds())/1000/float64(n), "cpu-ms/op")
				b.ReportMetric(float64(calls)/float64(n), "calls/op")
			})
		}
	}
}

// BenchmarkProfileMemory is what a server holds of a graph of 100,000 blocks: at the peak of
// its first answer, and ten seconds later. It is for -benchtime 1x.
func BenchmarkProfileMemory(b *testing.B) {
	for _, c := range []struct{ profile, tool, arguments string }{
		{"notes", "search_notes", `{"query":"the"}`},
		{"wiki", "search_notes", `{"query":"the"}`},
		{"graph", "search", `{"query":"the"}`},
	} {
		b.Run(c.profile, func(b *testing.B) {
			w := newBenchWorld(b, c.profile, 100_000)
			began := time.Now()
			for b.Loop() {
				w.ask(c.tool, c.arguments)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(time.Since(began).Seconds(), "load-s")
			b.ReportMetric(w.status(b, "VmHWM"), "peak-MB")
			time.Sleep(10 * time.Second)
			b.ReportMetric(w.status(b, "VmRSS"), "idle-MB")
			b.ReportMetric(float64(w.cpu().Milliseconds())/1000, "cpu-s")
		})
	}
}

// BenchmarkMirrorLimit is what a server of the profile wiki holds of the large graph, with
// limits of its mirrors: once it has browsed and has searched. It is for -benchtime 1x.
func BenchmarkMirrorLimit(b *testing.B) {
	for _, limit := range []string{"640MiB", "150MiB", "120MiB"} {
		b.Run(limit, func(b *testing.B) {
			w := newBenchWorld(b, "wiki", benchBlocks, "--mirror-limit", limit)
			for b.Loop() {
				for _, c := range []struct{ tool, arguments string }{{"browse", `{}`}, {"search_notes", `{"query":"the"}`}} {
					w.ask(c.tool, c.arguments)
					b.ReportMetric(w.status(b, "VmHWM"), c.tool+"-peak-MB")
					time.Sleep(5 * time.Second)
					b.ReportMetric(w.status(b, "VmRSS"), c.tool+"-MB")
					began := time.Now()
					w.ask(c.tool, c.arguments)
					b.ReportMetric(float64(time.Since(began).Milliseconds()), c.tool+"-again-ms")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// status returns a size that Linux tells of the server, in MB.
func (w *benchWorld) status(b *testing.B, name string) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.process.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	_, value, _ := strings.Cut(string(status), name+":")
	kilobytes, err := strconv.Atoi(strings.Fields(value)[0])
	require.NoError(b, err)
	return float64(kilobytes) / 1000
}
