package sandbox

import (
	"fmt"
	"sync"
	"testing"

	"roam-mcp/sandbox/desk"
)

func TestTheWindowStaysBoundedUnderManyCallers(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	w := &s.graphs.graphs[0].window
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 60 {
				w.addPane(pane{kind: paneSearch, query: fmt.Sprint(i, j)}, j%7)
				w.show(fmt.Sprintf("%d-%d", i, j), clock())
				w.setFocus(focus{"blk-child", mainWindowID})
			}
		})
		all.Go(func() {
			for range 10 {
				c.do("ui.rightSidebar.getWindows", "")
				c.do("ui.mainWindow.getOpenView", "")
				c.do("ui.getFocusedBlock", "")
				c.do("ui.filters.setPageFilters", `{"page":{"title":"Bread"},"filters":{"includes":["A"]}}`)
			}
		})
	}
	all.Wait()
	if len(w.panes) != panesKept || len(w.visits) != visitsKept {
		t.Errorf("%d panes, %d visits", len(w.panes), len(w.visits))
	}
	ids := map[string]bool{}
	for _, p := range w.panes {
		ids[p.id] = true
	}
	if len(ids) != panesKept {
		t.Errorf("%d ids for %d panes", len(ids), panesKept)
	}
}
