// Package transport serves MCP over two streams, with one JSON message a line
// (ServeStdio), and over streamable HTTP, to clients of both eras of the protocol at one
// address (ListenHTTP).
//
// It promises that what is taken in is bounded in size, time and number, and that a line
// or a body which is no message is answered and survived; that only who sends the bearer
// token and calls the HTTP endpoint by one of its names gets to it, and no web page does;
// that calls can be waited for and cancelled, and that the end of serving loses no reply.
// A large text is encoded once. It knows MCP, but no tool, no graph and no configuration.
package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/rawjson"
)

const (
	// MaxInFlight is how many calls run at the same time (IsCall).
	MaxInFlight = 256
	// MaxPerClient is how many calls of one session, or of one client that has no
	// session, run at the same time where a transport has several clients.
	MaxPerClient = 64
	// MaxMessage is the size in bytes of the longest message that is taken in.
	MaxMessage = 16 << 20
	// memoryOfByte is how much memory a message takes for each of its bytes until its calls
	// have ended: it is read and decoded, and sent to Roam in another form.
	memoryOfByte = 8
	// memoryOfValue is what each value in a list or an object takes besides, and memoryOfLine
	// what each line of a text does, which may become a block.
	memoryOfValue, memoryOfLine = 160, 800
	// mostOfByte is the most that a message takes for each of its bytes, where it has nothing
	// but line breaks of two bytes.
	mostOfByte = memoryOfByte + memoryOfLine/2
)

// memoryOf returns how many bytes of memory a message takes until its calls have ended.
func memoryOf(message []byte) int64 {
	lines := bytes.Count(message, []byte(`\n`)) + bytes.Count(message, []byte(`\u000a`)) + bytes.Count(message, []byte(`\u000A`))
	return memoryOfByte*int64(len(message)) + memoryOfValue*int64(bytes.Count(message, []byte(","))) + memoryOfLine*int64(lines)
}

// CodeBusy is the code of the error for a call that is refused because too many
// are running: one of those that JSON-RPC leaves to the server.
const CodeBusy = -32000

// StatelessVersion is the first version of MCP without sessions.
const StatelessVersion = "2026-07-28"

// Drain says how long the end of serving may take. The zero value is for use.
type Drain struct {
	Calls     time.Duration // for calls in flight to end by themselves; 0: 10 s
	Cancelled time.Duration // for those that were cancelled after that to answer; 0: 2 s
	Replies   time.Duration // for clients to read the last replies; 0: 1 s
}

// OrDefault returns d with the usual times where it has none.
func (d Drain) OrDefault() Drain {
	for _, each := range []struct {
		d     *time.Duration
		usual time.Duration
	}{{&d.Calls, 10 * time.Second}, {&d.Cancelled, 2 * time.Second}, {&d.Replies, time.Second}} {
		if *each.d <= 0 {
			*each.d = each.usual
		}
	}
	return d
}

// ErrorResponse returns the JSON-RPC response to a message that is refused. The
// id is a string or a number in JSON, and stands in it as it is; nil where it can't
// be told.
func ErrorResponse(id json.RawMessage, code int64, message string) []byte {
	if !json.Valid(id) {
		id = nil
	}
	return rawjson.With("jsonrpc", "2.0").With(keyID, id).With("error", &jsonrpc.Error{Code: code, Message: message}).JSON()
}

// quietHandler keeps the library's chatter out of the log: in the stateless era
// it would say three lines for each call, in the stateful one the ids of the
// sessions.
type quietHandler struct{ slog.Handler }

// Quiet returns a logger for the library that drops records below a warning.
func Quiet(log *slog.Logger) *slog.Logger { return slog.New(quietHandler{log.Handler()}) }

// Enabled implements slog.Handler: from a warning on.
func (q quietHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (q quietHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return quietHandler{q.Handler.WithAttrs(attributes)}
}

// WithGroup implements slog.Handler.
func (q quietHandler) WithGroup(name string) slog.Handler {
	return quietHandler{q.Handler.WithGroup(name)}
}
