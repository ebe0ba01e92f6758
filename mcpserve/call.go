package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/surface"
)

// call is one call of a tool, from its arguments to the graph it works on.
type call struct {
	server  *Server
	began   time.Time
	tool    *surface.Tool // nil: a resource is read
	request *mcp.CallToolRequest
	session *session // nil in the stateless era
	view    view
	args    surface.Arguments
	target  target // of a tool that works on a graph
	seen    *activity.Call
	roam    *Caller
	graph   *ops.Graph // with all that the call has written; nil: it writes nothing
	asOf    time.Time  // of the mirror that was read; zero: none was
	fault   error      // why no graph can be chosen, of a tool that diagnoses

	recording *recording.Recording // nil: nothing is recorded
	repeated  bool                 // what it tells was done by the same call before
	before    toldBefore           // by the same call before
	counts    *writtenCounts       // of a tool that writes, once it has; nil: nothing was counted

	versioning sync.Once
	versions   *versions.Store // nil: nobody has asked for it
}

var _ surface.Call = (*call)(nil)

// What a call does besides being a surface.Call, by whom it is for.
type (
	replyWriter   struct{ *call } // writes the answer, for the client
	setupCall     struct{ *call } // connects a graph, for its user
	standingCheck struct{ *call } // asks how a graph and its token are
)

func (c *call) replies() replyWriter    { return replyWriter{c} }
func (c *call) setup() setupCall        { return setupCall{c} }
func (c *call) standing() standingCheck { return standingCheck{c} }

// Args implements surface.Call.
func (c *call) Args() surface.Arguments { return c.args }

// ToolName implements surface.Call.
func (c *call) ToolName() string { return c.tool.Name }

// Graph implements surface.Call.
func (c *call) Graph() *ops.Graph {
	if c.graph != nil {
		return c.graph
	}
	return c.server.operations.On(c.target.entry.Graph(), c.roam)
}

// Shown implements surface.Call.
func (c *call) Shown() shown.Graph {
	var memory *shown.Memory
	switch {
	case c.request == nil: // a resource is read
	case c.session != nil:
		memory = c.session.shown
	default:
		memory = c.server.sessions.shownTo(clientName(c.request.ClientInfo()))
	}
	return memory.On(c.target.entry.Graph(), c.server.options.OverwriteUnread).Telling(c.MaxReply())
}

// Now implements surface.Call.
func (c *call) Now() time.Time { return c.server.now() }

// NewUID implements surface.Call.
func (c *call) NewUID() (string, error) { return c.Graph().NewUID() }

// Progress implements surface.Call.
func (c *call) Progress(text string) { c.roam.Progress.Say(text) }

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

// run answers a call. Its error is a *jsonrpc.Error, in a profile whose errors are; in
// all others an error is an answer too.
func (s *Server) run(ctx context.Context, t *surface.Tool, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := &call{server: s, began: s.now(), tool: t, request: request, session: s.sessionOf(request), seen: s.activity.NewCall(clientName(request.ClientInfo()), t.Name, !t.Effects.ReadOnly, request.Params.Arguments)}
	c.roam = &Caller{Roam: s.roam, Entry: &c.target.entry, Reads: t.Effects.ReadOnly, Progress: NewProgress(ctx, request.Session, request.Params.GetProgressToken()), Refused: t.Explain}
	outcome, size := localapi.CodeInternal, 0 // as a panic leaves them
	s.mirrors.releaser.begin()
	defer func() {
		c.seen.End(outcome, size)
		s.mirrors.releaser.end()
	}()
	reply, err := s.answer(ctx, c)
	s.standings.noteOutcome(c, err)
	if err != nil && c.tool.Writes() {
		c.recordStop(ctx, problem.CodeOf(err))
	}
	var asks *inputRequired
	if errors.As(err, &asks) {
		outcome = activity.OutcomeOK // of this round
		return &mcp.CallToolResult{InputRequests: asks.requests}, nil
	}
	result := &mcp.CallToolResult{}
	if err == nil {
		size, err = c.replies().say(ctx, reply, result)
	}
	if err == nil {
		outcome = activity.OutcomeOK
		return result, nil
	}
	failed := Explained(err)
	outcome = failed.Code
	failure := c.replies().failure(failed, errors.As(err, new(unchosen)))
	c.seen.Replied(failure.Text + failure.Message)
	result, size, err = failureResult(failure)
	c.replies().nameChange(result)
	return result, err
}

