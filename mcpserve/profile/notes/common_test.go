package notes_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/profile/notes"
)

func connect(t *testing.T, options profiletest.Options) (*profiletest.World, *profiletest.Client) {
	t.Helper()
	options.Profile = "notes"
	return profiletest.Connect(t, options)
}

func TestWhatIsOffered(t *testing.T) {
	nine := []string{"create_note", "get_notes", "get_note", "update_note", "delete_note", "search_notes", "get_labels", "toggle_pin", "toggle_archive"}
	profiletest.CheckOffers(t, notes.Profile(), nine, []string{"get_notes", "get_note", "search_notes", "get_labels"}, nil)
}

func TestTheToolsInTheDocumentAreThoseOfTheProfile(t *testing.T) {
	profiletest.CheckToolsTable(t, notes.Profile())
}

func TestCallsOfTheToolsThatRead(t *testing.T) {
	profiletest.CheckCallsTable(t, notes.Profile(), nil, map[string]string{"get_notes": `{}`, "get_note": `{"id":"apollo001"}`, "search_notes": `{"query":"engine"}`, "get_labels": `{}`})
}

func TestAWriteThatIsNotOfferedSendsNothing(t *testing.T) {
	profiletest.CheckReadOnly(t, "notes", profiletest.Call{Tool: "create_note", Arguments: `{"content":"x"}`, RPC: -32603, Data: `{"code":"READ_ONLY","...":"..."}`})
}

func TestWithSeveralGraphsWritesNeedTheTicketOfTheirs(t *testing.T) {
	_, c := connect(t, profiletest.Options{Second: true})
	profiletest.CheckTickets(t, c, profiletest.Call{Tool: "create_note", Arguments: `{"content":"x"}`, Want: `{"content":"x","...":"..."}`})
}

func TestHiddenBlocksSurviveWritesAndAreShownNowhere(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	for _, call := range [][2]string{
		{"get_notes", `{"includeArchived":true}`},
		{"get_note", `{"id":"01-15-2024"}`},
		{"search_notes", `{"query":"private"}`},
		{"get_labels", `{}`},
		{"update_note", `{"id":"01-15-2024","content":"Rewritten","labels":["a"],"color":"red","checkItems":[{"text":"b"}]}`},
		{"toggle_archive", `{"id":"01-15-2024"}`},
		{"update_note", `{"id":"01-15-2024","content":"","labels":null,"color":"default","checkItems":null}`},
		{"delete_note", `{"id":"01-15-2024"}`},
	} {
		if r := c.Call(call[0], call[1]); r.RPC != nil || strings.Contains(r.String(), "private") {
			t.Errorf("%s answered %s", call[0], r)
		}
		for uid, want := range map[string]string{"da0000002": "private thing [[Orphan]] #.rm-private", "da0000004": "call the bank"} {
			if text, _ := w.Text(uid); text != want {
				t.Fatalf("after %s %s it is %q", call[0], call[1], text)
			}
		}
	}
	w.AddBlock("da0000004", "secret #.rm-hide")
	if r := c.Call("delete_note", `{"id":"da0000004"}`); r.RPC == nil || r.RPC.Code != -32600 {
		t.Error(r)
	}
}

// A reply that is lost is looked for, and the write is never sent twice.
func TestALostReplyIsLookedFor(t *testing.T) {
	example := func(name, action string, write profiletest.Call) profiletest.Example {
		return profiletest.Example{Name: name, Calls: []profiletest.Call{write.Losing(action), {Tool: "get_notes", Arguments: `{"includeArchived":true}`}}}
	}
	profiletest.RunOnce(t, profiletest.Options{Profile: "notes"},
		example("create_note with a title", "data.page.fromMarkdown", profiletest.Call{Tool: "create_note", Arguments: `{"title":"Trip","content":"pack"}`, Want: `{"title":"Trip","...":"..."}`}),
		example("create_note without a title", "data.block.fromMarkdown", profiletest.Call{Tool: "create_note", Arguments: `{"content":"pack"}`, Want: `{"title":null,"content":"pack","...":"..."}`}),
		example("toggle_pin", "data.page.addShortcut", profiletest.Call{Tool: "toggle_pin", Arguments: `{"id":"grace0001"}`, Want: `{"isPinned":true,"...":"..."}`}),
		example("toggle_archive", "data.block.create", profiletest.Call{Tool: "toggle_archive", Arguments: `{"id":"grace0001"}`, Want: `{"isArchived":true,"...":"..."}`}),
		example("update_note", "data.page.update", profiletest.Call{Tool: "update_note", Arguments: `{"id":"grace0001","title":"Grace Hopper"}`, Want: `{"title":"Grace Hopper","...":"..."}`}),
		example("delete_note", "data.page.delete", profiletest.Call{Tool: "delete_note", Arguments: `{"id":"orphan001"}`, Want: `{"success":true,"...":"..."}`}),
	)
}

