package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/sandbox/desk"
)

func makeCard(_ context.Context, args map[string]any) (any, error) {
	if args["front"] == "fail" {
		return nil, errors.New("the printer is out of ink")
	}
	return map[string]any{"card": args["front"]}, nil
}

// refusalOf is the code of a call's error, and Roam's text.
func refusalOf(err error) (localapi.Code, string) {
	var refused *localapi.Error
	if errors.As(err, &refused) {
		return refused.Code, refused.RoamText
	}
	return "", ""
}

func TestADemotedUserGoesOnReading(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	s.SetUserAccess(localapi.ReadOnly)
	if _, err := c.try("data.ai.getPage", `{"title": "Bread"}`); err != nil {
		t.Errorf("a read: %v", err)
	}
	_, err := c.try("data.block.delete", `{"block": {"uid": "blk-child"}}`)
	if code, _ := refusalOf(err); code != localapi.CodeScopeExceedsPermission {
		t.Errorf("a write: %v", err)
	}
	if got := c.do("user.isAdmin", ""); got != "false" {
		t.Errorf("isAdmin %s", got)
	}
	reply, err := c.client.RequestToken(t.Context(), localapi.TokenRequest{Graph: small, Description: "x", AccessLevel: localapi.Full})
	if err != nil || reply.AccessLevel != localapi.ReadOnly {
		t.Errorf("a reader was granted %q, %v", reply.AccessLevel, err)
	}
	s.SetUserAccess("")
	c.do("data.block.delete", `{"block": {"uid": "blk-child"}}`)
}

func TestABatchNeedsTheScopeOfItsSteps(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow, UserAccess: localapi.Full})
	c := callerOf(t, s, small)
	c.token = tokenFor(t, s, small, localapi.ReadAppend)
	const create = `{"action":"create-block","location":{"parent-uid":"page-wate","order":0},"block":{"string":"x"}}`
	_, err := c.try("batchActions", `{"actions":[`+create+`,{"action":"delete-block","block":{"uid":"blk-child"}}]}`)
	if code, _ := refusalOf(err); code != localapi.CodeInsufficientScope || s.Graphs()[0].Blocks != 5 {
		t.Errorf("%v, %d blocks", err, s.Graphs()[0].Blocks)
	}
	c.do("batchActions", `{"actions":[`+create+`]}`)
}

func TestExtensionToolsAreListedAndExplainTheirErrors(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow, Extensions: []Extension{cardsExtension()}})
	c := callerOf(t, s, small)
	const listed = `"extensionTools":[{"tool":"cards/make","description":"Makes a card.","scope":"read","extension":"Cards","inputSchema":{"type":"object","properties":{"front":{"type":"string"}},"required":["front"]}},` +
		`{"tool":"cards/shred","description":"Destroys all cards.","scope":"edit","extension":"Cards","inputSchema":{"type":"object"}}]`
	if got := c.do("data.ai.getGraphGuidelines", ""); !strings.Contains(got, listed) {
		t.Errorf("%s lacks %s", got, listed)
	}
	for argument, want := range map[string]string{
		`{"tool":"cards/eat"}`:                          "cards/make, cards/shred",
		`{"tool":"cards/make","args":{}}`:               `"required":["front"]`,
		`{"tool":"cards/make","args":{"front":"fail"}}`: "out of ink",
	} {
		_, err := c.try("data.ai.callExtensionTool", argument)
		if _, text := refusalOf(err); !strings.Contains(text, want) {
			t.Errorf("%s: %v lacks %s", argument, err, want)
		}
	}
	c.token = tokenFor(t, s, small, localapi.ReadAppend)
	_, err := c.try("data.ai.callExtensionTool", `{"tool":"cards/shred"}`)
	if code, _ := refusalOf(err); code != localapi.CodeInsufficientScope {
		t.Errorf("a tool beyond the token's scope: %v", err)
	}
	plain := callerOf(t, start(t, Options{Policy: desk.Allow}), small)
	_, err = plain.try("data.ai.callExtensionTool", `{"tool":"x"}`)
	if _, text := refusalOf(err); !strings.Contains(text, "no extension") {
		t.Errorf("without extensions: %v", err)
	}
}

