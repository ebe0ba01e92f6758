package mcpserve

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
)

// Arguments that several prompts share.
const (
	argGraph = "graph"
	argPage  = "page"
)

// prompt is a task that a person can pick in the client.
type prompt struct {
	name, title, about string
	args               []promptArg
	needs              []string // it is offered where all of these tools are
	text               func(told map[string]string, tools promptTools) string
}

type promptArg struct {
	name, about string
	required    bool
}

// promptTools knows which tools a prompt can name.
type promptTools func(name string) bool

// first is the first of some ways to do a thing whose tool is offered; a way
// begins with the tool's name.
func (offered promptTools) first(ways ...string) string {
	for _, way := range ways {
		if name, _, _ := strings.Cut(way, " "); offered(name) {
			return way
		}
	}
	return ways[len(ways)-1]
}

func prompts() []prompt {
	return []prompt{
		{
			name: "capture", title: "Capture a note", about: "Put a thought into today's daily note.",
			args:  []promptArg{{"text", "What to note down.", true}},
			needs: []string{"create_block", "search"},
			text:  captureText,
		},
		{
			name: "summarise_today", title: "Summarise today", about: "What today's daily note holds, and what is still open.",
			needs: []string{"get_page", "get_block"},
			text:  summariseText,
		},
		{
			name: "weekly_review", title: "Weekly review", about: "Seven daily notes read together: done, open, recurring.",
			args:  []promptArg{{"until", "Last day, such as today or 11-21-2026. Default: today.", false}},
			needs: []string{"get_page", "get_backlinks"},
			text:  reviewText,
		},
		{
			name: "find_related", title: "Find related notes", about: "What the graph holds on a topic, and how it hangs together.",
			args:  []promptArg{{"topic", "Words or a page's title.", true}},
			needs: []string{"search", "get_page", "get_backlinks"},
			text:  relatedText,
		},
		{
			name: "tidy_page", title: "Tidy a page", about: "A page put in order, after you have agreed to the changes.",
			args:  []promptArg{{argPage, "Title of the page.", true}},
			needs: []string{"get_page", "get_backlinks", "update_block"},
			text:  tidyText,
		},
	}
}

func captureText(told map[string]string, tools promptTools) string {
	return fmt.Sprintf(`Note this down in today's daily note:

%s

1. search for its main words: where the graph has a page for a person, project or topic in it, link it as [[Page]]. Make no new pages for the sake of links.
2. Add it with %s. Keep my words; one fact a block, details as children. Where it is something to do, begin with {{[[TODO]]}}.
3. Show me what you added, and change nothing else.`, told["text"],
		tools.first("append_to_daily_note", `create_block and dailyNotePage "today"`))
}

func summariseText(_ map[string]string, tools promptTools) string {
	return `Summarise today.

1. Read today's daily note with get_page; the guidelines' reply has its title. Where a block is cut, read it with get_block.
2. Follow the references that the note rests on, no more than a few.
3. Tell me in short: what happened, what I decided, what is open ({{[[TODO]]}}), and what I may want to do next. Name pages as [[Page]].

Write nothing to the graph unless I ask.`
}

func reviewText(told map[string]string, tools promptTools) string {
	until := "today"
	if day := strings.TrimSpace(told["until"]); day != "" {
		until = day
	}
	return fmt.Sprintf(`Review my week: the seven days up to %s.

1. Read each daily note with get_page; a daily note's uid is MM-DD-YYYY. A day without one is skipped.
2. For the pages that come up on several days, see with get_backlinks what else was written about them that week%s.
3. Tell me: what got done, what is open and since when, what keeps coming back, what was decided. Quote sparingly, and name the day of each point.
4. Propose a few priorities for next week. Write nothing to the graph before I have agreed.`, until,
		map[bool]string{true: "; roam_query with {and: [[TODO]]} finds what is open elsewhere"}[tools("roam_query")])
}

func relatedText(told map[string]string, tools promptTools) string {
	return fmt.Sprintf(`Find what my graph holds on this topic: %s

1. search for it, and for two or three other ways to say it%s.
2. Read the pages that matter with get_page and a small maxDepth, and what links to them with get_backlinks.
3. Tell me what is there, grouped by thread rather than by page: with [[Page]] for each, what connects them, what contradicts, and what seems to be missing.

Say what you searched for. Write nothing to the graph.`, told["topic"],
		map[bool]string{true: "; semantic_search finds what uses other words"}[tools("semantic_search")])
}

