package notes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// update calls update_note with a field, and any more arguments.
func update(c *profiletest.Client, id, field string, value any, more ...string) profiletest.Result {
	text, _ := json.Marshal(value)
	return c.Call("update_note", fmt.Sprintf(`{"id":%q,%q:%s%s}`, id, field, text, strings.Join(more, "")))
}

// read calls get_note.
func read(t testing.TB, c *profiletest.Client, id string, offset int) (note shown, goesOn bool) {
	t.Helper()
	r := c.Call("get_note", fmt.Sprintf(`{"id":%q,"offset":%d}`, id, offset))
	r.Decode(t, &note)
	return note, len(r.Texts) > 1
}

// refused checks that a call was refused with a code, and returns the data of the error.
func refused(t testing.TB, r profiletest.Result, code string) string {
	t.Helper()
	if r.RPC == nil || r.RPC.Code != -32600 || !strings.Contains(string(r.RPC.Data), `"code":"`+code+`"`) {
		t.Fatalf("it is no %s: %s", code, r)
	}
	return string(r.RPC.Data)
}

// longNote is a graph with one note of so many blocks, and a property line.
func longNote(blocks int) string {
	children := []map[string]any{{"string": "Color:: red", "uid": "color0001"}}
	for i := range blocks {
		children = append(children, map[string]any{"string": fmt.Sprintf("Line %05d", i) + strings.Repeat(" of wörds and more", 13) + " 漢字.", "uid": fmt.Sprintf("line%05d", i)})
	}
	graph, _ := json.Marshal([]any{map[string]any{"title": "Long", "uid": "long00001", "children": children}})
	return string(graph)
}

// A note that is longer than a reply is changed part by part: what a part does not show
// stays, and so does all that was sent back as it was, with the mark of the cut or without.
func TestALongNoteIsChangedPartByPart(t *testing.T) {
	for name, tc := range map[string]struct{ blocks, max, changes int }{
		"many characters":                        {longBlocks, 0, 8},
		"20,000 characters in the least replies": {80, mcpserve.SmallestReply, 80},
		"many blocks":                            {5 * longBlocks / 2, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{Export: longNote(tc.blocks), Server: func(o *mcpserve.Options) { o.MaxReply = tc.max }})
			before := export(w)
			changed := map[string]string{}
			for offset, goesOn := 0, true; goesOn && len(changed) < tc.changes; {
				var note shown
				note, goesOn = read(t, c, "long00001", offset)
				first, rest, _ := strings.Cut(note.Content, "\n")
				other := strings.Replace(first, "Line", "Word", 1)
				changed["line"+first[len("Line "):len("Line 00000")]] = other
				sent := other + "\n" + rest
				if len(changed)%2 == 0 {
					sent = strings.TrimSuffix(sent, "... [truncated]")
				}
				var written shown
				update(c, "long00001", "content", sent).Decode(t, &written)
				if !strings.HasPrefix(written.Content, other) {
					t.Fatalf("the reply shows %q", written.Content[:min(100, len(written.Content))])
				}
				offset += utf8.RuneCountInString(strings.TrimSuffix(note.Content, "... [truncated]"))
			}
			checkOnly(t, before, export(w), changed)
			t.Logf("%d parts were changed", len(changed))
		})
	}
}

// checkOnly checks that some blocks have other texts, and that all else is as it was.
func checkOnly(t *testing.T, before, after exported, changed map[string]string) {
	t.Helper()
	for uid, was := range before.blocks {
		if text, ok := changed[uid]; ok {
			was.text = text
		}
		if after.blocks[uid] != was {
			t.Fatalf("%s is %+v, not %+v", uid, after.blocks[uid], was)
		}
	}
	if len(before.blocks) != len(after.blocks) {
		t.Errorf("there are %d blocks, not %d", len(after.blocks), len(before.blocks))
	}
}

