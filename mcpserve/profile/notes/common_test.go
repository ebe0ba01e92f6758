package notes_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/profile/notes"
	"roam-mcp/sandbox"
)

// anyWay is the way of tests that are not about ways.
func anyWay() profiletest.Way { return profiletest.Ways()[0] }

func connect(t *testing.T, options profiletest.Options) (*profiletest.World, *profiletest.Client) {
	t.Helper()
	options.Profile = "notes"
	w := profiletest.NewSuite(t, options).World(t)
	return w, w.Connect(anyWay())
}

func toolNames(c *profiletest.Client) []string {
	var names []string
	for _, each := range c.Tools() {
		names = append(names, each.Name)
	}
	return names
}

func TestWhatIsOffered(t *testing.T) {
	nine := []string{"create_note", "get_notes", "get_note", "update_note", "delete_note", "search_notes", "get_labels", "toggle_pin", "toggle_archive"}
	with := func(o mcpserve.Options) func(*mcpserve.Options) {
		return func(each *mcpserve.Options) { each.Toolsets, each.ReadOnly = o.Toolsets, o.ReadOnly }
	}
	for name, tc := range map[string]struct {
		options profiletest.Options
		want    []string
	}{
		"one graph: the nine and the guidelines": {profiletest.Options{}, append(slices.Clone(nine), "get_graph_guidelines")},
		"the toolset core: the nine alone":       {profiletest.Options{Server: with(mcpserve.Options{Toolsets: []string{"core"}})}, nine},
		"read-only: what reads":                  {profiletest.Options{Server: with(mcpserve.Options{ReadOnly: true})}, []string{"get_notes", "get_note", "search_notes", "get_labels", "get_graph_guidelines"}},
		"several graphs: those that choose too":  {profiletest.Options{Second: true}, append(slices.Clone(nine), "list_graphs", "select_graph", "current_graph", "get_graph_guidelines")},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := connect(t, tc.options)
			if got := toolNames(c); fmt.Sprint(slices.Sorted(slices.Values(got))) != fmt.Sprint(slices.Sorted(slices.Values(tc.want))) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// The tables of docs/PROFILES.md are written by
// go test ./mcpserve/profile/notes -update.
const document = "../../../docs/PROFILES.md"

func TestTheToolsInTheDocumentAreThoseOfTheProfile(t *testing.T) {
	golden.Section(t, document, "<!-- notes tools -->\n", "<!-- /notes tools -->", profiletest.ToolsTable(notes.Profile()))
}

func TestCallsOfTheToolsThatRead(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "notes"})
	arguments := map[string]string{"get_notes": `{}`, "get_note": `{"id":"apollo001"}`, "search_notes": `{"query":"engine"}`, "get_labels": `{}`}
	golden.Section(t, document, "<!-- notes calls -->\n", "<!-- /notes calls -->", suite.CallsTable(t, notes.Profile(), arguments))
}

// What a model sees of the list is names, descriptions and input schemas.
func TestTheListIsSmall(t *testing.T) {
	for _, several := range []bool{false, true} {
		_, c := connect(t, profiletest.Options{Second: several})
		size := 0
		for _, each := range c.Tools() {
			size += len(rawjson.With("name", each.Name).With("description", each.Description).With("inputSchema", each.InputSchema).JSON())
		}
		if t.Logf("%d bytes", size); size >= 14<<10 {
			t.Errorf("a model sees %d bytes of tools/list", size)
		}
	}
}

func TestAWriteThatIsNotOfferedSendsNothing(t *testing.T) {
	w, c := connect(t, profiletest.Options{Server: func(o *mcpserve.Options) { o.ReadOnly = true }})
	r := c.Call("create_note", `{"content":"x"}`)
	if !strings.Contains(r.String(), string(mcpserve.CodeReadOnly)) || w.Calls().Total() != 0 {
		t.Errorf("%s after %v", r, w.Calls())
	}
}

