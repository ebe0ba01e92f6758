package actions

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/sandbox/desk"
)

func sidebarActions() map[string]action {
	return map[string]action{
		"ui.rightSidebar.getWindows":     {desk.Read, getWindows},
		"ui.rightSidebar.addWindow":      {desk.Read, addWindow},
		"ui.rightSidebar.removeWindow":   {desk.Read, onPane(func(panes []pane, at int, _ paneName) []pane { return slices.Delete(panes, at, at+1) })},
		"ui.rightSidebar.expandWindow":   {desk.Read, changePane(func(p *pane, _ paneName) { p.collapsed = false })},
		"ui.rightSidebar.collapseWindow": {desk.Read, changePane(func(p *pane, _ paneName) { p.collapsed = true })},
		"ui.rightSidebar.pinWindow":      {desk.Read, changePane(func(p *pane, asked paneName) { p.pinned, p.pinnedTop = true, asked.Window.PinToTop })},
		"ui.rightSidebar.unpinWindow":    {desk.Read, changePane(func(p *pane, _ paneName) { p.pinned, p.pinnedTop = false, false })},
		"ui.rightSidebar.setWindowOrder": {desk.Read, setWindowOrder},
		// Nothing tells whether a sidebar is open.
		"ui.rightSidebar.open":  {desk.Read, nothing},
		"ui.rightSidebar.close": {desk.Read, nothing},
		"ui.leftSidebar.open":   {desk.Read, nothing},
		"ui.leftSidebar.close":  {desk.Read, nothing},
	}
}

func nothing(*call) (any, error) { return undefined{}, nil }

// paneView is one of the results of ui.rightSidebar.getWindows.
type paneView struct {
	Type        paneKind `json:"type"`
	WindowID    string   `json:"window-id"`
	Order       int      `json:"order"`
	Collapsed   bool     `json:"collapsed?"`
	Pinned      bool     `json:"pinned?"`
	PinnedTop   bool     `json:"pinned-to-top?"`
	BlockUID    string   `json:"block-uid,omitempty"`
	BlockString *string  `json:"block-string,omitempty"`
	PageUID     string   `json:"page-uid,omitempty"`
	Title       *string  `json:"title,omitempty"`
	MentionsUID string   `json:"mentions-uid,omitempty"`
	Query       string   `json:"search-query-str,omitempty"`
}

func getWindows(c *call) (any, error) {
	db := c.read()
	list := []paneView{}
	for i, p := range c.Graph.window.shownPanes(db) {
		list = append(list, p.view(db, i))
	}
	return list, nil
}

func (p pane) view(db *graphdb.DB, order int) paneView {
	view := paneView{
		Type: p.kind, WindowID: p.id, Order: order, Collapsed: p.collapsed, Pinned: p.pinned, PinnedTop: p.pinnedTop, Query: p.query,
	}
	target := outline.ByUID(db, p.uid)
	text := outline.TextOf(db, target)
	switch {
	case p.kind == paneSearch:
	case p.kind == paneMentions:
		view.MentionsUID = p.uid
	case outline.IsPage(db, target):
		view.PageUID, view.Title = p.uid, &text
	default:
		view.BlockUID, view.BlockString = p.uid, &text
	}
	return view
}

// paneName is the argument of the actions of the right sidebar.
type paneName struct {
	Window struct {
		ID       string   `json:"window-id"`
		Type     paneKind `json:"type"`
		UID      string   `json:"block-uid"`
		Query    string   `json:"search-query-str"`
		Order    whole    `json:"order"`
		PinToTop bool     `json:"pin-to-top?"`
	} `json:"window"`
}

// paneNamed decodes and checks a paneName. A page that is asked for as a block is
// shown as an outline.
func paneNamed(c *call, db *graphdb.DB) (asked paneName, err error) {
	if err := c.object(&asked); err != nil {
		return asked, err
	}
	w := &asked.Window
	switch {
	case w.ID != "" && w.Type == "":
		return asked, nil
	case !slices.Contains([]paneKind{paneBlock, paneOutline, paneMentions, paneGraph, paneSearch}, w.Type):
		return asked, fmt.Errorf("%s: window.type is one of block, outline, mentions, graph and search-query", c.Action)
	case w.Type == paneSearch && w.Query == "":
		return asked, c.missing("window.search-query-str")
	case w.Type != paneSearch && w.UID == "":
		return asked, c.missing("window.block-uid")
	}
	if w.Type == paneBlock && outline.IsPage(db, outline.ByUID(db, w.UID)) {
		w.Type = paneOutline
	}
	return asked, nil
}

func (n paneName) matches(p pane) bool {
	if n.Window.ID != "" {
		return n.Window.ID == p.id
	}
	return n.Window.Type == p.kind && n.Window.UID == p.uid && n.Window.Query == p.query
}