// A reply to a write that is cut is sent back, and the rest of what was written stays; what
// was written is sent again whole, and replaces it.
func TestTheReplyToALongWriteIsSentBack(t *testing.T) {
	lines := make([]string, 300)
	for i := range lines {
		lines[i] = fmt.Sprintf("Line %d of a note that is longer than a reply", i)
	}
	content := strings.Join(lines, "\n\n")
	for name, write := range map[string]func(c *profiletest.Client) profiletest.Result{
		"of create_note": func(c *profiletest.Client) profiletest.Result {
			text, _ := json.Marshal(content)
			return c.Call("create_note", `{"title":"Long","color":"red","content":`+string(text)+`}`)
		},
		"of update_note": func(c *profiletest.Client) profiletest.Result {
			c.Call("create_note", `{"title":"Long","color":"red","content":"short"}`)
			return update(c, "Long", "content", content)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
			var made shown
			write(c).Decode(t, &made)
			if !strings.HasSuffix(made.Content, "... [truncated]") {
				t.Fatal("it is not cut")
			}
			before := export(w)
			if r := update(c, "Long", "content", strings.Replace(made.Content, "Line 0 ", "Line zero ", 1)); r.RPC != nil {
				t.Fatal(r)
			}
			below := before.below[made.ID]
			checkOnly(t, before, export(w), map[string]string{below[1].uid: strings.Replace(lines[0], "0", "zero", 1)})
			if r := update(c, "Long", "content", strings.Join(lines[100:], "\n\n")); r.RPC != nil {
				t.Fatal(r)
			}
			blocks(t, w, made.ID, append([]string{"Color:: red"}, lines[100:]...)...)
		})
	}
}

// An empty task is an item like others: written back, made anew, and taken away when it is
// left out.
func TestEmptyTasksAreItems(t *testing.T) {
	const graph = `[{"title":"List","uid":"list00001","children":[{"string":"{{[[TODO]]}} milk","uid":"milk00001"},{"string":"{{[[TODO]]}} ","uid":"empty0001"},{"string":"{{[[DONE]]}}","uid":"empty0002"}]}]`
	for name, tc := range map[string]struct {
		sent string
		want []string
	}{
		"it stays where one more is added": {`[{"id":"milk00001","text":"milk"},{"id":"empty0001","text":""},{"id":"empty0002","text":"","checked":true},"bread"]`, []string{"{{[[TODO]]}} milk", "{{[[TODO]]}} ", "{{[[DONE]]}}", "{{[[TODO]]}} bread"}},
		"it gets a text":                   {`["milk",{"id":"empty0001","text":"tea"},{"id":"empty0002","text":"","checked":true}]`, []string{"{{[[TODO]]}} milk", "{{[[TODO]]}} tea", "{{[[DONE]]}}"}},
		"it is checked":                    {`["milk",{"id":"empty0001","text":"","checked":true},{"id":"empty0002","text":"","checked":true}]`, []string{"{{[[TODO]]}} milk", "{{[[DONE]]}}", "{{[[DONE]]}}"}},
		"it goes where it is left out":     {`["milk",{"id":"empty0002","text":"","checked":true}]`, []string{"{{[[TODO]]}} milk", "{{[[DONE]]}}"}},
		"one more is made":                 {`["milk",{"text":""},{"text":"","checked":true},""]`, []string{"{{[[TODO]]}} milk", "{{[[TODO]]}} ", "{{[[DONE]]}}", "{{[[TODO]]}}"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{Export: graph})
			read(t, c, "list00001", 0)
			if r := c.Call("update_note", `{"id":"list00001","checkItems":`+tc.sent+`}`); r.RPC != nil {
				t.Fatal(r)
			}
			blocks(t, w, "list00001", tc.want...)
		})
	}
}