func TestReorderedBlocksStayInTheirNewOrder(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	c.do("data.block.reorderBlocks", `{"location":{"parent-uid":"page-brea"},"blocks":["blk-see-1","blk-priva","blk-flour"]}`)
	if got, err := c.tryArgs("q", `["[:find ?u ?o :where [?p :block/uid \"page-brea\"] [?p :block/children ?c] [?c :block/uid ?u] [?c :block/order ?o]]"]`); err != nil || !sameSet(got, `[["blk-see-1",0],["blk-priva",1],["blk-flour",2]]`) {
		t.Errorf("%s, %v", got, err)
	}
}

// sameSet compares two JSON lists without regard to order.
func sameSet(a, b string) bool {
	count := func(text string) map[string]int {
		var items []json.RawMessage
		if json.Unmarshal([]byte(text), &items) != nil {
			return map[string]int{text: -1}
		}
		set := map[string]int{}
		for _, item := range items {
			set[string(item)]++
		}
		return set
	}
	return reflect.DeepEqual(count(a), count(b))
}

func TestShortcutsKeepTheirOrder(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for _, step := range []struct{ action, args, want string }{
		{"addShortcut", `["page-brea"]`, `"starredPages":["Bread"]`},
		{"addShortcut", `["page-wate"]`, `"starredPages":["Bread","Water"]`},
		{"addShortcut", `["page-guid",0]`, `"starredPages":["roam/agent guidelines","Bread","Water"]`},
		{"addShortcut", `["page-guid",99]`, `"starredPages":["Bread","Water","roam/agent guidelines"]`},
		{"addShortcut", `["page-wate",-4]`, `"starredPages":["Water","Bread","roam/agent guidelines"]`},
		{"removeShortcut", `["page-brea"]`, `"starredPages":["Water","roam/agent guidelines"]`},
		{"removeShortcut", `["page-brea"]`, `"starredPages":["Water","roam/agent guidelines"]`},
	} {
		if _, err := c.tryArgs("data.page."+step.action, step.args); err != nil {
			t.Fatal(err)
		}
		if got := c.do("data.ai.getGraphGuidelines", ""); !strings.Contains(got, step.want) {
			t.Errorf("%s %s: %s, want %s", step.action, step.args, got, step.want)
		}
	}
}

func TestCommentsOfADayAreOneThread(t *testing.T) {
	now := clock()
	s := start(t, Options{Policy: desk.Allow, Now: func() time.Time { return now }})
	c := callerOf(t, s, small)
	comment := func(argument string) (parent string) {
		t.Helper()
		var made struct{ ParentUID string }
		if err := json.Unmarshal([]byte(c.do("data.block.addComment", argument)), &made); err != nil {
			t.Fatal(err)
		}
		return made.ParentUID
	}
	first := comment(`{"block-uid":"blk-child","reply-string":"one","reply-uid":"rep-00001"}`)
	now = now.Add(2 * time.Hour)
	if again := comment(`{"block-uid":"blk-child","reply-markdown":"- two\n  - deeper","reply-uid":"rep-00002"}`); again != first {
		t.Errorf("a second comment of the day went to %s, not %s", again, first)
	}
	now = now.Add(24 * time.Hour)
	next := comment(`{"block-uid":"blk-child","reply-string":"three","reply-uid":"rep-00003","open-comment":true}`)
	if next == first {
		t.Error("a comment of the next day went to the old thread")
	}
	comment(`{"block-uid":"blk-child","reply-string":"#.rm-private four","reply-uid":"rep-00004"}`)
	got := maskUIDs(c.do("data.ai.getComments", `{"uid":"blk-child","maxDepth":0}`))
	want := fmt.Sprintf(`"total":2,"comments":[{"parentUid":%q,"author":%q,"createdTime":"2026-11-21T09:30:00.000Z","editedTime":"2026-11-21T11:30:00.000Z",`+
		`"markdown":"- one <roam uid=\"rep-00001\"/>\n- two <roam uid=\"rep-00002\" hiddenChildren=\"1\"/>","singleEditableUid":null},`+
		`{"parentUid":%q,"author":%q,"createdTime":"2026-11-22T11:30:00.000Z","editedTime":"2026-11-22T11:30:00.000Z",`+
		`"markdown":"- three <roam uid=\"rep-00003\"/>","singleEditableUid":"rep-00003"}]`, first, aiName, next, aiName)
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if read := c.do("data.ai.getBlock", `{"uid":"blk-child"}`); !strings.Contains(read, `"linkedReferences":{"total":2,`) {
		t.Errorf("comments are no references: %s", read)
	}
	if panes := c.do("ui.rightSidebar.getWindows", ""); !strings.Contains(panes, next) {
		t.Errorf("the comment was not opened: %s", panes)
	}
	if hidden := c.do("data.ai.getComments", `{"uid":"blk-priva"}`); !strings.Contains(hidden, `"total":0`) {
		t.Errorf("comments of a hidden block: %s", hidden)
	}
}

