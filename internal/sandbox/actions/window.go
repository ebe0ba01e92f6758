package actions

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
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

// windowActions are those of the main window, the cursor and the selection
// (LOCAL_API.md 2.5). All of them need the read scope only.
func windowActions() map[string]action {
	return map[string]action{
		"ui.mainWindow.getOpenView":                {desk.Read, getOpenView},
		"ui.mainWindow.getOpenPageOrBlockUid":      {desk.Read, getOpenUID},
		"ui.mainWindow.openBlock":                  {desk.Read, on(openBlock)},
		"ui.mainWindow.openPage":                   {desk.Read, on(openPage)},
		"ui.mainWindow.openDailyNotes":             {desk.Read, openDailyNotes},
		"ui.mainWindow.focusFirstBlock":            {desk.Read, focusFirstBlock},
		"ui.getFocusedBlock":                       {desk.Read, getFocusedBlock},
		"ui.setBlockFocusAndSelection":             {desk.Read, on(setFocus)},
		"ui.multiselect.getSelected":               {desk.Read, getSelection},
		"ui.individualMultiselect.getSelectedUids": {desk.Read, getSelection},
	}
}

// openView is the result of ui.mainWindow.getOpenView.
type openView struct {
	Type   string   `json:"type"`
	UID    string   `json:"uid,omitempty"`
	Title  *string  `json:"title,omitempty"`
	String *string  `json:"block-string,omitempty"`
	UIDs   []string `json:"uids,omitempty"`
}

// dailyNotesShown is how many days the daily notes begin with.
const dailyNotesShown = 3

func getOpenView(c *call) (any, error) {
	db := c.read()
	shown := c.Graph.window.shown(db)
	if shown == 0 {
		return openView{Type: "log", UIDs: latestDailyNotes(db, outline.DailyUID(c.Now))}, nil
	}
	view := openView{Type: "outline", UID: db.String(shown, graphdb.BlockUID)}
	text := outline.TextOf(db, shown)
	if outline.IsPage(db, shown) {
		view.Title = &text
	} else {
		view.String = &text
	}
	return view, nil
}

// latestDailyNotes returns today's uid and those of the daily notes before it.
func latestDailyNotes(db *graphdb.DB, today string) []string {
	now, _ := outline.ParseDailyUID(today)
	type note struct {
		uid string
		day int64
	}
	var notes []note
	for page := range db.Entities(graphdb.LogID) {
		day, daily := outline.ParseDailyTitle(db.String(page, graphdb.NodeTitle))
		if daily && day.Before(now) {
			notes = append(notes, note{db.String(page, graphdb.BlockUID), day.Unix()})
		}
	}
	slices.SortFunc(notes, func(a, b note) int { return int(b.day/86400 - a.day/86400) })
	uids := []string{today}
	for _, n := range notes[:min(len(notes), dailyNotesShown-1)] {
		uids = append(uids, n.uid)
	}
	return uids
}

// getOpenUID is ui.mainWindow.getOpenPageOrBlockUid: null for the daily notes.
func getOpenUID(c *call) (any, error) {
	db := c.read()
	if shown := c.Graph.window.shown(db); shown != 0 {
		return db.String(shown, graphdb.BlockUID), nil
	}
	return nil, nil
}

// openBlock is ui.mainWindow.openBlock. It opens pages too; a uid that does not
// exist changes nothing.
func openBlock(c *call, asked target) (any, error) {
	if asked.Block.UID == "" {
		return nil, c.missing("block.uid")
	}
	if outline.ByUID(c.read(), asked.Block.UID) != 0 {
		c.Graph.window.show(asked.Block.UID, c.Now)
	}
	return undefined{}, nil
}

// pageName names a page by uid or title.
type pageName struct {
	Page struct {
		UID   string `json:"uid"`
		Title string `json:"title"`
	} `json:"page"`
}

// findPage decodes a pageName and finds the page; 0 for none.
func findPage(c *call, db *graphdb.DB, asked pageName) (graphdb.EID, error) {
	if asked.Page.UID == "" && asked.Page.Title == "" {
		return 0, c.missing("page.uid or page.title")
	}
	page := node{UID: asked.Page.UID, Title: asked.Page.Title}.find(db)
	if page == 0 || !outline.IsPage(db, page) {
		return 0, nil
	}
	return page, nil
}

// openPage is ui.mainWindow.openPage. A page that does not exist changes nothing.
func openPage(c *call, asked pageName) (any, error) {
	db := c.read()
	page, err := findPage(c, db, asked)
	if err != nil {
		return nil, err
	}
	if page != 0 {
		c.Graph.window.show(db.String(page, graphdb.BlockUID), c.Now)
	}
	return undefined{}, nil
}

func openDailyNotes(c *call) (any, error) {
	c.Graph.window.show("", c.Now)
	return undefined{}, nil
}

// focusFirstBlock puts the cursor into the first block of the open page.
func focusFirstBlock(c *call) (any, error) {
	db := c.read()
	shown := c.Graph.window.shown(db)
	if shown == 0 {
		shown = outline.ByUID(db, outline.DailyUID(c.Now))
	}
	if children := outline.Children(db, shown); len(children) > 0 {
		c.Graph.window.setFocus(focus{db.String(children[0], graphdb.BlockUID), mainWindowID})
	}
	return undefined{}, nil
}

// getFocusedBlock is ui.getFocusedBlock: null where no block has the cursor.
func getFocusedBlock(c *call) (any, error) {
	f := c.Graph.window.focused()
	if f.BlockUID == "" || outline.ByUID(c.read(), f.BlockUID) == 0 {
		return nil, nil
	}
	return f, nil
}

// setFocus is ui.setBlockFocusAndSelection. The selection inside the block is
// not kept, since nothing reads it.
func setFocus(c *call, asked struct {
	Location focus `json:"location"`
}) (any, error) {
	f := asked.Location
	if f.BlockUID == "" {
		return nil, c.missing("location.block-uid")
	}
	f.WindowID = cmp.Or(f.WindowID, mainWindowID)
	if db := c.read(); outline.IsBlock(db, outline.ByUID(db, f.BlockUID)) {
		c.Graph.window.setFocus(f)
	}
	return undefined{}, nil
}

// getSelection lists the selected blocks: none, since nobody can select any in the
// sandbox.
func getSelection(*call) (any, error) { return []string{}, nil }
