package page

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/sandbox/desk"
	"roam-mcp/sandbox/switches"
)

// request is a token request as its dialog shows it.
type request struct {
	desk.Request
	Until  string
	Form   string                 // the purpose of its form
	Levels []localapi.AccessLevel // that can be granted, the one asked for first
}

func (h *Handler) request(r desk.Request) request {
	shown := request{Request: r, Until: r.Expires.In(h.location()).Format("15:04:05"), Form: approvalOf(r.ID)}
	for _, level := range []localapi.AccessLevel{localapi.Full, localapi.ReadAppend, localapi.ReadOnly} {
		if !r.AccessLevel.LowerThan(level) {
			shown.Levels = append(shown.Levels, level)
		}
	}
	return shown
}

// decide answers a token request.
func (h *Handler) decide(r *http.Request) error {
	var decision desk.Decision
	switch verdict := r.PostForm.Get("verdict"); verdict {
	case "deny":
		decision.Verdict = desk.Rejects
	case "never":
		decision.Verdict = desk.Blocks
	default:
		level, err := localapi.ParseAccessLevel(verdict)
		if err != nil {
			return err
		}
		decision = desk.Decision{Verdict: desk.Grants, AccessLevel: level}
	}
	return h.options.Desk.Answer(r.PathValue("id"), decision)
}

// unblock allows token requests for a graph again.
func (h *Handler) unblock(r *http.Request) error {
	_, err := h.options.Desk.Unblock(localapi.Graph{
		Name: r.PostForm.Get("graph"), Type: localapi.GraphType(r.PostForm.Get("type")),
	})
	return err
}

// switchEntry is a switch in the list of all.
type switchEntry struct {
	switches.Switch
	On    bool
	Value string
}

func (h *Handler) switches(w http.ResponseWriter, r *http.Request) {
	f := h.frame(r, "Switches")
	for _, s := range switches.Catalog() {
		f.Catalog = append(f.Catalog, switchEntry{s, h.options.Switches.On(s.Name), h.options.Switches.Value(s.Name)})
	}
	h.render(w, http.StatusOK, f)
}

// turn sets a switch, or turns one off, or all.
func (h *Handler) turn(r *http.Request) error {
	if r.PostForm.Get("clear") != "" {
		h.options.Switches.Clear()
		return nil
	}
	text := r.PostForm.Get("name")
	if value := r.PostForm.Get("value"); value != "" {
		text += "=" + value
	}
	setting, err := switches.Parse(text)
	if err != nil {
		return err
	}
	h.options.Switches.Apply(setting)
	return nil
}

// callEntry is a call in the log.
type callEntry struct {
	Call
	At   string
	Took string
}

// Failed reports whether the call was answered with an error.
func (c callEntry) Failed() bool { return c.Status >= 400 }

// Wrote reports whether the call changed a graph, judging by the action's name.
func (c callEntry) Wrote() bool {
	return !c.Failed() && strings.HasPrefix(c.Action, "data.") && slices.ContainsFunc(
		[]string{".create", ".fromMarkdown", ".update", ".delete", ".move", ".reorder", ".add", ".remove", ".upsert", ".undo", ".redo"},
		func(verb string) bool { return strings.Contains(c.Action, verb) })
}

// class returns the class of the call's row.
func (c callEntry) class() string {
	switch {
	case c.Failed():
		return "failed"
	case c.Wrote():
		return "wrote"
	}
	return ""
}

// latestCalls returns the newest calls, newest first.
func (h *Handler) latestCalls(ctx context.Context, most int) []callEntry {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var entries []callEntry
	for _, call := range slices.Backward(<-h.options.Calls(ctx)) {
		if len(entries) == most {
			break
		}
		entries = append(entries, callEntry{Call: call, At: call.Time.In(h.location()).Format("15:04:05"), Took: took(call.Duration)})
	}
	return entries
}

func took(d time.Duration) string {
	const least = 100 * time.Microsecond
	if d < least {
		return "under 0.1ms"
	}
	return d.Round(least).String()
}

func (h *Handler) calls(w http.ResponseWriter, r *http.Request) {
	f := h.frame(r, "Calls")
	f.AllCalls = h.latestCalls(r.Context(), 1000)
	h.render(w, http.StatusOK, f)
}
