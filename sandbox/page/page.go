// Package page is the sandbox in a browser: its graphs to read, the dialog that
// asks for a token, the switches, and the calls as they come in.
//
// It promises pages that work without JavaScript, follow changes by themselves
// with it, run nothing that a graph holds, and load nothing from elsewhere. It
// reads graphs and never writes to them; HTTP beyond its own pages, and who may
// connect at all, are the server's.
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
	Action   string
	Status   int
	Code     problem.Code
	Duration time.Duration
}

// Options of a Handler. All are needed but Log.
type Options struct {
	// Key lets a browser in; the person has it from who runs the sandbox.
	Key string
	// CookieName tells sandboxes apart, since all ports of a host share cookies.
	CookieName string
	// Graphs lists the graphs, hosted ones first.
	Graphs func() []Graph
	// Calls gives the latest calls, oldest first, now and after every one, until
	// ctx ends.
	Calls    func(ctx context.Context) <-chan []Call
	Desk     *desk.Desk
	Switches *switches.Set
	Now      func() time.Time
	// NotFound answers what is no page.
	NotFound http.Handler
	Log      *slog.Logger
}

// Handler serves the pages.
type Handler struct {
	options   Options
	session   string // what the cookie holds
	csrf      string // what every form holds
	mux       *http.ServeMux
	templates *template.Template

	closing sync.Once
	closed  chan struct{}
}

var _ http.Handler = (*Handler)(nil)

// New makes the pages. It fails only where a template is wrong.
func New(options Options) (*Handler, error) {
	h := &Handler{options: options, closed: make(chan struct{})}
	h.session, h.csrf = secret(options.Key, "session"), secret(options.Key, "form")
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

// policy lets the page load its own style and script, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
