package localapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

// manyStrangers is how many rounds there are every day; a campaign has more.
const manyStrangers = 30

func TestNoStrangerSeesAToken(t *testing.T) { noStrangerSeesAToken(t, manyStrangers) }

// noStrangerSeesAToken makes calls in rounds, in each of which somebody else listens where
// Roam is looked for.
func noStrangerSeesAToken(t *testing.T, rounds int) {
	choose := rand.New(rand.NewPCG(14, 3))
	kinds := []struct {
		name string
		play func(*round, *testing.T)
	}{
		{"without Roam's form", (*round).withoutForm},
		{"with a part of it", (*round).withPart},
		{"takes the port after a call", (*round).takesPort},
		{"takes the port after the hello", (*round).takesPortAtOnce},
		{"of another user", (*round).ofAnotherUser},
		{"in front of a real one", (*round).inFront},
	}
	saw, played := make([]int, len(kinds)), make([]int, len(kinds))
	folder := t.TempDir()
	for i := range rounds {
		r := &round{rand: choose, path: filepath.Join(folder, strconv.Itoa(i))}
		kind := i % len(kinds)
		kinds[kind].play(r, t)
		r.end()
		saw[kind] += int(r.tokens.Load())
		played[kind]++
	}
	for i, kind := range kinds {
		t.Logf("%s: %d rounds, %d tokens seen", kind.name, played[i], saw[i])
		if saw[i] > 0 {
			t.Errorf("a stranger %s saw %d tokens", kind.name, saw[i])
		}
	}
}

// round is one client, and whoever listens where it looks for Roam.
type round struct {
	rand   *rand.Rand
	path   string       // of the port file
	client *Client      // once there is a port
	tokens atomic.Int32 // that strangers have read

	mu     sync.Mutex
	closes []func()
}

func (r *round) atEnd(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closes = append(r.closes, do)
}

func (r *round) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.closes {
		end()
	}
}

