// Package page is the sandbox in a browser: its graphs to read, the dialog that
// asks for a token, the switches, and the calls as they come in.
//
// It promises pages that work without JavaScript, update themselves with it, run
// no script that a graph holds, and load nothing from other hosts; and that only a
// browser that was given the key of this start sees one, under a host name that no
// other server has. It never writes to a graph.
package page

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/switches"
)

//go:embed static
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
	// Port is that of the server.
	Port int
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
	options  Options
	host     string // the Host header of the pages
	key      string // admits a browser; both are new at every start
	sessions sessions
	mux      *http.ServeMux // below the base of a session

	closing sync.Once
	closed  chan struct{}
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler.
func New(options Options) *Handler {
	h := &Handler{options: options, host: newHost(options.Port), key: rand.Text(), closed: make(chan struct{})}
	h.mux = http.NewServeMux()
	h.mux.Handle("/", options.NotFound)
	for pattern, show := range map[string]func(http.ResponseWriter, *http.Request){
		"GET /{$}":                        h.home,
		"GET /g/{type}/{graph}":           h.graph,
		"GET /g/{type}/{graph}/days":      h.days,
		"GET /g/{type}/{graph}/page":      h.byTitle,
		"GET /g/{type}/{graph}/uid/{uid}": h.node,
		"GET /calls":                      h.calls,
		"GET /switches":                   h.switches,
		"GET /page/events":                h.events,
		"POST /requests/{id}":             h.form(func(r *http.Request) string { return approvalOf(r.PathValue("id")) }, h.decide),
		"POST /switches":                  h.form(purpose(switchesForm), h.turn),
		"POST /unblock":                   h.form(purpose(unblockForm), h.unblock),
	} {
		h.mux.HandleFunc(pattern, show)
	}
	return h
}

// staticPath is the path that style, script and icon are below. They are no secret.
const staticPath = "/page/static/"

// Host returns the only Host header under which pages are shown.
func (h *Handler) Host() string { return h.host }

// Address returns the address that admits a browser. It contains the key.
func (h *Handler) Address() string { return "http://" + h.host + "/?key=" + h.key }

// Close ends the streams of events, so that a server can stop.
func (h *Handler) Close() { h.closing.Do(func() { close(h.closed) }) }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	static := r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, staticPath)
	if r.Host != h.host && r.URL.Path != "/" && !static {
		h.options.NotFound.ServeHTTP(w, r)
		return
	}
	header := w.Header()
	header.Del("Access-Control-Allow-Origin") // no other origin has any business here
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if admitted := h.admitted(r); admitted != nil {
		http.StripPrefix(admitted.base, h.mux).ServeHTTP(w, withSession(r, admitted))
		return
	}
	switch {
	case static:
		http.StripPrefix("/page", http.FileServerFS(files)).ServeHTTP(w, r)
	case r.Method == http.MethodGet && r.Host == h.host && r.URL.Path == "/" && r.URL.Query().Has("key"):
		h.enter(w, r)
	default:
		h.lockedOut(w)
	}
}

// policy allows a page its own style and script, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm bounds the body of a form, in bytes.
const maxForm = 16 << 10

func seeOther(w http.ResponseWriter, to *url.URL) {
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

// The purposes of forms.
const (
	switchesForm = "switches"
	unblockForm  = "unblock"
)

// approvalOf returns the purpose of the form that answers a token request.
func approvalOf(id string) string { return "request " + id }

func purpose(p string) func(*http.Request) string { return func(*http.Request) string { return p } }

// form handles a form of the page: it checks that the form was on a page of this
// session, calls run and goes back to that page. An error of run is shown to the
// person.
func (h *Handler) form(purpose func(*http.Request) string, run func(r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		admitted := sessionOf(r)
		err := r.ParseForm()
		if err != nil || r.Header.Get("Origin") != "http://"+h.host || !same(r.PostForm.Get("form"), admitted.form(purpose(r))) {
			h.fail(w, r, http.StatusForbidden, "This form did not come from a page of this sandbox.", "Go back, load the page again, and repeat it.")
			return
		}
		if err := run(r); err != nil {
			what, todo := explain(err)
			h.fail(w, r, http.StatusConflict, what, todo)
			return
		}
		seeOther(w, admitted.backTo(r.PostForm.Get("from")))
	}
}

// backTo returns the address of the form's page, or of the first page if that is not
// one of the session.
func (s *session) backTo(from string) *url.URL {
	to, err := url.Parse(from)
	if err != nil || to.IsAbs() || to.Host != "" || to.Opaque != "" || !strings.HasPrefix(to.Path, s.base+"/") {
		return &url.URL{Path: s.base + "/"}
	}
	return &url.URL{Path: to.Path, RawQuery: to.RawQuery}
}

// heartbeat is the interval of comments that keep the stream alive.
const heartbeat = 20 * time.Second

// events sends server-sent events when something that a page shows has changed. The
// browser then loads the page again and updates what differs.
func (h *Handler) events(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	stream := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	calls, requests := h.options.Calls(ctx), h.options.Desk.Watch(ctx)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		switched := h.options.Switches.Changed()
		if err := stream.Flush(); err != nil {
			return
		}
		event := "event: changed\ndata: %s\n\n"
		what := ""
		select {
		case <-ctx.Done():
			return
		case <-h.closed:
			return
		case _, ok := <-calls:
			if !ok {
				return
			}
			what = "calls"
		case _, ok := <-requests:
			if !ok {
				return
			}
			what = "requests"
		case <-switched:
			what = "switches"
		case <-beat.C:
			event, what = ": %s\n\n", "still here"
		}
		if _, err := fmt.Fprintf(w, event, what); err != nil {
			return
		}
	}
}
