package mcpserve

import (
	"context"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/await"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

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
			c := &client{t, e.Connect(t, era, "test", options)}
			b.turn("exchange=allow")
			c.callWithProgress(t.Context(), setupTool, `{"graph":"notes"}`).ok().has("status", "connected")
			if entry := b.entry("notes"); entry.Nickname != "By form" {
				t.Errorf("the nickname is %q", entry.Nickname)
			}
			await.Condition(t, "progress through every state", func() bool {
				return strings.HasPrefix(progress.text(), "Looking for Roam.\nWaiting for the user:") && strings.HasSuffix(progress.text(), "Roam granted full access to \"notes\".\n")
			})
			b.box.Clear()
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
			c := &client{t, w.serveHTTP().Connect(t, era, "test", &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})}
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
