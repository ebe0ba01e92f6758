// Package page is the sandbox in a browser: its graphs to read, the dialog that
// asks for a token, the switches, and the calls as they come in.
//
// It promises pages that work without JavaScript, update themselves with it, run
// no script that a graph holds, and load nothing from other hosts. It never writes
// to a graph. It does not know which hosts and origins may connect: the server
// checks those.
package page

import (
	"context"
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/switches"
)

//go:embed templates static
var files embed.FS

// Graph is a graph that can be shown.
type Graph struct {
	localapi.Graph
	Open   bool
	Pages  int
	Blocks int
	DB     *graphdb.DB // its newest snapshot
}

// Call is a request to the API that was answered.
type Call struct {
	Time     time.Time
	Graph    localapi.Graph // empty for the routes without a graph
	Action   string         // an action, or a route such as "graphs/open"
	Status   int            // HTTP
	Code     problem.Code   // of the error, if it had one
	Duration time.Duration
}

// Options of a Handler. All are needed but Log.
type Options struct {
	// Key admits a browser that sends it once.
	Key string
	// CookieName differs from sandbox to sandbox, since all ports of a host share
	// cookies.
	CookieName string
	// Graphs lists the graphs, hosted ones first.
	Graphs func() []Graph
	// Calls sends the latest calls, oldest first, now and after every call, until
	// ctx ends.
	Calls    func(ctx context.Context) <-chan []Call
	Desk     *desk.Desk
	Switches *switches.Set
	Now      func() time.Time
	// NotFound answers requests for which there is no page.
	NotFound http.Handler
	Log      *slog.Logger
}

// Handler serves the pages.
type Handler struct {
	options   Options
	cookie    string // the value of the cookie that admits a browser
	csrf      string // the token in every form
	mux       *http.ServeMux
	templates *template.Template

	closing sync.Once
	closed  chan struct{}
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler. It fails only if a template is wrong.
func New(options Options) (*Handler, error) {
	h := &Handler{options: options, closed: make(chan struct{})}
	h.cookie, h.csrf = secret(options.Key, "session"), secret(options.Key, "form")
	var err error
	if h.templates, err = parseTemplates(); err != nil {
		return nil, err
	}
	static, err := fs.Sub(files, "static")
	if err != nil {
		return nil, err
	}
	h.mux = http.NewServeMux()
	h.mux.Handle("GET /page/static/", http.StripPrefix("/page/static/", http.FileServerFS(static)))
	for pattern, show := range map[string]func(http.ResponseWriter, *http.Request){
		"GET /{$}":                        h.home,
		"GET /g/{type}/{graph}":           h.graph,
		"GET /g/{type}/{graph}/days":      h.days,
		"GET /g/{type}/{graph}/page":      h.byTitle,
		"GET /g/{type}/{graph}/uid/{uid}": h.node,
		"GET /calls":                      h.calls,
		"GET /switches":                   h.switches,
		"GET /page/events":                h.events,
		"POST /requests/{id}":             h.form(h.decide),
		"POST /switches":                  h.form(h.turn),
		"POST /unblock":                   h.form(h.unblock),
	} {
		h.mux.Handle(pattern, h.private(show))
	}
	return h, nil
}

// Close ends the streams of events, so that a server can stop.
func (h *Handler) Close() { h.closing.Do(func() { close(h.closed) }) }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, pattern := h.mux.Handler(r)
	if pattern == "" {
		h.options.NotFound.ServeHTTP(w, r)
		return
	}
	header := w.Header()
	header.Del("Access-Control-Allow-Origin") // no other origin has any business here
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.mux.ServeHTTP(w, r)
}

// policy allows a page its own style and script, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
