package actions

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

func TestWindow(t *testing.T) {
	c := start(t, Options{})
	c.do("data.page.create", `{"page":{"title":"November 20th, 2026"}}`)
	c.do("data.page.create", `{"page":{"title":"November 22nd, 2026"}}`)
	for _, step := range []struct{ action, argument, view string }{
		{"openDailyNotes", "", `{"type":"log","uids":["11-21-2026","11-20-2026"]}`},
		{"openBlock", `{"block":{"uid":"blk-child"}}`, `{"type":"outline","uid":"blk-child","block-string":"a fine child"}`},
		{"openPage", `{"page":{"title":"None"}}`, `{"type":"outline","uid":"blk-child","block-string":"a fine child"}`},
		{"openBlock", `{"block":{"uid":"none"}}`, `{"type":"outline","uid":"blk-child","block-string":"a fine child"}`},
		{"openPage", `{"page":{"uid":"page-wate"}}`, `{"type":"outline","uid":"page-wate","title":"Water"}`},
		{"openBlock", `{"block":{"uid":"page-brea"}}`, `{"type":"outline","uid":"page-brea","title":"Bread"}`},
	} {
		c.do("ui.mainWindow."+step.action, step.argument)
		if got := c.do("ui.mainWindow.getOpenView", ""); got != step.view {
			t.Errorf("%s %s: %s, want %s", step.action, step.argument, got, step.view)
		}
		c.Now = c.Now.Add(time.Minute)
	}
	c.do("ui.mainWindow.focusFirstBlock", "")
	if got := c.do("ui.getFocusedBlock", ""); got != `{"block-uid":"blk-flour","window-id":"main-window"}` {
		t.Errorf("focus %s", got)
	}
	if got := c.do("ui.mainWindow.getOpenPageOrBlockUid", ""); got != `"page-brea"` {
		t.Errorf("open %s", got)
	}
	c.do("data.page.delete", `{"page":{"uid":"page-brea"}}`)
	if got := c.do("ui.mainWindow.getOpenView", "") + c.do("ui.getFocusedBlock", ""); !strings.HasPrefix(got, `{"type":"log"`) || !strings.HasSuffix(got, "null") {
		t.Errorf("after what was open is gone: %s", got)
	}
}

func TestSidebar(t *testing.T) {
	c := start(t, Options{})
	const bread, child = `{"window":{"type":"block","block-uid":"page-brea"%s}}`, `{"window":{"type":"block","block-uid":"blk-child"%s}}`
	shown := func() string {
		var list []map[string]any
		require.NoError(t, json.Unmarshal([]byte(c.do("ui.rightSidebar.getWindows", "")), &list))
		var text strings.Builder
		for i, p := range list {
			for _, key := range []string{"title", "block-string", "mentions-uid", "search-query-str"} {
				if p[key] != nil {
					fmt.Fprint(&text, p["type"], " ", p[key])
				}
			}
			for _, key := range []string{"collapsed?", "pinned?", "pinned-to-top?"} {
				if p[key] == true {
					text.WriteString(" " + key)
				}
			}
			if p["order"] != float64(i) || p["window-id"] == "" {
				t.Errorf("%v", p)
			}
			text.WriteString("; ")
		}
		return strings.TrimSuffix(text.String(), "; ")
	}
	for _, step := range []struct{ action, argument, want string }{
		{"addWindow", fmt.Sprintf(bread, ""), "outline Bread"},
		{"addWindow", fmt.Sprintf(child, ""), "block a fine child; outline Bread"},
		{"addWindow", fmt.Sprintf(child, `,"order":9`), "block a fine child; outline Bread; block a fine child"},
		{"addWindow", `{"window":{"type":"mentions","block-uid":"none"}}`, "block a fine child; outline Bread; block a fine child"},
		{"removeWindow", fmt.Sprintf(child, ""), "outline Bread; block a fine child"},
		{"addWindow", `{"window":{"type":"search-query","search-query-str":"flour"}}`, "search-query flour; outline Bread; block a fine child"},
		{"collapseWindow", fmt.Sprintf(bread, ""), "search-query flour; outline Bread collapsed?; block a fine child"},
		{"pinWindow", fmt.Sprintf(bread, `,"pin-to-top?":true`), "search-query flour; outline Bread collapsed? pinned? pinned-to-top?; block a fine child"},
		{"setWindowOrder", fmt.Sprintf(bread, `,"order":0`), "outline Bread collapsed? pinned? pinned-to-top?; search-query flour; block a fine child"},
		{"unpinWindow", fmt.Sprintf(bread, ""), "outline Bread collapsed?; search-query flour; block a fine child"},
		{"expandWindow", fmt.Sprintf(bread, ""), "outline Bread; search-query flour; block a fine child"},
		{"removeWindow", `{"window":{"type":"search-query","search-query-str":"flour"}}`, "outline Bread; block a fine child"},
		{"addWindow", `{"window":{"type":"mentions","block-uid":"page-wate"}}`, "mentions page-wate; outline Bread; block a fine child"},
	} {
		c.do("ui.rightSidebar."+step.action, step.argument)
		if got := shown(); got != step.want {
			t.Fatalf("%s %s: %s, want %s", step.action, step.argument, got, step.want)
		}
	}
	c.do("data.block.delete", `{"block":{"uid":"blk-child"}}`)
	if got := shown(); got != "mentions page-wate; outline Bread" {
		t.Errorf("after a target is gone: %s", got)
	}
}

func TestFilters(t *testing.T) {
	c := start(t, Options{})
	c.do("ui.filters.addGlobalFilter", `{"title":"Water","type":"removes"}`)
	c.do("ui.filters.addGlobalFilter", `{"title":"Water","type":"removes"}`)
	c.do("ui.filters.addGlobalFilter", `{"title":"Bread","type":"includes"}`)
	c.do("ui.filters.removeGlobalFilter", `{"title":"Bread","type":"includes"}`)
	c.do("ui.filters.setPageFilters", `{"page":{"title":"Bread"},"filters":{"includes":["A"],"removes":["B"]}}`)
	for action, want := range map[string]string{
		"getGlobalFilters": `{"includes":[],"removes":["Water"]}`, "getPageFilters": `{"includes":["A"],"removes":["B"]}`,
		"getPageLinkedRefsFilters": `{"includes":[],"removes":[]}`,
	} {
		if got := c.do("ui.filters."+action, `{"page":{"uid":"page-brea"}}`); got != want {
			t.Errorf("%s: %s, want %s", action, got, want)
		}
	}
}

func TestWindowStaysBounded(t *testing.T) {
	c := start(t, Options{})
	w := &c.Graph.window
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
	if len(w.panes) != maxPanes || len(w.visits) != maxVisits {
		t.Errorf("%d panes, %d visits", len(w.panes), len(w.visits))
	}
	ids := map[string]bool{}
	for _, p := range w.panes {
		ids[p.id] = true
	}
	if len(ids) != maxPanes {
		t.Errorf("%d ids for %d panes", len(ids), maxPanes)
	}
}
