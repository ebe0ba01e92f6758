package mcpserve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/await"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pipe is a raw client on the two streams of a server.
type pipe struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan map[string]any
	out   *io.PipeReader
	done  chan error
	stop  context.CancelFunc
}

func (w *world) serveStdio() *pipe {
	w.t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	p := &pipe{t: w.t, in: inWriter, out: outReader, lines: make(chan map[string]any, 1000), done: make(chan error, 1), stop: stop}
	go func() {
		p.done <- w.server.ServeStdio(ctx, inReader, outWriter)
		_ = outWriter.Close()
		_ = inReader.Close()
	}()
	w.t.Cleanup(func() { stop(); _ = inWriter.Close(); _ = outReader.Close() })
	return p
}

// listen starts reading; what is not a JSON object on stdout fails the test.
func (p *pipe) listen() *pipe {
	go func() {
		defer close(p.lines)
		scanner := bufio.NewScanner(p.out)
		scanner.Buffer(nil, 32<<20)
		for scanner.Scan() {
			var message map[string]any
			if err := json.Unmarshal(scanner.Bytes(), &message); err != nil || message["jsonrpc"] != "2.0" {
				p.t.Errorf("stdout carries %q", scanner.Text())
				continue
			}
			p.lines <- message
		}
	}()
	return p
}

func (p *pipe) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipe) next() map[string]any {
	p.t.Helper()
	select {
	case message, ok := <-p.lines:
		if !ok {
			p.t.Fatal("the server closed its output")
		}
		return message
	case <-time.After(time.Minute):
		p.t.Fatal("no answer")
		return nil
	}
}

// answer skips notifications and answers with other ids.
func (p *pipe) answer(id any) map[string]any {
	p.t.Helper()
	for {
		message := p.next()
		if got, there := message["id"]; there && got == id {
			return message
		}
	}
}

func (p *pipe) code(message map[string]any) float64 {
	problem, _ := message["error"].(map[string]any)
	code, _ := problem["code"].(float64)
	return code
}

func (p *pipe) ended() error {
	p.t.Helper()
	return await.Value(p.t, "the end of the server", p.done)
}