// What a person does between a read and an update.
func TestAPersonWritesMeanwhile(t *testing.T) {
	const graph = `[{"title":"Note","uid":"note00001","children":[{"string":"Tags:: #a","uid":"tags00001"},{"string":"one","uid":"one000001"},{"string":"two","uid":"two000001"},{"string":"three","uid":"three0001"}]},
		{"title":"List","uid":"list00001","children":[{"string":"{{[[TODO]]}} milk","uid":"milk00001"},{"string":"{{[[TODO]]}} tea","uid":"tea000001"},{"string":"![](https://a.b/1.png)","uid":"image0001"}]},
		{"title":"January 15th, 2024","uid":"01-15-2024","children":[{"string":"[[Notes]]","uid":"sect00001","children":[{"string":"quick","uid":"quick0001","children":[{"string":"Color:: red","uid":"qcolor001"},{"string":"below","uid":"below0001"}]}]}]}]`
	edit := func(uid, text string) func(*profiletest.World) {
		return func(w *profiletest.World) { person(w, uid, text) }
	}
	add := func(parent, text string) func(*profiletest.World) {
		return func(w *profiletest.World) { w.AddBlock(parent, text) }
	}
	for name, tc := range map[string]struct {
		id       string
		person   func(*profiletest.World)
		sent     string // fields
		conflict string // the text that is there by now; empty: there is none
		want     []string
	}{
		"what was left as it was shown stays as it is now":       {"note00001", edit("one000001", "one, by a person"), `"content":"one\n\n2\n\nthree"`, "", []string{"Tags:: #a", "one, by a person", "2", "three"}},
		"what was added stays":                                   {"note00001", add("note00001", "added"), `"content":"one\n\nthree"`, "", []string{"Tags:: #a", "one", "three", "added"}},
		"what was added stays where all goes":                    {"note00001", add("note00001", "added"), `"content":""`, "", []string{"Tags:: #a", "added"}},
		"what somebody changed is not taken away":                {"note00001", edit("two000001", "two, by a person"), `"content":"one\n\nthree"`, "two, by a person", []string{"Tags:: #a", "one", "two, by a person", "three"}},
		"what somebody changed is not changed":                   {"note00001", edit("two000001", "two, by a person"), `"content":"one\n\nTwo\n\nthree"`, "two, by a person", []string{"Tags:: #a", "one", "two, by a person", "three"}},
		"what somebody wrote below is not taken away":            {"note00001", add("two000001", "below two"), `"content":"one\n\nthree"`, "below two", []string{"Tags:: #a", "one", "two", "three"}},
		"labels are a difference":                                {"note00001", edit("tags00001", "Tags:: #a #b"), `"labels":["c"]`, "", []string{"Tags:: #c #b", "one", "two", "three"}},
		"labels that were left leave the line":                   {"note00001", edit("tags00001", "Tags:: one, a"), `"labels":["a"]`, "", []string{"Tags:: one, a", "one", "two", "three"}},
		"content leaves items and images":                        {"list00001", add("list00001", "{{[[TODO]]}} bread"), `"content":"For Sunday"`, "", []string{"For Sunday", "{{[[TODO]]}} milk", "{{[[TODO]]}} tea", "![](https://a.b/1.png)", "{{[[TODO]]}} bread"}},
		"items that were added stay":                             {"list00001", add("list00001", "{{[[TODO]]}} bread"), `"checkItems":[{"id":"milk00001","text":"milk","checked":true}]`, "", []string{"Note type:: checklist", "{{[[DONE]]}} milk", "![](https://a.b/1.png)", "{{[[TODO]]}} bread"}},
		"an item that somebody checked is not taken away":        {"list00001", edit("tea000001", "{{[[DONE]]}} tea"), `"checkItems":["milk"]`, "[x] tea", []string{"{{[[TODO]]}} milk", "{{[[DONE]]}} tea", "![](https://a.b/1.png)"}},
		"an item that somebody checked stays so":                 {"list00001", edit("tea000001", "{{[[DONE]]}} tea"), `"checkItems":["milk","tea","bread"]`, "", []string{"{{[[TODO]]}} milk", "{{[[DONE]]}} tea", "{{[[TODO]]}} bread", "![](https://a.b/1.png)"}},
		"an image that was added stays":                          {"list00001", add("list00001", "![](https://a.b/2.png)"), `"images":[]`, "", []string{"{{[[TODO]]}} milk", "{{[[TODO]]}} tea", "![](https://a.b/2.png)"}},
		"content, items, labels, color and images are one":       {"list00001", add("list00001", "{{[[TODO]]}} bread"), `"content":"x","checkItems":["tea","rice"],"labels":["a"],"color":"red","images":null`, "", []string{"Tags:: #a", "Color:: red", "Note type:: checklist", "x", "{{[[TODO]]}} tea", "{{[[TODO]]}} rice", "{{[[TODO]]}} bread"}},
		"the block of a quick note that somebody changed stays":  {"quick0001", edit("quick0001", "quick, by a person"), `"content":"quick\nbelow it"`, "", []string{"Color:: red", "below it"}},
		"the block of a quick note that somebody changed is one": {"quick0001", edit("quick0001", "quick, by a person"), `"content":"Quick\nbelow"`, "quick, by a person", []string{"Color:: red", "below"}},
		"what was added to a quick note stays":                   {"quick0001", add("quick0001", "added"), `"content":"Quick"`, "", []string{"Color:: red", "added"}},
		"new lines of a quick note stand behind its fields":      {"quick0001", edit("below0001", "below"), `"content":"quick\nother\n\nthings"`, "", []string{"Color:: red", "other", "things"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := connect(t, profiletest.Options{Export: graph})
			read(t, c, tc.id, 0)
			tc.person(w)
			r := c.Call("update_note", `{"id":"`+tc.id+`",`+tc.sent+`}`)
			switch {
			case tc.conflict == "" && r.RPC != nil:
				t.Error(r)
			case tc.conflict != "":
				if data := refused(t, r, "CHANGED_SINCE_READ"); !strings.Contains(data, `"blocks":[`) || !strings.Contains(data, tc.conflict) {
					t.Errorf("it says %s", data)
				}
			}
			blocks(t, w, tc.id, tc.want...)
			if tc.conflict != "" { // which was told, so that the next call can be right
				if r := c.Call("update_note", `{"id":"`+tc.id+`",`+tc.sent+`}`); r.RPC != nil {
					t.Error(r)
				}
			}
		})
	}
}

