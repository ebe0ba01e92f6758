package page

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// frame holds what every page shows, and the content of one.
type frame struct {
	Title     string
	Base      string // the path that all pages are below
	Here      string // the address of this page, to which forms return
	Graphs    []graphEntry
	Current   *graphEntry // the graph of the page; nil: none
	Shortcuts []step
	Query     string
	Requests  []request
	Blocked   []localapi.Graph
	Switches  []string // that are on
	Calls     []callEntry

	// The content of the page: one of these is set.
	Home     bool
	List     *list
	Results  *results
	Document *document
	Days     []document
	AllCalls []callEntry
	Catalog  []switchEntry
	Problem  *failure

	session *session
}

// graphEntry is a graph in the list of graphs.
type graphEntry struct {
	Graph
	Address string
}

// list is a part of a graph's pages.
type list struct {
	Pages       []pageEntry
	Total       int
	First, Last int    // counted from 1
	Newer       string // address of the part before; empty: none
	Older       string
}

// results holds the results of a search.
type results struct {
	Query string
	Total int
	Pages []linkedPage
}

// failure is the content of an error page.
type failure struct{ What, Todo string }

// callsShown is the number of calls that every page shows.
const callsShown = 25

func (h *Handler) frame(r *http.Request, title string) frame {
	s := sessionOf(r)
	f := frame{Title: title, Base: s.base, Here: s.base + r.URL.RequestURI(), session: s, Blocked: h.options.Desk.Blocked()}
	for _, graph := range h.options.Graphs() {
		f.Graphs = append(f.Graphs, graphEntry{graph, s.base + address(graph.Graph)})
	}
	for _, pending := range h.options.Desk.Pending() {
		f.Requests = append(f.Requests, h.request(pending))
	}
	for _, setting := range h.options.Switches.List() {
		f.Switches = append(f.Switches, setting.String())
	}
	f.Calls = h.latestCalls(r.Context(), callsShown)
	return f
}

// inGraph returns the frame of a graph's page, and a reader of the graph. If there is
// no such graph, it answers the request and returns false.
func (h *Handler) inGraph(w http.ResponseWriter, r *http.Request, title string) (frame, *reader, bool) {
	wanted := localapi.Graph{Name: r.PathValue("graph"), Type: localapi.GraphType(r.PathValue("type"))}
	f := h.frame(r, title)
	at := slices.IndexFunc(f.Graphs, func(g graphEntry) bool { return g.Graph.Graph == wanted })
	if at < 0 {
		h.fail(w, r, http.StatusNotFound, "The sandbox has no such graph.", "Choose one from the list of graphs.")
		return f, nil, false
	}
	f.Current = &f.Graphs[at]
	reading := &reader{db: f.Current.DB, base: f.Current.Address}
	f.Shortcuts = reading.shortcuts()
	return f, reading, true
}

func (h *Handler) home(w http.ResponseWriter, r *http.Request) {
	f := h.frame(r, "Graphs")
	f.Home = true
	h.render(w, http.StatusOK, f)
}

// graph lists the pages of a graph, or what a search in it finds.
func (h *Handler) graph(w http.ResponseWriter, r *http.Request) {
	f, reading, ok := h.inGraph(w, r, "All pages")
	if !ok {
		return
	}
	f.Query = strings.TrimSpace(r.URL.Query().Get("q"))
	if f.Query != "" {
		found, err := outline.Search(r.Context(), reading.db, outline.SearchOptions{Query: f.Query, Limit: resultsShown})
		if err != nil {
			h.broken(w, r, err)
			return
		}
		f.Title = "Search: " + f.Query
		f.Results = &results{Query: f.Query, Total: found.Total, Pages: reading.group(found.Hits)}
		h.render(w, http.StatusOK, f)
		return
	}
	offset, _ := strconv.Atoi(r.URL.Query().Get("from")) // anything else is the start
	offset = max(0, offset)
	entries, total := reading.pages(offset, h.location())
	f.List = &list{Pages: entries, Total: total, First: offset + 1, Last: offset + len(entries)}
	if offset > 0 {
		f.List.Newer = reading.base + "?from=" + strconv.Itoa(max(0, offset-pagesShown))
	}
	if f.List.Last < total {
		f.List.Older = reading.base + "?from=" + strconv.Itoa(f.List.Last)
	}
	h.render(w, http.StatusOK, f)
}

