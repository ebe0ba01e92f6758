package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/transport"
)

// benchRoam stands in for Roam in a process of its own, as Roam is one: it
// answers every action with a page of a size, after a while.
type benchRoam struct{ url string }

func startBenchRoam(b *testing.B, size int, takes time.Duration) benchRoam {
	program := programPath(b, "bench-roam")
	process := exec.Command(program, strconv.Itoa(size), takes.String())
	in, err := process.StdinPipe()
	require.NoError(b, err)
	out, err := process.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, process.Start())
	b.Cleanup(func() { _ = in.Close(); _ = process.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	return benchRoam{strings.TrimSpace(url)}
}

// runBenchRoam is that process: it says where it is, and ends with its input.
func runBenchRoam(size, takes string) error {
	bytes, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	while, err := time.ParseDuration(takes)
	if err != nil {
		return err
	}
	var page strings.Builder
	page.WriteString("# Page <roam uid=\"p\"/>\n\n")
	for i := 0; page.Len() < bytes; i++ {
		fmt.Fprintf(&page, "- A block of some length, with \"quotes\" in it <roam uid=\"u%08d\"/>\n", i)
	}
	markdown, err := json.Marshal(page.String())
	if err != nil {
		return err
	}
	reply := fmt.Appendf(nil, `{"success":true,"result":{"uid":"p","markdown":%s},"apiVersion":"1.1.5"}`, markdown)
	roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(while)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		_, _ = w.Write(reply)
	}))
	defer roam.Close()
	fmt.Println(roam.URL)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// benchProcess is "roam-mcp serve" as a client starts it, read without decoding:
// what is measured is the server.
type benchProcess struct {
	b       *testing.B
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	id      int

	endpoint, bearer, session string // with --http
}

func startServing(b *testing.B, program, home string, flags ...string) *benchProcess {
	p := &benchProcess{b: b, process: exec.Command(program, append([]string{"serve", "--max-reply", "67108864"}, flags...)...)}
	p.process.Env = append(os.Environ(), "HOME="+home)
	var err error
	if p.in, err = p.process.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := p.process.StdoutPipe()
	require.NoError(b, err)
	p.out = bufio.NewReaderSize(out, 1<<20)
	require.NoError(b, p.process.Start())
	b.Cleanup(func() { _ = p.in.Close(); _ = p.process.Wait() })
	p.send(initializeLine)
	p.line()
	return p
}

// startHTTP is startServing with --http.
func startHTTP(b *testing.B, program, home string) *benchProcess {
	p := &benchProcess{b: b, process: exec.Command(program, "serve", "--max-reply", "67108864", "--http", "127.0.0.1:0")}
	p.process.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home)
	told, err := p.process.StderrPipe()
	require.NoError(b, err)
	require.NoError(b, p.process.Start())
	b.Cleanup(func() { _ = p.process.Process.Signal(os.Interrupt); _ = p.process.Wait() })
	said := bufio.NewReader(told)
	for p.endpoint == "" {
		line, err := said.ReadString('\n')
		if err != nil {
			b.Fatalf("%q, %v", line, err)
		}
		p.endpoint, _ = strings.CutPrefix(strings.TrimSpace(line), "Serving MCP at ")
		if !strings.HasPrefix(p.endpoint, "http") {
			p.endpoint = ""
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	token, err := transport.LoadOrCreateToken(b.Context(), filepath.Join(home, "roam-mcp", "http-token"))
	require.NoError(b, err)
	p.bearer = token.Reveal()
	p.session = p.exchange(initializeLine).Get("Mcp-Session-Id")
	return p
}

// exchange posts a message and reads the answer to its end.
func (p *benchProcess) exchange(message string) http.Header {
	request, err := http.NewRequestWithContext(p.b.Context(), http.MethodPost, p.endpoint, strings.NewReader(message))
	require.NoError(p.b, err)
	request.Header.Set("Authorization", "Bearer "+p.bearer)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if p.session != "" {
		request.Header.Set("Mcp-Session-Id", p.session)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.b, err)
	defer response.Body.Close()
	if n, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK || n == 0 {
		p.b.Fatalf("status %d, %d bytes, %v", response.StatusCode, n, err)
	}
	return response.Header
}

func (p *benchProcess) callHTTP() {
	p.id++
	p.exchange(fmt.Sprintf(pageCall, p.id))
}

func (p *benchProcess) send(text string) {
	if _, err := io.WriteString(p.in, text); err != nil {
		p.b.Fatal(err)
	}
}

// line reads one line and gives its first part.
func (p *benchProcess) line() []byte {
	var first []byte
	for {
		part, err := p.out.ReadSlice('\n')
		if first == nil {
			first = bytes.Clone(part[:min(len(part), 200)])
		}
		if err == nil {
			return first
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			p.b.Fatal(err)
		}
	}
}

// call makes n calls at the same time and waits for all.
func (p *benchProcess) call(n int) {
	var lines strings.Builder
	for range n {
		p.id++
		fmt.Fprintf(&lines, pageCall, p.id)
	}
	p.send(lines.String())
	for range n {
		if line := p.line(); bytes.Contains(line, []byte(`"isError":true`)) {
			p.b.Fatalf("%s", line)
		}
	}
}

// peak is the most memory that the process has had, in bytes; 0 where the
// system does not tell.
func (p *benchProcess) peak() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes * 1024
		}
	}
	return 0
}

