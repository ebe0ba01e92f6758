package outline_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/profile/outline"
)

func connect(t *testing.T, options profiletest.Options) (*profiletest.World, *profiletest.Client) {
	t.Helper()
	options.Profile = outline.Name
	return profiletest.Connect(t, options)
}

func TestWhatIsOffered(t *testing.T) {
	fourteen := []string{
		"list_pages", "get_page_content", "create_page", "update_page", "delete_page", "search", "get_block",
		"create_block", "update_block", "delete_block", "move_block", "datascript_query", "ping", "get_capabilities",
	}
	profiletest.CheckOffers(t, outline.Profile(), fourteen, []string{"list_pages", "get_page_content", "search", "get_block", "datascript_query", "ping", "get_capabilities"}, nil)
}

func TestTheToolsInTheDocumentAreThoseOfTheProfile(t *testing.T) {
	profiletest.CheckToolsTable(t, outline.Profile())
}

func TestCallsOfTheToolsThatRead(t *testing.T) {
	profiletest.CheckCallsTable(t, outline.Profile(), nil, map[string]string{
		"list_pages": `{}`, "get_page_content": `{"page_name":"Projects/Apollo"}`, "search": `{"query":"engine"}`, "get_block": `{"block_uuid":"ap0000001"}`,
		"datascript_query": `{"query":"[:find ?n :where [?p :block/original-name ?n]]"}`, "ping": `{}`, "get_capabilities": `{}`,
	})
}

func TestAWriteThatIsNotOfferedSendsNothing(t *testing.T) {
	const want = `{"error":{"code":"CAPABILITY_MISSING","message":"pages.create is not available.","cause":"READ_ONLY","capability":"pages.create",` +
		`"reason":"This server was started with --read-only, so nothing can be changed.","remedy":"<any>"}}`
	profiletest.CheckReadOnly(t, outline.Name, profiletest.Call{Tool: "create_page", Arguments: `{"title":"x"}`, IsError: true, Want: want})
}

func TestWithSeveralGraphsWritesNeedTheTicketOfTheirs(t *testing.T) {
	_, c := connect(t, profiletest.Options{Second: true})
	profiletest.CheckTickets(t, c, profiletest.Call{Tool: "create_page", Arguments: `{"title":"x","content":"y"}`, Want: `{"success":true,"...":"..."}`})
}

func TestHiddenBlocksAreShownNowhereAndSurviveWrites(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	for _, call := range [][2]string{
		{"list_pages", `{"include_journals":true}`},
		{"get_page_content", `{"page_name":"2024-01-15"}`},
		{"get_page_content", `{"page_name":"2024-01-15","format":"json"}`},
		{"search", `{"query":"private thing","include_files":true}`},
		{"get_block", `{"block_uuid":"da0000002"}`},
		{"datascript_query", `{"query":"[:find ?c :where [_ :block/content ?c]]"}`},
		{"update_page", `{"page_name":"2024-01-15","content_append":"more","properties":{"mood":"good"}}`},
		{"update_block", `{"block_uuid":"da0000002","content":"gone"}`},
		{"move_block", `{"block_uuid":"da0000002","target_page_name":"Ada"}`},
		{"delete_block", `{"block_uuid":"da0000002","recursive":true}`},
		{"delete_page", `{"page_name":"2024-01-15","force":true}`},
	} {
		if r := c.Call(call[0], call[1]); strings.Contains(strings.ReplaceAll(r.String(), `\"query\":\"private thing\"`, ""), "private thing") {
			t.Errorf("%s answered %s", call[0], r)
		}
		if text, _ := w.Text("da0000002"); text != "private thing [[Orphan]] #.rm-private" {
			t.Fatalf("after %s %s it is %q", call[0], call[1], text)
		}
	}
}

// A reply that is lost is looked for, and the write is never sent twice.
func TestALostReplyIsLookedFor(t *testing.T) {
	example := func(action, tool, arguments string) profiletest.Example {
		return profiletest.Example{Name: tool, Calls: []profiletest.Call{profiletest.Call{Tool: tool, Arguments: arguments, Want: `{"success":true,"...":"..."}`}.Losing(action)}}
	}
	profiletest.RunOnce(t, profiletest.Options{Profile: outline.Name},
		example("data.page.fromMarkdown", "create_page", `{"title":"Trip","content":"pack"}`),
		example("data.block.fromMarkdown", "update_page", `{"page_name":"Ada","content_append":"more"}`),
		example("data.block.create", "create_block", `{"page_name":"Ada","content":"more"}`),
		example("data.block.update", "update_block", `{"block_uuid":"ad0000001","content":"less"}`),
		example("data.block.move", "move_block", `{"block_uuid":"ad0000001","target_page_name":"Grace"}`),
		example("data.block.delete", "delete_block", `{"block_uuid":"ad0000001"}`),
		example("data.page.delete", "delete_page", `{"page_name":"Orphan"}`),
	)
}

