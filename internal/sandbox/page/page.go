// Package page is the sandbox in a browser: the dialog that asks for a token, and
// the graphs with their pages to read.
//
// It promises pages that have no script, load nothing from other hosts and never
// write to a graph; and that only a browser that was given the key of this start sees
// one, under a host name that no other server has.
package page

import (
	"crypto/rand"
	"embed"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox/desk"
)

//go:embed static
var files embed.FS

// Graph is a graph that can be shown.
type Graph struct {
	localapi.Graph
	Pages  int
	Blocks int
	DB     *graphdb.DB // its newest snapshot
}

// Options of a Handler. All are needed.
type Options struct {
	// Port is that of the server.
	Port int
	// Graphs lists the graphs, hosted ones first.
	Graphs func() []Graph
	Desk   *desk.Desk
	Now    func() time.Time
	// NotFound answers requests for which there is no page.
	NotFound http.Handler
}

// Handler serves the pages.
type Handler struct {
	options  Options
	host     string // the Host header of the pages
	key      string // admits a browser; both are new at every start
	sessions sessions
	mux      *http.ServeMux // below the base of a session
}

var _ http.Handler = (*Handler)(nil)

// New returns a Handler.
func New(options Options) *Handler {
	h := &Handler{options: options, host: newHost(options.Port), key: rand.Text(), mux: http.NewServeMux()}
	h.mux.Handle("/", options.NotFound)
	h.mux.HandleFunc("GET /{$}", h.graphs)
	h.mux.HandleFunc("GET /g/{type}/{graph}", h.inGraph(h.pages))
	h.mux.HandleFunc("GET /g/{type}/{graph}/page", h.inGraph(h.read))
	h.mux.HandleFunc("POST /requests/{id}", h.decide)
	return h
}

// staticPath is the path that style and icon are below. They are no secret.
const staticPath = "/page/static/"

// Host returns the only Host header under which pages are shown.
func (h *Handler) Host() string { return h.host }

// Address returns the address that admits a browser. It contains the key.
func (h *Handler) Address() string { return "http://" + h.host + "/?key=" + h.key }

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

// policy allows a page its own style and icon, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// refreshSeconds is how often the first page is loaded again while no request is open.
const refreshSeconds = 2

// graphs shows the first page, where a token request appears by itself. It stays as it
// is while a request is open, so that nothing changes below the pointer.
func (h *Handler) graphs(w http.ResponseWriter, r *http.Request) {
	if len(h.options.Desk.Pending()) == 0 {
		w.Header().Set("Refresh", strconv.Itoa(refreshSeconds))
	}
	h.show(w, r, http.StatusOK, "Graphs", graphList(sessionOf(r).base, h.options.Graphs()))
}

// inGraph finds the graph that a request is about.
func (h *Handler) inGraph(show func(http.ResponseWriter, *http.Request, *reader)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		wanted := localapi.Graph{Name: r.PathValue("graph"), Type: localapi.GraphType(r.PathValue("type"))}
		for _, graph := range h.options.Graphs() {
			if graph.Graph == wanted {
				show(w, r, &reader{db: graph.DB, name: graph.Name, base: address(sessionOf(r).base, wanted)})
				return
			}
		}
		h.fail(w, r, http.StatusNotFound, "The sandbox has no such graph.", "Choose one from the list of graphs.")
	}
}

// pages lists the pages of a graph.
func (h *Handler) pages(w http.ResponseWriter, r *http.Request, graph *reader) {
	from, _ := strconv.Atoi(r.URL.Query().Get("from")) // anything else is the start
	h.show(w, r, http.StatusOK, graph.name, graph.pages(from, h.options.Now().Location()).markup())
}

// read shows a page and its blocks.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, graph *reader) {
	title := r.URL.Query().Get("title")
	h.show(w, r, http.StatusOK, title, graph.document(title).markup())
}

// maxForm bounds the body of a form, in bytes.
const maxForm = 16 << 10

// decide answers a token request by the form of its dialog, and goes back to the first
// page. It checks that the form was on a page of this session.
func (h *Handler) decide(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	admitted, id := sessionOf(r), r.PathValue("id")
	err := r.ParseForm()
	if err != nil || r.Header.Get("Origin") != "http://"+h.host || !same(r.PostForm.Get("form"), admitted.form(id)) {
		h.fail(w, r, http.StatusForbidden, "This form did not come from a page of this sandbox.", "Go back, load the page again, and repeat it.")
		return
	}
	decision, err := decisionOf(r.PostForm.Get("verdict"))
	if err == nil {
		err = h.options.Desk.Answer(id, decision)
	}
	if err != nil {
		failed := problem.FromError(err)
		h.fail(w, r, http.StatusConflict, failed.Message, problem.World{Roam: "the sandbox"}.Say(failed.Hint))
		return
	}
	w.Header().Set("Location", admitted.base+"/")
	w.WriteHeader(http.StatusSeeOther)
}

func decisionOf(verdict string) (desk.Decision, error) {
	switch verdict {
	case "deny":
		return desk.Decision{Verdict: desk.Rejects}, nil
	case "never":
		return desk.Decision{Verdict: desk.Blocks}, nil
	}
	level, err := localapi.ParseAccessLevel(verdict)
	return desk.Decision{Verdict: desk.Grants, AccessLevel: level}, err
}

// show sends a page of a session, with the requests that are open.
func (h *Handler) show(w http.ResponseWriter, r *http.Request, status int, title string, content markup) {
	send(w, status, page(sessionOf(r), title, h.options.Desk.Pending(), h.options.Now().Location(), content))
}

// fail shows what went wrong and what to do.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, status int, what, todo string) {
	h.show(w, r, status, "A problem", failure(what, todo))
}

func send(w http.ResponseWriter, status int, html string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, html) // an error means that the client is gone
}