func (r *round) serve(listener net.Listener, handler http.Handler) *http.Server {
	server := &http.Server{Addr: listener.Addr().String(), Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	r.atEnd(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	return server
}

// strangeListener counts the tokens in what is read from its connections.
type strangeListener struct {
	net.Listener
	tokens *atomic.Int32
}

func (l strangeListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return &strangeConn{Conn: conn, tokens: l.tokens}, err
}

type strangeConn struct {
	net.Conn
	tokens *atomic.Int32
	read   []byte
	seen   int
}

func (c *strangeConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read = append(c.read, p[:n]...)
	if seen := bytes.Count(c.read, []byte(TokenPrefix)); seen > c.seen {
		c.tokens.Add(int32(seen - c.seen))
		c.seen = seen
	}
	return n, err
}

func (r *round) stranger(listener net.Listener, handler http.HandlerFunc) {
	r.serve(strangeListener{listener, &r.tokens}, handler)
}

// calls makes a few calls with tokens, and returns how many went well.
func (r *round) calls(t *testing.T, port int) int {
	t.Helper()
	writePort(t, r.path, port)
	if r.client == nil {
		r.client = New(Options{PortFile: PortFile{Path: r.path}})
		r.atEnd(r.client.CloseIdleConnections)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	token := secretToken(t)
	var well atomic.Int32
	var calling sync.WaitGroup
	for range 1 + r.rand.IntN(3) {
		calling.Go(func() {
			if _, err := r.client.Call(ctx, work, token, "data.block.create"); err == nil {
				well.Add(1)
			}
		})
	}
	if r.rand.IntN(2) == 0 {
		_, _ = r.client.VerifyToken(ctx, work, token)
	}
	calling.Wait()
	return int(well.Load())
}

func listenAnywhere(t *testing.T) (net.Listener, int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener, listener.Addr().(*net.TCPAddr).Port
}

const success = `{"success":true,"result":{"uid":"x"},"apiVersion":"1.1.5"}`

// other returns a handler that has nothing of Roam's.
func (r *round) other() http.HandlerFunc {
	all := []http.HandlerFunc{
		http.NotFound,
		answer(200, `<!DOCTYPE html><div id="root"></div>`),
		answer(200, `{"status":"UP"}`), answer(200, `{}`), answer(200, `null`), answer(200, ``), answer(204, ``),
		answer(401, `Unauthorized`), answer(500, `oops`), answer(302, ``),
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	return all[r.rand.IntN(len(all))]
}

// part returns a handler that answers calls as Roam does, and the hello in part.
func (r *round) part() http.HandlerFunc {
	hellos := []string{
		`[]`, `{"success":true}`, `{"success":true,"result":[]}`, `{"success":true,"result":{},"apiVersion":"1.1.5"}`,
		`{"success":true,"result":null,"apiVersion":"1.1.5"}`, `{"success":true,"result":[1],"apiVersion":"1.1.5"}`,
		`{"result":[{"name":"work","type":"hosted"}],"apiVersion":"1.1.5"}`, `{"success":false,"error":{"code":"INTERNAL_ERROR","message":"x"},"apiVersion":"1.1.5"}`,
		`[{"graph":"work"}]`, `{"success":true,"result":[{"name":"w`, success,
	}
	text := hellos[r.rand.IntN(len(hellos))]
	status := []int{200, 200, 200, 404, 503}[r.rand.IntN(5)]
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			answer(status, text)(w, r)
			return
		}
		answer(200, success)(w, r)
	}
}

// any returns a handler of one of the two kinds.
func (r *round) any() http.HandlerFunc {
	if r.rand.IntN(2) == 0 {
		return r.other()
	}
	return r.part()
}

func (r *round) withoutForm(t *testing.T) {
	listener, port := listenAnywhere(t)
	r.stranger(listener, r.other())
	r.calls(t, port)
	r.calls(t, port)
}

func (r *round) withPart(t *testing.T) {
	listener, port := listenAnywhere(t)
	r.stranger(listener, r.part())
	r.calls(t, port)
	r.calls(t, port)
}

// again listens on a port that was just left; nil where somebody else has it.
func again(port int) net.Listener {
	for limit := time.Now().Add(5 * time.Second); time.Now().Before(limit); {
		if listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return listener
		}
	}
	return nil
}

func (r *round) takesPort(t *testing.T) {
	listener, port := listenAnywhere(t)
	roam := r.serve(listener, hello.Before(answer(200, success)))
	if r.calls(t, port) == 0 {
		t.Error("Roam got no call")
	}
	_ = roam.Close()
	taken := again(port)
	if taken == nil {
		return
	}
	r.stranger(taken, r.any())
	r.calls(t, port)
	r.calls(t, port)
}

// takesPortAtOnce has the stranger take the port while Roam answers its first request,
// with which Roam ends the connection or not.
func (r *round) takesPortAtOnce(t *testing.T) {
	listener, port := listenAnywhere(t)
	handler, closes := r.any(), r.rand.IntN(2) == 0
	var taking sync.Once
	r.serve(listener, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		taking.Do(func() {
			_ = listener.Close()
			if taken := again(port); taken != nil {
				r.stranger(taken, handler)
			}
		})
		if closes {
			w.Header().Set("Connection", "close")
		}
		hello.Before(answer(200, success))(w, req)
	}))
	r.calls(t, port)
	r.calls(t, port)
}

func (r *round) ofAnotherUser(t *testing.T) {
	listener := listenAsAnother(t)
	if listener == nil {
		return
	}
	r.atEnd(func() { _ = listener.Close() })
	r.stranger(listener, hello.Before(answer(200, success))) // all of Roam's form
	r.calls(t, listener.Addr().(*net.TCPAddr).Port)
}

// inFront has a real Roam behind the stranger, which passes calls on, has a more special
// address, or is where Roam was.
func (r *round) inFront(t *testing.T) {
	real := hello.Before(answer(200, success))
	listener, port := listenAnywhere(t)
	switch r.rand.IntN(3) {
	case 0:
		page := r.other()
		r.stranger(listener, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				real(w, r)
				return
			}
			page(w, r)
		})
	case 1:
		if behind, err := net.Listen("tcp6", fmt.Sprintf("[::1]:%d", port)); err == nil {
			r.serve(behind, real)
		}
		r.stranger(listener, r.any())
	default:
		r.stranger(listener, r.any())
		r.calls(t, port)
		behind, moved := listenAnywhere(t)
		r.serve(behind, real)
		if r.calls(t, moved) == 0 {
			t.Error("Roam got no call")
		}
	}
	r.calls(t, port)
}
