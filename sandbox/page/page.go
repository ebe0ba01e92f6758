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
	"crypto/hmac"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
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

// cookieLifetime is how long a browser stays admitted.
const cookieLifetime = 30 * 24 * time.Hour

// maxForm bounds the body of a form, in bytes.
const maxForm = 16 << 10

// secret derives a secret from the key, which itself is in no page.
func secret(key, purpose string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(purpose))
	return hex.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// private admits a browser with the cookie, and sets the cookie for one with the key.
func (h *Handler) private(show http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.Method == http.MethodGet && query.Has("key") {
			if !same(query.Get("key"), h.options.Key) {
				h.lockedOut(w, r)
				return
			}
			http.SetCookie(w, &http.Cookie{
				Name: h.options.CookieName, Value: h.cookie, Path: "/", MaxAge: int(cookieLifetime / time.Second),
				HttpOnly: true, SameSite: http.SameSiteLaxMode,
			})
			query.Del("key")
			// To the same page, without the key in the address.
			seeOther(w, &url.URL{Path: r.URL.Path, RawQuery: query.Encode()})
			return
		}
		if cookie, err := r.Cookie(h.options.CookieName); err != nil || !same(cookie.Value, h.cookie) {
			h.lockedOut(w, r)
			return
		}
		show(w, r)
	})
}

func seeOther(w http.ResponseWriter, to *url.URL) {
	w.Header().Set("Location", to.String())
	w.WriteHeader(http.StatusSeeOther)
}

// form handles a form of the page: it checks the CSRF token, calls run and goes back
// to the page of the form. An error of run is shown to the person.
func (h *Handler) form(run func(r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil || !same(r.PostForm.Get("form"), h.csrf) {
			h.fail(w, r, http.StatusForbidden, "This form did not come from a page of this sandbox.", "Go back, load the page again, and repeat it.")
			return
		}
		if err := run(r); err != nil {
			what, todo := explain(err)
			h.fail(w, r, http.StatusConflict, what, todo)
			return
		}
		seeOther(w, h.backTo(r.PostForm.Get("from")))
	}
}

// backTo returns the address of the form's page, or of the first page if that is not
// one of the sandbox.
func (h *Handler) backTo(from string) *url.URL {
	to, err := url.Parse(from)
	if err != nil || to.IsAbs() || to.Host != "" || to.Opaque != "" || !strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") {
		return &url.URL{Path: "/"}
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
