// Package hostile has peers for tests that take the place of Roam and answer as
// nobody should: they freeze, garble, redirect and flood. It counts what it was sent,
// and does not know what the requests mean.
package hostile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

// Kind is one way to answer.
type Kind struct {
	Name string
	// Answer writes to the connection, which is closed afterwards.
	Answer func(*Conn)
	// Early means that no request is read before.
	Early bool
	// Hangs means that it never ends by itself.
	Hangs bool
	// Good means that the reply is Roam's, though oddly sent.
	Good bool
}

// Conn is a connection to a peer.
type Conn struct {
	net.Conn
	// Token is what the request carried as its bearer token, for replies that echo it.
	Token string
	// Elsewhere is the address of somebody who must never be called.
	Elsewhere string
	closed    <-chan struct{}
}

// Say writes text. It reports whether somebody still reads.
func (c *Conn) Say(text string) bool {
	_, err := io.WriteString(c, text)
	return err == nil
}

// Freeze waits until the other side or the peer closes the connection.
func (c *Conn) Freeze() { _, _ = io.Copy(io.Discard, c) }

// Peer listens on 127.0.0.1 until its test ends.
type Peer struct {
	Port int

	mu     sync.Mutex
	bodies []string
	called int // at Elsewhere
}

// Start starts a peer of a kind, which says hello as Roam does unless it answers early.
func Start(t testing.TB, kind Kind) *Peer {
	t.Helper()
	p := &Peer{}
	elsewhere := p.listen(t, func(conn net.Conn, _ <-chan struct{}) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.called++
	})
	address := p.listen(t, func(conn net.Conn, closed <-chan struct{}) {
		c := &Conn{Conn: conn, Elsewhere: elsewhere, closed: closed}
		if kind.Early || p.read(c) {
			kind.Answer(c)
		}
	})
	_, port, _ := net.SplitHostPort(address)
	p.Port, _ = strconv.Atoi(port)
	return p
}

// listen answers connections with a function, until the test ends.
func (p *Peer) listen(t testing.TB, answer func(net.Conn, <-chan struct{})) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := make(chan struct{})
	var running sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			running.Go(func() {
				defer conn.Close()
				answer(conn, closed)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		close(closed)
		mu.Lock()
		for conn := range open {
			_ = conn.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return listener.Addr().String()
}

// read reads one request that is no hello, and notes its body.
func (p *Peer) read(c *Conn) bool {
	in := bufio.NewReader(c)
	request, err := http.ReadRequest(in)
	for err == nil && request.Method == http.MethodGet {
		c.Say(reply(http.StatusOK, hello.Reply))
		request, err = http.ReadRequest(in)
	}
	if err != nil {
		return false
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return false
	}
	c.Token = strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, string(body))
	return true
}

// Sent counts the requests whose body holds a text.
func (p *Peer) Sent(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, body := range p.bodies {
		if strings.Contains(body, text) {
			n++
		}
	}
	return n
}

// CalledElsewhere counts the connections to where the peer has redirected.
func (p *Peer) CalledElsewhere() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.called
}

// reply is a whole response with a body of JSON.
func reply(status int, body string, header ...string) string {
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", status, http.StatusText(status), len(body))
	for _, line := range header {
		out.WriteString(line + "\r\n")
	}
	return out.String() + "\r\n" + body
}
