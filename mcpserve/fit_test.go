package mcpserve

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// longPage has top blocks with two children each; every tenth has a text of
// several lines that looks like blocks.
func longPage(top int) (markdown string, uids []string) {
	var b strings.Builder
	b.WriteString("# Long <roam uid=\"page\"/>\n\n")
	for i := range top {
		text := fmt.Sprintf("Block \"%d\" with some text", i)
		if i%10 == 0 {
			text += "\n  - not a block\n# nor a page"
		}
		uid := fmt.Sprintf("top%06d", i)
		uids = append(uids, uid)
		fmt.Fprintf(&b, "- %s <roam uid=%q/>\n", text, uid)
		for j := range 2 {
			fmt.Fprintf(&b, "  - child %d <roam uid=\"kid%05d%d\"/>\n", j, i, j)
		}
	}
	return b.String(), uids
}

func TestALongPageIsCutBetweenBlocks(t *testing.T) {
	markdown, uids := longPage(400)
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	refs := `{"total":9,"shown":1,"results":[{"uid":"r","markdown":"` + strings.Repeat("x", 9000) + `"}]}`
	w.roam.result("data.ai.getPage", fmt.Sprintf(`{"uid":"page","markdown":%s,"linkedReferences":%s,"queriedAt":"now"}`, rawjson.Encode(markdown), refs))
	reply := w.connect().call("get_page", `{"title":"Long"}`).ok().has("queriedAt", "now")
	if textsafe.CountTokens(reply.text) > 2<<10 {
		t.Errorf("the reply has %d bytes", len(reply.text))
	}
	shown := reply.field("markdown")
	if !strings.HasPrefix(markdown, shown) || !strings.HasSuffix(strings.TrimSpace(shown), "/>") {
		t.Errorf("cut inside a block: …%s", shown[len(shown)-60:])
	}
	blocks, all := reply.fields["blocks"].(map[string]any), 400*3
	if blocks["shown"] != float64(strings.Count(shown, "<roam ")-1) || blocks["total"] != float64(all) {
		t.Errorf("the counts are wrong: %v", blocks)
	}
	if next, last := reply.field("next"), uids[len(uids)-1]; next == "" || !strings.Contains(shown, next) || strings.Contains(shown, last) {
		t.Errorf("next is %q", next)
	}
}

func TestAListIsCutBetweenResultsAndSaysHowToGoOn(t *testing.T) {
	var results []string
	for i := range 100 {
		results = append(results, fmt.Sprintf(`{"uid":"u%d","markdown":"%s"}`, i, strings.Repeat("x", 300)))
	}
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	w.roam.result("data.ai.search", `{"total":100,"results":[`+strings.Join(results, ",")+`]}`)
	reply := w.connect().call("search", `{"query":"x","offset":40,"limit":100}`).ok()
	shown := len(reply.fields["results"].([]any))
	note := reply.fields["truncated"].(map[string]any)
	if shown == 0 || textsafe.CountTokens(reply.text) > 2<<10 || note["resultsLeft"] != float64(100-shown) || note["rest"] != fmt.Sprintf("search again with offset %d.", 40+shown) {
		t.Errorf("%d shown in %d bytes: %v", shown, len(reply.text), note)
	}
	w.roam.result("data.ai.getBacklinks", `{"total":100,"shown":100,"nextOffset":100,"note":"more","results":[`+strings.Join(results, ",")+`]}`)
	reply = w.connect().call("get_backlinks", `{"title":"x"}`).ok()
	if reply.fields["nextOffset"] != nil {
		t.Error("nextOffset would skip what was cut")
	}
	if reply.fields["shown"] != nil {
		t.Errorf("%d are shown, not %v", len(reply.fields["results"].([]any)), reply.fields["shown"])
	}
}

func TestOneResultThatIsTooLongIsCutByItself(t *testing.T) {
	markdown, _ := longPage(400)
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	w.roam.result("data.ai.getBacklinks", fmt.Sprintf(`{"total":2,"results":[{"uid":"a","markdown":%s},{"uid":"b","markdown":"x"}]}`, rawjson.Encode(markdown)))
	reply := w.connect().call("get_backlinks", `{"title":"x"}`).ok()
	if textsafe.CountTokens(reply.text) > 2<<10 || len(reply.fields["results"].([]any)) != 1 {
		t.Errorf("%d bytes: %.300s", len(reply.text), reply.text)
	}
}

