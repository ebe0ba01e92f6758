package actions

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// window is the state of Roam's window of a graph. It ends with the server
// (LOCAL_API.md 9.9). The zero value shows the daily notes.
type window struct {
	mu       sync.Mutex
	main     string // uid of the page or block that is open; empty: the daily notes
	panes    []pane // of the right sidebar, from the top
	lastPane int    // number of the pane made last
	focus    focus
	filters  filters
	visits   []visit // newest last
}

// focus is the block that has the cursor; the zero value stands for none.
type focus struct {
	BlockUID string `json:"block-uid"`
	WindowID string `json:"window-id"`
}

// mainWindowID is the id of the main window, as a focus has it.
const mainWindowID = "main-window"

// paneKind is what a pane of the right sidebar shows of its target.
type paneKind string

const (
	paneBlock    paneKind = "block"
	paneOutline  paneKind = "outline"
	paneMentions paneKind = "mentions"
	paneGraph    paneKind = "graph"
	paneSearch   paneKind = "search-query"
)

// pane is a window of the right sidebar.
type pane struct {
	id        string
	kind      paneKind
	uid       string // of the target; a search has none
	query     string // of a search
	collapsed bool
	pinned    bool
	pinnedTop bool
}

// maxPanes bounds the right sidebar.
const maxPanes = 100

// addPane puts a pane at a place from the top.
func (w *window) addPane(p pane, at int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastPane++
	p.id = fmt.Sprintf("sidebar-%s-%d", p.kind, w.lastPane)
	w.panes = slices.Insert(w.panes, max(0, min(at, len(w.panes))), p)
	if len(w.panes) > maxPanes {
		w.panes = slices.Clip(w.panes[:maxPanes])
	}
}

// shownPanes drops the panes whose targets are gone, and returns the others.
func (w *window) shownPanes(db *graphdb.DB) []pane {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.panes = slices.DeleteFunc(w.panes, func(p pane) bool {
		return p.kind != paneSearch && outline.ByUID(db, p.uid) == 0
	})
	return slices.Clone(w.panes)
}

// show opens a page or block in the main window, or with no uid the daily notes.
func (w *window) show(uid string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.main = uid
	w.focus = focus{}
	w.visit(uid, now)
}

// shown returns what the main window shows; 0 for the daily notes.
func (w *window) shown(db *graphdb.DB) graphdb.EID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return outline.ByUID(db, w.main)
}

// setFocus moves the cursor.
func (w *window) setFocus(f focus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.focus = f
}

func (w *window) focused() focus {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.focus
}

// visit is a page or block that was open in the main window, or the daily notes.
type visit struct {
	uid   string // empty: the daily notes
	at    time.Time
	count int
	spent time.Duration // until something else was opened
}

// maxVisits bounds what is remembered as recently opened.
const maxVisits = 50

// visit records what is opened; the caller holds the lock.
func (w *window) visit(uid string, now time.Time) {
	if n := len(w.visits); n > 0 {
		last := &w.visits[n-1]
		last.spent += max(0, now.Sub(last.at))
	}
	next := visit{uid: uid}
	if at := slices.IndexFunc(w.visits, func(v visit) bool { return v.uid == uid }); at >= 0 {
		next = w.visits[at]
		w.visits = slices.Delete(w.visits, at, at+1)
	}
	next.at = now
	next.count++
	w.visits = append(w.visits, next)
	if len(w.visits) > maxVisits {
		w.visits = slices.Delete(w.visits, 0, 1)
	}
}

// recent returns the visits, newest first; the first one lasts until now.
func (w *window) recent(now time.Time) []visit {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.visits)
	slices.Reverse(list)
	if len(list) > 0 {
		list[0].spent += max(0, now.Sub(list[0].at))
	}
	return list
}
