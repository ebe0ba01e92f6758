package wiki_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/profile/wiki"
)

func connect(t *testing.T, options profiletest.Options) (*profiletest.World, *profiletest.Client) {
	t.Helper()
	options.Profile = "wiki"
	return profiletest.Connect(t, options)
}

func TestWhatIsOffered(t *testing.T) {
	thirteen := []string{
		"create_note", "get_note", "update_note", "delete_note", "search_notes", "browse", "list_tags",
		"get_backlinks", "recent_notes", "get_note_history", "get_note_version", "diff_note_versions", "restore_note_version",
	}
	readers := []string{"get_note", "search_notes", "browse", "list_tags", "get_backlinks", "recent_notes", "get_note_history", "get_note_version", "diff_note_versions"}
	profiletest.CheckOffers(t, wiki.Profile(), thirteen, readers, map[string]profiletest.Offer{
		"the toolset more: edits of a part": {
			Options: profiletest.Options{Server: func(o *mcpserve.Options) { o.Toolsets = []string{"core", "more"} }},
			Tools:   append(slices.Clone(thirteen), "edit_note"),
		},
	})
}

func TestTheToolsInTheDocumentAreThoseOfTheProfile(t *testing.T) {
	profiletest.CheckToolsTable(t, wiki.Profile())
}

func TestCallsOfTheToolsThatRead(t *testing.T) {
	profiletest.CheckCallsTable(t, wiki.Profile(), nil, map[string]string{
		"get_note": `{"path":"Projects/Apollo"}`, "search_notes": `{"query":"engine"}`, "browse": `{}`, "list_tags": `{}`, "get_backlinks": `{"path":"Ada"}`, "recent_notes": `{}`,
		"get_note_history": `{"path":"Ada"}`, "get_note_version": `{"path":"Ada","version":"current"}`, "diff_note_versions": `{"path":"Ada","from_version":"current","to_version":"current"}`,
	})
}

func TestAWriteThatIsNotOfferedSendsNothing(t *testing.T) {
	profiletest.CheckReadOnly(t, "wiki", profiletest.Call{
		Tool: "create_note", Arguments: `{"path":"x","title":"x","content":"x"}`, IsError: true,
		Prose: "Error: This server was started with --read-only, so nothing can be changed.\nRead only, or ask the user to start it without --read-only.",
	})
}

func TestTheGuidelinesAreJSONAsInEveryProfile(t *testing.T) {
	_, c := connect(t, profiletest.Options{})
	if err := profiletest.Match(`{"guidelines":"<has Use ISO dates>","...":"..."}`, c.Call("get_graph_guidelines", `{}`).Text()); err != nil {
		t.Error(err)
	}
}

// readingCalls are calls of the tools that read.
func readingCalls() [][2]string {
	return [][2]string{
		{"get_note", `{"path":"daily/2024-01-15"}`},
		{"browse", `{}`},
		{"browse", `{"path":"daily"}`},
		{"list_tags", `{}`},
		{"get_backlinks", `{"path":"Orphan"}`},
		{"get_backlinks", `{"path":".rm-private"}`},
		{"recent_notes", `{}`},
		{"get_note_history", `{"path":"daily/2024-01-15"}`},
		{"diff_note_versions", `{"path":"daily/2024-01-15","from_version":"current","to_version":"current"}`},
		{"get_note_version", `{"path":"daily/2024-01-15","version":"current"}`},
	}
}

func TestHiddenBlocksAreShownNowhere(t *testing.T) {
	w, c := connect(t, profiletest.Options{History: true})
	ids := versionsIn(c.Call("get_note_history", `{"path":"daily/2024-01-15"}`))
	w.AddBlock("orphan001", "secret #.rm-hide")
	w.AddBlock("01-15-2024", "one more secret #.rm-hide")
	w.AddBlock("01-15-2024", "one more")
	calls := append(readingCalls(), [2]string{"get_note_version", `{"path":"daily/2024-01-15","version":"` + ids[0] + `"}`},
		[2]string{"diff_note_versions", `{"path":"daily/2024-01-15","from_version":"` + ids[0] + `","to_version":"current"}`})
	for _, call := range calls {
		if r := c.Call(call[0], call[1]); strings.Contains(r.String(), "private thing") || strings.Contains(r.String(), "secret") {
			t.Errorf("%s answered %s", call[0], r)
		}
	}
	if r := c.Call("get_backlinks", `{"path":"Orphan"}`); r.Text() != "No notes link to Orphan" {
		t.Errorf("the hidden block links: %s", r)
	}
	if left := versionsIn(c.Call("get_note_history", `{"path":"daily/2024-01-15"}`)); len(left) != 2 {
		t.Errorf("there are %d versions", len(left))
	}
	if r := c.Call("get_note_history", `{"path":"Orphan"}`); len(versionsIn(r)) != 1 {
		t.Errorf("a hidden block makes a version: %s", r)
	}
}

