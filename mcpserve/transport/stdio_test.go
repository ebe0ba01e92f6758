package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
)

const pingLine = `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n"

// serve serves a test's server; it waits long enough for any machine at the end.
func serveStdio(t *testing.T, change ...func(*Drain)) (*mcptest.Server, *mcptest.Lines) {
	t.Helper()
	drain := Drain{Calls: 2 * time.Minute, Cancelled: 2 * time.Minute, Replies: 2 * time.Minute}
	for _, each := range change {
		each(&drain)
	}
	server := mcptest.NewServer(Middleware)
	return server, mcptest.Serve(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return ServeStdio(ctx, server.Server, in, out, StdioOptions{Drain: drain})
	})
}

func TestServe(t *testing.T) {
	for name, tc := range map[string]struct {
		line string
		id   any
		code float64
	}{
		"no JSON":                   {"hello\n", nil, -32700},
		"half a JSON":               {`{"jsonrpc":"2.0","id":1,` + "\n", nil, -32700},
		"a batch":                   {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n", nil, -32600},
		"an empty batch":            {"[]\n", nil, -32600},
		"a number":                  {"17\n", nil, -32600},
		"an empty object":           {"{}\n", nil, -32600},
		"no version":                {`{"id":7,"method":"ping"}` + "\n", 7.0, -32600},
		"an id that is a list":      {`{"jsonrpc":"2.0","id":[1],"method":"ping"}` + "\n", nil, -32600},
		"an id that is null":        {`{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", nil, -32600},
		"an id that is there twice": {`{"jsonrpc":"2.0","id":1,"method":"ping","id":2}` + "\n", nil, -32600},
		"an unknown method":         {`{"jsonrpc":"2.0","id":8,"method":"nope/nope"}` + "\n", 8.0, -32601},
		"an unknown tool":           {mcptest.Call(8, "nope"), 8.0, -32602},
		"params of a wrong type":    {`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}` + "\n", 9.0, -32602},
		"a name of a wrong type":    {`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":7,"arguments":{}}}` + "\n", 9.0, -32602},
		"one nested too deeply":     {`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"text","arguments":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}` + "\n", 9.0, -32600},
		"deep, with the id last":    {`{"method":"ping","params":` + strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat("}", 100_000) + `,"id":"last","jsonrpc":"2.0"}` + "\n", "last", -32600},
		"no params":                 {`{"jsonrpc":"2.0","id":9,"method":"tools/call"}` + "\n", 9.0, -32600},
		"initialize twice":          {`{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n", 9.0, -32600},
		"a line of 17 MiB":          {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 17<<20) + `"}}` + "\n", 1.0, -32600},
		"a call of 20 MB":           {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"text","arguments":{"x":"` + strings.Repeat("x", 20_000_000) + `"}}}` + "\n", 1.0, -32600},
	} {
		t.Run("answers "+name+" with an error, and goes on", func(t *testing.T) {
			server, l := serveStdio(t)
			l.Listen().Hello()
			l.Send(tc.line)
			if got := l.Answer(tc.id); mcptest.Code(got) != tc.code || mcptest.NamesGo(got) {
				t.Errorf("got %v, want code %v", got, tc.code)
			}
			l.Send(pingLine)
			l.Answer(99.0)
			if n := server.Calls(); n != 0 {
				t.Errorf("%d calls", n)
			}
		})
	}
	for name, line := range map[string]string{
		"a byte order mark":        "\xEF\xBB\xBF" + pingLine,
		"CRLF":                     strings.Replace(pingLine, "\n", "\r\n", 1),
		"blank lines":              "\n\r\n  \n" + pingLine,
		"a request with a null id": `{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n" + pingLine,
		"an answer to nothing":     `{"jsonrpc":"2.0","id":55,"result":{}}` + "\n" + pingLine,
		"an unknown notification":  `{"jsonrpc":"2.0","method":"notifications/nope"}` + "\n" + pingLine,
		"an odd notification":      `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}` + "\n" + pingLine, // as careless clients send
		"a cancel of nothing":      cancelLine(`{"requestId":12345}`) + cancelLine(`{"requestId":null}`) + cancelLine(`{"requestId":"x","reason":7}`) + cancelLine(`{}`) + cancelLine(`[]`) + pingLine,
	} {
		t.Run("takes "+name+" as it is meant", func(t *testing.T) {
			_, l := serveStdio(t)
			l.Listen().Hello()
			l.Send(line)
			l.Answer(99.0)
		})
	}
	for _, version := range []string{"2099-01-01", "2023-01-01", "yes", ""} {
		t.Run(fmt.Sprintf("answers version %q with one that is known", version), func(t *testing.T) {
			_, l := serveStdio(t)
			l.Listen().Send(strings.Replace(mcptest.HelloLines, "2025-06-18", version, 1))
			result, _ := l.Answer(0.0)["result"].(map[string]any)
			if result["protocolVersion"] != "2025-11-25" {
				t.Errorf("got %v", result)
			}
			l.Send(mcptest.Call(1, "text"))
			if answer := l.Answer(1.0); answer["result"] == nil {
				t.Errorf("got %v", answer)
			}
		})
	}
	t.Run("answers with ids as they came", func(t *testing.T) {
		_, l := serveStdio(t)
		l.Listen().Hello()
		for sent, want := range map[string]any{`"text"`: "text", `""`: "", `-7`: -7.0, `9007199254740991`: 9007199254740991.0, `"\u00e9\""`: `é"`} {
			l.Send(strings.Replace(mcptest.Call(0, "text"), `"id":0`, `"id":`+sent, 1))
			if answer := l.Answer(want); answer["result"] == nil {
				t.Errorf("%s: %v", sent, answer)
			}
		}
	})
	t.Run("answers calls at the same time", func(t *testing.T) {
		const calls = 4
		server, l := serveStdio(t)
		l.Listen().Hello()
		for i := range calls {
			l.Send(mcptest.Call(i+1, "wait"))
		}
		await.Condition(t, "all calls run", func() bool { return server.Calls() == calls }) // none is answered before each has come
		server.Release()
		for range calls {
			l.Next()
		}
	})
	t.Run("writes a large reply as it is", func(t *testing.T) {
		server, l := serveStdio(t)
		text := strings.Repeat("a text — with \"quotes\", <tags>, \\ and \u2028\n", 1500)
		server.Answer(text)
		l.Listen().Hello()
		const calls = 16
		for id := range calls {
			l.Send([]string{mcptest.Call(1+id, "text"), mcptest.StatelessCall(1+id, "text")}[id%2])
		}
		for range calls {
			message := l.Next()
			result, _ := message["result"].(map[string]any)
			content, _ := result["content"].([]any)
			if len(content) != 1 || content[0].(map[string]any)["text"] != text {
				t.Errorf("the reply to %v is not as it was given: %.300q", message["id"], fmt.Sprint(message))
			}
		}
	})
}

func cancelLine(params string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}` + "\n"
}

func TestServeStdioEnds(t *testing.T) {
	t.Run("without an error when the input ends at once", func(t *testing.T) {
		_, l := serveStdio(t)
		closeInput(t, l.Listen())
		if err := l.Ended(); err != nil {
			t.Error(err)
		}
	})
	t.Run("after a last line without a line break", func(t *testing.T) {
		_, l := serveStdio(t)
		l.Listen().Send(mcptest.HelloLines + strings.TrimSuffix(pingLine, "\n"))
		closeInput(t, l)
		l.Answer(99.0)
		if err := l.Ended(); err != nil {
			t.Error(err)
		}
	})
	for name, end := range map[string]func(*testing.T, *mcptest.Lines){
		"the client closes its end":  closeInput,
		"the server is told to stop": func(_ *testing.T, l *mcptest.Lines) { l.Stop() },
	} {
		t.Run("with the replies to calls in flight when "+name, func(t *testing.T) {
			server, l := serveStdio(t)
			l.Listen().Send(mcptest.HelloLines + mcptest.Call(1, "wait") + mcptest.Call(2, "wait"))
			await.Condition(t, "both calls run", func() bool { return server.Calls() == 2 })
			end(t, l)
			server.Release()
			seen := map[any]bool{}
			for len(seen) < 2 {
				if message := l.Next(); message["id"] == 1.0 || message["id"] == 2.0 {
					if !strings.Contains(fmt.Sprint(message), "released") {
						t.Errorf("got %v", message)
					}
					seen[message["id"]] = true
				}
			}
			if err := l.Ended(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("with the replies to calls that it cancelled", func(t *testing.T) {
		server, l := serveStdio(t, func(d *Drain) { d.Calls = 50 * time.Millisecond })
		l.Listen().Send(mcptest.HelloLines + mcptest.Call(1, "wait"))
		await.Condition(t, "the call runs", func() bool { return server.Calls() == 1 })
		l.Stop()
		if text := fmt.Sprint(l.Answer(1.0)); !strings.Contains(text, "CANCELLED") {
			t.Errorf("got %s", text)
		}
		if err := l.Ended(); err != nil {
			t.Error(err)
		}
	})
	t.Run("without waiting for a subscription", func(t *testing.T) {
		_, l := serveStdio(t)
		l.Listen().Send(`{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + mcptest.StatelessMeta + `}}` + "\n")
		closeInput(t, l)
		if err := l.Ended(); err != nil {
			t.Error(err)
		}
	})
	t.Run("with ErrClientStalled when nobody reads", func(t *testing.T) {
		server, l := serveStdio(t, func(d *Drain) {
			*d = Drain{Calls: 50 * time.Millisecond, Cancelled: 50 * time.Millisecond, Replies: 50 * time.Millisecond}
		})
		l.Send(mcptest.HelloLines + mcptest.Call(1, "text"))
		await.Condition(t, "the call has come", func() bool { return server.Calls() == 1 })
		l.Stop()
		if err := l.Ended(); !errors.Is(err, ErrClientStalled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("with an error when the output is gone", func(t *testing.T) {
		_, l := serveStdio(t)
		require.NoError(t, l.Out.Close())
		l.Send(mcptest.HelloLines)
		if err := l.Ended(); err == nil {
			t.Error("no error")
		}
	})
}

func closeInput(t *testing.T, l *mcptest.Lines) {
	t.Helper()
	require.NoError(t, l.In.Close())
}

func FuzzConn(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	f.Add(`[{}]`)
	f.Add("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"\"}\r")
	f.Add(`{"jsonrpc":"2.0","id":9e99,"method":"ping","params":null}`)
	sealed, _ := Seal(rawjson.With("method", "ping").With("id", "last"))
	id, _ := sealed.Text("id")
	last, err := jsonrpc.MakeID(id)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "notifications/cancelled") || strings.Contains(line, `\n`) {
			return
		}
		c := newConn(strings.NewReader(line+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`), io.Discard, NewInFlight(), StdioOptions{Log: discardLog()})
		defer c.Close()
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			message, err := c.Read(ctx)
			cancel()
			if err != nil {
				t.Fatalf("the line hides what follows: %v", err)
			}
			if stdioRequest, isRequest := message.(*jsonrpc.Request); isRequest && stdioRequest.ID == last {
				return
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,"}"]}}}`)
	f.Add(` {"method":"","id":"7","params":{ } ,"jsonrpc":"2.0"} `)
	f.Add(`{"jsonrpc":"2.0","id":9007199254740993,"method":"\u0070ing","params":{"é":"\u2028"}}`)
	f.Add(`{"jsonrpc":"2.0","id":null,"method":null,"params":{},"method":"x"}`)
	f.Fuzz(func(t *testing.T, line string) {
		if !json.Valid([]byte(line)) || strings.Count(line, "[")+strings.Count(line, "{") > 1000 {
			return // what is nested too deeply for the library is refused where params are decoded
		}
		sealed, refused := Seal(rawjson.Parse([]byte(line)))
		if refused != "" {
			return
		}
		got, err := decode(sealed)
		want, wantErr := jsonrpc.DecodeMessage(sealed.JSON())
		if !reflect.DeepEqual(got, want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%q is %+v, %v, to the library %+v, %v", line, got, err, want, wantErr)
		}
	})
}

func TestLineReader(t *testing.T) {
	t.Run("takes lines apart and drops one that is too long", func(t *testing.T) {
		lines := newLineReader(strings.NewReader("\xEF\xBB\xBFone\r\n\n  two \n"+strings.Repeat("x", 200)+"\nthree"), 100)
		for _, want := range []string{"one", "two", "", "three"} {
			got, err := lines.next()
			if string(got) != want || (want == "") != errors.Is(err, errLineTooLong) || want != "" && err != nil && !errors.Is(err, io.EOF) {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		}
		if _, err := lines.next(); !errors.Is(err, io.EOF) {
			t.Errorf("got %v at the end", err)
		}
	})
}

func TestOversizedID(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for name, tc := range map[string]struct{ line, id string }{
		"the id first":                {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"` + long + `"}}`, `7`},
		"the id last":                 {`{"method":"tools/call","params":{"x":"` + long + `"},"jsonrpc":"2.0","id":7}`, `7`},
		"the id last, spaced":         {`{"method": "tools/call", "params": {"x":"` + long + `"}, "id": "a b" } `, `"a b"`},
		"a text as id":                {`{"id":"x-1","method":"ping","params":"` + long + `"}`, `"x-1"`},
		"a mark before it":            {"\xEF\xBB\xBF" + `{"id":7,"method":"ping","params":"` + long + `"}`, `7`},
		"the id in the middle":        {`{"method":"ping","a":"` + long + `","id":7,"b":"` + long + `"}`, ""},
		"an id inside the params":     {`{"method":"ping","params":{"x":"` + long + `","id":7}}`, ""},
		"an id inside a text":         {`{"method":"ping","params":"` + long + `,\"id\":7"}`, ""},
		"an id that is a list":        {`{"method":"ping","params":"` + long + `","id":[7]}`, ""},
		"an id that is null":          {`{"id":null,"method":"ping","params":"` + long + `"}`, ""},
		"an answer":                   {`{"jsonrpc":"2.0","id":7,"result":"` + long + `"}`, ""},
		"a notification":              {`{"jsonrpc":"2.0","method":"ping","params":"` + long + `"}`, ""},
		"no object":                   {`["method","ping","id",7,"` + long + `"]`, ""},
		"no JSON":                     {long, ""},
		"only space":                  {strings.Repeat(" ", 200_000), ""},
		"a text that begins in space": {strings.Repeat(" ", 200_000) + `{"method":"ping","id":7}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, most := range []int{100, 100_000} { // found at the first read, and later
				lines := newLineReader(strings.NewReader(tc.line+"\nnext"), most)
				_, err := lines.next()
				if got := string(oversizedID(err)); !errors.Is(err, errLineTooLong) || got != tc.id {
					t.Errorf("got %s, %v", got, err)
				}
				if next, err := lines.next(); string(next) != "next" && !errors.Is(err, io.EOF) {
					t.Errorf("the line after is %q, %v", next, err)
				}
			}
		})
	}
	cut := newLineReader(strings.NewReader(`{"method":"ping","params":{"x":"`+long+`","id":7}`), 100)
	if _, err := cut.next(); string(oversizedID(err)) != "" {
		t.Errorf("a line that is cut off has the id %s", oversizedID(err))
	}
}