// answer does the work of a call: configuration, arguments, graph, ticket, and
// then the tool itself.
func (s *Server) answer(ctx context.Context, c *call) (surface.Reply, error) {
	var err error
	if c.view, err = s.look(ctx); err != nil {
		if c.fault = err; !c.tool.Diagnoses {
			return surface.Reply{}, unchosen{err}
		}
	}
	if refused := s.offering.refusal(c.tool, c.view); refused != nil {
		return surface.Reply{}, refused
	}
	if err := s.refuseWhilePaused(c.tool); err != nil {
		return surface.Reply{}, err
	}
	if c.args, err = s.offering.profile.Parse(c.tool, c.request.Params.Arguments, c.view.choosing()); err != nil {
		return surface.Reply{}, err
	}
	if !c.tool.OnGraph {
		c.seen.Start("")
		return c.runTool(ctx)
	}
	if c.fault == nil {
		c.target, c.fault = s.chooseGraph(c)
	}
	if c.fault != nil {
		if !c.tool.Diagnoses {
			return surface.Reply{}, unchosen{c.fault}
		}
		c.seen.Start("")
		return c.runTool(ctx)
	}
	if c.graph = c.Graph(); c.tool.Writes() {
		c.toWrite(ctx)
	}
	c.seen.Start(c.target.entry.Nickname)
	if c.target.implicit {
		c.session.adopt(c.target.entry.Graph())
	}
	if c.tool.NeedsTicket() {
		if err := s.tickets().checkTicket(ctx, c); err != nil {
			return surface.Reply{}, unchosen{err}
		}
	}
	if !c.tool.Writes() {
		return s.answerOnGraph(ctx, c)
	}
	return s.unheard.once(ctx, c)
}

// answerOnGraph does the work of a call whose graph is chosen.
func (s *Server) answerOnGraph(ctx context.Context, c *call) (surface.Reply, error) {
	naming := surface.Naming{Graph: c.target.entry.Name, Now: c.Now(), Pages: func(names []note.Name) ([]note.Page, error) { return c.Graph().PagesNamed(ctx, names...) }}
	c.tellPage()
	if err := readShown(ctx, c); err != nil {
		return surface.Reply{}, err
	}
	if err := c.tool.Resolve(c.args, naming); err != nil {
		return surface.Reply{}, err
	}
	reply, err := c.runTool(ctx)
	if missed(reply, err) {
		switch changed, several := c.tool.Reconsider(c.args, naming); {
		case problem.CodeOf(several) == localapi.CodeNotFound:
			reply, err = surface.Reply{}, several
		case changed:
			reply, err = c.runTool(ctx)
		}
	}
	if err != nil {
		if !errors.As(err, new(*inputRequired)) && !c.tool.Unseen {
			err = c.graph.PartialFailure(err)
		}
		return surface.Reply{}, err
	}
	clamped, labelled := c.args.Clamped(), s.offering.profile.Style == surface.Labelled
	switch {
	case labelled && clamped != "" && rawjson.IsObject(reply.JSON):
		reply.JSON = rawjson.Parse(reply.JSON).With("adjusted", clamped).JSON()
	case !labelled:
		reply.Note = joinNotes(reply.Note, clamped)
	}
	if !labelled && c.tool.Writes() && c.leavesCodeOpen() {
		reply.Note = joinNotes(reply.Note, "Code that was not closed ends with its list item, or with the text.")
	}
	if c.recording.Unrecorded() {
		reply = c.replies().sayUnrecorded(reply)
	}
	if c.versions != nil && c.versions.Unrecorded() {
		reply.Note = joinNotes(reply.Note, "This version of the note could not be recorded in the history.")
	}
	if c.tool.Writes() {
		reply = c.replies().sayCounts(reply)
	}
	if labelled {
		reply.JSON = c.replies().label(translateNotes(reply.JSON, c.World()))
	}
	return reply, nil
}

// leavesCodeOpen reports whether Markdown was sent that does not close a code block.
func (c *call) leavesCodeOpen() bool {
	return slices.ContainsFunc(c.tool.Params, func(p surface.Param) bool { return p.Markdown && markdown.LeavesCodeOpen(c.args.Text(p.Name)) })
}

// missed reports whether a call found nothing of a name.
func missed(reply surface.Reply, err error) bool {
	if err != nil {
		return problem.CodeOf(err) == localapi.CodeNotFound
	}
	if !bytes.Contains(reply.JSON, []byte(`"found"`)) {
		return false // as most replies are, which need not be taken apart
	}
	none := func(object rawjson.Object) bool { return string(object.Get("found")) == "false" }
	object := rawjson.Parse(reply.JSON)
	return none(object) || slices.ContainsFunc(rawjson.Elements(object.Get("pages")), func(page json.RawMessage) bool { return none(rawjson.Parse(page)) })
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
// name, so that no agent wonders which graph it reads. In other styles than Labelled
// it stands beside the reply.
func (c replyWriter) label(reply json.RawMessage) json.RawMessage {
	if c.server.offering.profile.Style != surface.Labelled {
		return reply
	}
	if !rawjson.IsObject(reply) {
		reply = rawjson.With("result", reply).JSON()
	}
	return c.names().Append(rawjson.Parse(reply)).JSON()
}

// names names the graph, as the first fields of a reply.
func (c replyWriter) names() rawjson.Object {
	return rawjson.With("graph", c.target.label).With("graphName", c.target.entry.Name)
}

// callOn is a call on a graph that no tool makes.
func (s *Server) callOn(entry configstore.Entry, v view, p *Progress) *call {
	c := &call{server: s, began: s.now(), view: v, target: target{entry: entry, label: entry.Nickname}}
	c.roam = &Caller{Roam: s.roam, Entry: &c.target.entry, Reads: true, Progress: p}
	return c
}
