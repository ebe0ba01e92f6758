package actions

import (
	"slices"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/sandbox/desk"
)

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
func openPage(c *call, asked pageName) (any, error) {
	db := c.read()
	page, err := c.findPage(db, asked)
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
	if f.WindowID == "" {
		f.WindowID = mainWindowID
	}
	if db := c.read(); outline.IsBlock(db, outline.ByUID(db, f.BlockUID)) {
		c.Graph.window.setFocus(f)
	}
	return undefined{}, nil
}

// getSelection lists the selected blocks: none, since nobody can select any in the
// sandbox.
func getSelection(*call) (any, error) { return []string{}, nil }