// longExport has many notes in a folder, which link to the first, and one that is long.
func longExport() string {
	page := func(title string, at int, texts ...string) map[string]any {
		var children []map[string]any
		for i, text := range texts {
			children = append(children, map[string]any{"string": text, "uid": fmt.Sprintf("t%04d%04d", at, i), "create-time": 1705276800000, "edit-time": 1705276800000 + at})
		}
		return map[string]any{"title": title, "uid": fmt.Sprintf("note%05d", at), "edit-time": 1705276800000 + at, "create-time": 1705276800000, "children": children}
	}
	pages := []map[string]any{page("Hub", 0, "the hub")}
	var lines []string
	for i := range 60 {
		pages = append(pages, page(fmt.Sprintf("folder/with a rather long name/Note %02d about something", i), i+1, "to [[Hub]] "+strings.Repeat("word ", 20), fmt.Sprintf("Tagged #tag%02d", i)))
		lines = append(lines, fmt.Sprintf("Line %02d %s", i, strings.Repeat("word ", 20)))
	}
	pages = append(pages, page("Long", 100, lines...), page("Longer", 101, strings.Repeat("word ", 3000)))
	text, _ := json.Marshal(pages)
	return string(text)
}

// A reply that is too long has whole entries, and its last line names the call that goes
// on; following it shows every entry once.
func TestALongReplyIsReadInParts(t *testing.T) {
	_, c := connect(t, profiletest.Options{Export: longExport(), Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
	for tool, tc := range map[string]struct {
		arguments, goesOn, entry, next string
		all                            int
	}{
		"browse":        {`{"path":"folder/with a rather long name"`, "offset", "about something** (", "call browse with offset ", 60},
		"list_tags":     {`{"limit":1000`, "offset", "- tag", "call list_tags with offset ", 60},
		"get_backlinks": {`{"path":"Hub"`, "offset", " - line 1", "call get_backlinks with offset ", 60},
		"recent_notes":  {`{"limit":60`, "offset", "  Updated: ", "call recent_notes with offset ", 63},
		"get_note":      {`{"path":"Long"`, "line", "Line ", "call get_note with line ", 60},
	} {
		t.Run(tool, func(t *testing.T) {
			entries, arguments := 0, tc.arguments+"}"
			for calls := 0; ; calls++ {
				r := c.Call(tool, arguments)
				if r.IsError || len(r.Texts) != 1 || calls > 60 {
					t.Fatalf("%s answered %s", arguments, r)
				}
				entries += strings.Count(r.Text(), tc.entry)
				_, next, more := strings.Cut(r.Text(), tc.next)
				if !more {
					break
				}
				arguments = fmt.Sprintf(`%s,%q:%s}`, tc.arguments, tc.goesOn, strings.TrimSuffix(next, "."))
			}
			if entries != tc.all {
				t.Errorf("%d entries in all", entries)
			}
		})
	}
	r := c.Call("get_note", `{"path":"Longer"}`)
	if r.IsError || !strings.HasSuffix(r.Text(), "... [truncated]\n\nThe rest is left out: Ask for less at once.") || len(r.Text()) < 2000 {
		t.Errorf("a line too long for a reply: %s", r)
	}
}

func TestRoamThatIsClosedIsAnError(t *testing.T) {
	_, c := connect(t, profiletest.Options{})
	var calls []profiletest.Call
	for _, call := range readingCalls() {
		calls = append(calls, profiletest.Call{Tool: call[0], Arguments: call[1], IsError: true, Prose: "Error: <more>", Check: func(t testing.TB, _ *profiletest.World, r profiletest.Result) {
			if strings.Contains(r.Text(), "{") {
				t.Error("it is no prose")
			}
		}})
	}
	profiletest.CheckClosed(t, c, 14, calls...)
	c.Expect(t, profiletest.Call{Tool: "list_tags", Arguments: `{}`})
}

// A build that lacks something gives the same answers.
func TestOlderBuild(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.ForOldBuild(profiletest.Options{Profile: "wiki"}))
	var want []string
	for _, build := range []string{"", profiletest.OldBuild} {
		t.Run(build, func(t *testing.T) {
			w := suite.World(t)
			c := w.Connect(profiletest.Ways()[0])
			if build != "" {
				w.Switch(build)
			}
			for i, call := range append(readingCalls(), [2]string{"get_backlinks", `{"path":"Projects/Apollo"}`}, [2]string{"get_note", `{"path":"nothing"}`}) {
				r := c.Call(call[0], call[1])
				if build == "" {
					want = append(want, r.Text())
				} else if r.Text() != want[i] && call[0] != "get_note_history" {
					t.Errorf("%s %s: %s\nand not %s", call[0], call[1], r, want[i])
				}
			}
		})
	}
}

// Names from the graph are on one line in our own sentences, and without characters that
// nobody sees.
func TestTextOfTheGraphBreaksNoLine(t *testing.T) {
	hostile := strings.ReplaceAll(demograph.JSON, "nobody links here", `nobody\u0007 links \"here\"`)
	hostile = strings.Replace(hostile, `"Orphan"`, `"Orp\u202e\nhan"`, 1)
	_, c := connect(t, profiletest.Options{Export: hostile})
	for _, call := range readingCalls() {
		r := c.Call(call[0], call[1])
		if strings.ContainsAny(r.Text(), "\a\u202e") || strings.Contains(r.Text(), "Orp\n") {
			t.Errorf("%s: %s", call[0], r)
		}
	}
	if r := c.Call("get_note", `{"path":"a\u0007\nb"}`); !r.IsError || !strings.HasPrefix(r.Text(), "Error: There is no note at ab.") || r.Meta["code"] != "NOT_FOUND" {
		t.Errorf("%s, %v", r, r.Meta)
	}
}

func TestWithSeveralGraphsWritesNeedTheTicketOfTheirs(t *testing.T) {
	_, c := connect(t, profiletest.Options{Second: true})
	profiletest.CheckTickets(t, c, profiletest.Call{Tool: "create_note", Arguments: `{"path":"new/note","title":"New","content":"x"}`, Prose: `Created note "New" at new/note`})
}

func TestTwoClientsSeeEachOthersNotes(t *testing.T) {
	profiletest.RunOnce(t, profiletest.Options{Profile: "wiki"}, profiletest.Example{Name: "over stdio and over HTTP", Calls: []profiletest.Call{
		{Tool: "create_note", Arguments: `{"path":"from/one","title":"one","content":"shared #both"}`, Prose: `Created note "one" at from/one`},
		{Other: true, Tool: "browse", Arguments: `{"path":"from"}`, Prose: "Browsing: from/\n\nNotes at this level:\n- **one** (from/one) - Updated 2024-01-16"},
		{Other: true, Tool: "create_note", Arguments: `{"path":"from/two","title":"Two","content":"to [[from/one]]"}`, Prose: `Created note "Two" at from/two`},
		{Tool: "get_backlinks", Arguments: `{"path":"from/one"}`, Prose: "Backlinks to from/one:\n\n- **Two** (from/two)\n  1 link - line 1"},
		{Tool: "recent_notes", Arguments: `{"limit":1}`, Prose: "Recent notes:\n\n- **Two** (from/two)\n<more>"},
	}})
}

// What very many notes link to is read in the mirror.
func TestBacklinksOfAHub(t *testing.T) {
	var pages []map[string]any
	for i := range 230 {
		pages = append(pages, map[string]any{"title": fmt.Sprintf("Note %03d", i), "uid": fmt.Sprintf("note%05d", i), "create-time": 1705276800000, "edit-time": 1705276800000 + i,
			"children": []map[string]any{{"string": "to [[Note 000]] and [[Hub]]", "uid": fmt.Sprintf("text%05d", i), "create-time": 1705276800000, "edit-time": 1705276800000 + i}}})
	}
	export, _ := json.Marshal(pages)
	w, c := connect(t, profiletest.Options{Export: string(export)})
	says := saying(t, c)
	says("get_backlinks", `{"path":"Note 000","limit":2}`, "Backlinks to Note 000:\n\n- **Note 229** (Note 229)\n  1 link - line 1\n\n- **Note 228** (Note 228)\n  1 link - line 1\n\nShown 1 to 2 of 229; call get_backlinks with offset 2.")
	says("get_backlinks", `{"path":"Hub","offset":229}`, "Note Hub does not exist.\n\nHowever, 230 notes have links to this path:\n- Note 229 (1 link)")
	w.ResetCalls()
	says("get_backlinks", `{"path":"Note 000","offset":228}`, "<more>**Note 001** (Note 001)\n  1 link - line 1")
	if calls := w.Calls(); calls.Total() > 2 {
		t.Errorf("it took %v", calls)
	}
}
