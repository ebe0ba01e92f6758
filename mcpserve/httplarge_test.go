package mcpserve

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/mcptest"
)

// readPage is a call of get_page, of the stateful era or of the stateless one.
func readPage(id int, stateless bool) string {
	meta := ""
	if stateless {
		meta = "," + mcptest.StatelessMeta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}%s}}`, id, meta)
}

func TestLargeReplyOverHTTP(t *testing.T) {
	t.Run("arrives as it is", func(t *testing.T) {
		w := newWorld(t, configText("Work"))
		text := "# x <roam uid=\"p\"/>\n\n" + strings.Repeat("- a block — with \"quotes\", \\ and \u2028 <roam uid=\"b\"/>\n", 900)
		page := `{"uid":"p","markdown":` + string(rawjson.Encode(text)) + `}`
		w.roam.result("data.ai.getPage", page)
		want := `{"graph":"Work","graphName":"work-graph",` + page[1:]
		e := w.serveHTTP()
		response, _ := e.post(initializeBody)
		session := response.Header.Get(headerSession)
		var all sync.WaitGroup
		for id := range 16 {
			all.Go(func() {
				_, answer := e.post(readPage(id, id%2 == 1), eraHeaders(session, id%2 == 1)...)
				result, _ := messageOf(t, answer)["result"].(map[string]any)
				content, _ := result["content"].([]any)
				if len(content) != 1 || content[0].(map[string]any)["text"] != want {
					t.Errorf("the reply to %d is not as Roam sent it: %.300q", id, answer)
				}
			})
		}
		all.Wait()
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