const (
	helloLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	pageLine = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}}}` + "\n"
)

func TestInitializeIsAnsweredWithRoamClosed(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.Close()
	p := w.serveStdio().listen()
	p.send(helloLine)
	result := p.answer(0.0)["result"].(map[string]any)
	if result["protocolVersion"] != "2025-06-18" || result["instructions"] == "" {
		t.Errorf("got %v", result)
	}
	if capabilities := result["capabilities"].(map[string]any); capabilities["logging"] != nil || capabilities["tools"] == nil {
		t.Errorf("capabilities: %v", capabilities)
	}
}

func TestABadLineIsAnsweredAndSurvived(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		id   any
		code float64
	}{
		"no JSON":                {"hello\n", nil, -32700},
		"half a JSON":            {`{"jsonrpc":"2.0","id":1,` + "\n", nil, -32700},
		"a batch":                {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n", nil, -32600},
		"an empty batch":         {"[]\n", nil, -32600},
		"a number":               {"17\n", nil, -32600},
		"an empty object":        {"{}\n", nil, -32600},
		"no version":             {`{"id":7,"method":"ping"}` + "\n", 7.0, -32600},
		"an id that is a list":   {`{"jsonrpc":"2.0","id":[1],"method":"ping"}` + "\n", nil, -32600},
		"an id that is null":     {`{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", nil, -32600},
		"an id with a fraction":  {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}` + "\n", 1.5, -32600},
		"an id beyond all words": {`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}` + "\n", 12345678901234567890.0, -32600},
		"an unknown method":      {`{"jsonrpc":"2.0","id":8,"method":"nope/nope"}` + "\n", 8.0, -32601},
		"an unknown tool":        {`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"nope"}}` + "\n", 8.0, -32602},
		"params of a wrong type": {`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}` + "\n", 9.0, -32602},
		"no params":              {`{"jsonrpc":"2.0","id":9,"method":"tools/call"}` + "\n", 9.0, -32600},
		"initialize twice":       {`{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n", 9.0, -32600},
		"a line of 17 MiB":       {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 17<<20) + `"}}` + "\n", 1.0, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"))
			p := w.serveStdio().listen()
			p.send(helloLine)
			p.answer(0.0)
			p.send(tc.line)
			if got := p.answer(tc.id); p.code(got) != tc.code {
				t.Errorf("got %v, want code %v", got, tc.code)
			}
			p.send(`{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n")
			p.answer(99.0)
		})
	}
}

func TestHarmlessOddLinesAreTakenAsTheyAreMeant(t *testing.T) {
	for name, line := range map[string]string{
		"a byte order mark":        "\xEF\xBB\xBF" + `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n",
		"CRLF":                     `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\r\n",
		"blank lines":              "\n\r\n  \n" + `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n",
		"a request with a null id": `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n",
		"an answer to nothing":     `{"jsonrpc":"2.0","id":55,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n",
		"an unknown notification":  `{"jsonrpc":"2.0","method":"notifications/nope"}` + "\n" + `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"))
			p := w.serveStdio().listen()
			p.send(helloLine)
			p.answer(0.0)
			p.send(line)
			p.answer(99.0)
		})
	}
}

func TestTheLastLineNeedsNoLineBreak(t *testing.T) {
	w := newWorld(t, configText("Work"))
	p := w.serveStdio().listen()
	p.send(helloLine + `{"jsonrpc":"2.0","id":99,"method":"ping"}`)
	must(t, p.in.Close())
	p.answer(99.0)
	if err := p.ended(); err != nil {
		t.Error(err)
	}
}

func TestTheEndAtOnceIsNoError(t *testing.T) {
	w := newWorld(t, configText("Work"))
	p := w.serveStdio().listen()
	must(t, p.in.Close())
	if err := p.ended(); err != nil {
		t.Error(err)
	}
}

func TestCallsInFlightAreAnsweredAtTheEnd(t *testing.T) {
	for name, end := range map[string]func(*pipe){
		"the client closes its end":  func(p *pipe) { _ = p.in.Close() },
		"the server is told to stop": func(p *pipe) { p.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, configText("Work"))
			release := make(chan struct{})
			w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 200, `{"success":true,"result":` + pageResult + `}` })
			p := w.serveStdio().listen()
			p.send(helloLine + fmt.Sprintf(pageLine, 1) + fmt.Sprintf(pageLine, 2))
			await.Condition(t, "both calls are with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 2 })
			end(p)
			close(release)
			seen := map[any]bool{}
			for len(seen) < 2 {
				if message := p.next(); message["id"] == 1.0 || message["id"] == 2.0 {
					if message["result"].(map[string]any)["isError"] == true {
						t.Errorf("got %v", message)
					}
					seen[message["id"]] = true
				}
			}
			if err := p.ended(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCallsThatTakeTooLongAreCancelledAtTheEndAndStillAnswered(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.DrainTimeout = 50 * time.Millisecond })
	release := make(chan struct{})
	defer close(release)
	w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 500, `{}` })
	p := w.serveStdio().listen()
	p.send(helloLine + fmt.Sprintf(pageLine, 1))
	await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
	p.stop()
	if text := fmt.Sprint(p.answer(1.0)); !strings.Contains(text, "CANCELLED") {
		t.Errorf("got %s", text)
	}
	if err := p.ended(); err != nil {
		t.Error(err)
	}
}

func TestAClientThatStopsReadingIsLeft(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.DrainTimeout = 50 * time.Millisecond })
	w.server.waits.cancel, w.server.waits.close = 50*time.Millisecond, 50*time.Millisecond
	w.roam.result("data.ai.getPage", pageResult)
	p := w.serveStdio() // nobody reads
	p.send(helloLine + fmt.Sprintf(pageLine, 1))
	await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
	p.stop()
	if err := p.ended(); !errors.Is(err, ErrClientStalled) {
		t.Errorf("got %v", err)
	}
}

func TestAnOutputThatIsGoneEndsTheServer(t *testing.T) {
	w := newWorld(t, configText("Work"))
	p := w.serveStdio()
	must(t, p.out.Close())
	p.send(helloLine)
	if err := p.ended(); err == nil {
		t.Error("no error")
	}
}

func TestTheClientsCancelClosesTheRequestUnderIt(t *testing.T) {
	w := newWorld(t, configText("Work"))
	release := make(chan struct{})
	defer close(release)
	w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-release; return 500, `{}` })
	p := w.serveStdio().listen()
	p.send(helloLine + fmt.Sprintf(pageLine, 1))
	await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n")
	if text := fmt.Sprint(p.answer(1.0)); !strings.Contains(text, "CANCELLED") {
		t.Errorf("got %s", text)
	}
}

func TestAPanicInAToolIsAnErrorOfThatCallAlone(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.Roam = panicking{} })
	p := w.serveStdio().listen()
	p.send(helloLine + fmt.Sprintf(pageLine, 1))
	if text := fmt.Sprint(p.answer(1.0)); !strings.Contains(text, "INTERNAL_ERROR") || strings.Contains(text, "S3cr3t") {
		t.Errorf("got %s", text)
	}
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	p.answer(2.0)
	if log := w.log.String(); !strings.Contains(log, "level=ERROR msg=panic") || strings.Contains(log, "S3cr3t") {
		t.Errorf("log: %s", log)
	}
}

func TestTheStatelessEraNeedsNoHandshake(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	w.roam.result("data.ai.getPage", pageResult)
	p := w.serveStdio().listen()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	request := func(id int, method, params string) map[string]any {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`+"\n", id, method, params, meta))
		message := p.answer(float64(id))
		result, ok := message["result"].(map[string]any)
		if !ok {
			t.Fatalf("%s: %v", method, message)
		}
		return result
	}
	discovered := request(1, "server/discover", "")
	if !strings.Contains(fmt.Sprint(discovered["supportedVersions"]), "2026-07-28") || !strings.Contains(discovered["instructions"].(string), "select_graph") {
		t.Errorf("discover: %v", discovered)
	}
	if list := request(2, "tools/list", ""); list["cacheScope"] != "private" || len(list["tools"].([]any)) != len(w.server.surface.offered(w.server.currentView())) {
		t.Errorf("tools/list: %v", list["cacheScope"])
	}
	text := func(result map[string]any) map[string]any {
		content := result["content"].([]any)[0].(map[string]any)
		var fields map[string]any
		must(t, json.Unmarshal([]byte(content["text"].(string)), &fields))
		return fields
	}
	selected := text(request(3, "tools/call", `"name":"select_graph","arguments":{"graph":"Work"},`))
	if refused := request(4, "tools/call", `"name":"get_page","arguments":{"title":"x"},`); refused["isError"] != true {
		t.Error("the stateless era remembers a selection")
	}
	read := text(request(5, "tools/call", fmt.Sprintf(`"name":"get_page","arguments":{"title":"x","ticket":%q},`, selected["ticket"])))
	if read["graphName"] != "work-graph" {
		t.Errorf("got %v", read)
	}
	// A subscription is open when the client leaves, and keeps nobody waiting.
	p.send(`{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}` + "\n")
	must(t, p.in.Close())
	if err := p.ended(); err != nil {
		t.Error(err)
	}
}

