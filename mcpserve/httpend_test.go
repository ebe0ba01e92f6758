package mcpserve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/bearer"
)

func TestCallsInFlightAreAnsweredWhenTheEndpointEnds(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for name, tc := range map[string]struct {
			patience time.Duration
			slow     bool
		}{"that end by themselves": {time.Minute, false}, "that take too long are cancelled": {50 * time.Millisecond, true}} {
			t.Run(version+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, configText("Work"), func(o *Options) { o.DrainTimeout = tc.patience })
				release := make(chan struct{})
				w.roam.on("data.ai.getPage", func(roamRequest) (int, string) {
					<-release
					return 200, `{"success":true,"result":` + pageResult + `}`
				})
				e := w.serveHTTP()
				c := e.connect(version, "test")
				replies := make(chan toolReply, 1)
				go func() { replies <- c.call("get_page", `{"title":"x"}`) }()
				await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
				e.stop()
				await.Condition(t, "nobody new is let in", func() bool {
					connection, err := net.Dial("tcp", e.http.Address())
					if err == nil {
						connection.Close()
					}
					return err != nil
				})
				if !tc.slow {
					close(release)
				}
				reply := <-replies
				if tc.slow {
					close(release)
					reply.fails(localapi.CodeCancelled)
				} else {
					reply.ok()
				}
				must(t, e.ended())
			})
		}
	}
}

func TestOpenStreamsDoNotKeepTheEndpointUp(t *testing.T) {
	w := newWorld(t, configText("Work"))
	e := w.serveHTTP()
	e.connect("2025-11-25", "old") // holds a GET open
	const listen = `{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.http.URL(), strings.NewReader(listen))
	must(t, err)
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", headerVersion: "2026-07-28", headerMethod: "subscriptions/listen"} {
		request.Header.Set(name, value)
	}
	response, err := (&http.Client{Transport: withToken{e.token}}).Do(request)
	must(t, err)
	defer response.Body.Close()
	if first := make([]byte, 1); response.StatusCode != 200 {
		t.Fatalf("status %d", response.StatusCode)
	} else if _, err := response.Body.Read(first); err != nil {
		t.Fatal(err)
	}
	e.stop()
	must(t, e.ended())
}

func TestAStatelessClientThatLeavesCancelsItsCall(t *testing.T) {
	w := newWorld(t, configText("Work"))
	cancelled := make(chan struct{})
	w.roam.on("data.ai.getPage", func(roamRequest) (int, string) { <-cancelled; return 500, `{}` })
	e := w.serveHTTP()
	c := e.connect("2026-07-28", "test")
	sub := w.server.Subscribe(SubscribeOptions{})
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: "get_page", Arguments: map[string]any{"title": "x"}})
	}()
	await.Condition(t, "the call is with Roam", func() bool { return len(w.roam.requests("data.ai.getPage")) == 1 })
	leave()
	defer close(cancelled)
	for event := range sub.Events() {
		if event.Ended {
			if event.Outcome != localapi.CodeCancelled {
				t.Errorf("got %s", event.Outcome)
			}
			return
		}
	}
}

func TestARequestWhoseBodyDoesNotComeIsAnsweredAndLetGo(t *testing.T) {
	w := newWorld(t, configText("Work"))
	token := bearer.New()
	for name, tc := range map[string]struct{ header, status string }{
		"without the token": {"", "401"},
		"of a message":      {"Authorization: Bearer " + token.Reveal() + "\r\n", "400"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := w.server.ListenHTTP(t.Context(), HTTPOptions{Address: "0", Token: token})
			must(t, err)
			h.bodyTimeout = 50 * time.Millisecond
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			done := make(chan error, 1)
			go func() { done <- h.Serve(ctx) }()
			connection, err := net.Dial("tcp", h.Address())
			must(t, err)
			_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 100\r\n\r\n", HTTPPath, h.Address(), tc.header)
			must(t, err)
			must(t, connection.SetReadDeadline(time.Now().Add(2*time.Minute)))
			answer, err := io.ReadAll(connection) // to the end of the connection
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+tc.status) {
				t.Errorf("got %q, %v", answer, err)
			}
			must(t, connection.Close())
			stop()
			must(t, <-done)
		})
	}
}
