// Package faultproxy is a proxy for tests between a client of the Local API and
// the Roam behind it, which breaks what it is told to break.
//
// It promises that Roam sees a request once or, where the fault says so, not at
// all; it counts both. It does not know what the requests mean, but for the hello
// before a token (LOCAL_API.md 1.2), which it passes on and does not count: how many
// there are depends on the system.
package faultproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

const page = "<!DOCTYPE html><html><body><h1>It is not Roam that answers</h1></body></html>"

// Request is what the faults are chosen by.
type Request struct {
	Action string // or the route, where it is no action
	Body   []byte
}

// Options of a Proxy; all are required.
type Options struct {
	Backend  int    // port of the Roam behind it
	PortFile string // written whenever the proxy begins to listen
	// Choose gives the fault of a request; it is never called twice at the same
	// time.
	Choose func(Request) Fault
}

// Proxy listens on 127.0.0.1 until Close.
type Proxy struct {
	options Options
	client  *http.Client

	choosing sync.Mutex

	mu     sync.Mutex
	server *http.Server
	counts map[Kind]int
	closed bool
	// underWay are the requests, some of which go on when their connection is
	// gone, and the restarts; each is closed at its end.
	underWay map[chan struct{}]struct{}
}

// Start begins to listen.
func Start(options Options) (*Proxy, error) {
	p := &Proxy{options: options, counts: map[Kind]int{}, underWay: map[chan struct{}]struct{}{}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	return p, p.listen()
}

// Close ends the proxy, after all that is to be forwarded was.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	server := p.server
	p.mu.Unlock()
	if server != nil {
		_ = server.Close()
	}
	_ = p.Settle(context.Background())
	p.client.CloseIdleConnections()
}

// CloseIdleConnections closes the connections to Roam over which nothing is sent. One of a
// Roam that went away would break the next request.
func (p *Proxy) CloseIdleConnections() { p.client.CloseIdleConnections() }

// Settle returns when all that had reached the proxy before has reached Roam,
// was answered by it or was dropped, or when ctx ends.
func (p *Proxy) Settle(ctx context.Context) error {
	p.mu.Lock()
	before := slices.Collect(maps.Keys(p.underWay))
	p.mu.Unlock()
	for _, each := range before {
		select {
		case <-each:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// begin notes that something is done for a request, which Settle waits for until
// end is called. It is refused once a restart has closed the server by which the
// request came: a Roam that died does nothing more.
func (p *Proxy) begin(r *http.Request) (end func(), ok bool) {
	by, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
	p.mu.Lock()
	defer p.mu.Unlock()
	if by != p.server || p.closed {
		return nil, false
	}
	ended := make(chan struct{})
	p.underWay[ended] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.underWay, ended)
		close(ended)
	}, true
}

// Counts says how many requests met which fault.
func (p *Proxy) Counts() map[Kind]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

func (p *Proxy) listen() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the proxy: %w", err)
	}
	server := &http.Server{Handler: p, ConnContext: keepConn}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return listener.Close()
	}
	p.server = server
	go func() { _ = server.Serve(listener) }()
	port := listener.Addr().(*net.TCPAddr).Port
	fresh := p.options.PortFile + ".new"
	if err := os.WriteFile(fresh, []byte(`{"port":`+strconv.Itoa(port)+`}`), 0o600); err != nil {
		return fmt.Errorf("write the port file: %w", err)
	}
	return os.Rename(fresh, p.options.PortFile)
}

