package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/localapi"
	"roam-mcp/sandbox/desk"
)

// windowActions are those of the main window, the cursor and the selection
// (LOCAL_API.md 2.5). All of them need the read scope only.
func windowActions() map[string]action {
	return map[string]action{
		"ui.mainWindow.getOpenView":                {desk.Read, getOpenView},
		"ui.mainWindow.getOpenPageOrBlockUid":      {desk.Read, getOpenUID},
		"ui.mainWindow.openBlock":                  {desk.Read, openBlock},
		"ui.mainWindow.openPage":                   {desk.Read, openPage},
		"ui.mainWindow.openDailyNotes":             {desk.Read, openDailyNotes},
		"ui.mainWindow.focusFirstBlock":            {desk.Read, focusFirstBlock},
		"ui.getFocusedBlock":                       {desk.Read, getFocusedBlock},
		"ui.setBlockFocusAndSelection":             {desk.Read, setFocus},
		"ui.multiselect.getSelected":               {desk.Read, getSelected},
		"ui.individualMultiselect.getSelectedUids": {desk.Read, getSelectedUIDs},
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
	shown := c.graph.window.shown(db)
	if shown == 0 {
		return openView{Type: "log", UIDs: latestDailyNotes(db, outline.DailyUID(c.now))}, nil
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

// latestDailyNotes gives today's uid and those of the daily notes before it.
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
	if shown := c.graph.window.shown(db); shown != 0 {
		return db.String(shown, graphdb.BlockUID), nil
	}
	return nil, nil
}

// openBlock is ui.mainWindow.openBlock. A page's uid works too, and one that
// does not exist changes nothing.
func openBlock(c *call) (any, error) {
	var asked target
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	if asked.Block.UID == "" {
		return nil, c.missing("block.uid")
	}
	if outline.ByUID(c.read(), asked.Block.UID) != 0 {
		c.graph.window.show(asked.Block.UID, c.now)
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
func (c *call) findPage(db *graphdb.DB, asked pageName) (graphdb.EID, error) {
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
func openPage(c *call) (any, error) {
	var asked pageName
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	db := c.read()
	page, err := c.findPage(db, asked)
	if err != nil {
		return nil, err
	}
	if page != 0 {
		c.graph.window.show(db.String(page, graphdb.BlockUID), c.now)
	}
	return undefined{}, nil
}

func openDailyNotes(c *call) (any, error) {
	c.graph.window.show("", c.now)
	return undefined{}, nil
}

// focusFirstBlock puts the cursor into the first block of what is open.
func focusFirstBlock(c *call) (any, error) {
	db := c.read()
	shown := c.graph.window.shown(db)
	if shown == 0 {
		shown = outline.ByUID(db, outline.DailyUID(c.now))
	}
	if children := outline.Children(db, shown); len(children) > 0 {
		c.graph.window.setFocus(focus{db.String(children[0], graphdb.BlockUID), mainWindowID})
	}
	return undefined{}, nil
}

// getFocusedBlock is ui.getFocusedBlock: null where no block has the cursor.
func getFocusedBlock(c *call) (any, error) {
	f := c.graph.window.focused()
	if f.BlockUID == "" || outline.ByUID(c.read(), f.BlockUID) == 0 {
		return nil, nil
	}
	return f, nil
}

// setFocus is ui.setBlockFocusAndSelection. The selection inside the block is
// not kept, since nothing reads it.
func setFocus(c *call) (any, error) {
	var asked struct {
		Location focus `json:"location"`
	}
	if err := c.object(&asked); err != nil {
		return nil, err
	}
	f := asked.Location
	if f.BlockUID == "" {
		return nil, c.missing("location.block-uid")
	}
	if f.WindowID == "" {
		f.WindowID = mainWindowID
	}
	if db := c.read(); outline.IsBlock(db, outline.ByUID(db, f.BlockUID)) {
		c.graph.window.setFocus(f)
	}
	return undefined{}, nil
}

// getSelected is ui.multiselect.getSelected.
func getSelected(c *call) (any, error) {
	list := []focus{}
	for _, uid := range c.selection() {
		list = append(list, focus{uid, mainWindowID})
	}
	return list, nil
}

func getSelectedUIDs(c *call) (any, error) { return c.selection(), nil }

func (c *call) selection() []string {
	db := c.read()
	uids := []string{}
	for _, uid := range c.graph.window.selection() {
		if outline.ByUID(db, uid) != 0 {
			uids = append(uids, uid)
		}
	}
	return uids
}

// Select marks blocks in a graph's main window, as a person does by hand; no
// uids: none is marked.
func (s *Server) Select(id localapi.Graph, uids ...string) error {
	found, err := s.graphs.find(id)
	if err != nil {
		return err
	}
	for _, uid := range uids {
		if strings.TrimSpace(uid) == "" {
			return fmt.Errorf("select in %s: a uid is empty", id.Name)
		}
	}
	found.window.setSelected(uids)
	return nil
}
