package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

const (
	pageResult   = `{"uid":"p1","markdown":"# Home <roam uid=\"p1\"/>\n\n- One <roam uid=\"b1\"/>\n"}`
	createResult = `{"uids":["new1"]}`
)

func twoGraphs(t *testing.T, change ...func(*Options)) *world {
	w := newWorld(t, configText("Work", "Home"), change...)
	w.roam.result("data.ai.getPage", pageResult)
	w.roam.result("data.block.fromMarkdown", createResult)
	return w
}

func TestOneGraphNeedsNeitherSelectionNorTicket(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	w.roam.result("data.block.fromMarkdown", createResult)
	c := w.connect()
	c.call("get_page", `{"title":"Home"}`).ok().has("graph", "Work").has("graphName", "work-graph")
	c.call("create_block", `{"parentUid":"p1","markdown":"x"}`).ok().has("graph", "Work")
	if got := toolNames(t, c); slices.Contains(got, "select_graph") || slices.Contains(got, "list_graphs") {
		t.Errorf("selection tools are offered: %v", got)
	}
	// Prompts written for several graphs go on working.
	c.call("get_page", `{"title":"Home","graph":"WORK"}`).ok().has("graph", "WORK")
	c.call("get_page", `{"title":"Home","graph":"Other"}`).fails(configstore.CodeGraphNotConfigured)
	c.call("select_graph", `{"graph":"Work"}`).ok()
	c.call("list_graphs", `{}`).ok()
}

func TestListsOfGraphsShowNothingInvisible(t *testing.T) {
	w := newWorld(t, strings.NewReplacer(`"One"`, "\"Wo\u200brk\U000e0041\"", `"Two"`, "\"👩\u200d💻\"").Replace(configText("One", "Two")))
	w.roam.result("data.ai.getPage", pageResult)
	c := w.connect()
	refused := c.call("get_page", `{"title":"Home"}`).fails(CodeGraphNotSelected)
	if listed, _ := json.Marshal(refused.failure["available_graphs"]); !strings.Contains(string(listed), `"nickname":"Work"`) || !strings.Contains(string(listed), "👩\u200d💻") {
		t.Errorf("listed as %+q", listed)
	}
	c.call("get_page", `{"title":"Home","graph":"Work"}`).ok()
}

func TestSeveralGraphsHaveToBeChosen(t *testing.T) {
	w := twoGraphs(t)
	c := w.connect()
	refused := c.call("get_page", `{"title":"Home"}`).fails(CodeGraphNotSelected)
	if refused.failure["suggested_next_tool"] != "select_graph" || len(refused.failure["available_graphs"].([]any)) != 2 {
		t.Errorf("the error does not help: %s", refused.text)
	}
	c.call("current_graph", `{}`).fails(CodeGraphNotSelected)
	c.call("get_page", `{"title":"Home","graph":"home"}`).ok().has("graph", "home").has("graphName", "home-graph")
	c.call("get_page", `{"title":"Home"}`).fails(CodeGraphNotSelected)
	c.call("select_graph", `{"graph":"work-graph"}`).ok().has("graph_name", "work-graph").has("nickname", "Work")
	c.call("get_page", `{"title":"Home"}`).ok().has("graph", "Work")
	c.call("get_page", `{"title":"Home","graph":"Home"}`).ok().has("graphName", "home-graph")
	c.call("current_graph", `{}`).ok().has("graph_name", "work-graph")
	other := w.connect()
	other.call("current_graph", `{}`).fails(CodeGraphNotSelected)
}

func TestASelectionThatRoamDoesNotConfirmChangesNothing(t *testing.T) {
	w := twoGraphs(t)
	c := w.connect()
	c.call("select_graph", `{"graph":"Work"}`).ok()
	w.roam.fails(localapi.GuidelinesAction, 500, `{"success":false,"error":"Promise error: window closed"}`)
	c.call("select_graph", `{"graph":"Home"}`).fails(localapi.CodeWindowClosed)
	c.call("current_graph", `{}`).ok().has("nickname", "Work")
	c.call("select_graph", `{"graph":"Nowhere"}`).fails(configstore.CodeGraphNotConfigured)
}

