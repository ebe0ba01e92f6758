package page

import (
	"bytes"
	"html/template"
	"net/http"
	"strconv"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

func parseTemplates() (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		"words":     localapi.AccessLevel.Words,
		"explain":   localapi.AccessLevel.Explain,
		"thousands": thousands,
		"plural":    plural,
		"framed":    inFrame,
	}).ParseFS(files, "templates/*.html")
}

// framed is an item of a page together with the page's frame.
type framed struct{ Item, Frame any }

func inFrame(item, frame any) framed { return framed{item, frame} }

// thousands writes 1030 as 1,030.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// plural writes "1 page", "2 pages".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

func (h *Handler) render(w http.ResponseWriter, status int, f frame) {
	var buffer bytes.Buffer
	if err := h.templates.ExecuteTemplate(&buffer, "frame.html", f); err != nil {
		h.options.Log.Error("a page could not be written", "error", err)
		http.Error(w, "The sandbox could not write this page. Its log says why.", http.StatusInternalServerError)
		return
	}
	send(w, status, buffer.Bytes())
}

func send(w http.ResponseWriter, status int, html []byte) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(html)))
	w.WriteHeader(status)
	_, _ = w.Write(html) // an error means that the client is gone
}

// fail shows what went wrong and what to do.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, status int, what, todo string) {
	f := h.frame(r, "A problem")
	f.Problem = &failure{what, todo}
	if r.Method != http.MethodGet {
		f.Here = "/"
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

// lockedOut answers a browser without key and cookie.
func (h *Handler) lockedOut(w http.ResponseWriter, _ *http.Request) {
	var buffer bytes.Buffer
	if err := h.templates.ExecuteTemplate(&buffer, "locked.html", nil); err != nil {
		http.Error(w, "The key is needed.", http.StatusUnauthorized)
		return
	}
	send(w, http.StatusUnauthorized, buffer.Bytes())
}