func TestACommentNeedsText(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for name, text := range map[string]string{
		"nothing": `"reply-string":""`, "white space": `"reply-string":" \n"`, "empty markdown": `"reply-markdown":""`,
		"markdown of a byte order mark alone": `"reply-markdown":"\ufeff"`,
	} {
		_, err := c.try("data.block.addComment", `{"block-uid":"blk-child","reply-uid":"rep-00001",`+text+`}`)
		if err == nil || !strings.Contains(err.Error(), "a comment needs text") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTemplatesAreFoundByName(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	c.do("data.block.fromMarkdown", `{"location":{"page-title":"Forms"},"markdown-string":"- Daily Review #[[roam/templates]]\n  - What went well?\n    - secret #.rm-private\n- [[roam/templates]] Meeting\n- Daily bread"}`)
	var found struct{ Results []template }
	if err := json.Unmarshal([]byte(c.do("data.ai.searchTemplates", `{"query":"review DAILY"}`)), &found); err != nil || len(found.Results) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if got := found.Results[0]; got.Name != "Daily Review" || got.UID == "" || got.Content != "- What went well?\n  - secret #.rm-private" {
		t.Errorf("%+v", got)
	}
	if all := c.do("data.ai.searchTemplates", ""); strings.Count(all, `"name":`) != 2 {
		t.Errorf("without a query: %s", all)
	}
}

func TestFilesAreKeptBesideTheGraph(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	for mediaType, before := range map[string]string{
		"image/png": "![](", "application/pdf": "{{[[pdf]]: ", "audio/mpeg": "{{[[audio]]: ", "video/mp4": "{{[[video]]: ", "text/plain; charset=utf-8": "",
	} {
		var shown string
		if err := json.Unmarshal([]byte(c.do("file.upload", fmt.Sprintf(`{"base64":"aGVsbG8K","mimetype":%q,"filename":"C:\\x\\my notes.bin"}`, mediaType))), &shown); err != nil {
			t.Fatal(err)
		}
		address, ok := strings.CutPrefix(strings.TrimRight(shown, ")}"), before)
		if !ok || !strings.HasSuffix(address, "/my%20notes.bin") {
			t.Errorf("%s: %s", mediaType, shown)
		}
		asked := fmt.Sprintf(`{"url":%q,"format":"base64"}`, address)
		bare, _, _ := strings.Cut(mediaType, ";")
		if got, want := c.do("file.get", asked), fmt.Sprintf(`{"base64":"aGVsbG8K","mimetype":%q,"filename":"my notes.bin"}`, bare); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.do("file.delete", asked)
		if _, err := c.try("file.get", asked); err == nil || !strings.Contains(err.Error(), "exist") {
			t.Errorf("after its deletion: %v", err)
		}
	}
	if _, err := fileContent(strings.Repeat("AAAA", maxFile/3+2)); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("a file that is too large: %v", err)
	}
}

func TestAFileKeepsTheEndOfItsName(t *testing.T) {
	long := strings.Repeat("a long title ", 20) + ".pdf"
	for sent, want := range map[string]string{
		"notes.pdf":          "notes.pdf",
		long[len(long)-100:]: long[len(long)-100:],
		long:                 long[len(long)-maxFileName:],
		strings.Repeat("/home/me/notes", 20) + "/a.b": "a.b",
		"a\x00b\u202e.pdf":                            "a b .pdf",
		localapi.TokenPrefix + "x.pdf":                "[redacted]",
	} {
		if got := fileName(sent, "application/pdf"); got != want {
			t.Errorf("%q is kept as %q, want %q", sent, got, want)
		}
	}
}

func TestTheWindowShowsWhatWasOpened(t *testing.T) {
	now := clock()
	s := start(t, Options{Policy: desk.Allow, Now: func() time.Time { return now }})
	c := callerOf(t, s, small)
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
		now = now.Add(time.Minute)
	}
	c.do("ui.mainWindow.focusFirstBlock", "")
	if got := c.do("ui.getFocusedBlock", ""); got != `{"block-uid":"blk-flour","window-id":"main-window"}` {
		t.Errorf("focus %s", got)
	}
	if err := s.Select(small, "blk-child", "none"); err != nil {
		t.Fatal(err)
	}
	if got := c.do("ui.multiselect.getSelected", "") + c.do("ui.individualMultiselect.getSelectedUids", ""); got != `[{"block-uid":"blk-child","window-id":"main-window"}]["blk-child"]` {
		t.Errorf("selection %s", got)
	}
	if got := c.do("ui.mainWindow.getOpenPageOrBlockUid", ""); got != `"page-brea"` {
		t.Errorf("open %s", got)
	}
	c.do("data.page.delete", `{"page":{"uid":"page-brea"}}`)
	if got := c.do("ui.mainWindow.getOpenView", "") + c.do("ui.getFocusedBlock", ""); !strings.HasPrefix(got, `{"type":"log"`) || !strings.HasSuffix(got, "null") {
		t.Errorf("after what was open is gone: %s", got)
	}
}

