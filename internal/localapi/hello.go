package localapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
)

const (
	// maxHello bounds the reply to a hello, in bytes.
	maxHello = 1 << 20
	// nameLimit is how long the search for a listener's process may take.
	nameLimit = 2 * time.Second
)

// greeter connects as its Dialer does, to listeners that have said hello: that answer
// the question for the open graphs, which takes no token, as only Roam does
// (LOCAL_API.md 1.2). Each socket that listens is asked once. Where the system does
// not tell which one took a connection, it is asked on the connection itself.
type greeter struct {
	dialer Dialer

	mu     sync.Mutex
	known  map[string]listener    // by address: who has said hello
	asking map[listener]*greeting // those under way
}

// greeting is a hello that is waited for.
type greeting struct {
	ended chan struct{}
	err   error // to be read when it has ended
}

func newGreeter(dialer Dialer) *greeter {
	return &greeter{dialer: dialer, known: map[string]listener{}, asking: map[listener]*greeting{}}
}

// DialContext connects as net.Dialer does. Its error is a *strangerError where the
// answer is not Roam's.
func (g *greeter) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if caller, ok := ctx.Value(callerKey{}).(context.Context); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(caller, cancel)()
	}
	var before listener
	for tries := 0; ; {
		conn, found, err := g.dialer.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if found.socket == 0 {
			kept, err := g.greet(ctx, address, conn)
			if err == nil && kept {
				return conn, nil
			}
			// Who has the next connection is not known to be the same.
			if tries++; err == nil && tries > 1 {
				err = newStranger(ctx, address, errors.New("it ends the connection with the hello"))
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if found != before && !g.knows(address, found) {
			// It may listen since after the connection was made, to somebody else. What
			// listens before and after the next one has taken that.
			before = found
			_ = conn.Close()
			continue
		}
		turn, first := g.begin(address, found)
		if turn == nil {
			return conn, nil
		}
		if first {
			kept, err := sayHello(ctx, conn, address)
			g.end(address, found, turn, err)
			if err == nil && kept {
				return conn, nil
			}
		}
		_ = conn.Close() // one that waits may be closed by the other side
		if err := turn.wait(ctx, first); err != nil {
			return nil, err
		}
	}
}

type callerKey struct{}

// withCaller returns ctx for a request, through which a greeter sees its end:
// http.Transport goes on connecting when nobody waits any more.
func withCaller(ctx context.Context) context.Context {
	return context.WithValue(ctx, callerKey{}, ctx)
}

// greet says hello on a connection of which nobody knows where it leads. It returns
// false where that ends the connection.
func (g *greeter) greet(ctx context.Context, address string, conn net.Conn) (kept bool, err error) {
	kept, err = sayHello(ctx, conn, address)
	if err != nil || !kept {
		_ = conn.Close()
	}
	return kept, err
}

// knows reports whether a listener has said hello.
func (g *greeter) knows(address string, found listener) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known[address] == found
}

// begin returns nil where a listener has said hello, or the hello that is to be waited
// for. First reports whether the caller is to say it.
func (g *greeter) begin(address string, found listener) (turn *greeting, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known[address] == found {
		return nil, false
	}
	if turn := g.asking[found]; turn != nil {
		return turn, false
	}
	turn = &greeting{ended: make(chan struct{})}
	g.asking[found] = turn
	return turn, true
}

func (g *greeter) end(address string, found listener, turn *greeting, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.asking, found)
	if err == nil {
		g.known[address] = found
	}
	turn.err = err
	close(turn.ended)
}

// forget has the listener at an address say hello again.
func (g *greeter) forget(address string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.known, address)
}

