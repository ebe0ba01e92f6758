package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/surface"
)

func (c *client) promptNames() []string {
	c.t.Helper()
	var names []string
	for each, err := range c.Prompts(c.t.Context(), nil) {
		require.NoError(c.t, err)
		names = append(names, each.Name)
	}
	return names
}

func (c *client) prompt(name string, arguments map[string]string) (string, error) {
	result, err := c.GetPrompt(c.t.Context(), &mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return "", err
	}
	return result.Messages[0].Content.(*mcp.TextContent).Text, nil
}

// promptArguments are those with which each prompt is tried.
func promptArguments() map[string]map[string]string {
	return map[string]map[string]string{
		"capture":         {"text": "Ana wants the report by Friday"},
		"summarise_today": {},
		"weekly_review":   {"until": "11-20-2026"},
		"find_related":    {"topic": "sourdough"},
		"tidy_page":       {surface.ArgPage: "Bread"},
	}
}

func TestEachPromptMatchesItsGoldenFile(t *testing.T) {
	for _, each := range roam.Profile().Prompts {
		arguments, tried := promptArguments()[each.Name]
		if !tried {
			t.Errorf("%s is not tried", each.Name)
		}
		definition, err := json.MarshalIndent(each.Definition(true), "", "  ")
		require.NoError(t, err)
		// Every tool counts as offered, so that these files change with the prompts only.
		profile := roam.Profile()
		text := each.Text(arguments).In(problem.World{Tool: profile.ToolName})
		few := each.Text(arguments).In(problem.World{Tool: func(does problem.Task) string {
			if !slices.Contains(each.Needs, does) {
				return ""
			}
			return profile.ToolName(does)
		}})
		golden.File(t, "testdata/roam/prompts/"+each.Name+".golden", string(definition)+"\n\n"+text+"\n\n--- with few tools\n\n"+few+"\n")
	}
}

func TestPromptsBeginWithTheGraph(t *testing.T) {
	var out string
	for _, c := range []struct {
		form, config, graph string
		readOnly            bool
	}{
		{"one graph", configText("Work"), "", false},
		{"several graphs", configText("Work", "Home"), "", false},
		{"several graphs, one named", configText("Work", "Home"), "home", false},
		{"several graphs, read only", configText("Work", "Home"), "", true},
	} {
		w := newWorld(t, c.config, func(o *Options) { o.ReadOnly = c.readOnly })
		text, err := w.connect().prompt("summarise_today", map[string]string{surface.ArgGraph: c.graph})
		require.NoError(t, err)
		first, _, _ := strings.Cut(text, "\n")
		out += "### " + c.form + "\n" + first + "\n\n"
	}
	golden.File(t, "testdata/roam/prompts/start.golden", out)
}

func TestAPageThatIsNamedByALinkIsTidied(t *testing.T) {
	text, err := newWorld(t, configText("Work")).connect().prompt("tidy_page", map[string]string{surface.ArgPage: "[[Bread]]"})
	require.NoError(t, err)
	if !strings.Contains(text, "Tidy the page [[Bread]].") {
		t.Error(text)
	}
}

func TestPromptsNameToolsThatAreOffered(t *testing.T) {
	known := map[string]bool{}
	for _, each := range roamTools() {
		known[each.Name] = true
	}
	for name, toolsets := range map[string][]string{"the default": nil, "reading only": {"graphs", "read"}, "writing only": {"graphs", "write"}, "no graphs": {"read", "write"}, "all": {"all"}} {
		w := newWorld(t, configText("Work", "Home"), func(o *Options) { o.Toolsets = toolsets })
		c := w.connect()
		offered := toolNames(t, c)
		for _, prompt := range c.promptNames() {
			arguments := maps.Clone(promptArguments()[prompt])
			arguments[surface.ArgGraph] = "home"
			text, err := c.prompt(prompt, arguments)
			require.NoError(t, err)
			for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
				if known[word] && !slices.Contains(offered, word) {
					t.Errorf("%s: %s names %s", name, prompt, word)
				}
			}
			if !strings.Contains(text, `graph "Home"`) || len(text) > 1800 {
				t.Errorf("%s: %d bytes: %s", prompt, len(text), text)
			}
		}
	}
}