// addWindow is ui.rightSidebar.addWindow. A target that does not exist changes
// nothing.
func addWindow(c *call) (any, error) {
	db := c.read()
	asked, err := paneNamed(c, db)
	if err != nil {
		return nil, err
	}
	w := asked.Window
	switch {
	case w.Type == "":
		return nil, c.missing("window.type")
	case w.Type == paneSearch:
		w.UID = ""
	case outline.ByUID(db, w.UID) == 0:
		return undefined{}, nil
	default:
		w.Query = ""
	}
	c.Graph.window.addPane(pane{kind: w.Type, uid: w.UID, query: w.Query}, w.Order.or(0))
	return undefined{}, nil
}

// onPane returns an action that edits the list of panes. It is given the place of
// the topmost one that the call names; that there is none is no error.
func onPane(edit func(panes []pane, at int, asked paneName) []pane) func(*call) (any, error) {
	return func(c *call) (any, error) {
		asked, err := paneNamed(c, c.read())
		if err != nil {
			return nil, err
		}
		w := &c.Graph.window
		w.mu.Lock()
		defer w.mu.Unlock()
		if at := slices.IndexFunc(w.panes, asked.matches); at >= 0 {
			w.panes = edit(w.panes, at, asked)
		}
		return undefined{}, nil
	}
}

// changePane is onPane for changes of the pane itself.
func changePane(change func(*pane, paneName)) func(*call) (any, error) {
	return onPane(func(panes []pane, at int, asked paneName) []pane {
		change(&panes[at], asked)
		return panes
	})
}

// setWindowOrder moves a pane to a place from the top.
func setWindowOrder(c *call) (any, error) {
	if asked, err := paneNamed(c, c.read()); err == nil && !asked.Window.Order.set {
		return nil, c.missing("window.order")
	}
	return onPane(func(panes []pane, at int, asked paneName) []pane {
		moved := panes[at]
		panes = slices.Delete(panes, at, at+1)
		return slices.Insert(panes, max(0, min(asked.Window.Order.value, len(panes))), moved)
	})(c)
}

// openedItem is a page that was open in the main window, itself or by some of its
// blocks; or the daily notes, which have neither uid nor title.
type openedItem struct {
	UID           string        `json:"uid,omitempty"`
	Title         string        `json:"title,omitempty"`
	Type          string        `json:"type"` // "page" or "dailyNotePagesView"
	OpenedAt      string        `json:"openedAt,omitempty"`
	VisitCount    int           `json:"visitCount,omitempty"`
	TotalDuration int64         `json:"totalDurationMs"`
	CurrentlyOpen bool          `json:"currentlyOpen"`
	Blocks        []openedBlock `json:"blocks,omitempty"`
}

type openedBlock struct {
	UID      string `json:"uid"`
	String   string `json:"string"`
	OpenedAt string `json:"openedAt"`
	Path     string `json:"path"`
}

// recentlyOpened lists what was open in the window, newest first (LOCAL_API.md 2.1,
// search without a query). Blocks are listed under their page.
func recentlyOpened(c *call, db *graphdb.DB) []openedItem {
	list := []openedItem{}
	places := map[graphdb.EID]int{} // of pages in the list; 0 are the daily notes
	shown := c.Graph.window.shown(db)
	for _, v := range c.Graph.window.recent(c.Now) {
		e := outline.ByUID(db, v.uid)
		if v.uid != "" && e == 0 || outline.Hidden(db, e) {
			continue
		}
		page := e
		if e != 0 && !outline.IsPage(db, e) {
			page = db.Ref(e, graphdb.BlockPage)
		}
		at, known := places[page]
		if !known {
			at = len(list)
			places[page] = at
			list = append(list, newOpenedItem(db, page, v.at))
		}
		list[at].add(db, e, page, v)
		list[at].CurrentlyOpen = list[at].CurrentlyOpen || shown == e
	}
	return list
}

func newOpenedItem(db *graphdb.DB, page graphdb.EID, at time.Time) openedItem {
	if page == 0 {
		return openedItem{Type: "dailyNotePagesView"}
	}
	return openedItem{
		UID: db.String(page, graphdb.BlockUID), Title: outline.TextOf(db, page), Type: "page", OpenedAt: isoTime(at),
	}
}

// add counts a visit of the page, or of one of its blocks.
func (o *openedItem) add(db *graphdb.DB, e, page graphdb.EID, v visit) {
	o.TotalDuration += v.spent.Milliseconds()
	if page == 0 {
		return
	}
	o.VisitCount += v.count
	if e != page {
		o.Blocks = append(o.Blocks, openedBlock{
			UID: v.uid, String: outline.TextOf(db, e), OpenedAt: isoTime(v.at), Path: strings.Join(pathTo(db, e), " > "),
		})
	}
}
