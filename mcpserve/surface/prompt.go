package surface

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/problem"
)

// The arguments that the server completes: a graph's nickname, a page's title.
const (
	ArgGraph = "graph"
	ArgPage  = "page"
)

// Prompt is a task that a person can pick in the client.
type Prompt struct {
	Name, Title, About string
	Args               []PromptArg
	Needs              []problem.Task // it is offered where all of their tools are
	Text               func(told map[string]string) Text
}

// PromptArg is one argument of a prompt.
type PromptArg struct {
	Name, About string
	Required    bool
}

// Definition is the prompt as prompts/list shows it.
func (p Prompt) Definition(several bool) *mcp.Prompt {
	definition := &mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.About}
	for _, each := range p.Args {
		definition.Arguments = append(definition.Arguments, &mcp.PromptArgument{Name: each.Name, Description: each.About, Required: each.Required})
	}
	if several {
		definition.Arguments = append(definition.Arguments, &mcp.PromptArgument{Name: ArgGraph, Description: "Nickname of the graph."})
	}
	return definition
}

// Check refuses arguments that are missing, unknown, or longer in all than max
// bytes.
func (p Prompt) Check(told map[string]string, max int) error {
	known, size := map[string]bool{ArgGraph: true}, 0
	for _, each := range p.Args {
		known[each.Name] = true
		if each.Required && strings.TrimSpace(told[each.Name]) == "" {
			return Invalid(p.Name, "%s is missing: %s", each.Name, each.About)
		}
	}
	for name, value := range told {
		if size += len(value); size > max || !known[name] {
			return Invalid(p.Name, "%s is unknown or too long.", safetext.Quote(name))
		}
	}
	return nil
}

// Resource is something of a graph that a person can put into a conversation.
type Resource struct {
	Path  string // last part of its URI
	Title string // before the nickname
	About string
	Read  func(ctx context.Context, c Call) (string, error) // markdown
}
