package streamablehttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/mcpserve/transport"
)

const (
	bodyTimeout  = time.Minute // for the body of a request to arrive
	writeTimeout = time.Minute // for a client to take in what is written

	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
)

var _ http.Handler = (*Server)(nil)

// ServeHTTP implements http.Handler: it turns away who may not come, and leads
// the others to the handler of their era.
func (h *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := newDeadlineWriter(w, h.work.Fill)
	// Of a request that is refused, the body is read too before the answer goes out.
	_ = out.control.SetReadDeadline(time.Now().Add(h.bodyTimeout)) // every connection of net/http has deadlines
	if !h.admit(out, r) {
		return
	}
	h.sessions.note(r.Header.Get(headerSession))
	if r.Method != http.MethodPost {
		_ = out.control.SetReadDeadline(time.Time{})
		h.stateful.ServeHTTP(out, r) // opens or ends what belongs to a session
		return
	}
	if !listens(r) { // a stream ends with its client
		if !h.work.Enter(1, transport.MaxInFlight) {
			h.refuseForNow(out, r)
			return
		}
		defer h.work.Leave(1)
	}
	body, ok := h.readBody(out, r)
	if !ok {
		return
	}
	others := messages(body) - 1
	switch {
	case others >= transport.MaxInFlight:
		h.refuse(out, r, http.StatusBadRequest, fmt.Sprintf("A batch has at most %d messages.", transport.MaxInFlight))
		return
	case others > 0 && !h.work.Enter(others, transport.MaxInFlight):
		h.refuseForNow(out, r)
		return
	}
	defer h.work.Leave(others)
	handler := h.stateless
	if !isStateless(r) {
		handler = h.stateful
		if r.Header.Get(headerSession) == "" {
			h.evict()
			defer func() { h.sessions.begin(out.Header().Get(headerSession)) }()
		}
	}
	handler.ServeHTTP(out, r)
}

// isStateless tells the eras apart: a client of 2026-07-28 and later has no
// session, and names the version, and the method, in headers.
func isStateless(r *http.Request) bool {
	return r.Header.Get(headerSession) == "" &&
		(r.Header.Get(headerVersion) >= transport.StatelessVersion || r.Header.Get(headerMethod) != "")
}

// listens reports whether a request opens a stream that lasts. Before the
// stateless era nobody checks that the header tells the truth.
func listens(r *http.Request) bool {
	return isStateless(r) && r.Header.Get(headerVersion) >= transport.StatelessVersion && r.Header.Get(headerMethod) == "subscriptions/listen"
}

// messages counts those of a batch, which the library takes from clients of
// 2025-03-26 and before: no further than to one more than may be answered at once.
func messages(body []byte) int {
	list := json.NewDecoder(bytes.NewReader(body))
	if start, err := list.Token(); err != nil || start != json.Delim('[') {
		return 1
	}
	count := 0
	for ; list.More() && count <= transport.MaxInFlight; count++ {
		var each json.RawMessage
		if list.Decode(&each) != nil {
			return 1 // no JSON: the library says so
		}
	}
	return max(1, count)
}

// admit checks where a request comes from, what it wants, and its token.
func (h *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case !h.guard.allows(r.Host):
		h.refuse(w, r, http.StatusForbidden, "The Host header names none of the addresses of this server.")
	case !h.guard.allowsOrigin(r.Header):
		h.refuse(w, r, http.StatusForbidden, "Requests of web pages from elsewhere are refused.")
	case r.URL.Path != Path:
		h.refuse(w, r, http.StatusNotFound, "There is nothing here; MCP is at "+Path+".")
	default:
		return h.checkToken(w, r)
	}
	return false
}

