package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/rawjson"
)

// maxUnread is how many messages may wait for a client that does not read.
const maxUnread = 256

// conn is a connection over two streams. What is no message is answered with an
// error and skipped. It knows which requests are unanswered, so that the end of
// the input does not lose their replies.
type conn struct {
	work   *InFlight
	log    *slog.Logger
	memory *netutil.Memory

	incoming   chan received // lines that may be messages
	inputEnded chan struct{} // closed when no more lines come
	stop       chan struct{} // closed: no more lines are wanted
	ended      chan struct{} // closed: Read reports the end
	closed     chan struct{}
	broken     chan struct{} // closed when out can't be written

	outgoing chan []byte // lines to write

	stopOnce, endOnce, closeOnce sync.Once

	mu       sync.Mutex
	pending  map[jsonrpc.ID]*stdioRequest // those that are not answered yet
	parked   map[jsonrpc.ID]*stdioRequest // subscriptions, which are answered at the end only
	calls    int                          // those in pending that may take long
	changed  chan struct{}                // closed and renewed whenever one of them shrinks
	parsing  int                          // lines handed to Read, not parsed yet
	writing  int                          // messages on their way to out
	writeErr error
}

func newConn(in io.Reader, out io.Writer, work *InFlight, options StdioOptions) *conn {
	c := &conn{
		work:       work,
		log:        options.Log,
		memory:     options.Memory,
		incoming:   make(chan received),
		inputEnded: make(chan struct{}),
		stop:       make(chan struct{}),
		ended:      make(chan struct{}),
		closed:     make(chan struct{}),
		broken:     make(chan struct{}),
		outgoing:   make(chan []byte),
		pending:    map[jsonrpc.ID]*stdioRequest{},
		parked:     map[jsonrpc.ID]*stdioRequest{},
		changed:    make(chan struct{}),
	}
	go c.readLines(newLineReader(in, MaxMessage))
	go c.writeLines(out)
	return c
}

// SessionID implements mcp.Connection; stdio has none.
func (c *conn) SessionID() string { return "" }

// readLines takes lines in until the stream ends or no more are wanted.
func (c *conn) readLines(lines *lineReader) {
	defer close(c.inputEnded)
	for {
		text, err := lines.next()
		switch {
		case errors.Is(err, errLineTooLong):
			c.log.Warn("a line was too long and was skipped")
			c.reject(ErrorResponse(oversizedID(err), jsonrpc.CodeInvalidRequest, "The message is longer than 16 MiB."))
			continue
		case err != nil:
			return
		}
		share, err := c.reserve(text)
		if err != nil {
			c.reject(c.noRoom(text, err))
			continue
		}
		c.count(&c.parsing, 1)
		select {
		case c.incoming <- received{text, share}:
		case <-c.stop:
			c.count(&c.parsing, -1)
			return
		case <-c.closed:
			return
		}
	}
}

// Read implements mcp.Connection: the next message, or io.EOF once the end has
// been declared. Until then the end of the input only means that nothing comes.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	incoming, stop := c.incoming, c.stop
	for {
		if err := c.waitForRoom(ctx); err != nil {
			return nil, err
		}
		select {
		case next := <-incoming:
			message, kept := c.parse(next)
			if !kept {
				next.share.Release()
			}
			c.count(&c.parsing, -1)
			if message != nil {
				return message, nil
			}
		case <-stop:
			incoming, stop = nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.ended:
			return nil, io.EOF
		case <-c.closed:
			return nil, io.EOF
		}
	}
}

// waitForRoom holds reading back while the client leaves too many messages
// unread. Calls that take long hold nothing back: what cancels them comes by here.
func (c *conn) waitForRoom(ctx context.Context) error {
	for {
		c.mu.Lock()
		full, changed := c.writing >= maxUnread, c.changed
		c.mu.Unlock()
		if !full {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ended:
			return io.EOF
		case <-c.closed:
			return io.EOF
		}
	}
}

