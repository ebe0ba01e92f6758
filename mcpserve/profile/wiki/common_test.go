package wiki_test

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
	"roam-mcp/mcpserve/profile/wiki"
	"roam-mcp/sandbox"
)

// anyWay is the way of tests that are not about ways.
func anyWay() profiletest.Way { return profiletest.Ways()[0] }

func connect(t *testing.T, options profiletest.Options) (*profiletest.World, *profiletest.Client) {
	t.Helper()
	options.Profile = "wiki"
	w := profiletest.NewSuite(t, options).World(t)
	return w, w.Connect(anyWay())
}

func TestWhatIsOffered(t *testing.T) {
	reading := []string{"get_note", "search_notes", "browse", "list_tags", "get_backlinks", "recent_notes", "get_note_history", "get_note_version", "diff_note_versions"}
	thirteen := append(slices.Clone(reading), "create_note", "update_note", "delete_note", "restore_note_version")
	with := func(o mcpserve.Options) func(*mcpserve.Options) {
		return func(each *mcpserve.Options) { each.Toolsets, each.ReadOnly = o.Toolsets, o.ReadOnly }
	}
	for name, tc := range map[string]struct {
		options profiletest.Options
		want    []string
	}{
		"one graph: the thirteen and the guidelines": {profiletest.Options{}, append(slices.Clone(thirteen), "get_graph_guidelines")},
		"the toolset core: the thirteen alone":       {profiletest.Options{Server: with(mcpserve.Options{Toolsets: []string{"core"}})}, thirteen},
		"the toolset more: edits of a part":          {profiletest.Options{Server: with(mcpserve.Options{Toolsets: []string{"core", "more"}})}, append(slices.Clone(thirteen), "edit_note")},
		"read-only: what reads":                      {profiletest.Options{Server: with(mcpserve.Options{ReadOnly: true})}, append(slices.Clone(reading), "get_graph_guidelines")},
		"several graphs: those that choose too":      {profiletest.Options{Second: true}, append(slices.Clone(thirteen), "list_graphs", "select_graph", "current_graph", "get_graph_guidelines")},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := connect(t, tc.options)
			var got []string
			for _, each := range c.Tools() {
				got = append(got, each.Name)
			}
			if fmt.Sprint(slices.Sorted(slices.Values(got))) != fmt.Sprint(slices.Sorted(slices.Values(tc.want))) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// The tables of docs/PROFILES.md are written by
// go test ./mcpserve/profile/wiki -update.
const document = "../../../docs/PROFILES.md"

func TestTheToolsInTheDocumentAreThoseOfTheProfile(t *testing.T) {
	golden.Section(t, document, "<!-- wiki tools -->\n", "<!-- /wiki tools -->", profiletest.ToolsTable(wiki.Profile()))
}

func TestCallsOfTheToolsThatRead(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki"})
	arguments := map[string]string{
		"get_note": `{"path":"Projects/Apollo"}`, "search_notes": `{"query":"engine"}`, "browse": `{}`, "list_tags": `{}`, "get_backlinks": `{"path":"Ada"}`, "recent_notes": `{}`,
		"get_note_history": `{"path":"Ada"}`, "get_note_version": `{"path":"Ada","version":"current"}`, "diff_note_versions": `{"path":"Ada","from_version":"current","to_version":"current"}`,
	}
	golden.Section(t, document, "<!-- wiki calls -->\n", "<!-- /wiki calls -->", suite.CallsTable(t, wiki.Profile(), arguments))
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
	r := c.Call("create_note", `{"path":"x","title":"x","content":"x"}`)
	if !r.IsError || r.Text() != "Error: This server was started with --read-only, so nothing can be changed.\nRead only, or ask the user to start it without --read-only." || w.Calls().Total() != 0 {
		t.Errorf("%s after %v", r, w.Calls())
	}
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
	w, c := connect(t, profiletest.Options{})
	w.Fault(func(faultproxy.Request) faultproxy.Fault { return faultproxy.Fault{Kind: faultproxy.ResetBefore} })
	if len(c.Tools()) != 14 {
		t.Error("the tools are not listed")
	}
	for _, call := range readingCalls() {
		if r := c.Call(call[0], call[1]); !r.IsError || !strings.HasPrefix(r.Text(), "Error: ") || strings.Contains(r.Text(), "{") {
			t.Errorf("%s: %s", call[0], r)
		}
	}
	w.Fault(nil)
	if r := c.Call("list_tags", `{}`); r.IsError {
		t.Error(r)
	}
}

// A build that lacks something gives the same answers.
func TestOlderBuilds(t *testing.T) {
	var want []string
	for _, build := range []string{"", "build=early-2026", "no-batch", "no-tuple-pull", "no-delete-report"} {
		t.Run(build, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{Sandbox: func(*sandbox.Options) {}})
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
	if r := c.Call("get_note", `{"path":"a\u0007\nb"}`); !r.IsError || !strings.HasPrefix(r.Text(), "Error: There is no note at ab.") {
		t.Error(r)
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
		return c.Call("create_note", fmt.Sprintf(`{"graph":"work","ticket":%q,"path":"new/note","title":"New","content":"x"}`, ticket))
	}
	work, other := ticketOf("work"), ticketOf("other")
	before := w.Calls()
	for code, ticket := range map[string]string{string(mcpserve.CodeTicketRequired): "", string(mcpserve.CodeTicketWrongGraph): other} {
		if r := create(ticket); !r.IsError || !strings.Contains(r.Text(), code) {
			t.Errorf("%s is %s", code, r)
		}
	}
	w.AddBlock("guide0001", "Be brief")
	if r := create(work); !r.IsError || !strings.Contains(r.Text(), string(mcpserve.CodeTicketStale)) || !strings.Contains(r.Text(), "Be brief") {
		t.Error(r)
	}
	for action := range w.Calls() {
		if strings.HasPrefix(action, "data.page.") || strings.HasPrefix(action, "data.block.") {
			t.Errorf("%s was sent, after %v", action, before)
		}
	}
	if r := create(ticketOf("work")); r.Text() != `Created note "New" at new/note` {
		t.Error(r)
	}
}

func TestTwoClientsSeeEachOthersNotes(t *testing.T) {
	w, one := connect(t, profiletest.Options{})
	two := w.Connect(profiletest.Ways()[3])
	saying(t, one)("create_note", `{"path":"from/one","title":"one","content":"shared #both"}`, `Created note "one" at from/one`)
	saying(t, two)("browse", `{"path":"from"}`, "Browsing: from/\n\nNotes at this level:\n- **one** (from/one) - Updated 2024-01-16")
	saying(t, two)("create_note", `{"path":"from/two","title":"Two","content":"to [[from/one]]"}`, `Created note "Two" at from/two`)
	saying(t, one)("get_backlinks", `{"path":"from/one"}`, "Backlinks to from/one:\n\n- **Two** (from/two)\n  1 link - line 1")
	saying(t, one)("recent_notes", `{"limit":1}`, "Recent notes:\n\n- **Two** (from/two)\n<more>")
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