// person gives a block another text in Roam itself.
func person(w *profiletest.World, uid, text string) {
	w.Roam("data.block.update", map[string]any{"block": map[string]any{"uid": uid, "string": text}})
}

// A note that this connection was not shown is read first, by the call in the hint; a call
// that replaces nothing needs no read.
func TestWhatWasNotShownIsReadFirst(t *testing.T) {
	first := func(field string) profiletest.Call {
		return profiletest.Call{
			Tool: "update_note", Arguments: `{"id":"shop00001",` + field + `}`, RPC: -32600, Check: nothingWritten,
			Data: `{"code":"READ_FIRST","hint":"get_note with id \"shop00001\" reads it. Make your change in what that shows, and send it as checkItems.","retryable":false}`,
		}
	}
	profiletest.Run(t, profiletest.Options{Profile: "notes"},
		profiletest.Example{Name: "items and content of a note that was not read", Calls: []profiletest.Call{
			first(`"checkItems":["bread"]`),
			{Tool: "update_note", Arguments: `{"id":"apollo001","content":"x"}`, RPC: -32600, Data: `{"code":"READ_FIRST","...":"..."}`, Check: nothingWritten},
			{Tool: "update_note", Arguments: `{"id":"apollo001","labels":["x"]}`, RPC: -32600, Data: `{"code":"READ_FIRST","...":"..."}`, Check: nothingWritten},
			{Tool: "update_note", Arguments: `{"id":"shop00001","content":"For Sunday","color":"red","labels":["x"],"isPinned":true}`, Want: `{"content":"For Sunday","labels":["x"],"checkItems":["<any>","<any>"],"...":"..."}`},
			{Tool: "get_note", Arguments: `{"id":"shop00001"}`},
			{Tool: "update_note", Arguments: `{"id":"shop00001","checkItems":["bread"]}`, Note: `"milk", "tea".`, Want: `{"checkItems":[{"id":"<any>","text":"bread","checked":false}],"content":"For Sunday","...":"..."}`},
		}},
		profiletest.Example{Name: "a list shows a note that is whole in it", Calls: []profiletest.Call{
			{Tool: "search_notes", Arguments: `{"query":"milk"}`, Note: "These notes come nearest."},
			{Tool: "get_notes", Arguments: `{}`},
			{Tool: "update_note", Arguments: `{"id":"shop00001","checkItems":["bread"]}`, Note: `"milk", "tea".`, Want: `{"checkItems":["<any>"],"...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"da0000004","content":"call them"}`, Want: `{"content":"call them","...":"..."}`},
		}},
		profiletest.Example{Name: "what was made counts as shown", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"title":"Made","content":"one\n\ntwo\n\nsecret #.rm-hide","labels":["a"],"color":"red"}`},
			{Tool: "update_note", Arguments: `{"id":"Made","content":"one\n\n2","labels":["b"]}`, Want: `{"content":"one\n\n2","labels":["b"],"color":"red","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Made","content":"1"}`, Want: `{"content":"1","labels":["b"],"color":"red","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Made","title":"Tags","content":"one"}`, Note: "has its id", Want: `{"title":"Tags","content":"one","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Tags","content":"uno"}`, Want: `{"content":"uno","...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, w.PageUID("Tags"), "Tags:: #b", "Color:: red", "uno", "secret #.rm-hide")
		}},
		profiletest.Example{Name: "a quick note that became a page counts as shown", Calls: []profiletest.Call{
			{Tool: "create_note", Arguments: `{"content":"Trip\npack\n\nbook","color":"red"}`, Check: func(t testing.TB, w *profiletest.World, r profiletest.Result) {
				var made shown
				r.Decode(t, &made)
			}},
			{Tool: "get_note", Arguments: `{"id":"da0000004"}`},
			{Tool: "update_note", Arguments: `{"id":"da0000004","title":"Bank","content":"call the bank\nsoon"}`, Want: `{"title":"Bank","content":"call the bank\n\nsoon","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Bank","content":"call the bank\n\nnow"}`, Want: `{"content":"call the bank\n\nnow","...":"..."}`},
		}},
		profiletest.Example{Name: "what stands below the first line of a quick note that becomes a page stays below it", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"da0000004"}`},
			{Tool: "update_note", Arguments: `{"id":"da0000004","title":"Bank","content":"- the bank\n  - ask for Ada\n- soon","isArchived":true}`, Want: `{"title":"Bank","isArchived":true,"...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Bank","content":"- the bank\n  - ask for Grace\n- now"}`, Want: `{"content":"- the bank\n  - ask for Grace\n- now","isArchived":true,"...":"..."}`},
		}, After: func(t testing.TB, w *profiletest.World) {
			blocks(t, w, w.PageUID("Bank"), "Archived:: true", "the bank", "now")
		}},
		profiletest.Example{Name: "a note that has another title by now is changed, and not deleted, by the one that was shown", Calls: []profiletest.Call{
			{Tool: "get_note", Arguments: `{"id":"Orphan"}`},
			{Tool: "delete_note", Arguments: `{"id":"Orphan"}`, Before: func(w *profiletest.World) {
				w.Roam("data.page.update", map[string]any{"page": map[string]any{"uid": "orphan001", "title": "Foundling"}})
			}, RPC: -32600, Message: `MCP error -32600: The note that was read as "Orphan" is called "Foundling" by now. Nothing was written. If it is still the note that you mean, use the name "Foundling".`, Data: `{"code":"CHANGED_SINCE_READ","hint":"<has Foundling>","...":"..."}`, Check: nothingWritten},
			{Tool: "update_note", Arguments: `{"id":"Orphan","color":"red"}`, Want: `{"title":"Foundling","color":"red","...":"..."}`},
			{Tool: "update_note", Arguments: `{"id":"Foundling","content":"found"}`, Want: `{"title":"Foundling","content":"found","...":"..."}`},
		}},
	)
}

// Where a reply has no room for all items of a list, those that it does not show stay.
func TestItemsThatAReplyHadNoRoomForStay(t *testing.T) {
	var children []map[string]any
	for i := range 2_000 {
		children = append(children, map[string]any{"string": fmt.Sprintf("{{[[TODO]]}} item %d of a very long list", i), "uid": fmt.Sprintf("item%05d", i)})
	}
	graph, _ := json.Marshal([]any{map[string]any{"title": "List", "uid": "list00001", "children": children}})
	w, c := connect(t, profiletest.Options{Export: string(graph), Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
	before := export(w)
	note, _ := read(t, c, "list00001", 0)
	if len(note.CheckItems) == 0 || len(note.CheckItems) > 1_000 {
		t.Fatalf("it shows %d items", len(note.CheckItems))
	}
	note.CheckItems[0].Checked = true
	text, _ := json.Marshal(note.CheckItems)
	if r := c.Call("update_note", `{"id":"list00001","checkItems":`+strings.NewReplacer(`"ID"`, `"id"`, `"Text"`, `"text"`, `"Checked"`, `"checked"`).Replace(string(text))+`}`); r.RPC != nil {
		t.Fatal(r)
	}
	checkOnly(t, before, export(w), map[string]string{"item00000": "{{[[DONE]]}} item 0 of a very long list"})
}

// An agent reads a note, or a part of it, drops, changes, adds and reorders lines, and a
// person edits in between: no word is gone that the agent was not shown, and what it left
// as it was shown is as the person left it.
func TestRandomRoundsOfAnAgentAndAPerson(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 2024))
	w, c := connect(t, profiletest.Options{Export: longNote(40), Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
	told := map[string]int{}
	for round := range 40 {
		note, goesOn := read(t, c, "long00001", 0)
		if goesOn && random.IntN(2) == 0 {
			note, _ = read(t, c, "long00001", utf8.RuneCountInString(strings.TrimSuffix(note.Content, "... [truncated]")))
		}
		was := slices.DeleteFunc(strings.Split(strings.TrimSuffix(note.Content, "... [truncated]"), "\n\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
		for i := range was {
			was[i] = strings.TrimSuffix(was[i], "\n")
		}
		uids := map[string]string{} // by what was shown
		before := export(w)
		for _, b := range before.below["long00001"] {
			uids[b.text] = b.uid
		}
		sent, left := slices.Clone(was), map[string]bool{}
		for range 1 + random.IntN(3) {
			at := random.IntN(max(len(sent), 1))
			switch kind := random.IntN(4); {
			case kind == 0 || len(sent) < 3:
				sent = slices.Insert(sent, at, fmt.Sprintf("By the agent in round %d %d", round, random.IntN(1000)))
			case kind == 1:
				sent[at] = strings.Replace(sent[at], "more", fmt.Sprintf("less%d", round), 1)
			case kind == 2:
				sent = slices.Delete(sent, at, at+1)
			default:
				line := sent[at]
				sent = slices.Insert(slices.Delete(sent, at, at+1), random.IntN(len(sent)), line)
			}
		}
		for _, line := range sent {
			left[uids[line]] = true
		}
		for i := range random.IntN(4) { // nine in ten on what was just shown, and half of these on what the agent changed
			among := slices.DeleteFunc(slices.Clone(was), func(line string) bool { return left[uids[line]] })
			if len(among) == 0 || random.IntN(2) == 0 {
				among = was
			}
			if random.IntN(10) == 0 {
				among = nil
				for _, b := range before.below["long00001"][1:] {
					among = append(among, b.text)
				}
			}
			if uid := uids[among[random.IntN(len(among))]]; uid != "" {
				person(w, uid, fmt.Sprintf("By a person in round %d, %d more", round, i))
			}
		}
		if random.IntN(3) == 0 {
			w.AddBlock("long00001", fmt.Sprintf("Added by a person in round %d more", round))
		}
		mid := export(w)
		r := update(c, "long00001", "content", strings.Join(sent, "\n\n"))
		after := export(w)
		if r.RPC != nil {
			refused(t, r, "CHANGED_SINCE_READ")
			told["conflicts"]++
			checkOnly(t, mid, after, nil)
			continue
		}
		told["writes"]++
		for uid, b := range mid.blocks {
			now, there := after.blocks[uid]
			shownAsIs := slices.Contains(was, before.blocks[uid].text) && before.blocks[uid].text == b.text
			if (!there || now.text != b.text) && (!shownAsIs || left[uid]) {
				t.Fatalf("round %d: %q became %q, which the agent was not shown or left as it was\nsent %q", round, b.text, now.text, sent)
			}
		}
	}
	t.Logf("%v", told)
	if told["writes"] < 10 || told["conflicts"] == 0 {
		t.Errorf("there were %v", told)
	}
}
