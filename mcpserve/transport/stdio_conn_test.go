package transport

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
)

func TestServeWhileCallsHang(t *testing.T) {
	const hanging = MaxInFlight + maxWaiting
	server, l := serveStdio(t)
	l.Listen().Hello()
	cancelled := func(id int) string { return cancelLine(fmt.Sprintf(`{"requestId":%d}`, id)) }
	for id := range hanging {
		l.Send(mcptest.Call(1000+id, "wait"))
	}
	await.Condition(t, "as many run as may", func() bool { return server.Calls() == MaxInFlight })
	t.Run("answers ping", func(t *testing.T) {
		l.Send(pingLine)
		if got := l.Next(); got["id"] != 99.0 || got["result"] == nil {
			t.Errorf("got %v", got)
		}
	})
	t.Run("refuses one call more", func(t *testing.T) {
		l.Send(mcptest.Call(1, "wait"))
		if got := l.Next(); got["id"] != 1.0 || mcptest.Code(got) != CodeBusy {
			t.Errorf("got %v", got)
		}
	})
	t.Run("runs one that waits when another is cancelled", func(t *testing.T) {
		l.Send(cancelled(1000))
		await.Condition(t, "another runs", func() bool { return server.Calls() == MaxInFlight+1 })
	})
	t.Run("answers no call that is cancelled, and those that come after", func(t *testing.T) {
		for id := hanging - 1; id > 0; id-- { // those that wait first
			l.Send(cancelled(1000 + id))
		}
		l.Send(mcptest.Call(2, "text"))
		if got := l.Next(); got["id"] != 2.0 || got["result"] == nil {
			t.Errorf("got %v", got)
		}
		l.Send(strings.Replace(mcptest.HelloLines, `"id":0`, `"id":1000`, 1)) // the id is free again
		if got := l.Next(); got["id"] != 1000.0 {
			t.Errorf("got %v", got)
		}
	})
	closeInput(t, l)
	require.NoError(t, l.Ended())
}

func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestConn(t *testing.T) {
	t.Run("reads no more while the client leaves too much unread", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in, feed := io.Pipe()
			unread, out := io.Pipe()
			c := newConn(in, out, NewInFlight(), StdioOptions{Log: discardLog()})
			go func() {
				for i := range 2 * maxUnread {
					if _, err := fmt.Fprintf(feed, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i); err != nil {
						return
					}
				}
			}()
			var taken atomic.Int64
			go func() {
				for {
					message, err := c.Read(t.Context())
					if err != nil {
						return
					}
					taken.Add(1)
					go func() {
						_ = c.Write(t.Context(), &jsonrpc.Response{ID: message.(*jsonrpc.Request).ID, Result: []byte(`{}`)})
					}()
					time.Sleep(time.Millisecond) // of the bubble: the answer is handed over
				}
			}()
			time.Sleep(time.Minute)
			if n := taken.Load(); n != maxUnread {
				t.Errorf("%d requests were taken in, want %d", n, maxUnread)
			}
			go func() { _, _ = io.Copy(io.Discard, unread) }()
			time.Sleep(time.Minute)
			if n := taken.Load(); n != 2*maxUnread {
				t.Errorf("%d requests were taken in once they were read", n)
			}
			if err := errors.Join(c.Close(), in.Close(), out.Close()); err != nil {
				t.Error(err)
			}
		})
	})
}
