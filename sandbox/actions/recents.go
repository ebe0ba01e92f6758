package actions

import (
	"strings"
	"time"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

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
func (c *call) recentlyOpened(db *graphdb.DB) []openedItem {
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