// node shows a page or a block.
func (h *Handler) node(w http.ResponseWriter, r *http.Request) {
	f, reading, ok := h.inGraph(w, r, "")
	if !ok {
		return
	}
	e := outline.ByUID(reading.db, r.PathValue("uid"))
	if e == 0 {
		h.fail(w, r, http.StatusNotFound, "This graph has no page or block with that uid.", "It may have been deleted. Look for it in the list of pages.")
		return
	}
	h.show(w, r, f, reading, e)
}

// byTitle redirects to the page with a title. For a page that does not exist, to
// which links may lead, it says so.
func (h *Handler) byTitle(w http.ResponseWriter, r *http.Request) {
	f, reading, ok := h.inGraph(w, r, "")
	if !ok {
		return
	}
	title := r.URL.Query().Get("title")
	if e := outline.PageByTitle(reading.db, title); e != 0 {
		seeOther(w, &url.URL{Path: f.Current.Address + "/uid/" + reading.db.String(e, graphdb.BlockUID)})
		return
	}
	f.Title = title
	f.Document = &document{Plain: title, IsPage: true, Missing: true}
	h.render(w, http.StatusOK, f)
}

func (h *Handler) show(w http.ResponseWriter, r *http.Request, f frame, reading *reader, e graphdb.EID) {
	d, err := reading.document(r.Context(), e, h.location())
	if err != nil {
		h.broken(w, r, err)
		return
	}
	f.Title, f.Document = d.Plain, &d
	h.render(w, http.StatusOK, f)
}

// days shows the latest daily notes, newest first, beginning with today's even if
// it does not exist.
func (h *Handler) days(w http.ResponseWriter, r *http.Request) {
	f, reading, ok := h.inGraph(w, r, "Daily notes")
	if !ok {
		return
	}
	today := outline.DailyTitle(h.options.Now())
	if outline.PageByTitle(reading.db, today) == 0 {
		f.Days = append(f.Days, document{Plain: today, IsPage: true, Missing: true})
	}
	for _, e := range reading.dailyNotes(today) {
		d, err := reading.document(r.Context(), e, h.location())
		if err != nil {
			h.broken(w, r, err)
			return
		}
		f.Days = append(f.Days, d)
	}
	h.render(w, http.StatusOK, f)
}

func (h *Handler) location() *time.Location { return h.options.Now().Location() }

// dailyNotes returns the latest daily notes up to today, newest first.
func (r *reader) dailyNotes(today string) []graphdb.EID {
	now, _ := outline.ParseDailyTitle(today)
	type note struct {
		e   graphdb.EID
		day time.Time
	}
	var notes []note
	for e, title := range r.db.Entities(graphdb.NodeTitle) {
		if day, ok := outline.ParseDailyTitle(title.Text()); ok && !day.After(now) {
			notes = append(notes, note{e, day})
		}
	}
	slices.SortFunc(notes, func(a, b note) int { return b.day.Compare(a.day) })
	var latest []graphdb.EID
	for _, n := range notes[:min(len(notes), daysShown)] {
		latest = append(latest, n.e)
	}
	return latest
}

// thousands writes 1030 as 1,030.
func thousands(n int) string { return humanize.Comma(int64(n)) }

// plural writes "1 page", "2 pages".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

func (h *Handler) render(w http.ResponseWriter, status int, f frame) {
	send(w, status, f.page())
}

func send(w http.ResponseWriter, status int, html string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, html) // an error means that the client is gone
}

// fail shows what went wrong and what to do.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, status int, what, todo string) {
	f := h.frame(r, "A problem")
	f.Problem = &failure{what, todo}
	if r.Method != http.MethodGet {
		f.Here = f.Base + "/"
	}
	h.render(w, status, f)
}

func (h *Handler) broken(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the browser has gone elsewhere
	}
	h.options.Log.Error("a page could not be read", "path", r.URL.Path, "error", err)
	h.fail(w, r, http.StatusInternalServerError, "The sandbox could not read this.", "Its log says why.")
}

// explain returns what happened and what to do, as an error says it.
func explain(err error) (what, todo string) {
	if known, ok := problem.As(err); ok {
		return known.Message, problem.World{Roam: "the sandbox"}.Say(known.Hint)
	}
	return err.Error(), ""
}