func tidyText(told map[string]string, tools promptTools) string {
	ways := []string{"update_block"}
	for _, name := range []string{"move_block", "delete_block"} {
		if tools(name) {
			ways = append(ways, name)
		}
	}
	return fmt.Sprintf(`Tidy the page [[%s]].

1. Read it with get_page, all of it, and see with get_backlinks what links to it. Blocks whose tag shows refs are referenced elsewhere: they keep their uid and their meaning.
2. Propose the changes as a list: what to move, merge, reword, give a heading, link, or delete, with a reason each. Keep my voice; lose no fact.
3. Wait for me to agree. Then make the changes I agreed to, with %s. Move blocks rather than write them anew, and delete only what I named.
4. Read the page again, and tell me what changed.`, bareTitle(told[argPage]), strings.Join(ways, ", "))
}

// offerPrompts puts the prompts for a state of the configuration into the list;
// mu is held, and the tools are in their list already.
func (s *Server) offerPrompts(v view) {
	wanted := map[string]string{}
	several := len(v.enabled()) > 1
	for _, each := range prompts() {
		offered := len(v.enabled()) > 0 && s.offered["get_graph_guidelines"]
		for _, name := range each.needs {
			offered = offered && s.offered[name]
		}
		if !offered {
			continue
		}
		definition := each.definition(several)
		wanted[each.name] = string(rawjson.Encode(definition))
		if s.prompts[each.name] != wanted[each.name] {
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

func (p prompt) definition(several bool) *mcp.Prompt {
	definition := &mcp.Prompt{Name: p.name, Title: p.title, Description: p.about}
	for _, each := range p.args {
		definition.Arguments = append(definition.Arguments, &mcp.PromptArgument{Name: each.name, Description: each.about, Required: each.required})
	}
	if several {
		definition.Arguments = append(definition.Arguments, &mcp.PromptArgument{Name: argGraph, Description: "Nickname of the graph."})
	}
	return definition
}

func (s *Server) promptHandler(p prompt) mcp.PromptHandler {
	return func(ctx context.Context, request *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		v, err := s.look(ctx)
		if err != nil {
			return nil, s.protocolError(err)
		}
		told := request.Params.Arguments
		if err := p.check(told, s.maxReply); err != nil {
			return nil, s.protocolError(err)
		}
		first, err := s.promptStart(v, told[argGraph])
		if err != nil {
			return nil, s.protocolError(err)
		}
		return &mcp.GetPromptResult{Description: p.about, Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: first + "\n\n" + p.text(told, s.isOffered)}},
		}}, nil
	}
}

// check refuses arguments that are missing, unknown, or longer in all than max.
func (p prompt) check(told map[string]string, max int) error {
	known, size := map[string]bool{argGraph: true}, 0
	for _, each := range p.args {
		known[each.name] = true
		if each.required && strings.TrimSpace(told[each.name]) == "" {
			return invalid(p.name, "%s is missing: %s", each.name, each.about)
		}
	}
	for name, value := range told {
		if size += len(value); size > max || !known[name] {
			return invalid(p.name, "%s is unknown or too long.", quote(name))
		}
	}
	return nil
}

// promptStart names the graph, and how to begin there.
func (s *Server) promptStart(v view, graph string) (string, error) {
	enabled := v.enabled()
	ticket := ""
	if s.writesAnything() {
		ticket = " Send the ticket that comes with them with every write."
	}
	switch {
	case graph != "":
		entry, found := v.find(graph)
		if !found {
			return "", notConfigured(v, graph)
		}
		if entry.Disabled {
			return "", disabled(v, entry)
		}
		if len(enabled) > 1 {
			return fmt.Sprintf("Work in my Roam graph %s: name it as graph in every call. Unless you have read its guidelines, call get_graph_guidelines for it first, and keep to them.%s", quote(entry.Nickname), ticket), nil
		}
	case len(enabled) == 0:
		return "", s.nothingEnabled(v)
	case len(enabled) > 1:
		return fmt.Sprintf("Work in my Roam graph; I have several (%s). Where it is not clear which, ask me. Then call select_graph with it, and keep to the guidelines that it returns.%s", named(enabled), ticket), nil
	}
	return fmt.Sprintf("Work in my Roam graph %s. Unless you have read its guidelines, call get_graph_guidelines first, and keep to them.", quote(enabled[0].Nickname)), nil
}
