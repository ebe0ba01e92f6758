package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/ops"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// call is one call of a tool, from its arguments to the graph it works on.
type call struct {
	server   *Server
	tool     *surface.Tool // nil: a resource is read
	request  *mcp.CallToolRequest
	session  *session // nil in the stateless era
	view     view
	args     surface.Arguments
	target   target // of a tool that works on a graph
	record   *activity.Call
	progress *progress
}

var _ surface.Call = (*call)(nil)

// Args implements surface.Call.
func (c *call) Args() surface.Arguments { return c.args }

// ToolName implements surface.Call.
func (c *call) ToolName() string { return c.tool.Name }

// Graph implements surface.Call.
func (c *call) Graph() *ops.Graph { return c.server.operations.On(c.target.entry.Graph(), c) }

// Now implements surface.Call.
func (c *call) Now() time.Time { return c.server.now() }

// MaxReply implements surface.Call.
func (c *call) MaxReply() int {
	return min(max(c.args.Number(surface.ParamMaxTokens, c.server.maxReply), SmallestReply), c.server.maxReply)
}

// World implements surface.Call.
func (c *call) World() problem.World { return c.server.worldOf(c.view) }

// Guidelines implements surface.Call.
func (c *call) Guidelines(ctx context.Context) (string, error) {
	told, err := c.brief(ctx)
	if err != nil {
		return "", err
	}
	var text string
	_ = json.Unmarshal(told.guidelines.text, &text) // null: there are none
	return text, nil
}

// run answers a call. It never fails: an error is an answer too.
func (s *Server) run(ctx context.Context, t *surface.Tool, request *mcp.CallToolRequest) *mcp.CallToolResult {
	c := &call{server: s, tool: t, request: request, session: s.sessionOf(request), record: s.activity.NewCall(clientName(request.ClientInfo()), t.Name, !t.Effects.ReadOnly, request.Params.Arguments), progress: newProgress(request.Session, request.Params.GetProgressToken())}
	outcome, size := localapi.CodeInternal, 0 // as a panic leaves them
	defer func() { c.record.End(outcome, size) }()
	reply, err := s.answer(ctx, c)
	var asks *inputRequired
	if errors.As(err, &asks) {
		outcome = activity.OutcomeOK // of this round
		return &mcp.CallToolResult{InputRequests: asks.requests}
	}
	result := &mcp.CallToolResult{}
	text := ""
	if err == nil {
		text, err = c.said(reply, result)
	}
	outcome = activity.OutcomeOK
	if err != nil {
		failed := explained(err)
		outcome, text = failed.Code, c.sayFailure(failed)
		result.IsError = true
	}
	result.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	if err == nil {
		for _, image := range reply.Images {
			result.Content = append(result.Content, &mcp.ImageContent{Data: image.Data, MIMEType: image.MediaType})
		}
	}
	size = len(text)
	return result
}

// said returns a reply in the style of the profile, cut to the size of a reply,
// and puts its structured form into the result.
func (c *call) said(reply surface.Reply, result *mcp.CallToolResult) (string, error) {
	if c.server.offering.profile.Style == surface.Prose {
		return reply.Text, nil
	}
	out := reply.JSON
	if most := c.MaxReply(); !surface.Fits(out, most) {
		frame := surface.Frame{Tool: c.tool, Args: c.args, World: c.World(), Max: most}
		shorter, err := surface.Fit(out, frame)
		if err != nil && !c.tool.Writes() {
			return "", err
		}
		if err != nil {
			shorter = surface.FitWrite(len(out), c.names(), frame)
		}
		out = shorter
	}
	if c.tool.Output != nil {
		result.StructuredContent = out
	}
	return string(out), nil
}

// sayFailure returns an error in the form of the profile.
func (c *call) sayFailure(failed *problem.Error) string {
	say := c.server.offering.profile.Say
	if say == nil {
		say = surface.FailureJSON
	}
	return say(failed, c.World(), c.server.maxReply)
}

// answer does the work of a call: configuration, arguments, graph, ticket, and
// then the tool itself.
func (s *Server) answer(ctx context.Context, c *call) (surface.Reply, error) {
	var err error
	if c.view, err = s.look(ctx); err != nil {
		return surface.Reply{}, err
	}
	if refused := s.offering.refusal(c.tool, c.view); refused != nil {
		return surface.Reply{}, refused
	}
	if err := s.refuseWhilePaused(c.tool); err != nil {
		return surface.Reply{}, err
	}
	if c.args, err = c.tool.Parse(c.request.Params.Arguments, c.view.choosing()); err != nil {
		return surface.Reply{}, err
	}
	if !c.tool.OnGraph {
		c.record.Start("")
		return c.runTool(ctx)
	}
	if c.target, err = s.chooseGraph(c); err != nil {
		return surface.Reply{}, err
	}
	c.record.Start(c.target.entry.Nickname)
	if c.target.implicit {
		c.session.adopt(c.target.entry.Graph())
	}
	if c.tool.NeedsTicket() {
		if err := s.checkTicket(ctx, c); err != nil {
			return surface.Reply{}, err
		}
	}
	naming := surface.Naming{Graph: c.target.entry.Name, Now: c.Now(), UIDs: func(titles []string) (map[string]string, error) { return c.Graph().UIDsOf(ctx, titles) }}
	if err := c.tool.Resolve(c.args, naming); err != nil {
		return surface.Reply{}, err
	}
	reply, err := c.runTool(ctx)
	if clamped := c.args.Clamped(); err == nil && clamped != "" && rawjson.IsObject(reply.JSON) {
		reply.JSON = rawjson.Parse(reply.JSON).With("adjusted", clamped).JSON()
	}
	if err == nil && s.offering.profile.Style == surface.Labelled {
		reply.JSON = c.label(translateNotes(reply.JSON, c.World()))
	}
	return reply, err
}

// runTool runs the handler of the profile, or that of the server where the task
// is the server's own.
func (c *call) runTool(ctx context.Context) (surface.Reply, error) {
	if c.tool.Run != nil {
		return c.tool.Run(ctx, c)
	}
	reply, err := c.server.runners[c.tool.Task](ctx, c)
	return surface.Reply{JSON: reply}, err
}

// label puts the graph into a reply: as the caller named it, and by its canonical
// name, so that no agent wonders which graph it reads.
func (c *call) label(reply json.RawMessage) json.RawMessage {
	if !rawjson.IsObject(reply) {
		reply = rawjson.With("result", reply).JSON()
	}
	return c.names().Append(rawjson.Parse(reply)).JSON()
}

// names names the graph, as the first fields of a reply.
func (c *call) names() rawjson.Object {
	return rawjson.With("graph", c.target.label).With("graphName", c.target.entry.Name)
}