// post makes the request that a call makes, over connections that are kept.
func post(b *testing.B, client *http.Client, roam benchRoam) {
	body := `{"action":"data.ai.getPage","args":[{"title":"x"}],"expectedApiVersion":"1.1.5"}`
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, roam.url+"/api/work", strings.NewReader(body))
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer "+secretOfProbes)
	response, err := client.Do(request)
	if err != nil {
		b.Error(err)
		return
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		b.Error(err)
	}
}

// BenchmarkServedCall is a tool call to a process, over its standard streams and
// over HTTP, beside the same POST made directly, in turns.
func BenchmarkServedCall(b *testing.B) {
	program := buildProgram(b)
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"64KB", 64 << 10}, {"1MB", 1 << 20}, {"10MB", 10 << 20}} {
		b.Run(size.name+"/stdio", func(b *testing.B) {
			roam := startBenchRoam(b, size.bytes, 0)
			p := startServing(b, program, homeWithGraph(b, roam.url))
			compareCalls(b, roam, p, func() { p.call(1) })
		})
		b.Run(size.name+"/http", func(b *testing.B) {
			roam := startBenchRoam(b, size.bytes, 0)
			p := startHTTP(b, program, homeWithGraph(b, roam.url))
			compareCalls(b, roam, p, func() { p.callHTTP() })
		})
	}
}

func compareCalls(b *testing.B, roam benchRoam, p *benchProcess, call func()) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var direct, called samples
	for b.Loop() {
		direct.time(func() { post(b, client, roam) })
		called.time(call)
	}
	b.ReportMetric(0, "ns/op") // of no use: it is the sum of both
	b.ReportMetric(direct.at(50), "direct-p50-µs")
	b.ReportMetric(direct.at(99), "direct-p99-µs")
	b.ReportMetric(called.at(50), "tool-p50-µs")
	b.ReportMetric(called.at(99), "tool-p99-µs")
	b.ReportMetric(p.peak()/(1<<20), "peak-MB")
}

// BenchmarkParallelCalls is 50 calls at the same time, where Roam takes 35 ms
// for each, beside 50 direct requests at the same time.
func BenchmarkParallelCalls(b *testing.B) {
	const calls = 50
	roam := startBenchRoam(b, 1<<10, 35*time.Millisecond)
	p := startServing(b, buildProgram(b), homeWithGraph(b, roam.url))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: calls}}
	var direct, called samples
	for b.Loop() {
		direct.time(func() {
			var all sync.WaitGroup
			for range calls {
				all.Go(func() { post(b, client, roam) })
			}
			all.Wait()
		})
		called.time(func() { p.call(calls) })
	}
	client.CloseIdleConnections()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(direct.at(50)/1000, "direct-p50-ms")
	b.ReportMetric(called.at(50)/1000, "tool-p50-ms")
	b.ReportMetric(called.at(50)/direct.at(50), "x")
	b.ReportMetric(p.peak()/(1<<20), "peak-MB")
}

// samples are times of single calls.
type samples struct{ all []time.Duration }

func (s *samples) time(work func()) {
	started := time.Now()
	work()
	s.all = append(s.all, time.Since(started))
}

// at gives a percentile in microseconds.
func (s *samples) at(percent int) float64 {
	slices.Sort(s.all)
	return float64(s.all[len(s.all)*percent/100].Nanoseconds()) / 1000
}