func TestWhatCantBeCutIsRefusedOrLeftOut(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	c := w.connect()
	w.roam.result("data.ai.getBlock", fmt.Sprintf(`{"uid":"b","markdown":"- %s <roam uid=\"b\"/>"}`, strings.Repeat("y", 20_000)))
	reply := c.call("get_block", `{"uid":"b"}`).ok()
	if reply.fields["blocks"] == nil || !strings.HasPrefix(reply.field("next"), "b@") {
		t.Errorf("got %s", reply.text)
	}
	w.roam.result("data.ai.search", `{"suggestions":"`+strings.Repeat("z", 20_000)+`"}`)
	c.call("search", `{"query":""}`).fails(surface.CodeReplyTooLarge)
	w.roam.result("data.block.update", `{"odd":"`+strings.Repeat("z", 20_000)+`"}`)
	c.call("update_block", `{"uid":"b","open":true}`).ok().has("success", true).has("graph", "Work")
	w.roam.result("data.block.fromMarkdown", `{"uids":[`+strings.Repeat(`"abcdefghi",`, 2000)+`"z"]}`)
	if reply = c.call("create_block", `{"parentUid":"p","markdown":"x"}`).ok(); textsafe.CountTokens(reply.text) > 2<<10 || reply.fields["truncated"] == nil {
		t.Errorf("%d bytes", len(reply.text))
	}
	w.roam.result(localapi.GuidelinesAction, fmt.Sprintf(`{"guidelines":%s}`, rawjson.Encode(strings.Repeat("A rule.\n", 4000))))
	reply = c.call("get_graph_guidelines", `{}`).ok()
	if textsafe.CountTokens(reply.text) > 2<<10 || !strings.HasPrefix(reply.field("guidelines"), "A rule.\n") {
		t.Errorf("guidelines in %d bytes", len(reply.text))
	}
}

func TestTheSmallestReplyHasRoomForTheGuidelines(t *testing.T) {
	for _, rules := range []string{"Be brief.", strings.Repeat("A rule.\n", 4000)} {
		w := newWorld(t, configText("Work", "Home"), func(o *Options) { o.MaxReply, o.Toolsets = SmallestReply, []string{"all"} })
		w.roam.result(localapi.GuidelinesAction, fmt.Sprintf(`{"queriedAt":"2026-11-21T09:30:00.000Z","guidelines":%s,"starredPages":["Projects"],"homepage":null,"todaysDailyNotePage":"November 21st, 2026",`+
			`"aiUserDisplayName":"Ana (AI)","aiUserDisplayPage":"Ana (AI)","humanUserDisplayName":"Ana"}`, rawjson.Encode(rules)))
		c := w.connect()
		for _, tool := range []string{"select_graph", "get_graph_guidelines"} {
			reply := c.call(tool, `{"graph":"Work"}`).ok()
			if shown := reply.field("guidelines"); textsafe.CountTokens(reply.text) > SmallestReply || reply.field("ticket") == "" || !strings.HasPrefix(rules, shown) {
				t.Errorf("%s in %d bytes: %s", tool, len(reply.text), reply.text)
			}
		}
	}
}

func TestManyGraphsCanBeSetUp(t *testing.T) {
	var nicknames, listed []string
	for i := range 120 {
		nicknames = append(nicknames, fmt.Sprintf("Graph%d", i))
		listed = append(listed, fmt.Sprintf(`{"name":"one-of-many-graphs-%03d","type":"hosted"}`, i))
	}
	w := newWorld(t, configText(nicknames...), func(o *Options) { o.MaxReply = SmallestReply })
	w.roam.result("open", `[]`)
	w.roam.result("available", `[`+strings.Join(listed, ",")+`]`)
	c := w.connect()
	reply := c.call(setupTool, `{}`).ok()
	available, _ := reply.fields["available_graphs"].([]any)
	configured, _ := reply.fields["already_configured"].([]any)
	note, _ := reply.fields["truncated"].(map[string]any)
	if textsafe.CountTokens(reply.text) > SmallestReply || len(available) == 0 || len(configured) == 0 || note["resultsLeft"] != float64(maxListedGraphs+120-len(available)-len(configured)) {
		t.Errorf("%d bytes, %d graphs to connect, %d connected: %v", len(reply.text), len(available), len(configured), note)
	}
	refused := c.call(setupTool, `{"graph":"nope"}`).fails(localapi.CodeGraphNotListed)
	if hint := refused.failure["hint"].(string); textsafe.CountTokens(refused.text) > SmallestReply || !strings.Contains(hint, "one-of-many-graphs-000, ") || !strings.Contains(hint, " more. ") {
		t.Errorf("%d bytes: %.300s", len(refused.text), refused.text)
	}
}

func TestWhatACallNamedFitsIntoItsError(t *testing.T) {
	long := strings.Repeat("z", 30_000)
	var items, uids []string
	for i := range ops.MaxBatch {
		uid := fmt.Sprintf("%d%s", i, long[:300])
		uids = append(uids, uid)
		items = append(items, fmt.Sprintf(`{"uid":%q,"ok":false,"deleted":false}`, uid))
	}
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = SmallestReply })
	w.roam.result("data.pull_many", `[]`)
	w.roam.result("data.page.delete", `{"deleted":false}`)
	w.roam.result("data.block.deleteBlocks", `{"results":[`+strings.Join(items, ",")+`]}`)
	c := w.connect()
	if reply := c.call("delete_page", fmt.Sprintf(`{"uid":%q}`, long)).fails(localapi.CodeNotFound); textsafe.CountTokens(reply.text) > SmallestReply {
		t.Errorf("one thing in %d bytes: %.200s", len(reply.text), reply.text)
	}
	reply := c.call("delete_blocks", fmt.Sprintf(`{"uids":%s}`, rawjson.Encode(uids))).fails(localapi.CodeNotFound)
	kept, _ := reply.failure["results"].([]any)
	if textsafe.CountTokens(reply.text) > SmallestReply || len(kept) == 0 || reply.failure["failed"] != float64(ops.MaxBatch) ||
		!strings.Contains(reply.failure["hint"].(string), fmt.Sprintf("first %d of results", len(kept))) {
		t.Errorf("a batch in %d bytes: %.200s", len(reply.text), reply.text)
	}
}

