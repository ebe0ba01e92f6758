package transport

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
)

// memoryOfMessages is little memory that nobody waits long for, and what is in use of it.
func memoryOfMessages() (_ *netutil.Memory, used func() int64) {
	var n atomic.Int64
	_, memory := netutil.NewMemory(netutil.LeastMemory, func(by int64) { n.Add(by) })
	memory.Patience = 10 * time.Millisecond
	return memory, n.Load
}

func TestLargeBodies(t *testing.T) {
	t.Run("are few where they are large", func(t *testing.T) {
		e := serveHTTP(t)
		memory, used := memoryOfMessages()
		e.http.options.Memory = memory
		taken, err := memory.Acquire(t.Context(), memory.Size(), memory.Size())
		require.NoError(t, err)
		long := mcptest.Initialize + strings.Repeat(" ", 2*smallBody)
		if response, text := e.Post(t, long); response.StatusCode != 503 || response.Header.Get("Retry-After") == "" {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
		e.hello()
		taken.Release()
		if response, text := e.Post(t, long); response.StatusCode != 200 {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
		if response, text := e.Post(t, mcptest.Initialize+strings.Repeat(" ", int(memory.Size()/memoryOfByte))); response.StatusCode != 413 || !strings.Contains(text, "--memory") {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
		await.Condition(t, "the memory is given back", func() bool { return used() == 0 })
	})
	t.Run("are large where much is made of them", func(t *testing.T) {
		e := serveHTTP(t)
		memory, used := memoryOfMessages()
		e.http.options.Memory = memory
		text := func(lines int) string {
			return strings.TrimSuffix(mcptest.Initialize, "}") + `,"text":"` + strings.Repeat(`x\n`, lines) + `"}`
		}
		for _, c := range []struct{ lines, status int }{{10, 200}, {5_000, 200}, {50_000, 413}} {
			if response, said := e.Post(t, text(c.lines)); response.StatusCode != c.status {
				t.Errorf("%d lines: status %d: %s", c.lines, response.StatusCode, said)
			}
		}
		taken, err := memory.Acquire(t.Context(), memory.Size(), memory.Size())
		require.NoError(t, err)
		if response, said := e.Post(t, text(5_000)); response.StatusCode != 503 {
			t.Errorf("short, with many lines: status %d: %s", response.StatusCode, said)
		}
		e.hello()
		taken.Release()
		await.Condition(t, "the memory is given back", func() bool { return used() == 0 })
	})
	t.Run("keep their memory until their calls have ended", func(t *testing.T) {
		e := serveHTTP(t)
		memory, used := memoryOfMessages()
		e.http.options.Memory = memory
		done := make(chan struct{})
		long, headers := call(1, "wait", "")
		long = strings.TrimSuffix(long, "}\n") + strings.Repeat(" ", 2*smallBody) + "}"
		go func() {
			defer close(done)
			_, _ = e.Post(t, long, headers...)
		}()
		await.Condition(t, "the call is running", func() bool { return e.tools.Calls() == 1 })
		if used() == 0 {
			t.Error("a call that runs has given it back")
		}
		e.tools.Release()
		await.Value(t, "the answer", done)
		await.Condition(t, "the memory is given back", func() bool { return used() == 0 })
	})
}