func FuzzStdio(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	f.Add(`[{}]`)
	f.Add("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"\"}\r")
	f.Add(`{"jsonrpc":"2.0","id":9e99,"method":"ping","params":null}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "notifications/cancelled") || strings.Contains(line, `\n`) {
			return
		}
		conn := newLineConn(strings.NewReader(line+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`), io.Discard, bytes.Clone, discardLog())
		defer conn.Close()
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			message, err := conn.Read(ctx)
			cancel()
			if err != nil {
				t.Fatalf("the line hides what follows: %v", err)
			}
			if isLast(message) {
				return
			}
		}
	})
}

func TestTheInMemoryTransportSharesTheServer(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	first, second := w.connect(), w.connect()
	first.call("get_page", `{"title":"x"}`).ok()
	must(t, first.Close())
	second.call("get_page", `{"title":"x"}`).ok()
	await.Condition(t, "the ended session is forgotten", func() bool {
		w.connect().call("get_page", `{"title":"x"}`).ok()
		w.server.sessions.mu.Lock()
		defer w.server.sessions.mu.Unlock()
		alive := 0
		for range w.server.mcp.Sessions() {
			alive++
		}
		return len(w.server.sessions.open) <= alive
	})
	if _, ok := any(w.server.MCP()).(*mcp.Server); !ok {
		t.Error("no server underneath")
	}
}
