package transport

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
)

func TestALongMessageKeepsItsMemoryUntilItIsAnswered(t *testing.T) {
	memory, used := memoryOfMessages()
	server := mcptest.NewServer(Middleware)
	lines := mcptest.Serve(t, func(ctx context.Context, in io.Reader, out io.Writer) error {
		return ServeStdio(ctx, server.Server, in, out, StdioOptions{Memory: memory})
	}).Listen()
	lines.Hello()
	long := func(id int) string {
		call := strings.TrimSuffix(mcptest.Call(id, "wait"), "}\n")
		return call + strings.Repeat(" ", int(memory.Size()/memoryOfByte)/2) + "}\n"
	}
	lines.Send(long(1))
	await.Condition(t, "a share for the call", func() bool { return used() > 0 })
	lines.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n")
	lines.Answer(2.0)
	if reserved := used(); reserved < memory.Size()/2 {
		t.Errorf("the call that waits has %d bytes", reserved)
	}
	lines.Send(long(3)) // more than is left
	// More than there is.
	lines.Send(strings.TrimSuffix(mcptest.Call(4, "text"), "}\n") + strings.Repeat(" ", int(memory.Size()/memoryOfByte)) + "}\n")
	lines.Send(`{"jsonrpc":"2.0","id":5,"method":"ping"}` + "\n")
	for range 3 {
		message := lines.Next()
		switch message["id"] {
		case 3.0, 4.0:
			said, _ := json.Marshal(message)
			if mcptest.Code(message) != CodeBusy || strings.Contains(string(said), "--memory") != (message["id"] == 4.0) {
				t.Errorf("what there is no memory for is answered with %s", said)
			}
		case 5.0:
		default:
			t.Errorf("it answers %v", message)
		}
	}
	server.Release()
	lines.Answer(1.0)
	await.Condition(t, "the memory is given back", func() bool { return used() == 0 })
}
