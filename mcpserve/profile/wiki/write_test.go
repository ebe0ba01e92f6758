package wiki_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// journaled are the options of worlds whose servers keep versions, each in a folder of its
// own.
func journaled(t *testing.T, options profiletest.Options) profiletest.Options {
	options.Profile = "wiki"
	server := options.Server
	options.Server = func(o *mcpserve.Options) {
		if server != nil {
			server(o)
		}
		o.Toolsets = []string{"core", "graphs", "more"}
		o.Journal = history.New(history.Options{Folder: journaltest.Folder(t, t.TempDir()), Kind: history.KindStdio, Now: o.Now, Log: o.Log})
	}
	return options
}

// tree returns what is below a page or block, hidden blocks included: a line for each
// block, with its uid.
func tree(w *profiletest.World, uid string) string {
	type pulled struct {
		UID, String string
		Order       int
		Children    []pulled
	}
	var found []pulled
	w.Query(&found, `[:find [(pull ?e [:block/uid :block/string :block/order {:block/children ...}]) ...] :in $ ?u :where [?e :block/uid ?u]]`, uid)
	var out strings.Builder
	var add func(blocks []pulled, indent string)
	add = func(blocks []pulled, indent string) {
		for order := range blocks {
			for _, b := range blocks {
				if b.Order == order {
					fmt.Fprintf(&out, "%s%s %s\n", indent, b.UID, b.String)
					add(b.Children, indent+"  ")
				}
			}
		}
	}
	if len(found) > 0 {
		add(found[0].Children, "")
	}
	return out.String()
}

// texts returns the same without uids.
func texts(w *profiletest.World, uid string) string {
	var out strings.Builder
	for line := range strings.Lines(tree(w, uid)) {
		bare := strings.TrimLeft(line, " ")
		_, text, _ := strings.Cut(bare, " ")
		out.WriteString(line[:len(line)-len(bare)] + text)
	}
	return out.String()
}

// below checks the texts below a page or block.
func below(uid, want string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
		if got := texts(w, uid); got != want {
			t.Errorf("below %s is\n%s\nnot\n%s", uid, got, want)
		}
	}
}

// titled is below for the page with a title.
func titled(title, want string) func(testing.TB, *profiletest.World, profiletest.Result) {
	return func(t testing.TB, w *profiletest.World, r profiletest.Result) { below(w.PageUID(title), want)(t, w, r) }
}

// nothingSent checks that a call changed nothing in Roam.
func nothingSent(t testing.TB, w *profiletest.World, _ profiletest.Result) {
	for action := range w.Calls() {
		if strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") || action == "batchActions" {
			t.Errorf("it sent %s", action)
		}
	}
}

const saturn = "Tags:: #rocket\nThe F-1 engine burns kerosene\nBuilt by [[Ada]] and [[Grace]]\n"

