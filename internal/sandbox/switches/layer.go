package switches

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// requestInfo is what the layer knows of a request.
type requestInfo struct {
	route  string // "graphs/open", "graphs/tokens/info"…; empty for an action
	action string // empty where it could not be read
}

// Wrap returns next behind a layer that delays, refuses, cuts off and rewrites
// replies, as the switches say.
func (s *Set) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(s.current.Load().values) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if !s.wait(r.Context()) {
			return // the client is gone
		}
		if s.refuses(w, r) {
			return
		}
		x, ok := s.readRequest(w, r)
		if !ok {
			return
		}
		recorder := &recorder{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		if x.route == "" && s.takeDrop() {
			panic(http.ErrAbortHandler) // cuts the connection, without a word in the log
		}
		s.answer(w, x, recorder)
	})
}

// wait reports false if the client went away meanwhile.
func (s *Set) wait(ctx context.Context) bool {
	for _, delay := range []time.Duration{s.startsIn(), s.Duration(Latency)} {
		if delay <= 0 {
			continue
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
	return true
}

// refuses answers a request that must not reach the server, and reports whether it
// did.
func (s *Set) refuses(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case s.On(Disabled):
		// In the form of old builds: a string, and no code (LOCAL_API.md 1.6).
		write(w, http.StatusForbidden, jsonType, []byte(`{"success":false,"error":"Local API is disabled. It can be enabled in Settings."}`))
	case s.On(NoTokensInfo) && routeOf(r) == "graphs/tokens/info", s.On(NoAvailable) && routeOf(r) == "graphs/available":
		write(w, http.StatusNotFound, htmlType, page("Cannot "+r.Method+" "+r.URL.Path))
	default:
		return false
	}
	return true
}

func routeOf(r *http.Request) string {
	path := strings.TrimPrefix(r.URL.Path, "/api/")
	if strings.HasPrefix(path, "graphs/") {
		return path
	}
	return ""
}

// readRequest reads the route and the action of a request. The next handler can read
// the body again.
func (s *Set) readRequest(w http.ResponseWriter, r *http.Request) (requestInfo, bool) {
	x := requestInfo{route: routeOf(r)}
	if most, ok := s.mostBytes(); ok {
		r.Body = http.MaxBytesReader(w, r.Body, most)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		// Either the cap, or the server's own, which is the same to a client.
		write(w, http.StatusRequestEntityTooLarge, htmlType, page("PayloadTooLargeError: request entity too large"))
		return x, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var called struct {
		Action string `json:"action"`
	}
	if x.route == "" && json.Unmarshal(body, &called) == nil {
		x.action = called.Action
	}
	return x, true
}

// mostBytes returns the size of the largest request that is taken, if there is one.
func (s *Set) mostBytes() (int64, bool) {
	const megabyte = 1_000_000
	most, capped := parseSize(s.Value(BodyCap))
	if s.Value(body1M) == "refused" && (!capped || most > megabyte) {
		return megabyte, true
	}
	return most, capped
}

// answer sends the recorded reply in the form that the switches ask for.
func (s *Set) answer(w http.ResponseWriter, x requestInfo, recorded *recorder) {
	body := recorded.body.Bytes()
	kind := w.Header().Get("Content-Type")
	switch s.Value(Reply) {
	case ReplyHTML:
		write(w, http.StatusBadGateway, htmlType, page("Bad gateway"))
	case ReplyText:
		write(w, recorded.status, "text/plain; charset=utf-8", []byte("Something went wrong"))
	case ReplyHalf:
		write(w, recorded.status, kind, body[:len(body)/2])
	case ReplyEmpty:
		write(w, recorded.status, kind, nil)
	case ReplyRedirect:
		w.Header().Set("Location", "http://127.0.0.1:9/")
		write(w, http.StatusFound, kind, nil)
	default:
		write(w, recorded.status, kind, s.shape(x, body))
	}
}

const (
	jsonType = "application/json; charset=utf-8"
	htmlType = "text/html; charset=utf-8"
)

// page returns an HTML page like a web server's own error.
func page(text string) []byte {
	return []byte("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>Error</title>\n</head>\n<body>\n<pre>" + text + "</pre>\n</body>\n</html>\n")
}

func write(w http.ResponseWriter, status int, kind string, body []byte) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client is gone
}

// recorder holds a reply back. Its header is that of the real ResponseWriter.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var _ http.ResponseWriter = (*recorder)(nil)

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