// What was written is no error where the note can't be read afterwards.
func TestAWriteThatCannotBeReadAfterwardsIsNoError(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	written := false
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		if written = written || r.Action == "data.block.create"; written && strings.HasSuffix(r.Action, "q") {
			return faultproxy.Fault{Kind: faultproxy.ResetBefore}
		}
		return faultproxy.Fault{}
	})
	r := c.Call("toggle_archive", `{"id":"grace0001"}`)
	if err := profiletest.Match(`{"id":"grace0001","title":"Grace","content":"Compilers #computing","isArchived":true,"...":"..."}`, r.Text()); err != nil || len(r.Texts) != 2 {
		t.Errorf("%v: %s", err, r)
	}
}

// An error half way says what was changed before.
func TestAnErrorHalfWaySaysWhatWasChanged(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		if r.Action == "data.page.update" {
			return faultproxy.Fault{Kind: faultproxy.Fail, Status: 500, Text: "Invalid arguments"}
		}
		return faultproxy.Fault{}
	})
	r := c.Call("update_note", `{"id":"grace0001","title":"Hopper","isPinned":true,"color":"red"}`)
	if r.RPC == nil || r.RPC.Code != -32603 {
		t.Fatal(r)
	}
	if err := profiletest.Match(`{"changed":["isPinned","color"],"...":"..."}`, string(r.RPC.Data)); err != nil {
		t.Error(err)
	}
	blocks(t, w, "grace0001", "Color:: red", "Compilers #computing")
}

// longExport has many notes with long contents.
func longExport() string {
	var pages []map[string]any
	for i := range 60 {
		pages = append(pages, map[string]any{
			"title": fmt.Sprintf("Note %02d", i), "uid": fmt.Sprintf("note%05d", i), "edit-time": 1705276800000 + i, "create-time": 1705276800000,
			"children": []map[string]any{{"string": strings.Repeat("word ", 150), "uid": fmt.Sprintf("text%05d", i), "create-time": 1705276800000, "edit-time": 1705276800000}},
		})
	}
	text, _ := json.Marshal(pages)
	return string(text)
}