// writing are the examples of the tools that write, by the numbers that they have in the
// profile's design; the rules are in docs/profiles/wiki.md.
func writing() []profiletest.Example {
	refused := func(tool, arguments, prose string) profiletest.Call {
		return profiletest.Call{Tool: tool, Arguments: arguments, Prose: prose, IsError: true, Check: nothingSent}
	}
	return []profiletest.Example{
		{Name: "11: update_note moves a note, and links follow", Calls: []profiletest.Call{
			{
				Tool: "update_note", Arguments: `{"path":"Projects/Apollo","new_path":"Archive/Apollo"}`,
				Prose: "Moved note from Projects/Apollo to Archive/Apollo\n\nUpdated links in 3 notes:\n- Ada (1 link)\n- Projects/Gemini (1 link)\n- daily/2024-01-15 (1 link)",
				Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
					for uid, want := range map[string]string{
						"ad0000001": "Met at the [[Archive/Apollo]] review", "ge0000001": "Forerunner of [[Archive/Apollo]]",
						"da0000001": "Review of [[Archive/Apollo]] with [[Grace]] #meeting",
					} {
						if text, _ := w.Text(uid); text != want {
							t.Errorf("%s is %q", uid, text)
						}
					}
					if w.PageUID("Archive/Apollo") != "apollo001" {
						t.Error("the page has another uid")
					}
				},
			},
			refused("update_note", `{"path":"Projects/Apollo","title":"x"}`, "Error: There is no note at Projects/Apollo.<more>"),
			refused("update_note", `{"path":"Archive/Apollo","new_path":"Ada"}`, "Error: There is a note at Ada already.<more>"),
			refused("update_note", `{"path":"Ada","new_path":"roam/css"}`, "Error: <more>a page of Roam's own<more>"),
			refused("update_note", `{"path":"Ada","new_path":"daily/2024-01-20"}`, "Error: <more>daily note<more>"),
			{
				Tool: "update_note", Arguments: `{"path":"Orphan","new_path":"found","update_backlinks":false}`,
				Prose: "Moved note from Orphan to found\n\nRoam keeps links in step with a rename; nothing is left pointing to the old path.",
			},
			{Tool: "get_note", Arguments: `{"path":"Shopping"}`},
			{ // tea is a page that is only linked to
				Tool: "update_note", Arguments: `{"path":"Shopping","new_path":"Tea","title":"Tea time","content":"milk"}`,
				Prose: "Moved note from Shopping to Tea",
				Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
					below("shop00001", "Title:: Tea time\nmilk\n")(t, w, r)
					if text, _ := w.Text("ad0000002"); text != "Likes #Tea" || w.PageUID("Tea") != "shop00001" || w.PageUID("tea") != "" {
						t.Errorf("%q, Tea is %s, tea %s", text, w.PageUID("Tea"), w.PageUID("tea"))
					}
				},
			},
		}},
		{Name: "12: update_note changes the tags that a note declares", Calls: []profiletest.Call{
			refused("update_note", `{"path":"Ada","tags":["x"],"add_tags":["y"]}`, "Error: <more>tags replaces all tags<more>"),
			refused("update_note", `{"path":"Ada"}`, "Error: <more>at least one<more>"),
			refused("update_note", `{"path":"Nobody","title":"x"}`, "Error: There is no note at Nobody.<more>"),
			{Tool: "update_note", Arguments: `{"path":"Saturn V","remove_tags":["rocket"],"add_tags":["engine","rocket"]}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", strings.Replace(saturn, "#rocket", "#engine #rocket", 1))},
			{Tool: "update_note", Arguments: `{"path":"saturn v","remove_tags":["ROCKET"],"add_tags":["engine","rocket"]}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", strings.Replace(saturn, "#rocket", "#engine #rocket", 1))},
			{Tool: "get_note", Arguments: `{"path":"Saturn V"}`},
			{Tool: "update_note", Arguments: `{"path":"Saturn V","tags":[]}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", strings.Replace(saturn, "Tags:: #rocket\n", "", 1))},
			{Tool: "update_note", Arguments: `{"path":"Saturn V","add_tags":["In-Progress","two words"]}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", strings.Replace(saturn, "#rocket", "#[[in progress]] #[[two words]]", 1))},
			{Tool: "update_note", Arguments: `{"path":"Ada","remove_tags":["tea"]}`, Prose: "Updated note at Ada\n\nTag kept in the text: tea (1 block)", Check: below("ada000001", "Met at the [[Projects/Apollo]] review\nLikes #tea\n")},
		}},
		{Name: "13: delete_note leaves the links to a note", Calls: []profiletest.Call{
			{
				Tool: "delete_note", Arguments: `{"path":"Ada"}`,
				Prose: "Deleted note at Ada\n\nWarning: 3 notes have links that are now broken:\n- Glossary (1 link)\n- Projects/Apollo (1 link)\n- Saturn V (1 link)\n\nThese links were not modified. Update or remove them manually if desired.\n\nPage: \"Ada\", uid ada000001",
				Check: below("gloss0001", "[[Saturn V]]: a rocket\n[[Ada]]: an engineer\n"),
			},
			{Tool: "get_note", Arguments: `{"path":"Ada"}`, IsError: true, Prose: "Error: There is no note at Ada.<more>"},
			refused("delete_note", `{"path":"Ada"}`, "Error: There is no note at Ada.<more>"),
			{Tool: "delete_note", Arguments: `{"path":"Orphan"}`, Prose: "Deleted note at Orphan\n\nPage: \"Orphan\", uid orphan001", Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
				if w.PageUID("Orphan") == "" { // the hidden block of the daily note links to it
					t.Error("the page has gone, though it is linked to")
				}
			}},
			{Tool: "delete_note", Arguments: `{"path":"Shopping"}`, Prose: "Deleted note at Shopping\n\nPage: \"Shopping\", uid shop00001", Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
				if uid := w.PageUID("Shopping"); uid != "" {
					t.Errorf("the page is there: %s", uid)
				}
			}},
			refused("delete_note", `{"path":"daily/2024-01-15"}`, "Error: <more>hidden from agents<more>"),
			{Tool: "delete_note", Arguments: `{"path":"Saturn V"}`, Prose: "Deleted note at Saturn V\n\nWarning: 2 notes have<more>\n\n1 block referred to blocks that are gone: its text stands there now.\n\nPage: \"Saturn V\", uid <any>"},
		}},
		{Name: "14: create_note makes a note from Markdown", Calls: []profiletest.Call{
			{
				Tool: "create_note", Arguments: `{"path":"projects/wiki-ai/ideas","title":"My Ideas","content":"Here are my ideas for [[Ada|her]]","tags":["brainstorm"]}`,
				Prose: `Created note "My Ideas" at projects/wiki-ai/ideas`,
				Check: titled("projects/wiki-ai/ideas", "Title:: My Ideas\nTags:: #brainstorm\nHere are my ideas for [her]([[Ada]])\n"),
			},
			refused("create_note", `{"path":"projects/wiki-ai/ideas","title":"My Ideas","content":"x"}`, "Error: There is a note at projects/wiki-ai/ideas already.<more>"),
			refused("create_note", `{"path":"ADA","title":"Ada","content":"x"}`, "Error: There is a note at Ada already.<more>"),
			refused("create_note", `{"path":"a//b","title":"x","content":"x"}`, "Error: path is not valid<more>"),
			refused("create_note", `{"path":"roam/css","title":"x","content":"x"}`, "Error: <more>a page of Roam's own<more>"),
			{Tool: "create_note", Arguments: `{"path":"Rocket","title":"rocket","content":"A vehicle","tags":["SATURN V"]}`, Prose: `Created note "rocket" at rocket`, Check: titled("rocket", "Tags:: #[[Saturn V]]\nA vehicle\n")},
			{Tool: "create_note", Arguments: `{"path":"empty","title":"","content":""}`, Prose: `Created note "empty" at empty`, Check: titled("empty", "Title:: empty\n")},
			{
				Tool: "create_note", Arguments: `{"path":"front","title":"","content":"---\ntitle: Front matter\ntags: [a, b c]\n---\n- # Head\n  - [ ] do\n"}`, Prose: `Created note "Front matter" at front`,
				Check: titled("front", "Title:: Front matter\nTags:: #a #[[b c]]\nHead\n  {{[[TODO]]}} do\n"),
			},
			{
				Tool: "create_note", Arguments: `{"path":"two-titles","title":"Mine","content":"---\ntitle: Theirs\n---\none"}`, Prose: `Created note "Mine" at two-titles`,
				Check: titled("two-titles", "Title:: Mine\ntitle:: Theirs\none\n"),
			},
			{
				Tool: "create_note", Arguments: `{"path":"Of the path","title":"Of the path","content":"---\ntitle: Theirs\n---\none"}`, Prose: `Created note "Of the path" at Of the path`,
				Check: titled("Of the path", "Title:: Of the path\ntitle:: Theirs\none\n"),
			},
			{Tool: "update_note", Arguments: `{"path":"two-titles","content":"title:: Theirs\n\nTwo"}`, Prose: "Updated note at two-titles", Check: titled("two-titles", "Title:: Mine\ntitle:: Theirs\nTwo\n")},
			{
				Tool: "update_note", Arguments: `{"path":"rocket","title":"R","content":"---\ntitle: Theirs\n---\none"}`, Prose: "Updated note at rocket",
				Check: titled("rocket", "Title:: R\nTags:: #[[Saturn V]]\ntitle:: Theirs\none\n"),
			},
			{Tool: "create_note", Arguments: `{"path":"listed","title":"listed","content":"x","tags":"[alpha, beta]"}`, Prose: `Created note "listed" at listed`, Check: titled("listed", "Tags:: #alpha #beta\nx\n")},
			{Tool: "update_note", Arguments: `{"path":"listed","add_tags":["gamma, delta"],"remove_tags":"#alpha #beta"}`, Prose: "Updated note at listed", Check: titled("listed", "Tags:: #gamma #delta\nx\n")},
			{Tool: "create_note", Arguments: `{"path":"daily/2024-01-20","title":"","content":"a day"}`, Prose: `Created note "January 20th, 2024" at daily/2024-01-20`, Check: below("01-20-2024", "a day\n")},
			{Tool: "create_note", Arguments: `{"path":"odd","title":"odd","content":"*x* is said so\n\nand this"}`, Prose: `Created note "odd" at odd`, Check: titled("odd", "__x__ is said so\nand this\n")},
		}},
		{Name: "update_note changes what is given and keeps the rest", Calls: []profiletest.Call{
			{Tool: "update_note", Arguments: `{"path":"Saturn V","title":"The rocket"}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", "Title:: The rocket\n"+saturn)},
			{Tool: "get_note", Arguments: `{"path":"Saturn V"}`},
			{
				Tool: "update_note", Arguments: `{"path":"Saturn V","content":"The F-1 engine burns kerosene\n\nBuilt by many"}`, Prose: "Updated note at Saturn V",
				Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
					if got := tree(w, "saturnv01"); !strings.Contains(got, "sv0000001 The F-1") || !strings.Contains(got, "Built by many") || strings.Contains(got, "sv0000002") != strings.Contains(got, "sv0000002 Built by many") {
						t.Error(got)
					}
				},
			},
			{Tool: "update_note", Arguments: `{"path":"Saturn V","title":"Saturn V"}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", "Tags:: #rocket\nThe F-1 engine burns kerosene\nBuilt by many\n")},
			{Tool: "get_note", Arguments: `{"path":"Saturn V"}`},
			{Tool: "update_note", Arguments: `{"path":"Saturn V","content":"","tags":[]}`, Prose: "Updated note at Saturn V<more>", Check: below("saturnv01", "Title:: Saturn V\n")},
			{Tool: "get_note", Arguments: `{"path":"daily/2024-01-15"}`},
			{Tool: "update_note", Arguments: `{"path":"daily/2024-01-15","content":"Rewritten"}`, Prose: "Updated note at daily/2024-01-15", Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
				if got := tree(w, "01-15-2024"); !strings.Contains(got, "da0000002 private thing [[Orphan]] #.rm-private\n") || !strings.Contains(got, "Rewritten") || strings.Contains(got, "bank") {
					t.Error(got)
				}
			}},
			{ // what get_note shows can be sent back
				Tool: "get_note", Arguments: `{"path":"Projects/Apollo"}`, Prose: "<more>", Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
					before := tree(w, "apollo001")
					text, _ := json.Marshal(r.Text())
					c := w.Connect(profiletest.Ways()[0])
					c.Call("get_note", `{"path":"Projects/Apollo"}`)
					if r := c.Call("update_note", `{"path":"Projects/Apollo","content":`+string(text)+`}`); r.IsError {
						t.Error(r)
					}
					if after := tree(w, "apollo001"); after != before {
						t.Errorf("it is\n%s\nwas\n%s", after, before)
					}
				},
			},
		}},
		{Name: "edit_note changes a part of a note", Calls: []profiletest.Call{
			{Tool: "edit_note", Arguments: `{"path":"Saturn V","append":"- It flew\n  - 13 times"}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", saturn+"It flew\n  13 times\n")},
			{Tool: "edit_note", Arguments: `{"path":"Saturn V","prepend":"A rocket"}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", strings.Replace(saturn, "The", "A rocket\nThe", 1)+"It flew\n  13 times\n")},
			{Tool: "edit_note", Arguments: `{"path":"Saturn V","find":"13 times","replace":"thirteen times\n- to [[moon|the moon]]"}`, Prose: "Updated note at Saturn V", Check: below("saturnv01", strings.Replace(saturn, "The", "A rocket\nThe", 1)+"It flew\n  thirteen times\nto [the moon]([[moon]])\n")},
			{Tool: "edit_note", Arguments: `{"path":"Projects/Apollo","find":"See ((sv0000001))<ref>The F-1 engine burns kerosene</ref> for","replace":"Read ((sv0000001)) on"}`, Prose: "Updated note at Projects/Apollo", Check: func(t testing.TB, w *profiletest.World, _ profiletest.Result) {
				if text, _ := w.Text("ap0000004"); text != "Read ((sv0000001)) on the engine" {
					t.Errorf("%q", text)
				}
			}},
			refused("edit_note", `{"path":"Saturn V","find":"not there","replace":"x"}`, "Error: <more>not in the note<more>"),
			refused("edit_note", `{"path":"Projects/Apollo","find":"kerosene","replace":"x"}`, "Error: <more>not in the note<more>"),
			refused("edit_note", `{"path":"Saturn V","find":"t","replace":"x"}`, "Error: <more>times in the note<more>"),
			refused("edit_note", `{"path":"Saturn V","append":"a","prepend":"b"}`, "Error: <more>"),
			refused("edit_note", `{"path":"Saturn V","find":"A rocket"}`, "Error: <more>"),
			{Tool: "edit_note", Arguments: `{"path":"Ada","find":"t","replace":"T","all":true}`, Prose: "Updated note at Ada", Check: below("ada000001", "MeT aT The [[ProjecTs/Apollo]] review\nLikes #Tea\n")},
		}},
	}
}