func block(uid, text string, children ...map[string]any) map[string]any {
	return map[string]any{"uid": uid, "string": text, "children": children, "create-time": 1705276800000, "edit-time": 1705276800000}
}

// longExport has a page with more blocks than a reply takes, one of them with more below
// it, and more pages than a reply takes.
func longExport() string {
	var blocks, below []map[string]any
	for i := range 300 {
		below = append(below, block(fmt.Sprintf("below%04d", i), strings.Repeat("deep ", 20)))
	}
	for i := range 200 {
		blocks = append(blocks, block(fmt.Sprintf("block%04d", i), strings.Repeat("word ", 30), block(fmt.Sprintf("child%04d", i), "child")))
	}
	blocks[100] = block("block0100", "much below", below...)
	pages := []map[string]any{{"title": "Long", "uid": "long00000", "children": blocks, "create-time": 1705276800000, "edit-time": 1705276800000}}
	for i := range 400 {
		pages = append(pages, map[string]any{"title": fmt.Sprintf("Page %03d", i), "uid": fmt.Sprintf("page%05d", i), "create-time": 1705276800000, "edit-time": 1705276800000})
	}
	text, _ := json.Marshal(pages)
	return string(text)
}

func TestWhatIsTooLongIsReadInParts(t *testing.T) {
	_, c := connect(t, profiletest.Options{Export: longExport(), Server: func(o *mcpserve.Options) { o.MaxReply = mcpserve.SmallestReply }})
	for name, tc := range map[string]struct {
		tool, arguments, field, id string
		total                      int
	}{
		"pages":                   {"list_pages", `"include_journals":true`, "pages", "page_uuid", 401},
		"the blocks of a page":    {"get_page_content", `"page_name":"Long","format":"json"`, "blocks", "block_uuid", 200},
		"the children of a block": {"get_block", `"block_uuid":"block0100"`, "children", "block_uuid", 300},
		"the outline of a page":   {"get_page_content", `"page_name":"Long"`, "", "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]int{}
			for calls, offset := 0, 0; ; calls++ {
				r := c.Call(tc.tool, fmt.Sprintf(`{%s,"offset":%d}`, tc.arguments, offset))
				var reply map[string]json.RawMessage
				if r.Decode(t, &reply); calls > 60 || r.IsError {
					t.Fatalf("at %d: %s", offset, r)
				}
				shown := 0
				for _, each := range rawjson.Elements(reply[tc.field]) {
					uid, _ := rawjson.Parse(each).Text(tc.id)
					seen[uid]++
					shown++
				}
				if tc.field == "" {
					var text string
					_ = json.Unmarshal(reply["text"], &text)
					for line := range strings.Lines(text) {
						if strings.HasPrefix(line, "- ") {
							seen[fmt.Sprint(offset+shown)]++
							shown++
						}
					}
				}
				if offset += shown; offset == tc.total {
					break
				}
				want := fmt.Sprintf("Shown %d to %d of %d", offset-shown+1, offset, tc.total)
				if said := strings.Join(r.Texts[1:], " "); !strings.Contains(said, want) || !strings.Contains(said, fmt.Sprintf("call %s with offset %d.", tc.tool, offset)) {
					t.Fatalf("the second text is %q, not %q", said, want)
				}
			}
			for id, times := range seen {
				if times != 1 {
					t.Errorf("%s was shown %d times", id, times)
				}
			}
			if len(seen) != tc.total {
				t.Errorf("%d were shown", len(seen))
			}
		})
	}
	t.Run("a block with too much below it says how much", func(t *testing.T) {
		r := c.Call("get_page_content", `{"page_name":"Long","format":"json","offset":100}`)
		if err := profiletest.Match(`{"blocks":[{"block_uuid":"block0100","hidden_children":300,"children":[],"...":"..."},"..."],"...":"..."}`, r.Text()); err != nil {
			t.Error(err)
		}
	})
}

func TestRoamThatIsClosed(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	degraded := []profiletest.Call{
		{Tool: "ping", Arguments: `{}`, Want: `{"status":"degraded","roam":"unreachable","graph":"work","server_version":"<any>","cause":"<any>","message":"<any>","hint":"<any>"}`},
		{Tool: "get_capabilities", Arguments: `{}`, Want: `{"disabled":[],"...":"..."}`},
	}
	calls := slices.Clone(degraded)
	for tool, arguments := range map[string]string{"list_pages": `{}`, "get_page_content": `{"page_name":"Ada"}`, "search": `{"query":"x"}`, "get_block": `{"block_uuid":"ad0000001"}`, "create_page": `{"title":"x"}`} {
		calls = append(calls, profiletest.Call{Tool: tool, Arguments: arguments, IsError: true, Want: `{"error":{"code":"INTERNAL","cause":"CONNECTION_FAILED","...":"..."}}`})
	}
	profiletest.CheckClosed(t, c, 15, calls...)
	w.Restart(func() { c.Expect(t, degraded...) }) // something else answers, which is not Roam
	c.Expect(t, profiletest.Call{Tool: "list_pages", Arguments: `{}`}, profiletest.Call{Tool: "ping", Arguments: `{}`, Want: `{"status":"ok","roam":"reachable","...":"..."}`})
}