func TestAnEmptySearchSuggestsWhatWasOpened(t *testing.T) {
	now := clock()
	s := start(t, Options{Policy: desk.Allow, Now: func() time.Time { return now }})
	c := callerOf(t, s, small)
	for _, step := range []struct{ action, argument string }{
		{"openDailyNotes", ""}, {"openPage", `{"page":{"title":"Bread"}}`}, {"openBlock", `{"block":{"uid":"blk-child"}}`},
		{"openBlock", `{"block":{"uid":"blk-priva"}}`}, {"openPage", `{"page":{"title":"Water"}}`}, {"openPage", `{"page":{"title":"Bread"}}`},
	} {
		c.do("ui.mainWindow."+step.action, step.argument)
		now = now.Add(time.Minute)
	}
	const want = `"recentlyOpenedByUser":[{"uid":"page-brea","title":"Bread","type":"page","openedAt":"2026-11-21T09:35:00.000Z","visitCount":3,"totalDurationMs":180000,"currentlyOpen":true,` +
		`"blocks":[{"uid":"blk-child","string":"a fine child","openedAt":"2026-11-21T09:32:00.000Z","path":"Bread > Flour and [[Water]]"}]},` +
		`{"uid":"page-wate","title":"Water","type":"page","openedAt":"2026-11-21T09:34:00.000Z","visitCount":1,"totalDurationMs":60000,"currentlyOpen":false},` +
		`{"type":"dailyNotePagesView","totalDurationMs":60000,"currentlyOpen":false}]`
	if got := c.do("data.ai.search", `{"query":""}`); !strings.Contains(got, want) {
		t.Errorf("%s lacks %s", got, want)
	}
}

func TestTheSidebarKeepsItsPanes(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	const bread, child = `{"window":{"type":"block","block-uid":"page-brea"%s}}`, `{"window":{"type":"block","block-uid":"blk-child"%s}}`
	shown := func() string {
		var list []map[string]any
		if err := json.Unmarshal([]byte(c.do("ui.rightSidebar.getWindows", "")), &list); err != nil {
			t.Fatal(err)
		}
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

func TestFiltersAreKept(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
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
