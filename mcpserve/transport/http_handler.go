package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"roam-mcp/internal/rawjson"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
)

var _ http.Handler = (*HTTPServer)(nil)

// ServeHTTP implements http.Handler: it turns away who may not come, and leads
// the others to the handler of their era.
func (h *HTTPServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := newDeadlineWriter(w, func(message []byte) []byte { return h.work.Fill(Unseal(message)) })
	// Of a request that is refused, the body is read too before the answer goes out.
	_ = out.control.SetReadDeadline(time.Now().Add(h.bodyTimeout)) // every connection of net/http has deadlines
	if !h.admit(out, r) {
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(out, r)
	case http.MethodGet:
		h.get(out, r)
	case http.MethodDelete:
		h.delete(out, r)
	default:
		h.stateful.ServeHTTP(out, r) // it says which methods there are
	}
}

// post takes messages in, and answers them in their session or without one. Their memory is
// given back once they are answered and their calls have ended.
func (h *HTTPServer) post(out *deadlineWriter, r *http.Request) {
	body, share, ok := h.readBody(out, r)
	if !ok {
		return
	}
	refusal := CheckJSON(body)
	if refusal != nil {
		share.Release()
		h.refuseWith(out, r, http.StatusBadRequest, refusal)
		return
	}
	message, refused := readPosted(body)
	message.share = share
	out.answers = message.id
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(message.sealed)), int64(len(message.sealed))
	id := r.Header.Get(headerSession)
	switch {
	case refused != "":
		h.refuse(out, r, http.StatusBadRequest, refused)
	case message.messages > MaxPerClient:
		refusal = ErrorResponse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("A batch has at most %d messages.", MaxPerClient))
	case id != "":
		s, leave, ok := h.sessions.enter(id, works)
		if !ok {
			share.Release()
			h.refuseSession(out, r, message.id)
			return
		}
		h.answer(h.stateful, out, r, message, s.ctx, id, leave)
		return
	case isStateless(r, message):
		h.postAlone(out, r, message)
		return
	case message.method == MethodInitialize:
		h.initialize(out, r, message)
		return
	default:
		refusal = ErrorResponse(message.id, jsonrpc.CodeInvalidRequest,
			"This message belongs to a session: send initialize first, and the header "+headerSession+" that its answer has.")
	}
	share.Release()
	h.refuseWith(out, r, http.StatusBadRequest, refusal)
}

// answer has the library answer messages, unless the client has too many calls.
// The calls end when the client hangs up, since no reply could reach it.
func (h *HTTPServer) answer(handler http.Handler, out *deadlineWriter, r *http.Request, message posted, session context.Context, client string, over func()) {
	done := func() {
		message.share.Release()
		over()
	}
	post, ok := h.work.Admit(session, client, message.calls, r.Header, done)
	if !ok {
		done()
		h.refuseForNow(out, r, message.id, "Too many calls are running.")
		return
	}
	defer post.Done()
	stop := context.AfterFunc(r.Context(), post.Cancel)
	handler.ServeHTTP(out, r)
	// The library returns as soon as the client hangs up, which can be before Cancel
	// has begun to run.
	if stop(); r.Context().Err() != nil {
		post.Cancel()
	}
}

// postAlone answers a message of the stateless era.
func (h *HTTPServer) postAlone(out *deadlineWriter, r *http.Request, message posted) {
	client := message.client()
	if message.method == MethodListen {
		message.share.Release()
		h.stream(h.stateless, out, r, client, message.id)
		return
	}
	h.answer(h.stateless, out, r, message, context.Background(), client, func() {})
}

// initialize begins a session.
func (h *HTTPServer) initialize(out *deadlineWriter, r *http.Request, message posted) {
	ended, ok := h.sessions.reserve(h.options.MaxSessions, h.alive)
	if !ok {
		message.share.Release()
		h.refuseForNow(out, r, message.id, "All sessions that there may be are at work.")
		return
	}
	if ended != nil {
		h.options.Log.Info("a session was ended to make room", "sessions", h.options.MaxSessions)
		go h.dispose(ended)
	}
	made := sync.OnceFunc(func() { h.sessions.made(out.Header().Get(headerSession)) })
	defer made()
	out.before = made // the client may use it once it has the answer
	h.answer(h.stateful, out, r, message, context.Background(), "initialize", func() {})
}

// get answers with a stream of what the server has to tell in a session.
func (h *HTTPServer) get(out *deadlineWriter, r *http.Request) {
	_ = out.control.SetReadDeadline(time.Time{})
	id := r.Header.Get(headerSession)
	if id == "" {
		h.stateful.ServeHTTP(out, r) // it says that an id is needed
		return
	}
	_, leave, ok := h.sessions.enter(id, listens)
	if !ok {
		h.refuseSession(out, r, nil)
		return
	}
	defer leave()
	h.stream(h.stateful, out, r, id, nil)
}

