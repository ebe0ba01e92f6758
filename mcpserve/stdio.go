package mcpserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
)

const (
	// cancelGrace is how long calls may take to answer after they were
	// cancelled at the end of the drain.
	cancelGrace = 2 * time.Second
	// closeGrace is how long a client may take to read the last replies.
	closeGrace = time.Second
)

// ErrClientStalled is what ServeStdio returns where the client was still there
// at the end but had stopped reading, so that replies were lost.
var ErrClientStalled = errors.New("the MCP client stopped reading; its last replies were lost")

// ServeStdio serves one client over two streams, one JSON message a line, until
// in ends or ctx does. Calls in flight are then given DrainTimeout, after that
// they are cancelled; their replies are written either way. It returns nil in
// both cases, and an error where out can't be written.
//
// A goroutine stays in in.Read until that returns: the caller owns the streams.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := newLineConn(in, out, s.placeholders.fill, s.log)
	// The session outlives ctx by the drain.
	session, err := s.mcp.Connect(filled(context.WithoutCancel(ctx)), lines, nil)
	if err != nil {
		return fmt.Errorf("start serving: %w", err)
	}
	select {
	case <-ctx.Done():
		lines.stopReading()
	case <-lines.inputEnded:
	case <-lines.broken:
	}
	s.drain(session, lines)
	lines.finish()
	stalled := !lines.flushed(s.waits.close)
	_ = lines.Close()
	if err := lines.writeError(); err != nil {
		return fmt.Errorf("write to the MCP client: %w", err)
	}
	if stalled {
		return ErrClientStalled
	}
	waited := make(chan error, 1)
	go func() { waited <- session.Wait() }()
	select {
	case err = <-waited:
	case <-time.After(s.waits.close): // a call that ignores its context
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, mcp.ErrConnectionClosed) {
		return fmt.Errorf("serve the MCP client: %w", err)
	}
	return nil
}

// drain lets calls in flight end: by themselves first, cancelled then.
func (s *Server) drain(session *mcp.ServerSession, lines *lineConn) {
	if !lines.idleWithin(s.options.DrainTimeout) {
		s.log.Warn("calls were still running at the end and are cancelled")
		s.sessions.of(session, s.mcp).end()
		lines.idleWithin(s.waits.cancel)
	}
}

// Connect implements mcp.Transport: the connection is its own transport.
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

var (
	_ mcp.Transport  = (*lineConn)(nil)
	_ mcp.Connection = (*lineConn)(nil)
)

// rejection is the answer to a line that is no message. The id is null, since
// none can be read.
func rejection(code int64, message string) []byte {
	return rejectionOf([]byte("null"), code, message)
}

func rejectionOf(id []byte, code int64, message string) []byte {
	return rawjson.With("jsonrpc", "2.0").
		With("id", id).
		With("error", struct {
			Code    int64  `json:"code"`
			Message string `json:"message"`
		}{code, message}).JSON()
}

// withCode gives an error of a response the code that it lacks: the library
// leaves some at 0, which is no code of JSON-RPC.
func withCode(err error) error {
	var coded *jsonrpc.Error
	if errors.As(err, &coded) && coded.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// frame is the text of a message, on one line. A result is JSON already: it is
// copied, since encoding it once more costs a large reply another pass.
func frame(message jsonrpc.Message) ([]byte, error) {
	response, isResponse := message.(*jsonrpc.Response)
	if !isResponse || response.Error != nil || len(response.Result) == 0 || bytes.IndexByte(response.Result, '\n') >= 0 {
		return jsonrpc.EncodeMessage(message)
	}
	return rawjson.With("jsonrpc", "2.0").
		With("id", response.ID.Raw()).
		With("result", response.Result).JSON(), nil
}