func (h *Server) checkToken(w http.ResponseWriter, r *http.Request) bool {
	sent := r.Header.Values("Authorization")
	if len(sent) == 0 {
		w.Header().Set("WWW-Authenticate", `Bearer realm="roam-mcp"`)
		h.refuse(w, r, http.StatusUnauthorized, "A token is needed: Authorization: Bearer TOKEN. roam-mcp says at start where its token is.")
		return false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	if len(sent) > 1 || !strings.EqualFold(scheme, "Bearer") || !h.options.Token.Matches(strings.TrimSpace(token)) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="roam-mcp", error="invalid_token"`)
		h.refuse(w, r, http.StatusUnauthorized, "The token is not that of this server. roam-mcp says at start where its token is.")
		return false
	}
	r.Header.Del("Authorization") // the library hands headers on to tools
	return true
}

// readBody takes the message in, within the limits of size and time, and lifts
// that of time.
func (h *Server) readBody(w *deadlineWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.options.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		h.refuse(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("The message is longer than %d bytes.", tooLarge.Limit))
		return nil, false
	case err != nil:
		h.refuse(w, r, http.StatusBadRequest, "The message did not arrive whole.")
		return nil, false
	}
	_ = w.control.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, true
}

// refuse answers with a JSON-RPC error, since clients show its text.
func (h *Server) refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	h.options.Log.Info("an HTTP request was refused", "status", status, "why", message, "from", r.RemoteAddr)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(transport.ErrorResponse(nil, jsonrpc.CodeInvalidRequest, message)) // the client may be gone
}

// refuseForNow is for who comes while as much is answered as may be.
func (h *Server) refuseForNow(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	h.refuse(w, r, http.StatusServiceUnavailable, "Too many calls are running.")
}

// deadlineWriter sets a deadline for each write, so that a client that stops
// reading holds nothing for long while a stream may last for hours. What it
// writes has its placeholders filled in.
type deadlineWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	fill    func([]byte) []byte // applied to what is sent
}

func newDeadlineWriter(w http.ResponseWriter, fill func([]byte) []byte) *deadlineWriter {
	p := &deadlineWriter{w, http.NewResponseController(w), fill}
	p.renew()
	return p
}

func (p *deadlineWriter) renew() {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // every connection of net/http has deadlines
}

// WriteHeader implements http.ResponseWriter.
func (p *deadlineWriter) WriteHeader(status int) {
	p.renew()
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *deadlineWriter) Write(data []byte) (int, error) {
	p.renew()
	if _, err := p.ResponseWriter.Write(p.fill(data)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Unwrap leads http.ResponseController to what is underneath.
func (p *deadlineWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// lastUse notes when a request last came for each session. The zero value is for
// use.
type lastUse struct {
	mu sync.Mutex
	at map[string]time.Time // by id
}

// begin notes a new session; "" is none.
func (l *lastUse) begin(id string) {
	if id == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil {
		l.at = map[string]time.Time{}
	}
	l.at[id] = time.Now()
}

// note notes that a request came for a session. What no session has as its id is
// left alone.
func (l *lastUse) note(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.at[id]; known {
		l.at[id] = time.Now()
	}
}

// oldest returns the session that was not used for longest; nil where there is
// none. All others than open are forgotten.
func (l *lastUse) oldest(open []*mcp.ServerSession) *mcp.ServerSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := map[string]time.Time{}
	var oldest *mcp.ServerSession
	for _, each := range open {
		at, known := l.at[each.ID()]
		if !known { // it is being made
			continue
		}
		kept[each.ID()] = at
		if oldest == nil || at.Before(kept[oldest.ID()]) {
			oldest = each
		}
	}
	l.at = kept
	return oldest
}

// evict ends the session that was not used for longest where there are as many as
// may be; its client starts a new one when it comes back.
func (h *Server) evict() {
	open := slices.Collect(h.mcp.Sessions())
	open = slices.DeleteFunc(open, func(s *mcp.ServerSession) bool { return s.ID() == "" }) // not of HTTP
	if oldest := h.sessions.oldest(open); len(open) >= h.options.MaxSessions && oldest != nil {
		h.options.Log.Info("a session was ended to make room", "sessions", len(open))
		go func() { _ = oldest.Close() }() // waits for its calls
	}
}
