package mcpserve

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// listedGraph is a graph as the tool that lists them shows it.
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
	instruction := problem.Say("Call %s with a nickname to work in one of them, or pass graph in each call.", problem.SelectGraph).Or("Pass graph in each call.").
		Then("Read a graph's guidelines first.").Needing(problem.ReadGuidelines)
	if len(graphs) == 0 {
		none := nothingEnabled(c.view)
		instruction = problem.Say("%s", none.Message).Append(none.Hint)
	}
	waiting := []graphChoice{}
	for _, e := range c.view.withoutToken() {
		waiting = append(waiting, graphChoice{Nickname: e.Nickname, Name: e.Name})
	}
	if len(graphs) > 0 && len(waiting) > 0 {
		instruction = instruction.Then("Those without a token can't be used before %s has asked Roam for one.", problem.SetUpGraph).Or("Those without a token can't be used before the user has connected them.")
	}
	object := rawjson.With("graphs", graphs)
	if len(waiting) > 0 {
		object = object.With("graphs_without_token", waiting)
	}
	object = object.With("instruction", c.World().Say(instruction))
	if n := len(c.view.config.Problems); n > 0 {
		object = object.With("warning", c.World().Say(problem.Say("The configuration has problems (%d); the user can see them with: %s", n, problem.Run("graphs"))))
	}
	return object.JSON(), nil
}

// selectGraph asks Roam first: where that fails the selection stays as it was.
func selectGraph(ctx context.Context, c *call) (json.RawMessage, error) {
	name := c.args.Text(surface.ParamGraph)
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
	return c.replies().label(c.guidelinesReply(told, c.identity(told).With("guidelines", told.guidelines.text))), nil
}

func currentGraph(_ context.Context, c *call) (json.RawMessage, error) {
	return c.identity(briefing{}).JSON(), nil
}

func readGuidelines(ctx context.Context, c *call) (json.RawMessage, error) {
	told, err := c.brief(ctx)
	if err != nil {
		return nil, err
	}
	return c.guidelinesReply(told, nil), nil
}

func (c *call) brief(ctx context.Context) (briefing, error) {
	stop := c.roam.Repeat(ctx)
	defer stop()
	entry := c.target.entry
	told, err := c.server.guide().brief(ctx, entry)
	opened, err := c.roam.Opened(ctx, entry.Graph(), err)
	if opened {
		told, err = c.server.guide().brief(ctx, entry)
	}
	if err != nil {
		return told, c.roam.Explain(ctx, err)
	}
	return told, nil
}

// identity names a graph and what may be done there.
func (c *call) identity(told briefing) rawjson.Object {
	entry := c.target.entry
	object := rawjson.With("graph_name", entry.Name).With("nickname", entry.Nickname)
	level := told.level(entry)
	if scopes := surface.ScopesOf(level); scopes != nil {
		object = object.With("permissions", scopes)
	}
	if level != "" {
		object = object.With("accessLevel", level)
	}
	if c.server.offering.readOnly {
		object = object.With("note", "This server was started with --read-only.")
	}
	return object
}

// guidelinesReply is Roam's reply with what an agent needs besides. What the
// server adds stands behind the guidelines, and wins over fields of that name.
func (c *call) guidelinesReply(told briefing, head rawjson.Object) json.RawMessage {
	roam := rawjson.Parse(told.guidelines.object)
	back := c.guide(roam)
	if level := told.level(c.target.entry); level != "" && head == nil {
		back = back.With("accessLevel", level).With("scopes", surface.ScopesOf(level))
	}
	if told.info.Status == localapi.TokenRevoked {
		back = back.With("tokenStatus", told.info.Status).With("warning", c.World().Say(
			problem.Say("Roam says that the token of this graph was revoked. Ask the user to run: %s", problem.Run("reauth", c.target.entry.Nickname))))
	}
	back = back.With("guidelines_hash", told.guidelines.hash)
	if c.view.choosing() {
		back = back.With("ticket", c.server.sealer.seal(ticket{c.target.entry.Graph(), told.guidelines.hash}))
	}
	return head.Append(roam.Except(back)).Append(back).JSON()
}

// guide is what the profile says besides the guidelines. Tools are named in it
// whether or not they are offered now.
func (c *call) guide(roam rawjson.Object) rawjson.Object {
	offering := c.server.offering
	if offering.profile.Guide == nil {
		return rawjson.Object{}
	}
	extensions, known := offering.profile.Doing(problem.CallExtension)
	guidelines := surface.Guidelines{
		Fields:         roam,
		Unselected:     c.session == nil && c.view.choosing(),
		CallExtensions: known && offering.serves(extensions, c.view),
		Recorded:       c.server.recorder != nil && offering.writes(c.view),
	}
	undoes, known := offering.profile.Doing(problem.UndoOwnChanges)
	guidelines.UndoesOwn = known && offering.serves(undoes, c.view)
	world := c.World()
	world.Tool = offering.profile.ToolName
	object := rawjson.Object{}
	for _, each := range offering.profile.Guide(guidelines) {
		switch value := each.Value.(type) {
		case problem.Hint:
			object = object.With(each.Name, world.Say(value))
		case surface.Text:
			object = object.With(each.Name, value.In(world))
		default:
			object = object.With(each.Name, value)
		}
	}
	return object
}

// runner runs a tool whose task is the server's own.
type runner func(ctx context.Context, c *call) (json.RawMessage, error)

// runners returns the tasks of the server itself.
func runners() map[problem.Task]runner {
	return map[problem.Task]runner{
		problem.ListGraphs:     listGraphs,
		problem.SelectGraph:    selectGraph,
		problem.CurrentGraph:   currentGraph,
		problem.ReadGuidelines: readGuidelines,
		problem.SetUpGraph:     setUpGraph,
		problem.ListOwnChanges: listOwnChanges,
		problem.ReadOwnChange:  readOwnChange,
		problem.UndoOwnChanges: undoOwnChanges,
	}
}
