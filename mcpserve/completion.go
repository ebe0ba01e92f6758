package mcpserve

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/internal/roammarkdown"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/surface"
)

const (
	// completionPatience is how long a person who types waits for titles.
	completionPatience = 2 * time.Second
	maxCompletions     = 20
)

// complete completes an argument of a prompt: a graph's nickname, or a page's
// title. What can't be found out completes to nothing.
func (s *Server) complete(ctx context.Context, request *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	values := []string{}
	if request.Params.Ref.Type == "ref/prompt" {
		v, err := s.look(ctx)
		if err != nil {
			return nil, s.protocolError(err, view{})
		}
		switch typed := request.Params.Argument.Value; request.Params.Argument.Name {
		case surface.ArgGraph:
			values = v.nicknames(typed)
		case surface.ArgPage:
			values = s.titles(ctx, v, request.Params.Context, typed)
		}
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
func (s *Server) titles(ctx context.Context, v view, chosen *mcp.CompleteContext, typed string) []string {
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
	ctx, cancel := context.WithTimeout(ctx, s.waits.completion)
	defer cancel()
	// Not through withRoam: nobody wants Roam to open because they type.
	reply, err := s.options.Roam.Call(ctx, entry.Graph(), entry.Token, "data.ai.search", map[string]any{
		"query": safetext.Line(typed, 200), "scope": "pages", "offset": 0, "limit": maxCompletions + 1, "includePath": false, "maxDepth": 0,
	})
	if err != nil {
		s.log.Debug("titles could not be completed", "graph", entry.Nickname, "code", explained(err).Code)
		return titles
	}
	for _, found := range rawjson.Elements(rawjson.Parse(reply.Result).Get("results")) {
		markdown, _ := rawjson.Parse(found).Text("markdown")
		line, _, _ := strings.Cut(markdown, "\n")
		title := strings.TrimSpace(strings.TrimPrefix(roammarkdown.Plain(line), "# "))
		if title != "" && len(title) <= 500 {
			titles = append(titles, title)
		}
	}
	return titles
}