// wait returns when a hello has ended. What it says of the listener is said to
// everybody; another failure is that of the one alone who has said it.
func (g *greeting) wait(ctx context.Context, mine bool) error {
	select {
	case <-g.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	var stranger *strangerError
	if mine || errors.As(g.err, &stranger) && stranger.answered() {
		return g.err
	}
	return nil
}

// sayHello asks on a connection for the open graphs. It reports whether the connection
// can be used further.
func sayHello(ctx context.Context, conn net.Conn, address string) (kept bool, err error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	response, body, err := askOpenGraphs(conn, address)
	if err == nil {
		_, _, err = graphsIn(openGraphsRoute, replyOf(response, body))
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, newStranger(ctx, address, err)
	case !stop(): // the deadline stays
		return false, ctx.Err()
	}
	return !response.Close, nil
}

// askOpenGraphs makes the request of a hello. Its error is a *problem.Error where
// something answers that is no HTTP, or too much.
func askOpenGraphs(conn net.Conn, address string) (*http.Response, []byte, error) {
	// A trace in the context of a call is of the call alone.
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+address+openGraphsRoute, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("make the hello: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Connection", "keep-alive") // the call follows on it
	if err := request.Write(conn); err != nil {
		return nil, nil, fmt.Errorf("say hello: %w", err)
	}
	limited := &io.LimitedReader{R: conn, N: maxReplyHeader + maxHello}
	in := bufio.NewReader(limited)
	var body []byte
	response, err := http.ReadResponse(in, request)
	if err == nil {
		defer response.Body.Close()
		body, err = readHello(response.Body)
	}
	if err == nil && in.Buffered() > 0 {
		err = errors.New("something follows the answer")
	}
	var broken net.Error
	ended := errors.As(err, &broken) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if err != nil && (!ended || limited.N <= 0) {
		call := &problem.Call{Action: openGraphsRoute, Sent: true}
		if response != nil {
			call.Status = response.StatusCode
		}
		err = &problem.Error{Code: CodeInvalidReply, Call: call, Err: errors.New(clean(err.Error()))}
	}
	return response, body, err
}

// readHello reads the reply to a hello, as valid UTF-8.
func readHello(in io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, maxHello+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxHello:
		return nil, errTooLarge
	}
	return validUTF8(body), nil
}

// strangerError says that a listener has not said hello as Roam does.
type strangerError struct {
	cause   error  // a *problem.Error on its answer, or how the connection broke
	process string // the listener's; empty where it is not known
}

func newStranger(ctx context.Context, address string, cause error) *strangerError {
	out := &strangerError{cause: cause}
	ctx, cancel := context.WithTimeout(ctx, nameLimit)
	defer cancel()
	if _, digits, err := net.SplitHostPort(address); err == nil {
		port, _ := strconv.Atoi(digits) // 0 is nobody's
		if process, found := netutil.ListenerOn(ctx, port); found {
			out.process = clean(process.String())
		}
	}
	return out
}

func (e *strangerError) Error() string { return "the hello failed: " + e.cause.Error() }

// answered reports whether the listener has said something.
func (e *strangerError) answered() bool {
	_, answered := problem.AsCall(e.cause)
	return answered
}

// failed returns the error of a call that was not made for it.
func (e *strangerError) failed(action string, port int) *problem.Error {
	call := problem.Call{Action: action}
	out := &problem.Error{
		Code: CodeConnectionFailed, Err: errors.New(clean(e.cause.Error())),
		Message: fmt.Sprintf("Something listens on 127.0.0.1:%d, but it ends its connections without an answer.", port),
		Hint:    startRoam(),
	}
	if answer, ok := problem.AsCall(e.cause); ok {
		call.Status, call.Text = answer.Status(), answer.Call.Text
		out = notRoam(port, answer)
		if answer.Code == CodeDisabled {
			return &problem.Error{Code: answer.Code, Call: &call, Message: answer.Message, Hint: answer.Hint}
		}
	}
	out.Call = &call
	if e.process == "" {
		out.Message += " No token was sent to it."
	} else {
		out.Message += fmt.Sprintf(" It is %s, and no token was sent to it.", e.process)
	}
	return out
}