// restart closes all connections, and listens again, on another port, after a
// while.
func (p *Proxy) restart(after time.Duration) {
	p.mu.Lock()
	server := p.server
	p.server = nil
	p.mu.Unlock()
	if server == nil {
		return // another one is at it
	}
	_ = server.Close()
	time.Sleep(after)
	if err := p.listen(); err != nil {
		panic(err) // the test can't go on
	}
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	end, ok := p.begin(r)
	if !ok {
		reset(r)
	}
	defer end()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	if r.Method == http.MethodGet && r.Header.Get("Connection") == "keep-alive" {
		answer := p.forward(r, body)
		if answer.status == http.StatusBadGateway {
			reset(r) // Roam is closed
		}
		w.Header().Set("Access-Control-Allow-Origin", "*") // as Roam has it
		w.Header().Set("Content-Type", answer.contentType)
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.body) // the client may be gone
		return
	}
	request := Request{Action: r.URL.Path, Body: body}
	var named struct {
		Action string `json:"action"`
	}
	if json.Unmarshal(body, &named) == nil && named.Action != "" {
		request.Action = named.Action
	}
	p.choosing.Lock()
	fault := p.options.Choose(request)
	p.choosing.Unlock()
	p.mu.Lock()
	p.counts[fault.Kind]++
	p.mu.Unlock()
	p.apply(fault, w, r, body)
}

func (p *Proxy) apply(fault Fault, w http.ResponseWriter, r *http.Request, body []byte) {
	switch fault.Kind {
	case Restart:
		p.meanwhile(r, func() { p.restart(fault.Delay) })
	case ResetMeanwhile:
		p.meanwhile(r, func() {
			time.Sleep(fault.Delay)
			p.forward(r, body)
		})
	}
	time.Sleep(fault.Delay)
	switch fault.Kind {
	case ResetBefore:
		reset(r)
	case HTMLBefore:
		send(w, fault.status(), "text/html", []byte(page))
	case Fail:
		send(w, fault.status(), "application/json", failure(fault.Text))
	default:
		p.answer(fault, w, r, p.forward(r, body))
	}
}

// meanwhile resets the connection of a request while something goes on that
// waits for nobody, the request's handler included.
func (p *Proxy) meanwhile(r *http.Request, do func()) {
	if end, ok := p.begin(r); ok {
		go func() {
			defer end()
			do()
		}()
	}
	reset(r)
}

// answer is what the client gets of a request that was forwarded.
func (p *Proxy) answer(fault Fault, w http.ResponseWriter, r *http.Request, reply reply) {
	switch fault.Kind {
	case ResetAfter:
		reset(r)
	case HTMLAfter:
		send(w, fault.status(), "text/html", []byte(page))
	case FailAfter:
		send(w, fault.status(), "application/json", failure(fault.Text))
	case Half:
		send(w, reply.status, reply.contentType, reply.body[:len(reply.body)/2])
	case Truncate:
		w.Header().Set("Content-Type", reply.contentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(reply.body)))
		w.WriteHeader(reply.status)
		_, _ = w.Write(reply.body[:len(reply.body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		send(w, reply.status, reply.contentType, reply.body)
	}
}

type reply struct {
	status      int
	contentType string
	body        []byte
}

// forward sends a request to Roam, whether or not the client still waits.
func (p *Proxy) forward(r *http.Request, body []byte) reply {
	url := "http://127.0.0.1:" + strconv.Itoa(p.options.Backend) + r.URL.RequestURI()
	request, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), r.Method, url, bytes.NewReader(body))
	if err != nil {
		panic(err) // the request came over HTTP, so it can be sent on
	}
	request.Header = r.Header.Clone()
	request.GetBody = nil // never sent twice
	response, err := p.client.Do(request)
	if err != nil {
		return reply{status: http.StatusBadGateway, contentType: "text/html", body: []byte(page)}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{status: http.StatusBadGateway, contentType: "text/html", body: []byte(page)}
	}
	return reply{status: response.StatusCode, contentType: response.Header.Get("Content-Type"), body: read}
}

// failure is an error as older builds of Roam send it, a bare text.
func failure(text string) []byte {
	data, err := json.Marshal(map[string]any{"success": false, "error": text, "apiVersion": "1.1.5"})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return data
}

func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

type connKey struct{}

func keepConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// reset ends a connection as a crash does: without a word, and without the end
// that a peer waits for.
func reset(r *http.Request) {
	conn, _ := r.Context().Value(connKey{}).(*net.TCPConn)
	_ = conn.SetLinger(0)
	_ = conn.Close()
	panic(http.ErrAbortHandler)
}