func TestWriting(t *testing.T) {
	examples := writing()
	profiletest.Run(t, journaled(t, profiletest.Options{}), examples[:4]...)
	profiletest.RunOnce(t, journaled(t, profiletest.Options{}), examples[4:]...)
}

func TestWritingOnOldBuilds(t *testing.T) {
	profiletest.RunOnOldBuild(t, journaled(t, profiletest.Options{}), writing()[:4]...)
}

// Additions and removals of tags that meet are all done.
func TestTagsThatAreAddedAtOnce(t *testing.T) {
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki"}).World(t)
	c := w.Connect(profiletest.Ways()[0])
	w.Fault(func(r faultproxy.Request) faultproxy.Fault { // so that calls meet between their reads and their writes
		if strings.HasPrefix(r.Action, "data.block.") {
			return faultproxy.Fault{Delay: 20 * time.Millisecond}
		}
		return faultproxy.Fault{}
	})
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			if r := c.CallAtOnce(t.Context(), "update_note", fmt.Sprintf(`{"path":"Grace","add_tags":["t%d"]}`, i)); r.IsError {
				t.Error(r)
			}
		})
	}
	wait.Wait()
	if n := strings.Count(texts(w, "grace0001"), "Tags::"); n != 1 {
		t.Errorf("there are %d lines of tags", n)
	}
	for i := range 6 {
		if !strings.Contains(texts(w, "grace0001"), fmt.Sprintf("#t%d", i)) {
			t.Errorf("t%d is not in\n%s", i, texts(w, "grace0001"))
		}
	}
}