func TestAWriteNeedsTheTicketOfItsGraph(t *testing.T) {
	w := twoGraphs(t)
	c := w.connect()
	workTicket := c.call("get_graph_guidelines", `{"graph":"Work"}`).ok().field("ticket")
	homeTicket := c.call("get_graph_guidelines", `{"graph":"Home"}`).ok().field("ticket")
	if len(workTicket) != 12 || len(homeTicket) != 12 || workTicket == homeTicket {
		t.Errorf("the tickets are %s and %s", workTicket, homeTicket)
	}
	write := func(more string) toolReply {
		return c.call("create_block", `{"parentUid":"p1","markdown":"x"`+more+`}`)
	}
	write(``).fails(CodeGraphNotSelected)
	for _, forged := range []string{workTicket[:11], workTicket + "A", workTicket[:11] + "~", homeTicket[:6] + workTicket[6:]} {
		write(`,"graph":"Work","ticket":"` + forged + `"`).fails(CodeTicketStale)
	}
	write(`,"graph":"Work"`).fails(CodeTicketRequired)
	write(`,"graph":"Work","ticket":"` + homeTicket + `"`).fails(CodeTicketWrongGraph)
	if n := len(w.roam.requests("data.block.fromMarkdown")); n != 0 {
		t.Fatalf("%d writes reached Roam", n)
	}
	write(`,"graph":"Work","ticket":"`+workTicket+`"`).ok().has("graphName", "work-graph")
	write(`,"ticket":"`+homeTicket+`"`).ok().has("graphName", "home-graph")
	c.call("get_page", `{"title":"Home","ticket":"`+homeTicket+`"}`).ok().has("graphName", "home-graph")

	c.call("select_graph", `{"graph":"Work"}`).ok()
	write(`,"ticket":"` + homeTicket + `"`).fails(CodeTicketWrongGraph)
	write(`,"graph":"Home","ticket":"` + homeTicket + `"`).ok()
	write(`,"ticket":"` + workTicket + `"`).ok()
	write(``).fails(CodeTicketRequired)
}

func TestATicketOfAnotherProcessIsStaleAndBringsANewOne(t *testing.T) {
	w := twoGraphs(t)
	foreign := w.connect().call("get_graph_guidelines", `{"graph":"Work"}`).ok().field("ticket")
	again := twoGraphs(t)
	c := again.connect()
	c.call("create_block", `{"parentUid":"p1","markdown":"x","ticket":"`+foreign+`"}`).fails(CodeTicketStale)
	c.call("get_page", `{"title":"Home","graph":"Work","ticket":"`+foreign+`"}`).ok()
	stale := c.call("create_block", `{"parentUid":"p1","markdown":"x","graph":"Work","ticket":"`+foreign+`"}`).fails(CodeTicketStale)
	if stale.failure["guidelines"] != "Be brief." || stale.failure["retryable"] != true {
		t.Errorf("the reply lacks what one retry needs: %s", stale.text)
	}
	c.call("create_block", `{"parentUid":"p1","markdown":"x","graph":"Work","ticket":"`+stale.failure["ticket"].(string)+`"}`).ok()
}

func TestChangedGuidelinesMakeATicketStaleOnceAMinuteIsOver(t *testing.T) {
	var clock atomic.Int64
	clock.Store(time.Now().UnixNano())
	w := twoGraphs(t, func(o *Options) { o.Now = func() time.Time { return time.Unix(0, clock.Load()) } })
	c := w.connect()
	ticket := c.call("select_graph", `{"graph":"Work"}`).ok().field("ticket")
	write := func() toolReply {
		return c.call("create_block", `{"parentUid":"p1","markdown":"x","ticket":"`+ticket+`"}`)
	}
	w.roam.result(localapi.GuidelinesAction, `"Be verbose."`)
	write().ok()
	write().ok()
	if n := len(w.roam.requests(localapi.GuidelinesAction)); n != 1 {
		t.Fatalf("the guidelines were read %d times within a minute", n)
	}
	clock.Add(int64(guidelinesFresh))
	stale := write().fails(CodeTicketStale)
	if stale.failure["guidelines"] != "Be verbose." {
		t.Errorf("the new guidelines are missing: %s", stale.text)
	}
	ticket = stale.failure["ticket"].(string)
	write().ok()
	if n := len(w.roam.requests(localapi.GuidelinesAction)); n != 2 {
		t.Errorf("the guidelines were read %d times, want 2", n)
	}
}

