package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/await"
)

const modernMeta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// readPage is a call of get_page, of the stateful era or of the stateless one.
func readPage(id int, stateless bool) string {
	meta := ""
	if stateless {
		meta = modernMeta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}%s}}`, id, meta)
}

// largePage is a page of nearly as many bytes as fit into a reply.
func largePage() string {
	text := "# x <roam uid=\"p\"/>\n\n- \"" + placeholderPrefix + "ABCDEFGHIJKLMNOPQRSTUVWXYZ\" \\ \"" + placeholderPrefix + "\n" +
		strings.Repeat("- a block — with \"quotes\", \\ and \u2028 <roam uid=\"b\"/>\n", 900)
	return `{"uid":"p","markdown":` + string(rawjson.Encode(text)) + `}`
}

func TestLargeReply(t *testing.T) {
	start := func(t *testing.T) (*world, string) {
		w := newWorld(t, configText("Work"))
		page := largePage()
		w.roam.result("data.ai.getPage", page)
		return w, `{"graph":"Work","graphName":"work-graph",` + page[1:]
	}
	check := func(t *testing.T, message map[string]any, want string) {
		t.Helper()
		result, _ := message["result"].(map[string]any)
		content, _ := result["content"].([]any)
		if len(content) != 1 || content[0].(map[string]any)["text"] != want {
			t.Errorf("the reply to %v is not as Roam sent it: %.300q", message["id"], fmt.Sprint(message))
		}
	}
	t.Run("arrives as it is over stdio", func(t *testing.T) {
		w, want := start(t)
		p := w.serveStdio().listen()
		p.send(helloLine)
		p.answer(0.0)
		const calls = 16
		for id := range calls {
			p.send(readPage(1+id, id%2 == 1) + "\n")
		}
		for range calls {
			check(t, p.next(), want)
		}
		w.holdsNothing()
	})
	t.Run("arrives as it is over HTTP", func(t *testing.T) {
		w, want := start(t)
		e := w.serveHTTP()
		response, _ := e.post(initializeBody)
		session := response.Header.Get(headerSession)
		var all sync.WaitGroup
		for id := range 16 {
			all.Go(func() {
				_, answer := e.post(readPage(id, id%2 == 1), eraHeaders(session, id%2 == 1)...)
				check(t, messageOf(t, answer), want)
			})
		}
		all.Wait()
		w.holdsNothing()
	})
	t.Run("arrives as it is in memory", func(t *testing.T) {
		w, want := start(t)
		if got := w.connect().call("get_page", `{"title":"x"}`).text; got != want {
			t.Errorf("got %.300q", got)
		}
		w.holdsNothing()
	})
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("is let go of when its client leaves, stateless %v", stateless), func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 20 << 20 })
			w.roam.result("data.ai.getPage", `{"uid":"u","markdown":"`+strings.Repeat("x", 16<<20)+`"}`)
			e := w.serveHTTP()
			session := ""
			if !stateless {
				response, _ := e.post(initializeBody)
				session = response.Header.Get(headerSession)
			}
			headers := eraHeaders(session, stateless)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.http.URL(), strings.NewReader(readPage(7, stateless)))
			must(t, err)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
			for i := 0; i+1 < len(headers); i += 2 {
				request.Header.Set(headers[i], headers[i+1])
			}
			response, err := (&http.Client{Transport: withToken{e.token}}).Do(request)
			must(t, err)
			head := make([]byte, 10_000)
			if _, err := io.ReadFull(response.Body, head); err != nil || !strings.Contains(string(head), "xxxxx") {
				t.Fatalf("%v: %.200s", err, head)
			}
			response.Body.Close()
			w.holdsNothing()
			w.roam.result("data.ai.getPage", pageResult)
			if _, answer := e.post(readPage(8, stateless), headers...); messageOf(t, answer)["id"] != 8.0 {
				t.Errorf("the next call: %s", answer)
			}
		})
	}
}

// eraHeaders are those of a call of a tool.
func eraHeaders(session string, stateless bool) []string {
	if stateless {
		return []string{headerVersion, statelessVersion, headerMethod, "tools/call", "Mcp-Name", "get_page"}
	}
	return []string{headerSession, session}
}

// messageOf is the one message in the answer to a POST.
func messageOf(t *testing.T, answer string) map[string]any {
	t.Helper()
	data, hasData := strings.CutPrefix(answer, "event: message\ndata: ")
	data, ends := strings.CutSuffix(data, "\n\n")
	var message map[string]any
	if err := json.Unmarshal([]byte(data), &message); err != nil || !hasData || !ends || strings.ContainsAny(data, "\r\n") {
		t.Errorf("not one event with one message: %v: %.200q", err, answer)
	}
	return message
}

// holdsNothing makes sure that no text of a reply stays behind.
func (w *world) holdsNothing() {
	w.t.Helper()
	await.Condition(w.t, "no text of a reply is held", func() bool {
		held := w.server.placeholders
		held.mu.Lock()
		defer held.mu.Unlock()
		return len(held.texts) == 0
	})
}

func TestPlaceholders(t *testing.T) {
	p := newPlaceholders()
	ctx, answered := context.WithCancel(t.Context())
	first, second := p.hold(ctx, `a "text"`), p.hold(ctx, "")
	for name, tc := range map[string]struct{ message, want string }{
		"leaves a message without one":       {`{"x":"y"}`, `{"x":"y"}`},
		"fills one in":                       {`{"x":"` + first + `"}`, `{"x":"a \"text\""}`},
		"fills several in":                   {`["` + first + `","` + second + `","` + first + `"]`, `["a \"text\"","","a \"text\""]`},
		"leaves one that it did not give":    {`["` + placeholderPrefix + `","` + first + `"]`, `["` + placeholderPrefix + `","a \"text\""]`},
		"leaves one inside a longer text":    {`["x` + first + `"]`, `["x` + first + `"]`},
		"leaves one whose text does not end": {`["` + first, `["` + first},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(p.fill([]byte(tc.message))); got != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
	answered()
	await.Condition(t, "both are forgotten once the request is answered", func() bool {
		message := `["` + first + `","` + second + `"]`
		return string(p.fill([]byte(message))) == message
	})
}