func TestPromptsFollowWhatIsEnabled(t *testing.T) {
	w := newWorld(t, configText("Work"))
	changed := make(chan struct{}, 8)
	c := w.connectVersion(statelessVersion, &mcp.ClientOptions{PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed <- struct{}{} }})
	if names := c.promptNames(); len(names) != 5 {
		t.Errorf("%v", names)
	}
	require.NoError(t, w.store.SetDisabled(t.Context(), "Work", true))
	<-changed
	await.Condition(t, "no prompts", func() bool { return len(c.promptNames()) == 0 })
	readOnly := newWorld(t, configText("Work"), func(o *Options) { o.ReadOnly = true }).connect()
	if names := readOnly.promptNames(); !slices.Equal(names, []string{"find_related", "summarise_today", "weekly_review"}) {
		t.Errorf("read only: %v", names)
	}
}

func TestPromptsRefuseWhatTheyCantUse(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	c := w.connect()
	for name, arguments := range map[string]map[string]string{
		"capture":         {},
		"tidy_page":       {surface.ArgPage: " "},
		"find_related":    {"topic": strings.Repeat("x", defaultMaxReply+1)},
		"summarise_today": {surface.ArgGraph: "Nowhere"},
		"weekly_review":   {"since": "today"},
		"no_such_prompt":  {},
	} {
		if _, err := c.prompt(name, arguments); codeOf(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArgumentsOfPromptsComplete(t *testing.T) {
	b := newBoxed(t)
	b.connected(notesGraph, "Work", localapi.Full)
	single := b.connect()
	single.call("create_page", `{"title":"Bread and butter"}`).ok()
	single.call("create_page", `{"title":"Bread"}`).ok()
	b.connected(diaryGraph, "My workshop", localapi.Full)
	await.Condition(t, "both graphs", func() bool { return len(b.server.currentView().enabled()) == 2 })
	complete := func(c *client, argument, typed, graph string) string {
		t.Helper()
		params := &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "tidy_page"}, Argument: mcp.CompleteParamsArgument{Name: argument, Value: typed}}
		if graph != "" {
			params.Context = &mcp.CompleteContext{Arguments: map[string]string{surface.ArgGraph: graph}}
		}
		result, err := c.Complete(t.Context(), params)
		require.NoError(t, err)
		slices.Sort(result.Completion.Values)
		return strings.Join(result.Completion.Values, "|")
	}
	for _, era := range eras() {
		c := b.connectVersion(era)
		for _, each := range []struct{ argument, typed, graph, want string }{
			{surface.ArgGraph, "", "", "My workshop|Work"},
			{surface.ArgGraph, "WO", "", "My workshop|Work"},
			{surface.ArgGraph, "my", "", "My workshop"},
			{surface.ArgGraph, "zzz", "", ""},
			{surface.ArgPage, "bread", "work", "Bread|Bread and butter"},
			{surface.ArgPage, "bread", "My workshop", ""},
			{surface.ArgPage, "bread", "", ""},
			{surface.ArgPage, "", "work", ""},
			{"text", "bread", "work", ""},
		} {
			if got := complete(c, each.argument, each.typed, each.graph); got != each.want {
				t.Errorf("%s: %s %q in %q completes to %q, want %q", era, each.argument, each.typed, each.graph, got, each.want)
			}
		}
	}
	require.NoError(t, b.store.SetDisabled(t.Context(), "My workshop", true))
	if got := complete(single, surface.ArgPage, "butter", ""); got != "Bread and butter" {
		t.Errorf("in the only graph: %q", got)
	}
	_, err := single.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "none"}, Argument: mcp.CompleteParamsArgument{Name: surface.ArgPage, Value: "butter"}})
	refusesParams(t, err, `"none"`)
	b.stop()
	if got := complete(single, surface.ArgPage, "butter", ""); got != "" {
		t.Errorf("with Roam closed: %q", got)
	}
}

// refusesParams checks that a message was refused for its params.
func refusesParams(t *testing.T, err error, says string) {
	t.Helper()
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != jsonrpc.CodeInvalidParams || !strings.Contains(refused.Message, says) {
		t.Errorf("got %v", err)
	}
}
