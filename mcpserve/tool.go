package mcpserve

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scope is what a token must permit for a tool (LOCAL_API.md 1.4).
type scope string

const (
	scopeNone   scope = "" // reads the configuration only
	scopeRead   scope = "read"
	scopeAppend scope = "append"
	scopeEdit   scope = "edit"

	scopeSetup scope = "setup" // changes the configuration, and no graph
)

// effects are the four hints that every tool carries. Clients gate or drop
// tools that lack one of them, so none is left to a default.
type effects struct {
	readOnly    bool
	destructive bool
	idempotent  bool
	openWorld   bool
}

// The sets of hints, as LOCAL_API.md 3.1 assigns them.
func reads() effects   { return effects{readOnly: true, idempotent: true} }
func appends() effects { return effects{} }
func edits() effects   { return effects{destructive: true, idempotent: true} }
func deletes() effects { return effects{destructive: true} }

// shows are the hints of what changes Roam's windows and nothing in a graph.
func shows() effects { return effects{idempotent: true} }

// handler runs a tool. It returns a JSON object, or an error whose text a
// person may read: a *failure, or anything that failureOf understands.
type handler func(ctx context.Context, c *call) (json.RawMessage, error)

// tool is one entry of a profile: all that is known of it, in one value.
type tool struct {
	name        string
	title       string
	description string // one or two plain sentences
	toolset     string
	effects     effects
	scope       scope
	params      []param
	// output are the fields of a write's reply that are worth a word in the list;
	// the schema is open. They may only ever be added to, since clients check
	// replies against lists they have cached. nil: no output schema.
	output []param
	// onGraph: the tool works on a graph, and takes graph and ticket where the
	// graph has to be chosen.
	onGraph bool
	// choosing: the tool is about choosing a graph, and offered only where
	// there is something to choose.
	choosing bool
	handle   handler
}

// writes reports whether the tool changes a graph.
func (t *tool) writes() bool { return t.scope == scopeAppend || t.scope == scopeEdit }

// finds reports whether the tool works on pages and blocks that it is told of,
// not on files or extensions.
func (t *tool) finds() bool { return t.toolset == "read" || t.toolset == "write" }

// lists reports whether the tool list shows a parameter, so that every client
// lets it be sent.
func (t *tool) lists(name string) bool {
	return slices.ContainsFunc(t.params, func(p param) bool { return p.name == name && !p.unlisted })
}

// needsTicket reports whether the tool needs a ticket where several graphs are
// enabled.
func (t *tool) needsTicket() bool { return t.onGraph && t.writes() }

// allParams are the tool's own parameters, and those that choose the graph
// where several are enabled.
func (t *tool) allParams(several bool) []param {
	params := t.params
	if !several || !t.onGraph {
		return params
	}
	ticket := "Instead of graph."
	if t.needsTicket() {
		ticket = "From get_graph_guidelines; needed for every write."
	}
	return append(params[:len(params):len(params)],
		param{name: "graph", kind: kindString, about: "Nickname; default: the selected graph."},
		param{name: "ticket", kind: kindString, about: ticket},
	)
}

// definition is the tool as tools/list shows it.
func (t *tool) definition(several bool) *mcp.Tool {
	destructive, openWorld := t.effects.destructive, t.effects.openWorld
	definition := &mcp.Tool{
		Name:        t.name,
		Title:       t.title,
		Description: t.description,
		InputSchema: inputSchema(t.allParams(several)),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    t.effects.readOnly,
			DestructiveHint: &destructive,
			IdempotentHint:  t.effects.idempotent,
			OpenWorldHint:   &openWorld,
		},
	}
	if t.output != nil {
		definition.OutputSchema = outputSchema(t.output)
	}
	return definition
}