// parse makes a message of a line, or answers it and returns nil. kept reports whether a
// stdioRequest keeps the share of the line until it is answered.
func (c *conn) parse(from received) (message jsonrpc.Message, kept bool) {
	line := from.text
	refusal := CheckJSON(line)
	switch {
	case refusal != nil:
		c.log.Warn("a line was no JSON and was skipped", "bytes", len(line))
		c.reject(refusal)
		return nil, false
	case line[0] == '[':
		c.reject(ErrorResponse(nil, jsonrpc.CodeInvalidRequest, "Batches are not supported: send one message a line."))
		return nil, false
	case line[0] != '{':
		c.reject(ErrorResponse(nil, jsonrpc.CodeInvalidRequest, "The line is not a JSON-RPC message."))
		return nil, false
	}
	sealed, why := Seal(rawjson.Parse(line))
	if why != "" {
		c.reject(ErrorResponse(nil, jsonrpc.CodeInvalidRequest, why))
		return nil, false
	}
	message, err := decode(sealed)
	if err != nil {
		c.reject(ErrorResponse(AnswerableID(line), jsonrpc.CodeInvalidRequest, "The line is not a JSON-RPC 2.0 message."))
		return nil, false
	}
	stdioRequest, isRequest := message.(*jsonrpc.Request)
	if !isRequest {
		return message, false
	}
	if !stdioRequest.IsCall() {
		c.cancel(stdioRequest)
		return message, false
	}
	if refused := c.begin(stdioRequest, from.share); refused != nil {
		c.reject(ErrorResponse(AnswerableID(line), refused.Code, refused.Message))
		return nil, false
	}
	return message, true
}

// decode is jsonrpc.DecodeMessage for a message that is sealed. Requests with the
// usual four members, as nearly all are, are taken apart here: the library allocates
// 64 KiB of buffers for each message.
func decode(message rawjson.Object) (jsonrpc.Message, error) {
	id, hasID := message.Text("id")
	method, hasMethod := message.Text("method")
	params := message.Get("params")
	if len(message) == 4 && string(message.Get("jsonrpc")) == `"2.0"` && hasID && hasMethod && len(params) > 0 && params[0] == '{' {
		if made, err := jsonrpc.MakeID(id); err == nil {
			return &jsonrpc.Request{ID: made, Method: method, Params: params}, nil
		}
	}
	return jsonrpc.DecodeMessage(message.JSON())
}

// Write implements mcp.Connection. It returns once the writer has the message.
func (c *conn) Write(_ context.Context, message jsonrpc.Message) error {
	response, isResponse := message.(*jsonrpc.Response)
	if isResponse && response.Error != nil {
		plain := *response
		plain.Error = WithPlainError(response.Error)
		message = &plain
	}
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	answer := !isResponse || c.end(response.ID)
	if answer { // counted as being written from here on
		c.writing++
	}
	c.mu.Unlock()
	if !answer {
		return nil
	}
	return c.handOver(c.work.Fill(Unseal(data)))
}

// reject answers a line that is no message. Where the client does not read, the
// reader waits here: it gets no more in before it has taken this out.
func (c *conn) reject(answer []byte) {
	c.count(&c.writing, 1)
	if err := c.handOver(answer); err != nil {
		c.log.Debug("an answer could not be written", "error", err)
	}
}

func (c *conn) handOver(message []byte) error {
	select {
	case c.outgoing <- message:
		return nil
	case <-c.broken:
		c.count(&c.writing, -1)
		return c.writeError()
	case <-c.closed:
		c.count(&c.writing, -1)
		return mcp.ErrConnectionClosed
	}
}

// writeLines is the only writer, so that a client that stops reading blocks
// nothing but this.
func (c *conn) writeLines(out io.Writer) {
	for {
		select {
		case message := <-c.outgoing:
			if _, err := out.Write(append(message, '\n')); err != nil {
				c.mu.Lock()
				c.writeErr = err
				c.mu.Unlock()
				close(c.broken)
				return
			}
			c.count(&c.writing, -1)
		case <-c.closed:
			return
		}
	}
}

// count changes one of the counters.
func (c *conn) count(counter *int, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*counter += n
	if n < 0 {
		c.notify()
	}
}

// notify wakes those who wait for the counters; mu is held.
func (c *conn) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *conn) writeError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeErr
}

// stopReading ends the input from our side.
func (c *conn) stopReading() { c.stopOnce.Do(func() { close(c.stop) }) }

// finish declares the end to Read.
func (c *conn) finish() { c.endOnce.Do(func() { close(c.ended) }) }

// Close implements mcp.Connection. It does not close the streams, which are the
// caller's.
func (c *conn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// idleWithin waits until everything that was taken in is answered and written.
func (c *conn) idleWithin(d time.Duration) bool {
	return c.waitUntil(d, func() bool { return c.parsing == 0 && len(c.pending) == 0 && c.writing == 0 })
}

// flushed waits until everything handed over is written.
func (c *conn) flushed(d time.Duration) bool {
	return c.waitUntil(d, func() bool { return c.writing == 0 })
}

// waitUntil waits for a state of the counters; false where it does not come.
func (c *conn) waitUntil(d time.Duration, reached func() bool) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		c.mu.Lock()
		done, changed := reached(), c.changed
		c.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-changed:
		case <-c.broken:
			return false
		case <-timer.C:
			return false
		}
	}
}

// Connect implements mcp.Transport: the connection is its own transport.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

var (
	_ mcp.Transport  = (*conn)(nil)
	_ mcp.Connection = (*conn)(nil)
)