// stream has the library answer with a stream that lasts, unless there are too
// many.
func (h *HTTPServer) stream(handler http.Handler, out *deadlineWriter, r *http.Request, client string, id json.RawMessage) {
	if !h.streams.Enter(client, 1) {
		h.refuseForNow(out, r, id, "Too many streams are open.")
		return
	}
	defer h.streams.Leave(client, 1)
	handler.ServeHTTP(out, r)
}

// delete ends a session. It waits for nothing.
func (h *HTTPServer) delete(out *deadlineWriter, r *http.Request) {
	id := r.Header.Get(headerSession)
	if id == "" {
		h.refuse(out, r, http.StatusBadRequest, "Which session is to end, the header "+headerSession+" says.")
		return
	}
	s, ok := h.sessions.remove(id)
	if !ok {
		h.refuseSession(out, r, nil)
		return
	}
	go h.dispose(s)
	out.WriteHeader(http.StatusNoContent)
}

// isStateless tells the eras apart for a request without a session: a client of
// 2026-07-28 and later names the version in a header and in the message, and the
// method in a header too.
func isStateless(r *http.Request, message posted) bool {
	return r.Header.Get(headerVersion) >= StatelessVersion || r.Header.Get(headerMethod) != "" || message.isStateless()
}

// admit checks where a request comes from, what it wants, and its token.
func (h *HTTPServer) admit(w http.ResponseWriter, r *http.Request) bool {
	allowedPage := h.origins.note(w.Header(), r.Header)
	switch {
	case !h.guard.allows(r.Host):
		h.refuse(w, r, http.StatusForbidden, "The Host header names none of the addresses of this server.")
	case !allowedPage && !h.guard.allowsOrigin(r.Header):
		h.refuse(w, r, http.StatusForbidden, "Requests of web pages from elsewhere are refused.")
	case r.URL.Path != HTTPPath:
		h.refuseToken(w, r, http.StatusNotFound, "This server has no sign-in; MCP is at "+HTTPPath+".")
	case allowedPage && isPreflight(r):
		answerPreflight(w, r)
	default:
		return h.checkToken(w, r)
	}
	return false
}

func (h *HTTPServer) checkToken(w http.ResponseWriter, r *http.Request) bool {
	sent := r.Header.Values("Authorization")
	if len(sent) == 0 {
		w.Header().Set("WWW-Authenticate", `Bearer realm="roam-mcp"`)
		h.refuseToken(w, r, http.StatusUnauthorized, "A token is needed.")
		return false
	}
	scheme, token, _ := strings.Cut(sent[0], " ")
	if len(sent) > 1 || !strings.EqualFold(scheme, "Bearer") || !h.options.Token.Matches(strings.TrimSpace(token)) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="roam-mcp", error="invalid_token"`)
		h.refuseToken(w, r, http.StatusUnauthorized, "The token is not that of this server.")
		return false
	}
	r.Header.Del("Authorization") // the library hands headers on to tools
	return true
}

// refuseToken answers as OAuth has it, with what a client has to send: those that try to sign
// in, at any path, show its text, and the others show all of it. Its code is one at which they give up.
func (h *HTTPServer) refuseToken(w http.ResponseWriter, r *http.Request, status int, message string) {
	message += " Send the header Authorization: Bearer TOKEN, with the token in the file http-token; roam-mcp says at start where that is."
	h.write(w, r, status, message, rawjson.With("error", "invalid_token").With("error_description", message).JSON())
}

// refuse answers with a JSON-RPC error, since clients show its text.
func (h *HTTPServer) refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	h.refuseWith(w, r, status, ErrorResponse(nil, jsonrpc.CodeInvalidRequest, message))
}

// refuseWith answers with a JSON-RPC response that is encoded.
func (h *HTTPServer) refuseWith(w http.ResponseWriter, r *http.Request, status int, response []byte) {
	why, _ := rawjson.Parse(rawjson.Parse(response).Get("error")).Text("message")
	h.write(w, r, status, why, response)
}

// write answers with JSON that says why a request is refused.
func (h *HTTPServer) write(w http.ResponseWriter, r *http.Request, status int, why string, response []byte) {
	h.options.Log.Info("an HTTP request was refused", "status", status, "why", why, "from", r.RemoteAddr)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(response) // the client may be gone
}

// refuseForNow is for who comes while there is as much as may be.
func (h *HTTPServer) refuseForNow(w http.ResponseWriter, r *http.Request, id json.RawMessage, why string) {
	w.Header().Set("Retry-After", "1")
	h.refuseWith(w, r, http.StatusServiceUnavailable, ErrorResponse(id, CodeBusy, why))
}

// refuseSession is for who names a session that is not open.
func (h *HTTPServer) refuseSession(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
	h.refuseWith(w, r, http.StatusNotFound, ErrorResponse(id, jsonrpc.CodeInvalidRequest, "This session is over: send initialize for a new one."))
}
