package keyproof

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

const key = "THE-KEY-OF-THE-SANDBOX-01"

// served is a server whose handler says which request it served. Its clock stands
// still.
type served struct {
	*httptest.Server
	proofs Server
	now    time.Time
	ran    []string
}

func serve(t *testing.T) *served {
	t.Helper()
	s := &served{now: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == NoncePath {
			s.proofs.ServeNonce(w, r)
			return
		}
		if !s.proofs.Serve(w, r, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			s.ran = append(s.ran, r.Method+" "+r.URL.RequestURI()+" "+string(body))
			w.Header().Set("Content-Length", "8")
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "the ")
			_, _ = io.WriteString(w, "list")
		}) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	s.Config.ConnContext = ConnContext
	s.Start()
	t.Cleanup(s.Close)
	s.proofs = Server{Key: key, Port: s.Listener.Addr().(*net.TCPAddr).Port, Now: func() time.Time { return s.now }}
	return s
}

func TestClientDo(t *testing.T) {
	s := serve(t)
	for name, test := range map[string]struct {
		key  string
		port int // of the server, as it knows it
		body string
		want error
	}{
		"is served with the key":              {key, s.proofs.Port, `{"set":[]}`, nil},
		"is refused with another key":         {"x", s.proofs.Port, "", ErrRefused},
		"is refused without a key":            {"", s.proofs.Port, "", ErrRefused},
		"is refused where it was sent on":     {key, s.proofs.Port + 1, "", ErrRefused},
		"is refused with more than the limit": {key, s.proofs.Port, strings.Repeat("x", maxBody+1), ErrRefused},
	} {
		t.Run(name, func(t *testing.T) {
			s.proofs.Port, s.ran = test.port, nil
			response, err := Client{Key: test.key, Port: s.Listener.Addr().(*net.TCPAddr).Port}.Do(t.Context(), "POST", "/x?graph=a", []byte(test.body))
			if !errors.Is(err, test.want) || (len(s.ran) == 1) != (test.want == nil) {
				t.Fatalf("error %v, served %q", err, s.ran)
			}
			if err != nil {
				return
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || string(body) != "the list" || response.StatusCode != http.StatusAccepted || s.ran[0] != "POST /x?graph=a "+test.body {
				t.Errorf("%d %q, %v, of %q", response.StatusCode, body, err, s.ran)
			}
		})
	}
}

// asking is a connection on which a test writes requests itself.
type asking struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (s *served) ask(t *testing.T) *asking {
	t.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &asking{t, conn, bufio.NewReader(conn)}
}

func (a *asking) send(method, uri, body string, header ...string) *http.Response {
	a.t.Helper()
	request, err := http.NewRequest(method, "http://127.0.0.1"+uri, strings.NewReader(body))
	require.NoError(a.t, err)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	require.NoError(a.t, request.Write(a.conn))
	response, err := http.ReadResponse(a.in, request)
	require.NoError(a.t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(a.t, err)
	return response
}

func TestAProofIsGoodOnceAndForOneRequest(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*served, *request) // of what is sent, once it is proven
		status int
	}{
		"as it was proven":    {func(*served, *request) {}, http.StatusAccepted},
		"with another method": {func(_ *served, r *request) { r.method = "PUT" }, http.StatusUnauthorized},
		"with another path":   {func(_ *served, r *request) { r.uri = "/y?a=1" }, http.StatusUnauthorized},
		"with another query":  {func(_ *served, r *request) { r.uri = "/x?a=2" }, http.StatusUnauthorized},
		"with another body":   {func(_ *served, r *request) { r.body = []byte("no") }, http.StatusUnauthorized},
		"just in time":        {func(s *served, _ *request) { s.now = s.now.Add(lifetime - 1) }, http.StatusAccepted},
		"too late":            {func(s *served, _ *request) { s.now = s.now.Add(lifetime) }, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			a := s.ask(t)
			r := request{nonce: a.send("GET", NoncePath, "").Header.Get(nonceHeader), clientNonce: "c", port: s.proofs.Port, method: "POST", uri: "/x?a=1", body: []byte("yes")}
			proof := r.proof(key)
			test.change(s, &r)
			send := func(a *asking) int {
				return a.send(r.method, r.uri, string(r.body), nonceHeader, r.clientNonce, proofHeader, proof).StatusCode
			}
			if other := s.ask(t); send(other) != http.StatusUnauthorized {
				t.Error("it was taken on another connection")
			}
			if got := send(a); got != test.status {
				t.Errorf("status %d, want %d", got, test.status)
			}
			if got := send(a); got != http.StatusUnauthorized {
				t.Errorf("the second time: status %d", got)
			}
		})
	}
}

// A stranger that sends everything on to the server may change what comes back.
func TestAReplyIsProven(t *testing.T) {
	for name, test := range map[string]struct {
		change func([]byte) []byte
		want   string // of the error; empty: none
	}{
		"as it came":          {func(b []byte) []byte { return b }, ""},
		"with another body":   {func(b []byte) []byte { return bytes.Replace(b, []byte("list"), []byte("lost"), 1) }, ErrUnproven.Error()},
		"with another status": {func(b []byte) []byte { return bytes.Replace(b, []byte("202 Accepted"), []byte("200 Accepted"), 1) }, ErrUnproven.Error()},
		"without its proof":   {func(b []byte) []byte { return bytes.Replace(b, []byte("\r\n"+proofHeader+": "), []byte("\r\nX: "), 1) }, ErrUnproven.Error()},
		"cut short":           {func(b []byte) []byte { return bytes.Replace(b, []byte("\r\n0\r\n"), []byte("\r\nx\r\n"), 1) }, "chunk"},
		"without a nonce":     {func(b []byte) []byte { return bytes.Replace(b, []byte(nonceHeader), []byte("X"), 1) }, ErrUnproven.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			client, between := net.Pipe()
			go func() {
				to, err := net.Dial("tcp", s.Listener.Addr().String())
				if err != nil {
					return
				}
				defer to.Close()
				defer between.Close()
				go func() { _, _ = io.Copy(to, between) }()
				buffer := make([]byte, 64<<10)
				for {
					n, err := to.Read(buffer)
					if _, failed := between.Write(test.change(buffer[:n])); err != nil || failed != nil {
						return
					}
				}
			}()
			c := Client{Key: key, Port: s.proofs.Port, Dial: dialTo(client)}
			response, err := c.Do(t.Context(), "GET", "/x", nil)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func dialTo(conn net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return conn, nil }
}
