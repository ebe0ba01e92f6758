// Package mcptest is for tests of MCP transports: a server with a few tools, and
// a client that sends whatever bytes a test wants over two streams.
package mcptest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/await"
)

// HelloLines begin a session of the stateful era. The answer has the id 0.
const HelloLines = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// Lines is a raw client on the two streams of a server.
type Lines struct {
	In   *io.PipeWriter // to the server
	Out  *io.PipeReader // from the server
	Stop func()         // tells the server to stop

	t        *testing.T
	messages chan map[string]any
	done     chan error
}

// Serve runs a server on two streams until the test ends. Nobody reads what it
// writes before Listen.
func Serve(t *testing.T, serve func(ctx context.Context, in io.Reader, out io.Writer) error) *Lines {
	t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	l := &Lines{In: inWriter, Out: outReader, Stop: stop, t: t, messages: make(chan map[string]any, 1000), done: make(chan error, 1)}
	go func() {
		l.done <- serve(ctx, inReader, outWriter)
		_ = outWriter.Close()
		_ = inReader.Close()
	}()
	t.Cleanup(func() { stop(); _ = inWriter.Close(); _ = outReader.Close() })
	return l
}

// Listen starts reading. What is not a JSON-RPC message fails the test.
func (l *Lines) Listen() *Lines {
	go func() {
		defer close(l.messages)
		scanner := bufio.NewScanner(l.Out)
		scanner.Buffer(nil, 32<<20)
		for scanner.Scan() {
			var message map[string]any
			if err := json.Unmarshal(scanner.Bytes(), &message); err != nil || message["jsonrpc"] != "2.0" {
				l.t.Errorf("the output carries %q", scanner.Text())
				continue
			}
			l.messages <- message
		}
	}()
	return l
}

// Hello begins a session and waits for the answer, whose result it returns.
func (l *Lines) Hello() map[string]any {
	l.t.Helper()
	l.Send(HelloLines)
	result, _ := l.Answer(0.0)["result"].(map[string]any)
	return result
}

// Send sends text as it is.
func (l *Lines) Send(text string) {
	l.t.Helper()
	if _, err := io.WriteString(l.In, text); err != nil {
		l.t.Fatal(err)
	}
}

// Next returns the next message.
func (l *Lines) Next() map[string]any {
	l.t.Helper()
	message := await.Value(l.t, "a message", l.messages)
	if message == nil {
		l.t.Fatal("the server closed its output")
	}
	return message
}

// Answer returns the next message with an id: a string, a float64 or nil.
func (l *Lines) Answer(id any) map[string]any {
	l.t.Helper()
	for {
		message := l.Next()
		if got, there := message["id"]; there && got == id {
			return message
		}
	}
}

// Ended waits until the server has ended, and returns its error.
func (l *Lines) Ended() error {
	l.t.Helper()
	return await.Value(l.t, "the end of the server", l.done)
}

// Code returns the code of the error in an answer, 0 where it has none.
func Code(message map[string]any) float64 {
	problem, _ := message["error"].(map[string]any)
	code, _ := problem["code"].(float64)
	return code
}

// NamesGo reports whether an answer speaks of the types of a Go program.
func NamesGo(message map[string]any) bool {
	text := fmt.Sprint(message)
	return strings.Contains(text, "mcp.") || strings.Contains(text, "Go value") || strings.Contains(text, "json:")
}