// A reply that is lost is looked for, and the write is never sent twice.
func TestALostReplyIsLookedFor(t *testing.T) {
	suite := profiletest.NewSuite(t, journaled(t, profiletest.Options{}))
	asked := func(arguments string) func(*testing.T, *profiletest.Client) string {
		return func(*testing.T, *profiletest.Client) string { return arguments }
	}
	// restored has a tool change a note, and asks for what it was before that.
	restored := func(path, tool, arguments string) func(*testing.T, *profiletest.Client) string {
		return func(t *testing.T, c *profiletest.Client) string {
			ask(t, c, tool, arguments)
			return fmt.Sprintf(`{"path":%q,"version":%q}`, path, versionsOf(t, c, path)[1])
		}
	}
	for name, tc := range map[string]struct {
		action, tool string
		arguments    func(*testing.T, *profiletest.Client) string
		want         string
	}{
		"create_note":             {"data.page.fromMarkdown", "create_note", asked(`{"path":"trips/rome","title":"Rome","content":"pack"}`), `Created note "Rome" at trips/rome`},
		"create_note of a stub":   {"data.block.fromMarkdown", "create_note", asked(`{"path":"tea","title":"Tea","content":"pack"}`), `Created note "Tea" at tea`},
		"update_note":             {"data.block.updateBlocks", "update_note", asked(`{"path":"Grace","content":"Compilers #computing and more"}`), "Updated note at Grace"},
		"update_note with a move": {"data.page.update", "update_note", asked(`{"path":"Orphan","new_path":"Found"}`), "Moved note from Orphan to Found"},
		"delete_note":             {"data.page.delete", "delete_note", asked(`{"path":"Shopping"}`), "Deleted note at Shopping\n\nPage: \"Shopping\", uid shop00001"},
		"delete_note with links":  {"data.block.deleteBlocks", "delete_note", asked(`{"path":"Ada"}`), "Deleted note at Ada\n\nWarning: <more>"},
		"edit_note":               {"data.block.create", "edit_note", asked(`{"path":"Grace","append":"more"}`), "Updated note at Grace"},
		"restore_note_version of what was changed": {"data.block.updateBlocks", "restore_note_version", restored("Grace", "update_note", `{"path":"Grace","content":"Compilers #computing and more"}`), "Restored note 'Grace' to version <any>"},
		"restore_note_version of a note that went": {"data.page.fromMarkdown", "restore_note_version", restored("Shopping", "delete_note", `{"path":"Shopping"}`), "Restored note 'Shopping' to version <any>"},
		"restore_note_version of several blocks":   {"batchActions", "restore_note_version", restored("Ada", "delete_note", `{"path":"Ada"}`), "Restored note 'Ada' to version <any>"},
		"restore_note_version of blocks that went": {"data.block.create", "restore_note_version", restored("Orphan", "delete_note", `{"path":"Orphan"}`), "Restored note 'Orphan' to version <any>"},
	} {
		t.Run(name, func(t *testing.T) {
			w := suite.World(t)
			c := w.Connect(profiletest.Ways()[0])
			c.Call("get_note", `{"path":"Grace"}`)
			c.Expect(t, profiletest.Call{Tool: tc.tool, Arguments: tc.arguments(t, c), Prose: tc.want}.Losing(tc.action))
		})
	}
}