func TestWithSeveralGraphsWritesNeedTheTicketOfTheirs(t *testing.T) {
	w, c := connect(t, profiletest.Options{Second: true})
	ticketOf := func(graph string) string {
		var told struct{ Ticket string }
		c.Call("get_graph_guidelines", `{"graph":"`+graph+`"}`).Decode(t, &told)
		return told.Ticket
	}
	create := func(ticket string) profiletest.Result {
		return c.Call("create_note", fmt.Sprintf(`{"graph":"work","ticket":%q,"content":"x"}`, ticket))
	}
	work, other := ticketOf("work"), ticketOf("other")
	for code, ticket := range map[string]string{string(mcpserve.CodeTicketRequired): "", string(mcpserve.CodeTicketWrongGraph): other} {
		if r := create(ticket); !r.IsError || !strings.Contains(r.Text(), code) {
			t.Errorf("%s is %s", code, r)
		}
	}
	w.AddBlock("guide0001", "Be brief")
	if r := create(work); !r.IsError || !strings.Contains(r.Text(), string(mcpserve.CodeTicketStale)) || !strings.Contains(r.Text(), "Be brief") {
		t.Error(r)
	}
	if w.Calls()["data.block.fromMarkdown"] != 0 {
		t.Error("something was written")
	}
	if r := create(ticketOf("work")); r.IsError || r.RPC != nil {
		t.Error(r)
	}
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
	for name, tc := range map[string]struct {
		action, tool, arguments, want string
	}{
		"create_note with a title":    {"data.page.fromMarkdown", "create_note", `{"title":"Trip","content":"pack"}`, `{"title":"Trip","...":"..."}`},
		"create_note without a title": {"data.block.fromMarkdown", "create_note", `{"content":"pack"}`, `{"title":null,"content":"pack","...":"..."}`},
		"toggle_pin":                  {"data.page.addShortcut", "toggle_pin", `{"id":"grace0001"}`, `{"isPinned":true,"...":"..."}`},
		"toggle_archive":              {"data.block.create", "toggle_archive", `{"id":"grace0001"}`, `{"isArchived":true,"...":"..."}`},
		"update_note":                 {"data.page.update", "update_note", `{"id":"grace0001","title":"Grace Hopper"}`, `{"title":"Grace Hopper","...":"..."}`},
		"delete_note":                 {"data.page.delete", "delete_note", `{"id":"orphan001"}`, `{"success":true,"...":"..."}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{})
			w.Fault(func(r faultproxy.Request) faultproxy.Fault {
				if r.Action == tc.action {
					return faultproxy.Fault{Kind: faultproxy.ResetAfter}
				}
				return faultproxy.Fault{}
			})
			r := c.Call(tc.tool, tc.arguments)
			if n := w.Calls()[tc.action]; n != 1 {
				t.Errorf("it was sent %d times", n)
			}
			if err := profiletest.Match(tc.want, r.Text()); err != nil {
				t.Errorf("%v: %s", err, r)
			}
			w.Fault(nil)
			if r := c.Call("get_notes", `{"includeArchived":true}`); r.RPC != nil {
				t.Error(r)
			}
		})
	}
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
	w, c := connect(t, profiletest.Options{})
	w.Fault(func(faultproxy.Request) faultproxy.Fault { return faultproxy.Fault{Kind: faultproxy.ResetBefore} })
	if len(c.Tools()) != 10 {
		t.Error("the tools are not listed")
	}
	for tool, arguments := range map[string]string{"get_notes": `{}`, "get_note": `{"id":"grace0001"}`} {
		if r := c.Call(tool, arguments); r.RPC == nil || r.RPC.Code != -32603 || !strings.Contains(string(r.RPC.Data), "CONNECTION_FAILED") {
			t.Errorf("%s: %s", tool, r)
		}
	}
	w.Fault(nil)
	if r := c.Call("get_notes", `{}`); r.RPC != nil {
		t.Error(r)
	}
}

func TestTwoClientsSeeEachOthersNotes(t *testing.T) {
	w, one := connect(t, profiletest.Options{})
	two := w.Connect(profiletest.Ways()[3])
	one.Call("create_note", `{"title":"From one","content":"shared"}`)
	names("From one")(t, w, two.Call("search_notes", `{"query":"shared"}`))
	two.Call("create_note", `{"content":"shared too"}`)
	names("shared too", "From one")(t, w, one.Call("search_notes", `{"query":"shared"}`))
}

// A build that lacks something gives the same notes.
func TestOlderBuilds(t *testing.T) {
	for _, build := range []string{"build=early-2026", "no-batch", "no-tuple-pull", "no-delete-report"} {
		t.Run(build, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{Sandbox: func(*sandbox.Options) {}})
			w.Switch(build)
			for _, call := range [][3]string{
				{"get_labels", `{}`, `["computing","in progress","meeting","project","rocket","tea"]`},
				{"get_note", `{"id":"shop00001"}`, `{"type":"checklist","checkItems":["<any>","<any>"],"...":"..."}`},
				{"create_note", `{"content":"Buy stamps\nblue ones","labels":["post"]}`, `{"id":"<any>","title":null,"content":"Buy stamps\nblue ones","labels":["post"],"...":"..."}`},
				{"create_note", meeting, `{"title":"Meeting Notes","labels":["work","planning"],"...":"..."}`},
				{"create_note", meeting, `{"title":"Meeting Notes (2)","...":"..."}`},
				{"update_note", `{"id":"shop00001","checkItems":["bread",{"id":"sh0000001","text":"oat milk","checked":true}]}`, `{"checkItems":[{"id":"<any>","text":"bread","checked":false},{"id":"sh0000001","text":"oat milk","checked":true}],"...":"..."}`},
				{"update_note", `{"id":"da0000004","title":"Bank"}`, `{"title":"Bank","content":"call the bank","...":"..."}`},
				{"toggle_pin", `{"id":"grace0001"}`, `{"isPinned":true,"...":"..."}`},
				{"toggle_archive", `{"id":"ada000001"}`, `{"isArchived":true,"...":"..."}`},
				{"delete_note", `{"id":"orphan001"}`, `{"success":true,"...":"..."}`},
			} {
				r := c.Call(call[0], call[1])
				if err := profiletest.Match(call[2], r.Text()); err != nil {
					t.Errorf("%s %s: %v: %s", call[0], call[1], err, r)
				}
			}
			want := []string{"Grace", "Bank", "Shopping", "Meeting Notes (2)", "Meeting Notes", "Buy stamps\nblue ones", "Projects/Apollo", "January 15th, 2024", "Saturn V", "Glossary", "Projects/Gemini"}
			names(want...)(t, w, c.Call("get_notes", `{}`))
		})
	}
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