func TestAWriteIsNotHeldUpByGuidelinesThatDoNotCome(t *testing.T) {
	var clock atomic.Int64
	clock.Store(time.Now().UnixNano())
	w := twoGraphs(t, func(o *Options) { o.Now = func() time.Time { return time.Unix(0, clock.Load()) } })
	w.server.timeouts.Guidelines = time.Millisecond
	c := w.connect()
	ticket := c.call("select_graph", `{"graph":"Work"}`).ok().field("ticket")
	release := make(chan struct{})
	w.roam.on(localapi.GuidelinesAction, func(roamRequest) (int, string) { <-release; return 500, `{}` })
	defer close(release)
	clock.Add(int64(guidelinesFresh))
	c.call("create_block", `{"parentUid":"p1","markdown":"x","ticket":"`+ticket+`"}`).ok()
	book := w.server.guidelines
	book.mu.Lock()
	defer book.mu.Unlock()
	if page := book.page(localapi.Graph{Name: "work-graph", Type: localapi.Hosted}); page.pending == nil {
		t.Error("the write waited for the guidelines")
	}
}

func TestDisablingAGraphIsHonouredOnTheNextCall(t *testing.T) {
	w := twoGraphs(t)
	c := w.connect()
	c.call("select_graph", `{"graph":"Work"}`).ok()
	c.call("get_page", `{"title":"Home"}`).ok()
	require.NoError(t, w.store.SetDisabled(t.Context(), "Work", true))
	// Home is the only one now, but the call was meant for Work.
	c.call("get_page", `{"title":"Home"}`).fails(CodeGraphDisabled)
	c.call("get_page", `{"title":"Home","graph":"Work"}`).fails(CodeGraphDisabled)
	require.NoError(t, w.store.SetDisabled(t.Context(), "Work", false))
	c.call("get_page", `{"title":"Home"}`).ok().has("graph", "Work")
}

func TestTheOnlyGraphStaysTheOneThatWasWorkedOn(t *testing.T) {
	w := twoGraphs(t)
	require.NoError(t, w.store.SetDisabled(t.Context(), "Home", true))
	c := w.connect()
	c.call("get_page", `{"title":"Home"}`).ok().has("graph", "Work")
	require.NoError(t, w.store.SetDisabled(t.Context(), "Home", false))
	require.NoError(t, w.store.SetDisabled(t.Context(), "Work", true))
	c.call("create_block", `{"parentUid":"p1","markdown":"x"}`).fails(CodeGraphDisabled)
	require.NoError(t, w.store.Rename(t.Context(), "Home", "House"))
	c.call("get_page", `{"title":"Home","graph":"house"}`).ok().has("graphName", "home-graph")
}

func TestConfigurationProblemsAreReportedByTheTools(t *testing.T) {
	w := newWorld(t, "")
	w.roam.result("data.ai.getPage", pageResult)
	c := w.connect()
	c.call("get_page", `{"title":"Home"}`).fails(configstore.CodeConfigNotFound)
	c.call("list_graphs", `{}`).ok()
	w.configure(`{"graphs": [`)
	c.call("get_page", `{"title":"Home"}`).fails(configstore.CodeConfigInvalid)
	c.call("list_graphs", `{}`).fails(configstore.CodeConfigInvalid)
	w.configure(`{"version":1,"graphs":[]}`)
	c.call("get_page", `{"title":"Home"}`).fails(configstore.CodeGraphNotConfigured)
	w.configure(configText("Work"))
	c.call("get_page", `{"title":"Home"}`).ok()
	w.configure(`{"version":7,"graphs":[]}`)
	c.call("get_page", `{"title":"Home"}`).fails(configstore.CodeConfigTooNew)
}

