package mcpserve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

// bench is a server over a Roam that answers at once with a page of a size.
type bench struct {
	*testing.B
	roam   *httptest.Server
	server *Server
}

func newBench(b *testing.B, size, maxReply int) *bench {
	var page strings.Builder
	page.WriteString("# Page <roam uid=\"p\"/>\n\n")
	for i := 0; page.Len() < size; i++ {
		fmt.Fprintf(&page, "- A block of some length, with \"quotes\" in it <roam uid=\"u%08d\"/>\n", i)
	}
	reply := fmt.Appendf(nil, `{"success":true,"result":{"uid":"p","markdown":%s},"apiVersion":"1.1.5"}`, rawjson.Encode(page.String()))
	roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(reply)))
		_, _ = w.Write(reply)
	}))
	b.Cleanup(roam.Close)
	dir := b.TempDir()
	files := map[string]string{"port": `{"port":` + roam.URL[strings.LastIndexByte(roam.URL, ':')+1:] + `}`, "config": configText("Work")}
	for name, text := range files {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	server, err := New(b.Context(), Options{
		Store:    configstore.New(filepath.Join(dir, "config")),
		Roam:     localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(dir, "port"), Strict: true}}),
		MaxReply: maxReply,
	})
	require.NoError(b, err)
	return &bench{b, roam, server}
}

func (b *bench) post() {
	body := `{"action":"data.ai.getPage","args":[{"title":"Page"}],"expectedApiVersion":"1.1.5"}`
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, b.roam.URL+"/api/work-graph", strings.NewReader(body))
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer x")
	response, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err != nil {
		b.Fatal(err)
	}
}

// inMemory is a client of the SDK on the other end of a pipe; its own decoding
// counts too.
func (b *bench) inMemory() (call func()) {
	session := b.connect()
	return func() {
		result, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "get_page", Arguments: json.RawMessage(`{"title":"Page"}`)})
		if err != nil || result.IsError {
			b.Fatal(err, result)
		}
	}
}

func (b *bench) connect() *mcp.ClientSession {
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	if _, err := b.server.Connect(context.WithoutCancel(b.Context()), serverEnd); err != nil {
		b.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(), clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(b, err)
	b.Cleanup(func() { _ = session.Close() })
	return session
}

// stdio is a raw client that reads lines and decodes nothing: what is measured
// is the server.
func (b *bench) stdio() (call func()) {
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	go func() { _ = b.server.ServeStdio(context.WithoutCancel(b.Context()), inReader, outWriter) }()
	b.Cleanup(func() { _ = inWriter.Close() })
	lines := bufio.NewReaderSize(outReader, 1<<20)
	id := 0
	exchange := func(request string) {
		id++
		if _, err := fmt.Fprintf(inWriter, request+"\n", id); err != nil {
			b.Fatal(err)
		}
		for { // to the end of the line, whatever its length
			part, err := lines.ReadSlice('\n')
			if err == nil {
				return
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				b.Fatal(err, string(part))
			}
		}
	}
	exchange(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	return func() {
		exchange(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"Page"}}}`)
	}
}

// BenchmarkToolCall compares a tool call with the same POST made directly. The
// figure "x" is the ratio, measured in the same run, call by call.
func BenchmarkToolCall(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1 << 10}, {"64KB", 64 << 10}, {"1MB", 1 << 20}} {
		for _, way := range []struct {
			name string
			open func(*bench) func()
		}{{"memory", (*bench).inMemory}, {"stdio", (*bench).stdio}} {
			b.Run(size.name+"/"+way.name, func(b *testing.B) { compare(newBench(b, size.bytes, 64<<20), way.open) })
		}
	}
}

// BenchmarkFirstPart is the first part of a page that is longer than a reply.
func BenchmarkFirstPart(b *testing.B) { compare(newBench(b, 250_000, 0), (*bench).stdio) }

func compare(b *bench, open func(*bench) func()) {
	call := open(b)
	b.post()
	call()
	direct, called := newStopwatch(), newStopwatch()
	b.ResetTimer()
	for b.Loop() {
		direct.time(b.post)
		called.time(call)
	}
	b.ReportMetric(0, "ns/op") // of no use: it is the sum of both
	b.ReportMetric(direct.microseconds(b.N), "direct-µs")
	b.ReportMetric(called.microseconds(b.N), "tool-µs")
	b.ReportMetric(called.microseconds(b.N)/direct.microseconds(b.N), "x")
}

// BenchmarkInitialize is a server made and greeted, with Roam closed.
func BenchmarkInitialize(b *testing.B) {
	setup := newBench(b, 1<<10, 0)
	setup.roam.Close()
	b.ResetTimer()
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		server, err := New(ctx, setup.server.options)
		require.NoError(b, err)
		fresh := &bench{b, setup.roam, server}
		require.NoError(b, fresh.connect().Close())
		cancel()
	}
}

type stopwatch struct{ total time.Duration }

func newStopwatch() *stopwatch { return &stopwatch{} }

func (s *stopwatch) time(work func()) {
	started := time.Now()
	work()
	s.total += time.Since(started)
}

func (s *stopwatch) microseconds(n int) float64 {
	return float64(s.total.Microseconds()) / float64(n)
}