func TestALongListIsReadInParts(t *testing.T) {
	_, c := connect(t, profiletest.Options{Export: longExport(), Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
	for _, tool := range []string{"get_notes", "search_notes"} {
		seen := map[string]int{}
		for calls, offset := 0, 0; len(seen) < 60; calls++ {
			r := c.Call(tool, fmt.Sprintf(`{"offset":%d%s}`, offset, map[string]string{"search_notes": `,"query":"word"`}[tool]))
			var list []shown
			r.Decode(t, &list)
			if len(list) == 0 || calls > 60 {
				t.Fatalf("%s at %d: %s", tool, offset, r)
			}
			for _, each := range list {
				seen[each.ID]++
				if cut := strings.HasSuffix(each.Content, "... [truncated]"); cut != (len(each.Content) < 520) || offset == 0 && !cut {
					t.Errorf("a content has %d characters", len(each.Content))
				}
			}
			want := fmt.Sprintf("Shown %d to %d of 60; call %s with offset %d.", offset+1, offset+len(list), tool, offset+len(list))
			if offset += len(list); offset < 60 && !strings.Contains(strings.Join(r.Texts[1:], ""), want) {
				t.Errorf("the second text is %q, not %q", r.Texts[1:], want)
			}
		}
		for id, times := range seen {
			if times != 1 {
				t.Errorf("%s was shown %d times", id, times)
			}
		}
	}
}

func TestRoamThatIsClosedIsAnInternalError(t *testing.T) {
	_, c := connect(t, profiletest.Options{})
	const data = `{"code":"CONNECTION_FAILED","...":"..."}`
	profiletest.CheckClosed(t, c, 10,
		profiletest.Call{Tool: "get_notes", Arguments: `{}`, RPC: -32603, Data: data},
		profiletest.Call{Tool: "get_note", Arguments: `{"id":"grace0001"}`, RPC: -32603, Data: data},
	)
	c.Expect(t, profiletest.Call{Tool: "get_notes", Arguments: `{}`})
}

func TestTwoClientsSeeEachOthersNotes(t *testing.T) {
	profiletest.RunOnce(t, profiletest.Options{Profile: "notes"}, profiletest.Example{Name: "over stdio and over HTTP", Calls: []profiletest.Call{
		{Tool: "create_note", Arguments: `{"title":"From one","content":"shared"}`},
		{Other: true, Tool: "search_notes", Arguments: `{"query":"shared"}`, Check: names("From one")},
		{Other: true, Tool: "create_note", Arguments: `{"content":"shared too"}`},
		{Tool: "search_notes", Arguments: `{"query":"shared"}`, Check: names("shared too", "From one")},
	}})
}

// A build that lacks something gives the same notes.
func TestOlderBuilds(t *testing.T) {
	want := []string{"Grace", "Bank", "Shopping", "Meeting Notes (2)", "Meeting Notes", "Buy stamps\nblue ones", "Projects/Apollo", "January 15th, 2024", "Saturn V", "Glossary", "Projects/Gemini"}
	profiletest.RunOnOldBuild(t, profiletest.Options{Profile: "notes"}, profiletest.Example{Name: "reads and writes", Calls: []profiletest.Call{
		{Tool: "get_labels", Arguments: `{}`, Want: `["computing","in progress","meeting","project","rocket","tea"]`},
		{Tool: "get_note", Arguments: `{"id":"shop00001"}`, Want: `{"type":"checklist","checkItems":["<any>","<any>"],"...":"..."}`},
		{Tool: "create_note", Arguments: `{"content":"Buy stamps\nblue ones","labels":["post"]}`, Want: `{"id":"<any>","title":null,"content":"Buy stamps\nblue ones","labels":["post"],"...":"..."}`},
		{Tool: "create_note", Arguments: meeting, Want: `{"title":"Meeting Notes","labels":["work","planning"],"...":"..."}`},
		{Tool: "create_note", Arguments: meeting, Want: `{"title":"Meeting Notes (2)","...":"..."}`},
		{Tool: "update_note", Arguments: `{"id":"shop00001","checkItems":["bread",{"id":"sh0000001","text":"oat milk","checked":true}]}`, Note: `left them out: "tea".`, Want: `{"checkItems":[{"id":"<any>","text":"bread","checked":false},{"id":"sh0000001","text":"oat milk","checked":true}],"...":"..."}`},
		{Tool: "update_note", Arguments: `{"id":"da0000004","title":"Bank"}`, Want: `{"title":"Bank","content":"call the bank","...":"..."}`},
		{Tool: "toggle_pin", Arguments: `{"id":"grace0001"}`, Want: `{"isPinned":true,"...":"..."}`},
		{Tool: "toggle_archive", Arguments: `{"id":"ada000001"}`, Want: `{"isArchived":true,"...":"..."}`},
		{Tool: "delete_note", Arguments: `{"id":"orphan001"}`, Want: `{"success":true,"...":"..."}`},
		{Tool: "get_notes", Arguments: `{}`, Check: names(want...)},
	}})
}

// Text of the graph is JSON within a reply, and quoted in an error.
func TestTextOfTheGraphIsNeverInOurOwnSentences(t *testing.T) {
	hostile := strings.ReplaceAll(demograph.JSON, "nobody links here", `nobody\u0007 links \"here\"`)
	_, c := connect(t, profiletest.Options{Export: hostile})
	var list []shown
	c.Call("search_notes", `{"query":"nobody"}`).Decode(t, &list)
	if len(list) != 1 || !strings.Contains(list[0].Content, `links "here"`) {
		t.Errorf("got %+v", list)
	}
	if r := c.Call("create_note", `{"content":"x","color":"a\u0007\nb"}`); r.RPC == nil || strings.ContainsAny(r.RPC.Message, "\a\n") {
		t.Error(r)
	}
}