func TestStartRefusesWhatItDoesNotKnow(t *testing.T) {
	w := newWorld(t, configText("Work"))
	for name, tc := range map[string]struct {
		options Options
		code    problem.Code
		lists   string
	}{
		"profile": {Options{Profile: "nope"}, CodeUnknownProfile, "roam"},
		"toolset": {Options{Toolsets: []string{"read", "nope"}}, surface.CodeUnknownToolset, "desktop"},
		"graph":   {Options{Graphs: []string{"nope"}}, configstore.CodeGraphNotConfigured, "Work"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.options.Store, tc.options.Roam = w.store, w.roam.client()
			_, err := New(t.Context(), tc.options)
			refused, ok := problem.As(err)
			if !ok || refused.Code != tc.code || !strings.Contains(problem.World{}.Say(refused.Hint), tc.lists) {
				t.Errorf("got %v", err)
			}
		})
	}
	w.configure(`{"version":7}`)
	if _, err := New(t.Context(), Options{Store: w.store, Roam: w.roam.client()}); Explained(err).Code != configstore.CodeConfigTooNew {
		t.Errorf("a configuration that is too new: %v", err)
	}
	if n := len(w.roam.seen); n != 0 {
		t.Errorf("starting sent %d requests to Roam", n)
	}
}

func TestOnlyTheNamedGraphsAreServed(t *testing.T) {
	w := newWorld(t, configText("Work", "Home", "Secret"), func(o *Options) { o.Graphs = []string{"work"} })
	w.roam.result("data.ai.getPage", pageResult)
	c := w.connect()
	c.call("get_page", `{"title":"Home"}`).ok().has("graph", "Work")
	c.call("get_page", `{"title":"Home","graph":"Secret"}`).fails(configstore.CodeGraphNotConfigured)
	refused := c.call(setupTool, `{"graph":"secret-graph"}`).fails(configstore.CodeGraphNotConfigured)
	if hint := refused.failure["hint"].(string); strings.Contains(refused.text, "Secret") || !strings.Contains(hint, `--graph "secret-graph"`) {
		t.Errorf("what is not served is told of: %s", refused.text)
	}
	w.roam.result("open", `[{"name":"work-graph","type":"hosted"}]`)
	w.roam.result("available", `[{"name":"work-graph","type":"hosted"},{"name":"secret-graph","type":"hosted"},{"name":"other-graph","type":"hosted"}]`)
	listed := c.call(setupTool, `{}`).ok()
	for _, told := range []toolReply{listed, c.call(setupTool, `{"graph":"work-graph","nickname":"home","accessLevel":"full"}`)} {
		if strings.Contains(strings.ToLower(told.text), "secret") || strings.Contains(told.text, "other-graph") || strings.Contains(told.text, "home-graph") {
			t.Errorf("what is not served is told of: %s", told.text)
		}
	}
	if !strings.Contains(listed.text, `"nickname":"Work"`) || strings.Contains(listed.text, "sign in") {
		t.Errorf("got %s", listed.text)
	}
	require.NoError(t, w.store.Rename(t.Context(), "Work", "Job"))
	c.call("get_page", `{"title":"Home"}`).ok().has("graph", "Job")
}

func TestSeveralGraphsCanBeUsedWithoutTheToolsThatChooseOne(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"), func(o *Options) { o.Toolsets = []string{"read", "write"} })
	w.roam.result("data.page.fromMarkdown", `{"uid":"p"}`)
	c := w.connect()
	offered := toolNames(t, c)
	leads := func(code problem.Code, args string) toolReply {
		t.Helper()
		refused := c.call("create_page", args).fails(code)
		for _, name := range []string{"list_graphs", "select_graph", "get_graph_guidelines"} {
			if slices.Contains(offered, name) || strings.Contains(refused.text, name) {
				t.Errorf("%s names %s: %s", code, name, refused.text)
			}
		}
		return refused
	}
	leads(CodeGraphNotSelected, `{"title":"x"}`)
	leads(configstore.CodeGraphNotConfigured, `{"title":"x","graph":"nope"}`)
	leads(CodeTicketStale, `{"title":"x","ticket":"nope"}`)
	refused := leads(CodeTicketRequired, `{"title":"x","graph":"Home"}`)
	if refused.failure["guidelines"] != "Be brief." {
		t.Errorf("the guidelines do not come along: %s", refused.text)
	}
	ticket, _ := refused.failure["ticket"].(string)
	leads(CodeTicketWrongGraph, fmt.Sprintf(`{"title":"x","graph":"Work","ticket":%q}`, ticket))
	c.call("create_page", fmt.Sprintf(`{"title":"x","graph":"Home","ticket":%q}`, ticket)).ok().has("uid", "p")
}

