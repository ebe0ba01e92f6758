package actions

import (
	"fmt"
	"slices"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/desk"
)

func sidebarActions() map[string]action {
	changed := func(change func(*pane)) func(*call) (any, error) {
		return func(c *call) (any, error) { return c.changePane(change) }
	}
	return map[string]action{
		"ui.rightSidebar.getWindows":     {desk.Read, getWindows},
		"ui.rightSidebar.addWindow":      {desk.Read, addWindow},
		"ui.rightSidebar.removeWindow":   {desk.Read, removeWindow},
		"ui.rightSidebar.expandWindow":   {desk.Read, changed(func(p *pane) { p.collapsed = false })},
		"ui.rightSidebar.collapseWindow": {desk.Read, changed(func(p *pane) { p.collapsed = true })},
		"ui.rightSidebar.pinWindow":      {desk.Read, pinWindow},
		"ui.rightSidebar.unpinWindow":    {desk.Read, changed(func(p *pane) { p.pinned, p.pinnedTop = false, false })},
		"ui.rightSidebar.setWindowOrder": {desk.Read, setWindowOrder},
		"ui.rightSidebar.open":           {desk.Read, sidebarSwitch(false, true)},
		"ui.rightSidebar.close":          {desk.Read, sidebarSwitch(false, false)},
		"ui.leftSidebar.open":            {desk.Read, sidebarSwitch(true, true)},
		"ui.leftSidebar.close":           {desk.Read, sidebarSwitch(true, false)},
	}
}

func sidebarSwitch(left, open bool) func(*call) (any, error) {
	return func(c *call) (any, error) {
		c.Graph.window.setSidebar(left, open)
		return undefined{}, nil
	}
}

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

// paneNamed decodes and checks a paneName. A page that is asked for as a block
// is shown as an outline.
func (c *call) paneNamed(db *graphdb.DB) (asked paneName, err error) {
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
	asked, err := c.paneNamed(db)
	if err != nil {
		return nil, err
	}
	w := asked.Window
	if w.Type == "" {
		return nil, c.missing("window.type")
	}
	if w.Type == paneSearch {
		w.UID = ""
	} else {
		w.Query = ""
		if outline.ByUID(db, w.UID) == 0 {
			return undefined{}, nil
		}
	}
	c.Graph.window.addPane(pane{kind: w.Type, uid: w.UID, query: w.Query}, w.Order.or(0))
	return undefined{}, nil
}

func removeWindow(c *call) (any, error) {
	asked, err := c.paneNamed(c.read())
	if err != nil {
		return nil, err
	}
	c.Graph.window.changePanes(func(panes []pane) []pane {
		if at := slices.IndexFunc(panes, asked.matches); at >= 0 {
			return slices.Delete(panes, at, at+1)
		}
		return panes
	})
	return undefined{}, nil
}

// changePane changes the topmost pane that is named; none is no error.
func (c *call) changePane(change func(*pane)) (any, error) {
	asked, err := c.paneNamed(c.read())
	if err != nil {
		return nil, err
	}
	c.Graph.window.changePanes(func(panes []pane) []pane {
		if at := slices.IndexFunc(panes, asked.matches); at >= 0 {
			change(&panes[at])
		}
		return panes
	})
	return undefined{}, nil
}

func pinWindow(c *call) (any, error) {
	asked, err := c.paneNamed(c.read())
	if err != nil {
		return nil, err
	}
	return c.changePane(func(p *pane) { p.pinned, p.pinnedTop = true, asked.Window.PinToTop })
}

// setWindowOrder moves a pane to a place from the top.
func setWindowOrder(c *call) (any, error) {
	asked, err := c.paneNamed(c.read())
	if err != nil {
		return nil, err
	}
	if !asked.Window.Order.set {
		return nil, c.missing("window.order")
	}
	c.Graph.window.changePanes(func(panes []pane) []pane {
		at := slices.IndexFunc(panes, asked.matches)
		if at < 0 {
			return panes
		}
		moved := panes[at]
		panes = slices.Delete(panes, at, at+1)
		return slices.Insert(panes, max(0, min(asked.Window.Order.value, len(panes))), moved)
	})
	return undefined{}, nil
}