// Where a write fails, the note is as it was, and the answer says so.
func TestAWriteThatFailsHalfwaySaysWhatWasDone(t *testing.T) {
	w := profiletest.NewSuite(t, journaled(t, profiletest.Options{})).World(t)
	c := w.Connect(profiletest.Ways()[0])
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		if r.Action == "data.page.update" {
			return faultproxy.Fault{Kind: faultproxy.Fail, Status: 500, Text: "Unexpected failure"}
		}
		return faultproxy.Fault{}
	})
	c.Call("get_note", `{"path":"Grace"}`)
	r := c.Call("update_note", `{"path":"Grace","content":"Changed","new_path":"Hopper"}`)
	if err := profiletest.MatchProse("Error: Only a part was written (<any>).<more>", r.Text()); err != nil || !r.IsError {
		t.Errorf("%v: %s", err, r)
	}
	w.Fault(nil)
	c.Call("get_note", `{"path":"Grace"}`)
	if r := c.Call("update_note", `{"path":"Grace","content":"Changed","new_path":"Hopper"}`); r.Text() != "Moved note from Grace to Hopper\n\nUpdated links in 3 notes:\n- Projects/Apollo (1 link)\n- Saturn V (1 link)\n- daily/2024-01-15 (1 link)" {
		t.Error(r)
	}
	if got := texts(w, "grace0001"); got != "Changed\n" || w.PageUID("Hopper") != "grace0001" {
		t.Error(got)
	}
}

