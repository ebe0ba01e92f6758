package notes_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/profiletest"
)

// shown is a note as its tools send it.
type shown struct {
	ID         string
	Title      *string
	Content    string
	IsPinned   bool
	IsArchived bool
	Type       string
	CheckItems []struct {
		ID, Text string
		Checked  bool
	}
	Labels []string
}

// name is the title of a note, or the content of one without.
func (s shown) name() string {
	if s.Title == nil {
		return s.Content
	}
	return *s.Title
}

// names checks that a list has these notes in this order.
func names(want ...string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
		var list []shown
		r.Decode(t, &list)
		got := []string{}
		for _, each := range list {
			got = append(got, each.name())
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// allNames are the notes of the demo graph as get_notes lists them.
func allNames() []string {
	return []string{"Projects/Apollo", "January 15th, 2024", "call the bank", "Saturn V", "Ada", "Grace", "Glossary", "Shopping", "Orphan", "Projects/Gemini"}
}

// without returns the names without one.
func without(names []string, name string) []string {
	var kept []string
	for _, each := range names {
		if each != name {
			kept = append(kept, each)
		}
	}
	return kept
}

// blocks checks the texts of the blocks directly below a page or block, in their order.
func blocks(t testing.TB, w *profiletest.World, uid string, want ...string) {
	t.Helper()
	var rows [][]any
	w.Query(&rows, `[:find ?o ?s :in $ ?u :where [?p :block/uid ?u] [?p :block/children ?b] [?b :block/order ?o] [?b :block/string ?s]]`, uid)
	got := make([]string, len(rows))
	for _, row := range rows {
		got[int(row[0].(float64))] = row[1].(string)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("below %s is %q, not %q", uid, got, want)
	}
}

// shortcuts returns the titles of the pages in the left sidebar.
func shortcuts(w *profiletest.World) string {
	var rows [][]string
	w.Query(&rows, `[:find ?t :where [?p :page/sidebar] [?p :node/title ?t]]`)
	return fmt.Sprint(rows)
}

// The examples, by the numbers that they have in the profile's design. The rules are in
// docs/profiles/notes.md.
func TestExamples(t *testing.T) {
	missing := func(tool, arguments string, code int64) profiletest.Call {
		return profiletest.Call{
			Tool: tool, Arguments: arguments, RPC: code, Message: fmt.Sprintf("MCP error %d: Note not found", code),
			Data: `{"code":"NOT_FOUND","hint":"<has get_notes>","...":"..."}`,
		}
	}
	profiletest.Run(t, profiletest.Options{Profile: "notes"},
		profiletest.Example{Name: "1: get_notes lists pages and quick notes, the last changed first", Calls: []profiletest.Call{
			{Tool: "get_notes", Arguments: `{}`, MostCalls: 5, Check: names(allNames()...)},
			{Tool: "get_notes", Arguments: `{}`, MostCalls: 2, Check: func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
				var list []shown
				r.Decode(t, &list)
				if list[1].Content != "Review of [[Projects/Apollo]] with [[Grace]] #meeting" || list[2].ID != "da0000004" || list[2].Title != nil {
					t.Errorf("got %+v", list[1:3])
				}
			}},
			{Tool: "get_notes", Arguments: `{"limit":2,"offset":1}`, Note: "Shown 2 to 3 of 10; call get_notes with offset 3.", Check: names("January 15th, 2024", "call the bank")},
			{Tool: "get_notes", Arguments: `{"limit":20,"offset":9}`, Check: names("Projects/Gemini")},
			{Tool: "get_notes", Arguments: `{"search":"moon"}`, Check: names("Projects/Apollo")},
		}},
		profiletest.Example{Name: "2: get_note reads a checklist", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"shop00001"}`, MostCalls: 1, Want: `{"id":"shop00001","title":"Shopping","content":"","color":"default","type":"checklist",
				"checkItems":[{"id":"sh0000001","text":"milk","checked":false},{"id":"sh0000002","text":"tea","checked":true}],
				"labels":null,"images":null,"isPinned":false,"isArchived":false,"reminder":null,"isReminderDone":false,"reminderRecurrence":null,"reminderLocation":null,
				"isMarkdown":true,"size":"small","embedding":null,"userId":"<any>","order":0,"createdAt":"2024-01-10T00:00:00.000Z","updatedAt":"2024-01-10T00:00:00.000Z"}`},
			{Tool: "get_note", Arguments: `{"id":"[[Shopping]]"}`, Want: `{"id":"shop00001","...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"Shopping"}`, MostCalls: 3, Want: `{"id":"shop00001","...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"SHOPPING"}`, MostCalls: 3, Want: `{"id":"shop00001","...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"2024-01-15"}`, MostCalls: 2, Want: `{"id":"01-15-2024","...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"da0000004"}`, MostCalls: 2, Want: `{"id":"da0000004","title":null,"content":"call the bank","...":"..."}`},
		}},
		profiletest.Example{Name: "3: get_note reads a text with labels", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"apollo001"}`, MostCalls: 1, Want: `{"type":"text","checkItems":null,"labels":["project","in progress"],"updatedAt":"2024-01-15T15:02:00.000Z",
				"content":"<has ((sv0000001))<ref>The F-1 engine burns kerosene</ref>>","...":"..."}`},
		}},
		profiletest.Example{Name: "4: get_labels lists the labels of all notes", Calls: []profiletest.Call{
			{Tool: "get_labels", Arguments: `{}`, MostCalls: 5, Want: `["computing","in progress","meeting","project","rocket","tea"]`},
			{Tool: "get_labels", Arguments: `{}`, MostCalls: 2, Want: `["computing","in progress","meeting","project","rocket","tea"]`},
		}},
		profiletest.Example{Name: "5: search_notes finds what contains the text, in any case", Calls: []profiletest.Call{
			{Tool: "search_notes", Arguments: `{"query":"ENGINE"}`, MostCalls: 5, Check: names("Projects/Apollo", "Saturn V", "Glossary")},
			{Tool: "search_notes", Arguments: `{"query":"saturn"}`, MostCalls: 2, Check: names("Projects/Apollo", "Saturn V", "Glossary")},
			{Tool: "search_notes", Arguments: `{"query":"100%"}`, Want: `[]`},
			{Tool: "search_notes", Arguments: `{"query":"kerosene burns"}`, Note: "all its words", Check: names("Projects/Apollo", "Saturn V")},
			{Tool: "search_notes", Arguments: `{"query":"private thing"}`, Want: `[]`},
			{Tool: "search_notes", Arguments: `{"query":" "}`, Check: names(allNames()...)},
		}},
		profiletest.Example{Name: "5: search_notes finds the notes with a label", Calls: []profiletest.Call{
			{Tool: "search_notes", Arguments: `{"query":"#project"}`, MostCalls: 5, Check: names("Projects/Apollo")},
			{Tool: "search_notes", Arguments: `{"query":"label:In_Progress"}`, MostCalls: 2, Check: names("Projects/Apollo")},
			{Tool: "get_notes", Arguments: `{"search":"#[[in progress]]"}`, Check: names("Projects/Apollo")},
			{Tool: "search_notes", Arguments: `{"query":"#proj"}`, Want: `[]`},
			{Tool: "search_notes", Arguments: `{"query":"label:"}`, Want: `[]`},
		}},
		profiletest.Example{Name: "6: toggle_pin sets a shortcut and takes it away", Calls: []profiletest.Call{
			{Tool: "toggle_pin", Arguments: `{"id":"grace0001"}`, Want: `{"id":"grace0001","isPinned":true,"...":"..."}`, Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
				if got := shortcuts(w); got != "[[Grace]]" {
					t.Errorf("the shortcuts are %s", got)
				}
			}},
			{Tool: "get_notes", Arguments: `{}`, Check: names(append([]string{"Grace"}, without(allNames(), "Grace")...)...)},
			{Tool: "toggle_pin", Arguments: `{"id":"grace0001"}`, Want: `{"id":"grace0001","isPinned":false,"...":"..."}`},
			{Tool: "toggle_pin", Arguments: `{"id":"da0000004"}`, Want: `{"id":"da0000004","isPinned":true,"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			if got := shortcuts(w); got != "[]" {
				t.Errorf("the shortcuts are %s", got)
			}
			blocks(t, w, "grace0001", "Compilers #computing")
			blocks(t, w, "da0000004", "Pinned:: true")
		}},
		profiletest.Example{Name: "7: toggle_archive hides a note from lists and searches", Calls: []profiletest.Call{
			{Tool: "toggle_archive", Arguments: `{"id":"orphan001"}`, Want: `{"id":"orphan001","isArchived":true,"...":"..."}`},
			{Tool: "get_notes", Arguments: `{}`, Check: names(without(allNames(), "Orphan")...)},
			{Tool: "get_notes", Arguments: `{"includeArchived":true}`, Check: func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
				var list []shown
				if r.Decode(t, &list); len(list) != 10 {
					t.Errorf("%d notes", len(list))
				}
			}},
			{Tool: "search_notes", Arguments: `{"query":"nobody"}`, Want: `[]`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, "orphan001", "Archived:: true", "nobody links here")
		}},
		profiletest.Example{Name: "8: create_note without a title writes into the daily note, with one call beside the looks", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"content":"Buy stamps\nblue ones"}`, MostCalls: 3, Want: `{"title":null,"content":"Buy stamps\nblue ones","...":"..."}`, Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
				var made shown
				r.Decode(t, &made)
				if text, _ := w.Text(made.ID); text != "Buy stamps" {
					t.Errorf("the block is %q", text)
				}
				blocks(t, w, made.ID, "blue ones")
				blocks(t, w, "01-16-2024", "[[Notes]]")
			}},
			{Tool: "get_notes", Arguments: `{}`, Check: names(append([]string{"Buy stamps\nblue ones"}, allNames()...)...)},
		}},
		profiletest.Example{Name: "9: create_note makes a page with labels and a color, and numbers a title that is taken", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: meeting, MostCalls: 4, Want: `{"id":"<any>","title":"Meeting Notes","content":"Discussed Q1 roadmap...","color":"blue","type":"text","checkItems":null,
				"labels":["work","planning"],"images":null,"isPinned":false,"isArchived":false,"createdAt":"<has 2024-01-16T12:01>","updatedAt":"<has 2024-01-16T12:01>"}`},
			{Tool: "create_note", Arguments: meeting, Want: `{"title":"Meeting Notes (2)","...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Notes","content":"fills the empty page"}`, Want: `{"id":"stub00009","title":"Notes","...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"January 15th, 2024","content":"Went well"}`, Want: `{"id":"01-15-2024","content":"Review of [[Projects/Apollo]] with [[Grace]] #meeting\n\nWent well","...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":" Two\nlines ","content":"x"}`, Want: `{"title":"Two lines","...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Labels","content":"x","labels":["In_Progress"]}`, Want: `{"labels":["in progress"],"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			first, second := w.PageUID("Meeting Notes"), w.PageUID("Meeting Notes (2)")
			for _, uid := range []string{first, second} {
				blocks(t, w, uid, "Tags:: #work #planning", "Color:: blue", "Discussed Q1 roadmap...")
			}
			if first == second {
				t.Error("both have the same id")
			}
		}},
		profiletest.Example{Name: "10: update_note replaces the items of a checklist by their ids", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"shop00001"}`},
			{Tool: "update_note", Arguments: `{"id":"shop00001","checkItems":[{"id":"sh0000001","text":"milk","checked":true},{"text":"bread","checked":false}]}`,
				Want: `{"checkItems":[{"id":"sh0000001","text":"milk","checked":true},{"id":"<any>","text":"bread","checked":false}],"...":"..."}`,
				Note: `Items taken away, since checkItems left them out: "tea".`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, "shop00001", "{{[[DONE]]}} milk", "{{[[TODO]]}} bread")
			if _, there := w.Text("sh0000002"); there {
				t.Error("sh0000002 is still there")
			}
		}},
		profiletest.Example{Name: "11: update_note makes a page of a quick note that gets a title", Calls: []profiletest.Call{
			{Tool: "update_note", Arguments: `{"id":"da0000004","title":"Bank"}`, Want: `{"title":"Bank","content":"call the bank","...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"da0000004"}`, Want: `{"title":"Bank","...":"..."}`},
			{Tool: "get_notes", Arguments: `{}`, Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
				names(append([]string{"Bank"}, without(allNames(), "call the bank")...)...)(t, w, r)
				if text, _ := w.Text("da0000004"); text != "[[Bank]]" {
					t.Errorf("the block is %q", text)
				}
				blocks(t, w, w.PageUID("Bank"), "call the bank")
			}},
			{Tool: "delete_note", Arguments: `{"id":"Bank"}`, Want: `{"success":true,"message":"Note deleted","blocks":1,"id":"<any>","title":"Bank"}`},
			{Tool: "get_notes", Arguments: `{}`, Check: names(without(allNames(), "call the bank")...)},
		}},
		profiletest.Example{Name: "update_note leaves the items of a quick checklist when it gets a title and a content", Calls: []profiletest.Call{
			{Tool: "update_note", Arguments: `{"id":"da0000004","checkItems":["dial"]}`, Want: `{"type":"checklist","...":"..."}`},
			{
				Tool: "update_note", Arguments: `{"id":"da0000004","title":"Bank","content":"soon"}`,
				Want: `{"title":"Bank","content":"soon","type":"checklist","checkItems":[{"id":"<any>","text":"dial","checked":false}],"...":"..."}`,
			},
		}},
		profiletest.Example{Name: "12: delete_note deletes a note", Calls: []profiletest.Call{
			{Tool: "delete_note", Arguments: `{"id":"orphan001"}`, Want: `{"success":true,"message":"Note deleted","blocks":1,"id":"orphan001","title":"Orphan"}`},
			missing("get_note", `{"id":"orphan001"}`, -32600),
			{Tool: "delete_note", Arguments: `{"id":"01-15-2024"}`, Want: `{"success":true,"message":"Note deleted","blocks":1,"id":"01-15-2024","title":"January 15th, 2024","date":"2024-01-15"}`},
			{Tool: "get_notes", Arguments: `{}`, Check: names(without(without(allNames(), "Orphan"), "January 15th, 2024")...)},
			{Tool: "delete_note", Arguments: `{"id":"da0000004"}`, Want: `{"success":true,"message":"Note deleted","blocks":1,"id":"da0000004"}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, "01-15-2024", "private thing Orphan #.rm-private", "[[Notes]]") // a link to what is gone is text
		}},
		profiletest.Example{Name: "13: errors are the JSON-RPC errors that Memento throws", Calls: []profiletest.Call{
			missing("get_note", `{"id":"nope"}`, -32600),
			missing("toggle_pin", `{"id":"nope"}`, -32600),
			missing("toggle_archive", `{"id":"nope"}`, -32600),
			missing("update_note", `{"id":"nope","title":"x"}`, -32603),
			missing("delete_note", `{"id":"nope"}`, -32603),
			missing("get_note", `{"id":"guide0001"}`, -32600),
			missing("delete_note", `{"id":"ap0000001"}`, -32603),
			missing("delete_note", `{"id":"da0000002"}`, -32603),
			missing("get_note", `{"id":"tea"}`, -32600),
			{Tool: "create_note", Arguments: `{"title":"x","content":"y","color":"mauve"}`, RPC: -32600, Data: `{"code":"INVALID_PARAMS"}`, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"title":"x"}`, RPC: -32600, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"content":" "}`, RPC: -32600, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"title":"roam/css","content":"y"}`, RPC: -32600, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"content":"y","checkItems":[{"name":"x"}]}`, RPC: -32600, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"content":"y","checkItems":[{"checked":true}]}`, RPC: -32600, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"content":"y","checkItems":[null]}`, RPC: -32600, Check: nothingWritten},
			{Tool: "create_note", Arguments: `{"content":"y","images":["bm90IGFuIGltYWdl"]}`, RPC: -32600, Check: nothingWritten},
			{Tool: "update_note", Arguments: `{"id":"01-15-2024","title":"Another day"}`, RPC: -32600},
			{Tool: "update_note", Arguments: `{"id":"ada000001","content":"Met... [truncated]"}`, RPC: -32600, Check: nothingWritten},
		}},
		profiletest.Example{Name: "14: create_note makes a checklist that is pinned and archived", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"type":"checklist","content":"","title":"Trip","checkItems":["pack","book"],"isPinned":true,"isArchived":true}`,
				Want: `{"title":"Trip","type":"checklist","content":"","checkItems":[{"id":"<any>","text":"pack","checked":false},{"id":"<any>","text":"book","checked":false}],"isPinned":true,"isArchived":true,"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, w.PageUID("Trip"), "Archived:: true", "{{[[TODO]]}} pack", "{{[[TODO]]}} book")
			if got := shortcuts(w); got != "[[Trip]]" {
				t.Errorf("the shortcuts are %s", got)
			}
		}},
		profiletest.Example{Name: "quick notes have all that pages have, in lines of their own", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"content":"Call Ada","labels":["phone"],"color":"pink","isPinned":true,"checkItems":["today"],"images":["https://example.org/a.png"]}`,
				Want: `{"title":null,"type":"checklist","content":"Call Ada","labels":["phone"],"color":"pink","isPinned":true,"checkItems":[{"id":"<any>","text":"today","checked":false}],"images":["https://example.org/a.png"],"...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"da0000004"}`},
			{Tool: "update_note", Arguments: `{"id":"da0000004","content":"call the bank\n\nabout the loan","color":"red","labels":["money"],"isArchived":true}`,
				Want: `{"id":"da0000004","title":null,"content":"call the bank\nabout the loan","color":"red","labels":["money"],"isArchived":true,"...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"da0000004","content":"ask the bank","checkItems":["by mail"],"isPinned":true,"isArchived":false}`,
				Want: `{"id":"da0000004","type":"checklist","content":"ask the bank","checkItems":[{"id":"<any>","text":"by mail","checked":false}],"isPinned":true,"isArchived":false,"...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"da0000004","title":"Bank","isPinned":false,"content":"done"}`,
				Want: `{"title":"Bank","type":"checklist","content":"done","labels":["money"],"color":"red","isPinned":false,"checkItems":[{"id":"<any>","text":"by mail","checked":false}],"...":"..."}`},
		}},
		profiletest.Example{Name: "types are kept: a checklist may have content, and a text tasks", Calls: []profiletest.Call{
			{Tool: "update_note", Arguments: `{"id":"shop00001","content":"For Sunday"}`, Want: `{"type":"checklist","content":"For Sunday","checkItems":["<any>","<any>"],"...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"shop00001"}`},
			{Tool: "update_note", Arguments: `{"id":"shop00001","content":"","checkItems":[]}`, Note: `"milk", "tea".`, Want: `{"type":"checklist","content":"","checkItems":[],"...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Blank form","content":"","checkItems":["name",""]}`, Want: `{"type":"checklist","checkItems":[{"id":"<any>","text":"name","checked":false},{"id":"<any>","text":"","checked":false}],"...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Listed","content":"x","labels":"alpha, beta"}`, Want: `{"labels":["alpha","beta"],"...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Tasks","content":"[ ] one\n\n[x] two"}`, Want: `{"type":"text","content":"[ ] one\n\n[x] two","checkItems":null,"...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Mixed","content":"x","type":"text","checkItems":["y"]}`, Want: `{"type":"text","content":"x\n\n[ ] y","checkItems":null,"...":"..."}`},
			{Tool: "create_note", Arguments: `{"title":"Nothing","content":""}`, Want: `{"type":"text","content":"","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Nothing","content":"Something","title":"Orphans"}`, Want: `{"title":"Orphans","type":"text","content":"Something","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"orphan001","title":"Tags"}`, Note: "has its id", Want: `{"title":"Tags","content":"nobody links here","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"gemini001","title":"Ada"}`, Want: `{"id":"gemini001","title":"Ada (2)","...":"..."}`},
		}},
		profiletest.Example{Name: "images are uploaded, shown and taken away", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"title":"Pictures","content":"two","images":["` + pixel + `","data:image/png;base64,` + pixel + `"]}`, MostCalls: 5,
				Want: `{"content":"two","images":["<has https://>","<has https://>"],"...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"Pictures"}`, Want: `{"content":"two","images":["<has https://>","<has https://>"],"...":"..."}`, Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
				if len(r.Images) != 2 || r.Images[0].MIMEType != "image/png" || base64.StdEncoding.EncodeToString(r.Images[0].Data) != pixel {
					t.Errorf("%d images are shown", len(r.Images))
				}
				var got struct{ Images []string }
				r.Decode(t, &got)
				c := w.Connect(profiletest.Ways()[0])
				c.Call("get_note", `{"id":"Pictures"}`)
				kept := c.Call("update_note", fmt.Sprintf(`{"id":"Pictures","images":[%q]}`, got.Images[1]))
				if err := profiletest.Match(fmt.Sprintf(`{"content":"two","images":[%q],"...":"..."}`, got.Images[1]), kept.Text()); err != nil {
					t.Errorf("%v: %s", err, kept)
				}
				blocks(t, w, w.PageUID("Pictures"), "two", "![]("+got.Images[1]+")")
			}},
			{Tool: "update_note", Arguments: `{"id":"Pictures","content":"one","images":["` + pixel + `"]}`, Want: `{"content":"one","images":["<has https://>"],"...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Pictures","images":null}`, Want: `{"content":"one","images":null,"...":"..."}`},
		}},
		profiletest.Example{Name: "update_note keeps the pin of a note that becomes a page which was only linked", Calls: []profiletest.Call{
			{Tool: "toggle_pin", Arguments: `{"id":"grace0001"}`, Want: `{"isPinned":true,"...":"..."}`},
			{Tool: "toggle_pin", Arguments: `{"id":"orphan001"}`, Want: `{"isPinned":true,"...":"..."}`},
			{Tool: "toggle_pin", Arguments: `{"id":"ada000001"}`, Want: `{"isPinned":true,"...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"orphan001","title":"meeting"}`, Want: `{"title":"meeting","content":"nobody links here","isPinned":true,"...":"..."}`, Note: "only linked"},
		}, After: func(t testing.TB, w *profiletest.World) {
			var second [][]string
			w.Query(&second, `[:find ?t :where [?p :page/sidebar 1] [?p :node/title ?t]]`)
			if fmt.Sprint(second) != "[[meeting]]" {
				t.Errorf("the second shortcut is %s", second)
			}
		}},
		profiletest.Example{Name: "update_note changes everything at once and keeps the uids of what stays", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"Saturn V"}`},
			{Tool: "update_note", Arguments: `{"id":"Saturn V","title":"Saturn 5","content":"The F-1 engine burns kerosene\n\nBuilt by [[Ada]], [[Grace]] and others\n\nFlew 13 times","labels":["rocket","apollo"],"color":"orange","isPinned":true,"isArchived":true}`,
				Want: `{"id":"saturnv01","title":"Saturn 5","content":"The F-1 engine burns kerosene\n\nBuilt by [[Ada]], [[Grace]] and others\n\nFlew 13 times","labels":["rocket","apollo"],"color":"orange","isPinned":true,"isArchived":true,"...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"apollo001"}`, Want: `{"content":"<has [[Saturn 5]]>","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"saturnv01","content":"Gone","color":"default","isPinned":false,"isArchived":false}`, Note: "refer",
				Want: `{"content":"Gone","labels":["rocket","apollo"],"color":"default","isPinned":false,"isArchived":false,"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, "saturnv01", "Tags:: #rocket #apollo", "Gone")
			if got := shortcuts(w); got != "[]" {
				t.Errorf("the shortcuts are %s", got)
			}
		}},
		profiletest.Example{Name: "update_note writes content back as get_note shows it, and nothing changes", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"apollo001"}`, Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
				var got shown
				r.Decode(t, &got)
				c := w.Connect(profiletest.Ways()[0])
				c.Call("get_note", `{"id":"apollo001"}`)
				content, _ := json.Marshal(got.Content)
				w.ResetCalls()
				if back := c.Call("update_note", `{"id":"apollo001","content":`+string(content)+`}`); back.RPC != nil || w.Calls().Total() != 2 {
					t.Errorf("%s after %v", back, w.Calls())
				}
			}},
		}},
		profiletest.Example{Name: "16: update_note replaces labels and tells of those in the text", Calls: []profiletest.Call{
			{Tool: "update_note", Arguments: `{"id":"ada000001","labels":["people"]}`, Want: `{"labels":["people","tea"],"...":"..."}`, Note: `Tag kept in the text: "tea" (1 block).`},
			{Tool: "get_note", Arguments: `{"id":"apollo001"}`},
			{Tool: "update_note", Arguments: `{"id":"apollo001","labels":null}`, Want: `{"labels":null,"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, "ada000001", "Tags:: #people", "Met at the [[Projects/Apollo]] review", "Likes #tea")
			for _, uid := range []string{"ad0000001", "ad0000002"} {
				var edited float64
				if w.Query(&edited, `[:find ?t . :in $ ?u :where [?b :block/uid ?u] [?b :edit/time ?t]]`, uid); edited != 1705104000000 {
					t.Errorf("%s was changed at %v", uid, edited)
				}
			}
		}},
	)
	profiletest.Run(t, profiletest.Options{Profile: "notes", Level: localapi.ReadAppend},
		profiletest.Example{Name: "15: a token that appends pins with a line", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"title":"Trip","content":"pack","isPinned":true}`, MostCalls: 3, Want: `{"isPinned":true,"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, w.PageUID("Trip"), "Pinned:: true", "pack")
			for _, each := range w.Connect(profiletest.Ways()[0]).Tools() {
				if strings.HasPrefix(each.Name, "toggle_") {
					t.Errorf("%s is offered", each.Name)
				}
			}
		}},
	)
}

// pixel is a PNG.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const meeting = `{"title":"Meeting Notes","content":"Discussed Q1 roadmap...","labels":["work","planning"],"color":"blue"}`

// nothingWritten checks that a call sent nothing that writes.
func nothingWritten(t testing.TB, w *profiletest.World, r profiletest.Result) {
	for action := range w.Calls() {
		if strings.HasPrefix(action, "data.") || action == "file.upload" {
			t.Errorf("%s was sent: %s", action, r)
		}
	}
}
