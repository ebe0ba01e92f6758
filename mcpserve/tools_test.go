package mcpserve

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

// day15 is a fixed now, at noon of the machine's calendar.
func day15(o *Options) {
	o.Now = func() time.Time { return time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC) }
}

func TestEachToolSendsWhatRoamExpects(t *testing.T) {
	for name, tc := range map[string]struct {
		tool, arguments string
		action, args    string
		result, want    string // Roam's, and the reply without graph and graphName
	}{
		"get_page by title": {"get_page", `{"title":"Home","maxDepth":1}`,
			"data.ai.getPage", `[{"title":"Home","maxDepth":1}]`, `{"uid":"p","markdown":"# Home"}`, `{"uid":"p","markdown":"# Home"}`},
		"get_page prefers the uid": {"get_page", `{"title":"Home","uid":"p"}`,
			"data.ai.getPage", `[{"uid":"p"}]`, `{}`, `{"found":false}`},
		"get_page misses": {"get_page", `{"uid":"p"}`, "data.ai.getPage", `[{"uid":"p"}]`, `null`, `{"found":false}`},
		"get_block": {"get_block", `{"uid":"b"}`,
			"data.ai.getBlock", `[{"uid":"b"}]`, `{"uid":"b","markdown":"- x <roam uid=\"b\"/>"}`, `{"uid":"b","markdown":"- x <roam uid=\"b\"/>"}`},
		"get_backlinks": {"get_backlinks", `{"title":"Home","limit":"5","sort":"edited-date","includePath":"false"}`,
			"data.ai.getBacklinks", `[{"title":"Home","limit":5,"sort":"edited-date","includePath":false}]`, `null`, `{"total":0,"results":[]}`},
		"search sends its defaults": {"search", `{"query":""}`,
			"data.ai.search", `[{"query":"","scope":"all","offset":0,"limit":20,"includePath":true}]`, `{"suggestions":{}}`, `{"suggestions":{}}`},
		"create_page": {"create_page", `{"title":"New","markdown":"- a","childrenViewType":"numbered"}`,
			"data.page.fromMarkdown", `[{"page":{"title":"New","uid":"[new]","children-view-type":"numbered"},"markdown-string":"- a"}]`, `{"uid":"p"}`, `{"uid":"p"}`},
		"create_page with a link for a title": {"create_page", `{"title":"[[New]]"}`,
			"data.page.fromMarkdown", `[{"page":{"title":"New","uid":"[new]"}}]`, `{"uid":"p"}`, `{"uid":"p"}`},
		"create_page with an empty uid": {"create_page", `{"title":"New","uid":" "}`,
			"data.page.fromMarkdown", `[{"page":{"title":"New","uid":"[new]"}}]`, `{"uid":"p"}`, `{"uid":"p"}`},
		"create_page without a reply": {"create_page", `{"title":"New"}`,
			"data.page.fromMarkdown", `[{"page":{"title":"New","uid":"[new]"}}]`, `null`, `{"uid":""}`},
		"create_block in a block": {"create_block", `{"parentUid":"p","markdown":"- a","order":"0","open":false}`,
			"data.block.fromMarkdown", `[{"location":{"parent-uid":"p","order":0},"markdown-string":"- a","open":false}]`, `{"uids":["n"]}`, `{"uids":["n"]}`},
		"create_block on a page": {"create_block", `{"pageTitle":"Home","nestUnder":"TODOs","markdown":"a"}`,
			"data.block.fromMarkdown", `[{"location":{"page-title":"Home","order":"last","nest-under-str":"TODOs"},"markdown-string":"a"}]`, `{"uids":["n"]}`, `{"uids":["n"]}`},
		"create_block on a daily note": {"create_block", `{"dailyNotePage":"tomorrow","markdown":"a"}`,
			"data.block.fromMarkdown", `[{"location":{"page-title":{"daily-note-page":"11-16-2026"},"order":"last"},"markdown-string":"a"}]`, `{"uids":["n"]}`, `{"uids":["n"]}`},
		"update_block with its look": {"update_block", `{"uid":"b","string":"See ((u1))","heading":0,"textAlign":"center"}`,
			"data.block.update", `[{"block":{"uid":"b","string":"See ((u1))","heading":0,"text-align":"center"}}]`, `null`, `{"success":true}`},
		"update_block may empty a block": {"update_block", `{"uid":"b","string":""}`,
			"data.block.update", `[{"block":{"uid":"b","string":""}}]`, `null`, `{"success":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"), day15)
			w.roam.result(tc.action, tc.result)
			reply := w.connect().call(tc.tool, tc.arguments).ok().has("graph", "Work").has("graphName", "work-graph")
			sent := w.roam.requests(tc.action)
			if tc.tool == "create_page" {
				sent[0].Args = regexp.MustCompile(`"uid":"[A-Za-z0-9_-]{9}"`).ReplaceAll(sent[0].Args, []byte(`"uid":"[new]"`))
			}
			if len(sent) != 1 || !sameJSON(t, sent[0].Args, tc.args) || sent[0].Graph != "work-graph" || sent[0].Token != "Bearer "+secretOf("Work") {
				t.Errorf("sent %d: %s, want %s", len(sent), sent[0].Args, tc.args)
			}
			delete(reply.fields, "graph")
			delete(reply.fields, "graphName")
			delete(reply.fields, "warning") // this Roam can't be asked for what was done
			if got, _ := json.Marshal(reply.fields); !sameJSON(t, got, tc.want) {
				t.Errorf("replied %s, want %s", got, tc.want)
			}
			if tool, _ := w.server.offering.profile.Find(tc.tool); tool.Writes() != (reply.result.StructuredContent != nil) {
				t.Error("structured content is for writes")
			}
		})
	}
}

func sameJSON(t *testing.T, a []byte, b string) bool {
	t.Helper()
	var left, right any
	require.NoError(t, json.Unmarshal(a, &left))
	require.NoError(t, json.Unmarshal([]byte(b), &right))
	return reflect.DeepEqual(left, right)
}

func TestCallsThatAskForNothingOrTooMuchAreRefusedBeforeTheyAreSent(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	for name, tc := range map[string]struct{ tool, arguments, want string }{
		"a page without a name":      {"get_page", `{}`, "title or uid"},
		"backlinks of nothing":       {"get_backlinks", `{"limit":3}`, "title or uid"},
		"no target":                  {"create_block", `{"markdown":"a"}`, "exactly one"},
		"two targets":                {"create_block", `{"markdown":"a","parentUid":"p","pageTitle":"x"}`, "exactly one"},
		"a day that does not exist":  {"create_block", `{"markdown":"a","dailyNotePage":"02-30-2026"}`, "MM-DD-YYYY"},
		"an update without a change": {"update_block", `{"uid":"b"}`, "nothing to change"},
		"a text for a number":        {"search", `{"query":"a","limit":"many"}`, `limit is "many"; it takes`},
	} {
		t.Run(name, func(t *testing.T) {
			refused := c.call(tc.tool, tc.arguments).fails(surface.CodeInvalidParams)
			if !strings.Contains(refused.failure["message"].(string), tc.want) {
				t.Errorf("got %s", refused.text)
			}
		})
	}
	c.call("update_block", `{"uid":"b","string":"cut <roam uid=\"b\" truncated=\"9\"/>"}`).fails(ops.CodeTruncatedSource)
	if len(w.roam.seen) != 0 {
		t.Errorf("%d requests were sent", len(w.roam.seen))
	}
}

func TestDeletingTellsWhatItHits(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	w.roam.result("data.pull_many", `[{"f-uid":"b","f-string":"a","f-children":[{"f-uid":"c","f-string":"code"},{"f-uid":"d","f-string":"d","f-order":1,"f-_refs":[{"f-uid":"r","f-string":"((d))"}]}],`+
		`"f-_refs":[{"f-uid":"s","f-string":"((b))"},{"f-uid":"t","f-string":"((b))"}]}]`)
	w.roam.result("q", `[["b"]]`)
	w.roam.result("data.block.delete", `{"deleted":true}`)
	c.call("delete_block", `{"uid":"b"}`).ok().has("success", true).has("deleted", true).has("descendants", 2.0).has("references", 3.0)
	w.roam.result("data.block.delete", `null`)
	c.call("delete_block", `{"uid":"b"}`).fails(ops.CodeOutcomeUnknown) // it is still there
	w.roam.result("data.block.delete", `{"deleted":false,"reason":"not-found"}`)
	c.call("delete_block", `{"uid":"b"}`).fails(localapi.CodeNotFound)
	w.roam.result("data.block.delete", `{"deleted":false,"reason":"locked\n by \"someone\""}`)
	refused := c.call("delete_block", `{"uid":"b"}`).fails(localapi.CodeNotFound)
	if !strings.Contains(refused.failure["message"].(string), `"locked by \"someone\""`) || !strings.Contains(refused.failure["hint"].(string), "Do not assume") {
		t.Errorf("the reason is not quoted: %s", refused.text)
	}
	w.roam.result("data.block.delete", `{"deleted":false,"reason":7}`)
	c.call("delete_block", `{"uid":"b"}`).fails(localapi.CodeNotFound)
}

func TestGuidelinesComeWithWhatAnAgentNeeds(t *testing.T) {
	w := newWorld(t, strings.Replace(configText("Work"), `,"accessLevel":"full"`, ``, 1))
	reply := w.connect().call("get_graph_guidelines", `{}`).ok().has("guidelines", "Be brief.").has("accessLevel", "full")
	if !strings.HasPrefix(reply.field("nextSteps"), "You have the guidelines now; do not call this again") || !strings.Contains(reply.field("nextSteps"), "November 21st, 2026") {
		t.Errorf("nextSteps: %s", reply.field("nextSteps"))
	}
	if strings.Index(reply.text, `"roamSyntax"`) < strings.Index(reply.text, `"guidelines"`) {
		t.Error("the syntax guide stands before the guidelines")
	}
	if reply.fields["ticket"] != nil {
		t.Error("a ticket for one graph")
	}
	await.Condition(t, "level and status are saved", func() bool {
		config, err := w.store.Load(t.Context())
		return err == nil && config.Entries[0].AccessLevel == localapi.Full && config.Entries[0].LastKnownTokenStatus == localapi.TokenActive
	})
	for name, result := range map[string]string{"a bare string": `"Old form."`, "null": `null`, "null in the object": `{"guidelines":null}`} {
		t.Run(name, func(t *testing.T) {
			w.roam.result(localapi.GuidelinesAction, result)
			reply := w.connect().call("get_graph_guidelines", `{}`).ok()
			if _, there := reply.fields["guidelines"]; !there || name == "a bare string" && reply.fields["guidelines"] != "Old form." {
				t.Errorf("got %s", reply.text)
			}
		})
	}
}

func TestGuidelinesDoNotWaitForTheTokensLevel(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.server.timeouts.TokenInfo = time.Millisecond
	release := make(chan struct{})
	defer close(release)
	w.roam.on("tokens/info", func(roamRequest) (int, string) { <-release; return 500, `{}` })
	started := time.Now()
	w.connect().call("get_graph_guidelines", `{}`).ok().has("accessLevel", "full")
	if waited := time.Since(started); waited >= guidelinesTimeout {
		t.Errorf("it took %v, all the time that there was", waited)
	}
}

func TestRoamsErrorsKeepTheirCodeAndText(t *testing.T) {
	for name, tc := range map[string]struct {
		status    int
		body      string
		code      problem.Code
		text      string
		retryable bool
	}{
		"a scope":              {403, `{"success":false,"error":{"code":"INSUFFICIENT_SCOPE","message":"Token lacks edit"}}`, "INSUFFICIENT_SCOPE", "Token lacks edit", false},
		"a bare string":        {403, `{"success":false,"error":"Local API is disabled in settings"}`, "LOCAL_API_DISABLED", "Local API is disabled in settings", false},
		"an unknown code":      {418, `{"success":false,"error":{"code":"NEW_THING","message":"Something new"}}`, "NEW_THING", "Something new", false},
		"a missing parent":     {500, `{"success":false,"error":{"message":"Parent block not found"}}`, "NOT_FOUND", "Parent block not found", false},
		"an action of no such": {404, `{"success":false,"error":{"code":"UNKNOWN_ACTION","message":"No such action"}}`, "UNSUPPORTED_ROAM", "No such action", false},
		"too many writes":      {500, `{"success":false,"error":"Rate limit exceeded"}`, "RATE_LIMITED", "Rate limit exceeded", true},
		"half a reply":         {200, `{"success":tr`, "INVALID_REPLY", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"))
			w.roam.fails("data.ai.getPage", tc.status, tc.body)
			reply := w.connect().call("get_page", `{"title":"x"}`).fails(tc.code)
			if !strings.Contains(reply.failure["message"].(string), tc.text) {
				t.Errorf("Roam's text is lost: %s", reply.text)
			}
			if reply.failure["httpStatus"] != float64(tc.status) || reply.failure["action"] != "data.ai.getPage" || reply.failure["retryable"] != tc.retryable {
				t.Errorf("status, action or retryable: %s", reply.text)
			}
		})
	}
}

func TestWhatIsMissingOrThereAlreadyLeadsOn(t *testing.T) {
	missing := `{"success":false,"error":"Parent entity doesn't exist"}`
	for name, tc := range map[string]struct {
		tool, args, action, body string
		toolsets                 []string
		hint                     string // empty: none
	}{
		"a parent that is missing":     {"create_block", `{"parentUid":"p","markdown":"a"}`, "data.block.fromMarkdown", missing, nil, "with search"},
		"a block that is missing":      {"roam_query", `{"uid":"b"}`, "data.ai.roamQuery", missing, nil, "with search"},
		"nothing to search with":       {"create_block", `{"parentUid":"p","markdown":"a"}`, "data.block.fromMarkdown", missing, []string{"write"}, ""},
		"a file that is missing":       {"file_get", `{"url":"https://x/y"}`, "file.get", missing, []string{"all"}, ""},
		"a page that is there already": {"create_page", `{"title":"Home"}`, "data.page.fromMarkdown", `{"success":false,"error":"Page already exists"}`, nil, "create_block adds to it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.Toolsets = tc.toolsets })
			w.roam.fails(tc.action, 500, tc.body)
			w.roam.result("q", `[]`) // a look finds nothing of what was to be written
			reply := w.connect().call(tc.tool, tc.args)
			hint, _ := reply.failure["hint"].(string)
			if !reply.isError || (hint == "") != (tc.hint == "") || !strings.Contains(hint, tc.hint) {
				t.Errorf("want a hint with %q: %s", tc.hint, reply.text)
			}
		})
	}
}

func TestARevokedTokenIsNotedAndTheWayOnIsNamed(t *testing.T) {
	w := newWorld(t, strings.Replace(configText("Work"), `"nickname":"Work"`, `"nickname":"My Work"`, 1))
	revoked := `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"unknown token"}}`
	w.roam.fails("data.ai.getPage", 401, revoked)
	w.roam.fails("tokens/info", 404, `{}`)
	reply := w.connect().call("get_page", `{"title":"x"}`).fails(localapi.CodeTokenNotFound)
	if !strings.Contains(reply.failure["hint"].(string), `roam-mcp reauth 'My Work'`) {
		t.Errorf("no way on: %s", reply.text)
	}
	if config, _ := w.store.Load(t.Context()); config.Entries[0].LastKnownTokenStatus != "" {
		t.Error("noted as revoked although Roam did not say so")
	}
	w.roam.fails("tokens/info", 401, revoked)
	w.connect().call("get_page", `{"title":"x"}`).fails(localapi.CodeTokenNotFound)
	if config, _ := w.store.Load(t.Context()); config.Entries[0].LastKnownTokenStatus != localapi.TokenRevoked {
		t.Error("the revocation is not noted")
	}
	w.roam.fails("tokens/info", 200, `{"success":true,"grantedAccessLevel":"full"}`)
	w.connect().call("get_graph_guidelines", `{}`).ok()
	if config, _ := w.store.Load(t.Context()); config.Entries[0].LastKnownTokenStatus != localapi.TokenActive {
		t.Error("the token works again, which is not noted")
	}
}

func TestHintsNameTheRoamThatIsServed(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.World.Roam = "the sandbox" })
	w.roam.Close()
	reply := w.connect().call("get_page", `{"title":"x"}`).fails(localapi.CodeConnectionFailed)
	if hint := reply.failure["hint"]; hint != "Start the sandbox and try again." {
		t.Errorf("got %v", hint)
	}
}

func TestCommandsAreForTheConfigurationThatIsServed(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"), func(o *Options) {
		o.World.Flags = []string{"--sandbox"}
	})
	require.NoError(t, w.store.SetDisabled(t.Context(), "Work", true))
	c := w.connect()
	for advice, reply := range map[string]toolReply{
		`The user can enable it with: roam-mcp --sandbox enable Work`:                                                    c.call("get_page", `{"graph":"Work","title":"x"}`).fails(CodeGraphDisabled),
		`The user can switch it on with: roam-mcp --sandbox serve --toolsets graphs,read,write,history,desktop,discover`: c.call("suggest_links", `{"graph":"Home","text":"x"}`).fails(CodeToolNotOffered),
	} {
		if !strings.Contains(reply.text, advice) {
			t.Errorf("there is no %s in %s", advice, reply.text)
		}
	}
	require.NoError(t, w.store.SetDisabled(t.Context(), "Home", true))
	if none := c.call("get_page", `{"title":"x"}`).fails(CodeGraphDisabled); !strings.Contains(none.text, "with: roam-mcp --sandbox enable NICKNAME") {
		t.Errorf("got %s", none.text)
	}
	require.NoError(t, os.Remove(w.store.Path()))
	if none := c.call("get_page", `{"title":"x"}`).fails(configstore.CodeConfigNotFound); !strings.Contains(none.text, "run roam-mcp --sandbox in a terminal") {
		t.Errorf("got %s", none.text)
	}
}

func TestRoamClosedIsSaidAndRecoveredFrom(t *testing.T) {
	w := newWorld(t, configText("Work"))
	c := w.connect()
	w.roam.Close()
	reply := c.call("get_page", `{"title":"x"}`).fails(localapi.CodeConnectionFailed)
	if reply.failure["retryable"] != true || reply.failure["hint"] == nil {
		t.Errorf("got %s", reply.text)
	}
	c.call("create_block", `{"parentUid":"p","markdown":"x"}`).fails(localapi.CodeConnectionFailed)
}

func TestAReadWhoseReplyWasLostDidNothing(t *testing.T) {
	drop := func(roamRequest) (int, string) { return 0, "" }
	w := newWorld(t, configText("Work"))
	c := w.connect()
	for action, call := range map[string][2]string{
		"data.ai.getPage":         {"get_page", `{"title":"x"}`},
		"data.pull_many":          {"delete_block", `{"uid":"b"}`}, // looks before it deletes
		localapi.GuidelinesAction: {"get_graph_guidelines", `{}`},
	} {
		w.roam.on(action, drop)
		reply := c.call(call[0], call[1]).fails(localapi.CodeConnectionFailed)
		if reply.failure["hint"] != "Nothing was written by this. Try again." || reply.failure["retryable"] != true {
			t.Errorf("%s leads astray: %s", call[0], reply.text)
		}
	}
}

func TestALostWriteIsLookedForWhereItWasSent(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.on("data.block.fromMarkdown", func(roamRequest) (int, string) { return 0, "" })
	w.roam.result("q", `[["n1","x"]]`)
	reply := w.connect().call("create_block", `{"parentUid":" p ","markdown":"x"}`).fails(ops.CodeOutcomeUnknown)
	if reply.failure["applied"] != true || reply.failure["evidence"] == nil || reply.failure["hint"] == nil {
		t.Errorf("got %s", reply.text)
	}
	if args := string(w.roam.requests("q")[0].Args); !strings.Contains(args, `,"p",`) {
		t.Errorf("it was looked for elsewhere: %s", args)
	}
}
