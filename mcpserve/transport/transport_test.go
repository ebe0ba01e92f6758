package transport

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	t.Run("cancels calls, those that wait for their turn included", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f, running, ended := NewInFlight(), atomic.Int64{}, atomic.Int64{}
			handler := Middleware(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
				running.Add(1)
				<-ctx.Done()
				return nil, ctx.Err()
			})
			for range MaxInFlight + 10 {
				go func() {
					_, _ = handler(f.Context(t.Context()), "tools/call", &mcp.CallToolRequest{})
					ended.Add(1)
				}()
			}
			synctest.Wait()
			if n := running.Load(); n != MaxInFlight {
				t.Errorf("%d calls run", n)
			}
			f.Cancel()
			synctest.Wait()
			if n := ended.Load(); n != MaxInFlight+10 {
				t.Errorf("%d calls have ended", n)
			}
		})
	})
}

func TestAdmit(t *testing.T) {
	admit := func(t *testing.T, f *InFlight, client string, calls int) (*Post, http.Header) {
		t.Helper()
		header := http.Header{}
		p, ok := f.Admit(t.Context(), client, calls, header, func() {})
		if !ok {
			t.Fatal("it is refused")
		}
		return p, header
	}
	refuses := func(f *InFlight, client string) bool {
		p, ok := f.Admit(t.Context(), client, 1, http.Header{}, func() {})
		if ok {
			p.Done()
		}
		return !ok
	}
	t.Run("refuses more calls than may be, of one client and of all", func(t *testing.T) {
		f := NewInFlight()
		admit(t, f, "a", MaxPerClient)
		if !refuses(f, "a") || refuses(f, "b") {
			t.Error("one client's calls are not bounded by themselves")
		}
		for client := range MaxInFlight/MaxPerClient - 1 {
			admit(t, f, fmt.Sprint(client), MaxPerClient)
		}
		if !refuses(f, "b") {
			t.Error("all calls together are not bounded")
		}
	})
	t.Run("counts a call until it ends, however its request ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := NewInFlight()
			p, header := admit(t, f, "a", MaxPerClient)
			leave, ended := make(chan struct{}), make(chan struct{})
			request := &mcp.CallToolRequest{Extra: &mcp.RequestExtra{Header: header}}
			handler := Middleware(func(ctx context.Context, _ string, _ mcp.Request) (mcp.Result, error) {
				<-ctx.Done()
				<-leave
				return nil, ctx.Err()
			})
			go func() {
				defer close(ended)
				_, _ = handler(f.Context(t.Context()), "tools/call", request)
			}()
			synctest.Wait()
			p.Cancel()
			p.Done()
			if refuses(f, "a") || f.IdleWithin(1) {
				t.Error("calls that never came are counted, or the one that runs is not")
			}
			if _, ok := f.Admit(t.Context(), "a", MaxPerClient, http.Header{}, nil); ok {
				t.Error("the call that runs is not counted")
			}
			if _, err := handler(f.Context(t.Context()), "tools/call", request); err == nil {
				t.Error("a call runs after the end of its request")
			}
			close(leave)
			<-ended
			if !f.IdleWithin(1) {
				t.Error("it is still in flight")
			}
			if len(f.posts) != 0 {
				t.Error("the request is remembered")
			}
			admit(t, f, "a", MaxPerClient)
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

func TestWithPlainError(t *testing.T) {
	const plain = "The params are not those of this method: an object whose fields have the types that MCP gives them."
	for name, tc := range map[string]struct{ err, want *jsonrpc.Error }{
		"leaves an error with a code":      {&jsonrpc.Error{Code: -32002, Message: "x", Data: []byte(`1`)}, &jsonrpc.Error{Code: -32002, Message: "x", Data: []byte(`1`)}},
		"gives one without its code":       {&jsonrpc.Error{Message: "x"}, &jsonrpc.Error{Code: -32600, Message: "x"}},
		"says what the decoder of Go said": {&jsonrpc.Error{Code: -32602, Message: `invalid params: unmarshaling "[]" into a *mcp.X`}, &jsonrpc.Error{Code: -32602, Message: plain}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := WithPlainError(fmt.Errorf("%w", tc.err)); got.Code != tc.want.Code || got.Message != tc.want.Message || string(got.Data) != string(tc.want.Data) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestCheckJSON(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, tc := range map[string]struct{ message, want string }{
		"takes what is nested":                {`{"id":7,"params":` + nested(999) + `}`, ""},
		"takes brackets in a text":            {`{"id":7,"params":"\"` + nested(5000) + `\\"}`, ""},
		"refuses what is nested too deeply":   {`{"id":7,"params":` + nested(1000) + `}`, `"id":7,"error":{"code":-32600,`},
		"and finds the id that stands behind": {`{"params":` + nested(100_000) + `,"id":"x"}`, `"id":"x","error":{"code":-32600,`},
		"refuses what is no JSON":             {`{"id":7,"params":`, `"id":null,"error":{"code":-32700,`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(CheckJSON([]byte(tc.message))); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}
