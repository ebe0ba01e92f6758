package mcpserve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// offerPrompts puts the prompts for a state of the configuration into the list;
// mu is held, and the tools are in their list already.
func (s promptList) offerPrompts(v view) {
	wanted := map[string]string{}
	several := len(v.enabled()) > 1
	world := s.worldOf(v)
	for _, each := range s.offering.profile.Prompts {
		offered := len(v.enabled()) > 0 && world.ToolName(problem.ReadGuidelines) != ""
		for _, needed := range each.Needs {
			offered = offered && world.ToolName(needed) != ""
		}
		if !offered {
			continue
		}
		definition := each.Definition(several)
		wanted[each.Name] = string(rawjson.Encode(definition))
		if s.prompts[each.Name] != wanted[each.Name] {
			s.mcp.AddPrompt(definition, s.promptHandler(each))
		}
	}
	var gone []string
	for name := range s.prompts {
		if wanted[name] == "" {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		s.mcp.RemovePrompts(gone...)
	}
	s.prompts = wanted
}

func (s promptList) promptHandler(p surface.Prompt) mcp.PromptHandler {
	return func(ctx context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		v, err := s.look(ctx)
		if err != nil {
			return nil, s.resourceList().protocolError(err, view{})
		}
		told := request.Params.Arguments
		if err := p.Check(told, s.maxReply); err != nil {
			return nil, s.resourceList().protocolError(err, v)
		}
		first, err := s.promptStart(v, told[surface.ArgGraph])
		if err != nil {
			return nil, s.resourceList().protocolError(err, v)
		}
		world := s.worldOf(v)
		return &mcp.GetPromptResult{Description: p.About, Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: textsafe.Escape(world.Say(first)+"\n\n"+p.Text(told).In(world), textsafe.Markup{Own: true})}},
		}}, nil
	}
}

// promptStart names the graph, and how to begin there.
func (s promptList) promptStart(v view, graph string) (problem.Hint, error) {
	enabled := v.enabled()
	ticket := ""
	if s.offering.writes(v) {
		ticket = " Send the ticket that comes with them with every write."
	}
	switch {
	case graph != "":
		entry, found := v.find(graph)
		if !found {
			return problem.Hint{}, notConfigured(v, graph)
		}
		if entry.Disabled {
			return problem.Hint{}, disabled(v, entry)
		}
		if len(enabled) > 1 {
			return problem.Say("Work in my Roam graph %s: name it as graph in every call. Unless you have read its guidelines, call %s for it first, and keep to them.%s", textsafe.Quote(entry.Nickname), problem.ReadGuidelines, ticket), nil
		}
	case len(enabled) == 0:
		return problem.Hint{}, nothingEnabled(v)
	case len(enabled) > 1:
		return problem.Say("Work in my Roam graph; I have several (%s). Where it is not clear which, ask me.", surface.NameGraphs(v.nicknames(""))).
			Then("Then call %s with it, and keep to the guidelines that it returns.%s", problem.SelectGraph, ticket), nil
	}
	return problem.Say("Work in my Roam graph %s. Unless you have read its guidelines, call %s first, and keep to them.", textsafe.Quote(enabled[0].Nickname), problem.ReadGuidelines), nil
}

// instructions orient an agent once, for what is enabled and offered now.
func (s promptList) instructions() string {
	v := s.currentView()
	situation := surface.Situation{Graphs: v.nicknames(""), Writes: s.offering.writes(v), ReadOnly: s.offering.readOnly}
	if len(situation.Graphs) == 0 {
		situation.Nothing = nothingEnabled(v)
	}
	text := s.offering.profile.Instructions(situation)
	if situation.Writes && situation.Nothing == nil && s.recorder != nil {
		text = text.Then("What you write is recorded on the user's computer.")
	}
	return s.worldOf(v).Say(text)
}

const (
	// completionPatience is how long a person who types waits for titles.
	completionPatience = 2 * time.Second
	maxCompletions     = 20
)

// complete completes an argument of a prompt: a graph's nickname, or a page's
// title. What can't be found out completes to nothing.
func (s promptList) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	if request.Params.Ref.Type == "ref/prompt" {
		v, err := s.look(ctx)
		if err != nil {
			return nil, s.resourceList().protocolError(err, view{})
		}
		if !slices.ContainsFunc(s.offering.profile.Prompts, func(p surface.Prompt) bool { return p.Name == request.Params.Ref.Name }) {
			return nil, s.resourceList().protocolError(surface.Invalid("completion", "there is no prompt %s.", textsafe.Quote(request.Params.Ref.Name)), v)
		}
		switch typed := request.Params.Argument.Value; request.Params.Argument.Name {
		case surface.ArgGraph:
			values = v.nicknames(typed)
		case surface.ArgPage:
			values = s.titles(ctx, v, request.Params.Context, typed)
		}
	}
	for i, value := range values {
		values[i] = textsafe.Escape(value, textsafe.Markup{})
	}
	more := len(values) > maxCompletions
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values[:min(len(values), maxCompletions)], HasMore: more}}, nil
}

// nicknames are those of the enabled graphs that begin with what was typed, or
// else hold it.
func (v view) nicknames(typed string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	begins, holds := []string{}, []string{}
	for _, entry := range v.enabled() {
		switch name := strings.ToLower(entry.Nickname); {
		case strings.HasPrefix(name, typed):
			begins = append(begins, entry.Nickname)
		case strings.Contains(name, typed):
			holds = append(holds, entry.Nickname)
		}
	}
	return append(begins, holds...)
}

// titles are those of the pages that a search finds, in the graph that was
// chosen before or the only one.
func (s promptList) titles(ctx context.Context, v view, chosen *mcp.CompleteContext, typed string) []string {
	titles := []string{}
	graph := ""
	if chosen != nil {
		graph = chosen.Arguments[surface.ArgGraph]
	}
	entry, found := v.find(graph)
	if enabled := v.enabled(); graph == "" && len(enabled) == 1 {
		entry, found = enabled[0], true
	}
	if !found || entry.Disabled || strings.TrimSpace(typed) == "" {
		return titles
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Completion)
	defer cancel()
	// Roam is not opened: nobody wants Roam to open because they type.
	reply, err := s.options.Roam.Call(ctx, entry.Graph(), entry.Token, "data.ai.search", map[string]any{
		"query": textsafe.Line(typed, 200), "scope": "pages", "offset": 0, "limit": maxCompletions + 1, "includePath": false, "maxDepth": 0,
	})
	if err != nil {
		s.log.Debug("titles could not be completed", "graph", entry.Nickname, "code", Explained(err).Code)
		return titles
	}
	for _, found := range rawjson.Elements(rawjson.Parse(reply.Result).Get("results")) {
		markdown, _ := rawjson.Parse(found).Text("markdown")
		line, _, _ := strings.Cut(markdown, "\n")
		title := outline.RenderedBlock{Source: line}.Title()
		if title != "" && len(title) <= 500 {
			titles = append(titles, title)
		}
	}
	return titles
}
