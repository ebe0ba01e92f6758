package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/rawjson"
	"roam-mcp/problem"
)

// graphTools choose a graph and read its guidelines.
func graphTools() []tool {
	return []tool{
		{
			name: "list_graphs", title: "List graphs", toolset: "graphs", effects: reads(), choosing: true,
			description: "Lists the Roam graphs that can be used, with nickname, name and access level.",
			handle:      listGraphs,
		},
		{
			name: "select_graph", title: "Select graph", toolset: "graphs", effects: reads(), scope: scopeRead, choosing: true,
			description: "Selects the graph for the calls that follow, and returns its guidelines and the ticket that writes need. Read the guidelines before anything else in the graph.",
			params: []param{
				{name: "graph", kind: kindString, required: true, nonEmpty: true, about: "Nickname or name of the graph."},
			},
			handle: selectGraph,
		},
		{
			name: "current_graph", title: "Current graph", toolset: "graphs", effects: reads(), choosing: true, onGraph: true,
			description: "Tells which graph is selected, and what may be done there.",
			handle:      currentGraph,
		},
		{
			name: "get_graph_guidelines", title: "Guidelines", toolset: "graphs", effects: reads(), scope: scopeRead, onGraph: true,
			description: "The user's rules for this graph, and Roam's syntax. Call once, first.",
			handle:      getGraphGuidelines,
		},
		{
			name: setupTool, title: "Set up graph", toolset: "graphs", effects: appends(), scope: scopeSetup,
			description: "Has the user connect a graph or renew its token. Without graph: lists them.",
			params: []param{
				{name: "graph", kind: kindString, about: "Name in Roam"},
				{name: "nickname", kind: kindString, about: "Ask the user"},
				{name: "accessLevel", kind: kindString, about: "full, read-append, read-only"},
			},
			handle: setupNewGraph,
		},
	}
}

// listedGraph is a graph as list_graphs shows it.
type listedGraph struct {
	graphChoice
	Selected bool `json:"selected,omitempty"`
}

func listGraphs(_ context.Context, c *call) (json.RawMessage, error) {
	graphs := []listedGraph{}
	selected, chosen := c.session.selection()
	for i, e := range c.view.enabled() {
		graphs = append(graphs, listedGraph{c.view.choices()[i], chosen && e.Graph() == selected})
	}
	instruction := "Call select_graph with a nickname to work in one of them, or pass graph in each call. Read a graph's guidelines first."
	if len(graphs) == 0 {
		none := c.server.nothingEnabled(c.view)
		instruction = none.Message + " " + c.server.hint(none)
	}
	object := rawjson.With("graphs", graphs).With("instruction", instruction)
	if n := len(c.view.config.Problems); n > 0 {
		object = object.With("warning", c.server.forThisWorld(fmt.Sprintf("The configuration has problems (%d); the user can see them with: roam-mcp graphs", n)))
	}
	return object.JSON(), nil
}

// selectGraph asks Roam first: where that fails the selection stays as it was.
func selectGraph(ctx context.Context, c *call) (json.RawMessage, error) {
	name := c.args.text("graph")
	entry, ok := c.view.find(name)
	if !ok {
		return nil, notConfigured(c.view, name)
	}
	if entry.Disabled {
		return nil, disabled(c.view, entry)
	}
	c.target = target{entry: entry, label: name}
	told, err := c.brief(ctx)
	if err != nil {
		return nil, err
	}
	c.session.choose(entry.Graph())
	head := c.identity(told).With("guidelines", told.guidelines.text)
	return c.labelled(c.guidelinesReply(told, head)), nil
}

func currentGraph(_ context.Context, c *call) (json.RawMessage, error) {
	return c.identity(briefing{}).JSON(), nil
}

func getGraphGuidelines(ctx context.Context, c *call) (json.RawMessage, error) {
	told, err := c.brief(ctx)
	if err != nil {
		return nil, err
	}
	return c.guidelinesReply(told, nil), nil
}

func (c *call) brief(ctx context.Context) (briefing, error) {
	stop := c.progress.repeat(ctx, func() string { return waitingForRoam })
	defer stop()
	var told briefing
	err := c.withRoam(ctx, c.target.entry.Graph(), func() (err error) {
		told, err = c.server.brief(ctx, c.target.entry)
		return err
	})
	if err != nil {
		return told, c.explain(ctx, err)
	}
	return told, nil
}

// identity names a graph and what may be done there.
func (c *call) identity(told briefing) rawjson.Object {
	entry := c.target.entry
	return rawjson.With("graph_name", entry.Name).
		With("nickname", entry.Nickname).
		With("permissions", c.permissions(entry, told))
}

func (c *call) permissions(entry configstore.Entry, told briefing) json.RawMessage {
	level := told.level(entry)
	object := rawjson.Object{}
	if level != "" {
		object = object.With("accessLevel", level)
	}
	if scopes := scopesOf(level); scopes != nil {
		object = object.With("scopes", scopes)
	}
	if c.server.surface.readOnly {
		object = object.With("note", "This server was started with --read-only.")
	}
	return object.JSON()
}

// guidelinesReply is Roam's reply with what an agent needs besides. What the
// server adds stands behind the guidelines, and wins over fields of that name.
func (c *call) guidelinesReply(told briefing, head rawjson.Object) json.RawMessage {
	extensionTool, known := c.server.surface.find("call_extension_tool")
	callsExtensions := known && c.server.surface.refusal(extensionTool, c.view) == nil
	steps := nextSteps(told.guidelines.object, callsExtensions)
	if c.session == nil && c.view.choosing() {
		steps += " This connection keeps no selection: send the ticket below with every call to this graph."
	}
	back := rawjson.With("nextSteps", steps).
		With("roamSyntax", roamSyntax)
	if more := c.moreParameters(); len(more) > 0 {
		back = back.With("moreParameters", more.JSON())
	}
	if level := told.level(c.target.entry); level != "" && head == nil {
		back = back.With("accessLevel", level).With("scopes", scopesOf(level))
	}
	if told.info.Status == "revoked" {
		back = back.With("tokenStatus", "revoked").With("warning", "Roam says that the token of this graph was revoked. Ask the user to run: "+c.server.options.World.Command(problem.Run("reauth", c.target.entry.Nickname)))
	}
	back = back.With("guidelines_hash", told.guidelines.hash)
	if c.view.choosing() {
		back = back.With("ticket", c.server.sealer.seal(ticket{c.target.entry.Graph(), told.guidelines.hash, c.server.now()}))
	}
	middle := rawjson.Parse(told.guidelines.object).Except(head).Except(back)
	return head.Append(middle).Append(back).JSON()
}

// moreParameters tells, for each tool that is offered, the parameters that the
// tool list leaves out. A client that holds the model to the list does not let
// them through, so no other text tells the model to send one of them.
func (c *call) moreParameters() rawjson.Object {
	var all rawjson.Object
	for _, t := range c.server.surface.offered(c.view) {
		var each []string
		for _, p := range t.params {
			if p.unlisted {
				each = append(each, p.name+": "+p.about)
			}
		}
		if len(each) > 0 {
			all = all.With(t.name, strings.Join(each, "; "))
		}
	}
	return all
}