func TestTheToolListFollowsTheConfigurationAndClientsHearOfIt(t *testing.T) {
	w := newWorld(t, configText("Work"))
	var heard atomic.Int32
	c := w.connect(&mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { heard.Add(1) }})
	if slices.Contains(toolNames(t, c), "select_graph") {
		t.Fatal("select_graph is offered for one graph")
	}
	w.configure(configText("Work", "Home"))
	await.Condition(t, "select_graph is offered", func() bool { return slices.Contains(toolNames(t, c), "select_graph") })
	await.Condition(t, "the client hears of it", func() bool { return heard.Load() > 0 })
	w.configure(configText("Home"))
	await.Condition(t, "select_graph is gone", func() bool { return !slices.Contains(toolNames(t, c), "select_graph") })
}

func TestReadOnlyIsAHardCeiling(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.ReadOnly, o.Toolsets = true, []string{"all"} })
	c := w.connect()
	for tool := range c.Tools(t.Context(), nil) {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is offered", tool.Name)
		}
	}
	c.call("create_block", `{"parentUid":"p1","markdown":"x"}`).fails(CodeReadOnly)

	weak := newWorld(t, strings.ReplaceAll(configText("Work"), `"full"`, `"read-only"`))
	c = weak.connect()
	if slices.Contains(toolNames(t, c), "create_block") {
		t.Error("a token that can't write is offered create_block")
	}
	c.call("create_block", `{"parentUid":"p1","markdown":"x"}`).fails(CodeReadOnly)
}

func TestATokenThatMayOnlyAddIsOfferedNoChanges(t *testing.T) {
	w := newWorld(t, strings.ReplaceAll(configText("Work"), `"full"`, `"read-append"`))
	c := w.connect()
	names := toolNames(t, c)
	for name, want := range map[string]bool{"get_page": true, "create_block": true, "add_comment": true, "update_block": false, "delete_page": false} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s: offered is %v", name, !want)
		}
	}
	c.call("update_block", `{"uid":"b1","string":"x"}`).fails(localapi.CodeInsufficientScope)
	if sent := w.roam.requests("data.block.update"); len(sent) > 0 {
		t.Errorf("%d requests were sent", len(sent))
	}
}

func TestAToolsetThatIsOffSaysSo(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.Toolsets = []string{"read"} })
	c := w.connect()
	c.call("create_block", `{"parentUid":"p1","markdown":"x"}`).fails(CodeToolNotOffered)
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "nope", Arguments: json.RawMessage(`{}`)}); err == nil {
		t.Error("an unknown tool is answered")
	}
}

func TestTheStatelessEraSelectsByTicket(t *testing.T) {
	w := twoGraphs(t)
	c := w.connectVersion("2026-07-28")
	ticket := c.call("select_graph", `{"graph":"Work"}`).ok().field("ticket")
	c.call("get_page", `{"title":"Home"}`).fails(CodeGraphNotSelected)
	c.call("get_page", `{"title":"Home","ticket":"`+ticket+`"}`).ok().has("graph", "Work")
	c.call("current_graph", `{"ticket":"`+ticket+`"}`).ok().has("nickname", "Work")
	c.call("create_block", `{"parentUid":"p1","markdown":"x","ticket":"`+ticket+`"}`).ok()
}

func toolNames(t *testing.T, c *client) []string {
	t.Helper()
	var names []string
	for tool, err := range c.Tools(t.Context(), nil) {
		require.NoError(t, err)
		names = append(names, tool.Name)
	}
	return names
}

func TestWhatIsIgnoredInTheConfigurationIsLogged(t *testing.T) {
	config := strings.Replace(configText("Work", "Home"), `"name":"home-graph",`, `"name":"work-graph","type":"offline",`, 1)
	w := newWorld(t, config)
	if log := w.log.String(); !strings.Contains(log, "it is offline, and the hosted graph of the same name comes first") || strings.Contains(log, secretOf("Home")) {
		t.Errorf("the log says: %s", log)
	}
}