// Neither ping nor get_capabilities says that all is well where no call would succeed, and
// both tell Roam's version.
func TestPingTellsWhatIsWrongWithTheGraph(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: outline.Name})
	for setting, cause := range map[string]string{"disabled": "LOCAL_API_DISABLED", "api-version=2.0.0": "VERSION_MISMATCH", "window-closed": "WINDOW_CLOSED"} {
		t.Run(setting, func(t *testing.T) {
			w := suite.World(t)
			c := w.Connect(profiletest.Ways()[0])
			c.Expect(t, profiletest.Call{Tool: "list_pages", Arguments: `{}`}, profiletest.Call{Tool: "ping", Arguments: `{}`, Want: `{"status":"ok","roam":"reachable","...":"..."}`},
				profiletest.Call{Tool: "get_capabilities", Arguments: `{}`, Want: `{"roam_api_version":"1.1.5","roam":"reachable","...":"..."}`})
			w.Switch(setting)
			for _, tool := range []string{"get_capabilities", "ping"} {
				c.Expect(t, profiletest.Call{Tool: tool, Arguments: `{}`, Want: `{"roam":"reachable","cause":"` + cause + `","message":"<any>","hint":"<any>","...":"..."}`})
			}
		})
	}
}

func TestTwoClientsSeeEachOthersBlocks(t *testing.T) {
	const query = `{"query":"[:find [?c ...] :where [?b :block/content ?c] [(clojure.string/includes? ?c \"shared\")]]"}`
	profiletest.RunOnce(t, profiletest.Options{Profile: outline.Name}, profiletest.Example{Name: "over stdio and over HTTP", Calls: []profiletest.Call{
		{Tool: "create_block", Arguments: `{"page_name":"Ada","content":"shared by one"}`},
		{Other: true, Tool: "datascript_query", Arguments: query, Want: `{"results":["shared by one"],"...":"..."}`},
		{Other: true, Tool: "create_block", Arguments: `{"page_name":"Ada","content":"shared by two"}`},
		{Tool: "datascript_query", Arguments: query, Want: `{"results":["shared by one","shared by two"],"...":"..."}`},
	}})
}

// A client that leaves while the mirror is loaded is not waited for, and the next call
// has its answer.
func TestACallThatIsCancelledEnds(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	w.Fault(func(faultproxy.Request) faultproxy.Fault { cancel(); return faultproxy.Fault{} })
	arguments := json.RawMessage(`{"query":"[:find ?n :where [_ :block/name ?n]]"}`)
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "datascript_query", Arguments: arguments}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.Fault(nil)
	if r := c.Call("datascript_query", `{"query":"[:find (count ?n) . :where [_ :block/name ?n]]"}`); r.IsError || !strings.Contains(r.Text(), `"results":[`) {
		t.Error(r)
	}
}

// Text of the graph is JSON within a reply, and quoted in an error.
func TestTextOfTheGraphIsNeverInOurOwnSentences(t *testing.T) {
	hostile := strings.ReplaceAll(demograph.JSON, "nobody links here", `nobody\u0007 links \"here\"`)
	_, c := connect(t, profiletest.Options{Export: hostile})
	var page struct{ Text string }
	c.Call("get_page_content", `{"page_name":"Orphan"}`).Decode(t, &page)
	if page.Text != "- nobody‹U+0007› links \"here\"" {
		t.Errorf("got %q", page.Text)
	}
	for _, call := range [][2]string{{"get_page_content", `{"page_name":"a\u0007\nb"}`}, {"get_block", `{"block_uuid":"a\u0007\nb"}`}, {"get_page_content", `{"page_name":"Ada","format":"a\u0007\nb"}`}} {
		message, ok := rawjson.Parse(rawjson.Parse([]byte(c.Call(call[0], call[1]).Text())).Get("error")).Text("message")
		if !ok || strings.ContainsAny(message, "\a\n") {
			t.Errorf("%s: %q", call[0], message)
		}
	}
}

// Text is stored as it is sent, and the guidelines say so of tasks.
func TestTheGuidelinesTellHowATaskIsWritten(t *testing.T) {
	_, c := profiletest.Connect(t, profiletest.Options{Profile: "outline"})
	if said := c.Call("get_graph_guidelines", `{}`).Text(); !strings.Contains(said, "A task begins with {{[[TODO]]}} or {{[[DONE]]}}; [ ] and [x] stay as they are.") {
		t.Error(said)
	}
	c.Expect(t, profiletest.Call{Tool: "create_block", Arguments: `{"page_name":"Ada","content":"[ ] more"}`},
		profiletest.Call{Tool: "search", Arguments: `{"query":"more"}`, Want: `{"total":1,"blocks":[{"content":"[ ] more","...":"..."}],"...":"..."}`})
}