// What the tools that write ask of Roam, where nothing is recorded.
func TestCallsOfTheToolsThatWrite(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki", Server: func(o *mcpserve.Options) { o.Toolsets = []string{"all"} }})
	table := "| call | reads | writes |\n|---|---|---|\n"
	for _, each := range [][3]string{
		{"`create_note`", "create_note", `{"path":"trips/rome","title":"Rome","content":"pack","tags":["trip"]}`},
		{"`update_note` of a text", "update_note", `{"path":"Projects/Apollo","content":"- Goal: land on the moon, see [[Saturn V]] soon\n  - Budget is tight, ask [[Ada]]\n- [ ] Write to [[Grace]]\n- See ((sv0000001)) for the engine"}`},
		{"`update_note` of tags", "update_note", `{"path":"Saturn V","add_tags":["moon"]}`},
		{"`update_note` with `new_path`", "update_note", `{"path":"Projects/Apollo","new_path":"Archive/Apollo"}`},
		{"`delete_note`, nothing links to it", "delete_note", `{"path":"Shopping"}`},
		{"`delete_note`, notes link to it", "delete_note", `{"path":"Ada"}`},
		{"`edit_note`", "edit_note", `{"path":"Grace","append":"more"}`},
	} {
		w := suite.World(t)
		c := w.Connect(profiletest.Ways()[0])
		ask(t, c, "get_note", `{"path":"Projects/Apollo"}`)
		w.ResetCalls()
		ask(t, c, each[1], each[2])
		calls, writes := w.Calls(), 0
		for action, n := range calls {
			if strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.") || action == "batchActions" {
				writes += n
			}
		}
		table += fmt.Sprintf("| %s | %d | %d |\n", each[0], calls.Total()-writes, writes)
	}
	profiletest.CheckTable(t, "wiki", "writes", table)
}