func TestManyGraphsAreListedAsFarAsTheyFit(t *testing.T) {
	var nicknames []string
	for i := range 200 {
		nicknames = append(nicknames, fmt.Sprintf("Graph%d", i))
	}
	w := newWorld(t, configText(nicknames...), func(o *Options) { o.MaxReply = SmallestReply })
	c := w.connect()
	listed := c.call("list_graphs", `{}`).ok()
	graphs, _ := listed.fields["graphs"].([]any)
	note, _ := listed.fields["truncated"].(map[string]any)
	if textsafe.CountTokens(listed.text) > SmallestReply || len(graphs) == 0 || note["resultsLeft"] != float64(200-len(graphs)) || !strings.Contains(fmt.Sprint(note["rest"]), "roam-mcp graphs") {
		t.Errorf("%d bytes, %d graphs: %v", len(listed.text), len(graphs), note)
	}
	refused := c.call("get_page", `{"title":"x"}`).fails(CodeGraphNotSelected)
	if some, _ := refused.failure["available_graphs"].([]any); textsafe.CountTokens(refused.text) > SmallestReply || len(some) == 0 {
		t.Errorf("%d bytes: %.300s", len(refused.text), refused.text)
	}
}

func FuzzFitMarkdown(f *testing.F) {
	markdown, _ := longPage(20)
	f.Add(markdown, 2048)
	f.Add(strings.Repeat("- old form\n  - child\n", 100), 2048)
	page := roamTool("get_page")
	f.Fuzz(func(t *testing.T, markdown string, max int) {
		if max < 2048 || max > 1<<20 {
			return
		}
		reply := rawjson.With("uid", "p").With("markdown", markdown).JSON()
		out, err := surface.Fit(reply, surface.Frame{Tool: page, Max: max})
		if err != nil {
			if Explained(err).Code != surface.CodeReplyTooLarge {
				t.Errorf("unexpected %v", err)
			}
			return
		}
		if !json.Valid(out) || textsafe.CountTokens(out) > max {
			t.Errorf("%d bytes of %d, valid: %v", len(out), max, json.Valid(out))
		}
	})
}

func TestWhatACutReplyTellsToSendIsInTheSchema(t *testing.T) {
	w := newWorld(t, configText("Work"))
	word := func(text, name string) bool {
		return regexp.MustCompile(`\b` + name + `\b`).MatchString(text)
	}
	tools := w.server.offering.profile.Tools
	for i := range tools {
		told := toldByCuts(&tools[i], w.server.worldOf(w.server.currentView()))
		for _, name := range []string{"offset", "limit", "maxDepth", "uid", "title", "heading", "childrenViewType"} {
			if word(told, name) && !strings.Contains(told, "with each of uids") && !strings.Contains(told, "with title") && !tools[i].Takes(name) {
				t.Errorf("%s is told to send %s, which it does not take: %s", tools[i].Name, name, told)
			}
		}
	}
	for tool, names := range map[string][]string{
		"search": {"offset", "limit"}, "roam_query": {"offset"}, "get_backlinks": {"offset", "limit"},
		"datalog_query": {"offset"}, "get_page": {"maxDepth"}, "get_block": {"maxDepth"},
		"update_block": {"heading", "childrenViewType"},
	} {
		each, _ := w.server.offering.profile.Find(tool)
		for _, name := range names {
			if !each.Takes(name) {
				t.Errorf("%s does not take %s", tool, name)
			}
		}
	}
}

// toldByCuts is what cut replies of a tool can say.
func toldByCuts(tool *surface.Tool, world problem.World) string {
	var told []string
	for _, cut := range tool.Cuts {
		switch cut := cut.(type) {
		case surface.CutList:
			if cut.Rest != nil {
				told = append(told, world.Say(cut.Rest(surface.Arguments{}, 3)))
			}
		case surface.CutMarkdown:
			told = append(told, world.Say(cut.Rest))
		case surface.CutText:
			told = append(told, world.Say(cut.Rest))
		}
	}
	if _, err := surface.Fit(json.RawMessage(`{"odd":"far too long"}`), surface.Frame{Tool: tool, World: world, Max: 1}); err != nil {
		told = append(told, world.Say(problem.FromError(err).Hint))
	}
	return strings.Join(told, " ")
}
