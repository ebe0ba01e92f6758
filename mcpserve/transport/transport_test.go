package transport

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

func TestFill(t *testing.T) {
	f := NewInFlight()
	ctx, answered := context.WithCancel(t.Context())
	first, second := f.hold(ctx, `a "text"`), f.hold(ctx, "")
	for name, tc := range map[string]struct{ message, want string }{
		"leaves a message without one":       {`{"x":"y"}`, `{"x":"y"}`},
		"fills one in":                       {`{"x":"` + first + `"}`, `{"x":"a \"text\""}`},
		"fills several in":                   {`["` + first + `","` + second + `","` + first + `"]`, `["a \"text\"","","a \"text\""]`},
		"leaves one that it did not give":    {`["` + placeholderPrefix + `","` + first + `"]`, `["` + placeholderPrefix + `","a \"text\""]`},
		"leaves one inside a longer text":    {`["x` + first + `"]`, `["x` + first + `"]`},
		"leaves one whose text does not end": {`["` + first, `["` + first},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(f.Fill([]byte(tc.message))); got != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
	answered()
	await.Condition(t, "both are forgotten once the request is answered", func() bool {
		message := `["` + first + `","` + second + `"]`
		return string(f.Fill([]byte(message))) == message
	})
}

func TestMiddleware(t *testing.T) {
	large := strings.Repeat("x", largeText)
	for name, tc := range map[string]struct {
		tied bool
		text string
		held bool
	}{
		"holds a large text":                       {true, large, true},
		"leaves a small text":                      {true, large[1:], false},
		"leaves a text of a transport without one": {false, large, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewInFlight()
			ctx := t.Context()
			if tc.tied {
				ctx = f.Context(ctx)
			}
			result, err := Middleware(func(context.Context, string, mcp.Request) (mcp.Result, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: tc.text}, &mcp.TextContent{Text: large}}}, nil
			})(ctx, "tools/call", &mcp.CallToolRequest{})
			require.NoError(t, err)
			content := result.(*mcp.CallToolResult).Content
			got := content[0].(*mcp.TextContent).Text
			if (got != tc.text) != tc.held || content[1].(*mcp.TextContent).Text != large {
				t.Errorf("the text is %.30q", got)
			}
			if filled := string(f.Fill([]byte(`"` + got + `"`))); filled != `"`+tc.text+`"` {
				t.Errorf("filled: %.30q", filled)
			}
		})
	}
	t.Run("counts calls and cancels them", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := NewInFlight()
			done := make(chan error)
			go func() {
				_, err := Middleware(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})(f.Context(t.Context()), "tools/call", &mcp.CallToolRequest{})
				done <- err
			}()
			synctest.Wait()
			if f.IdleWithin(1) || f.Enter(1, 1) {
				t.Error("the call is not counted")
			}
			f.Cancel()
			if err := <-done; err != context.Canceled {
				t.Errorf("got %v", err)
			}
			if !f.IdleWithin(1) {
				t.Error("the call is still counted")
			}
		})
	})
}

func TestErrorResponse(t *testing.T) {
	for id, want := range map[string]string{`7`: `7`, `"a"`: `"a"`, ``: `null`, `{`: `null`} {
		got := string(ErrorResponse([]byte(id), -32600, "No."))
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"No."}}`, want); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
