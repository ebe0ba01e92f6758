package mcpserve

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/await"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connectWith opens a client session over HTTP with options of the test's own.
func (e *endpoint) connectWith(version string, options *mcp.ClientOptions) *client {
	e.t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: e.http.URL(), HTTPClient: &http.Client{Transport: withToken{e.token}}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options).
		Connect(e.t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	must(e.t, err)
	e.t.Cleanup(func() { _ = session.Close() })
	return &client{e.t, session}
}

func TestSettingUpAGraphOverHTTP(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			b := newBoxed(t)
			e := b.serveHTTP()
			progress := &heard{}
			options := progress.options()
			options.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"nickname": "By form"}}, nil
			}
			c := e.connectWith(era, options)
			b.turn("exchange=allow")
			c.callWithProgress(t.Context(), setupTool, `{"graph":"notes"}`).ok().has("status", "connected")
			if entry := b.entry("notes"); entry.Nickname != "By form" {
				t.Errorf("the nickname is %q", entry.Nickname)
			}
			await.Condition(t, "progress through every state", func() bool {
				return strings.HasPrefix(progress.text(), "Looking for Roam.\nWaiting for the user:") && strings.HasSuffix(progress.text(), "Roam granted full access to \"notes\".\n")
			})
			b.box.Switches().Clear()
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: setupTool, Arguments: rawJSON(`{"graph":"diary","nickname":"D"}`)})
			}()
			b.dialog()
			cancel()
			await.Condition(t, "the dialog to close", func() bool { return len(b.box.Desk().Pending()) == 0 })
			<-done
		})
	}
}

func TestListsChangeOverHTTPInEitherEra(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			w := newWorld(t, configText("Work"))
			changed := make(chan struct{}, 8)
			c := w.serveHTTP().connectWith(era, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
			// The stream on which the client hears may open later than the first change.
			polls := 0
			await.Condition(t, "a notification", func() bool {
				select {
				case <-changed:
					return true
				default:
				}
				if polls%100 == 0 {
					w.configure(configText([]string{"Work", "Home"}[:1+(polls/100+1)%2]...))
				}
				polls++
				return false
			})
			w.configure(configText("Work", "Home"))
			await.Condition(t, "the tools for several graphs", func() bool { return strings.Contains(strings.Join(toolNames(t, c), " "), "select_graph") })
		})
	}
}
