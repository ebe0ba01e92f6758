package keyproof

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Server is the side that gives out nonces.
type Server struct {
	Key  string
	Port int
	Now  func() time.Time
}

type connectionKey struct{}

// connection holds the nonce of a connection, while it is good.
type connection struct {
	mu      sync.Mutex
	nonce   string
	expires time.Time
}

// ConnContext has to be that of the http.Server.
func ConnContext(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, &connection{})
}

// ServeNonce sends a nonce for the next request of its connection.
func (s Server) ServeNonce(w http.ResponseWriter, r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
		c.mu.Lock()
		c.nonce, c.expires = rand.Text(), s.Now().Add(lifetime)
		w.Header().Set(nonceHeader, c.nonce)
		c.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
}

// spend returns the nonce of a request's connection, which is good no more.
func (s Server) spend(r *http.Request) (nonce string) {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.Now().Before(c.expires) {
		nonce = c.nonce
	}
	c.nonce = ""
	return nonce
}

// Serve serves a request that is proven, with a reply that is proven too. Without a
// proof it reports false, and nothing was written. The handler gets the request with
// its body.
func (s Server) Serve(w http.ResponseWriter, r *http.Request, handler http.HandlerFunc) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	proven := request{s.spend(r), r.Header.Get(nonceHeader), s.Port, r.Method, r.URL.RequestURI(), body}
	if err != nil || len(body) > maxBody || proven.nonce == "" || !hmac.Equal([]byte(proven.proof(s.Key)), []byte(r.Header.Get(proofHeader))) {
		return false
	}
	writer := &provingWriter{ResponseWriter: w, sum: sha256.New()}
	handler(writer, withBody(r, body))
	w.Header().Set(proofHeader, proven.replyProof(s.Key, writer.status, writer.sum))
	return true
}

// provingWriter is a reply whose proof follows it.
type provingWriter struct {
	http.ResponseWriter
	status int
	sum    hash.Hash
}

// WriteHeader implements http.ResponseWriter.
func (w *provingWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	w.Header().Del("Content-Length") // a trailer follows chunks only
	w.Header().Set("Trailer", proofHeader)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *provingWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	_, _ = w.sum.Write(p) // never fails
	return w.ResponseWriter.Write(p)
}
