package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/rawjson"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

const tokenLookTimeout = 2 * time.Second

// call is one call of a tool, from its arguments to the graph it works on.
type call struct {
	server   *Server
	tool     *tool
	request  *mcp.CallToolRequest
	session  *session // nil in the stateless era
	view     view
	args     arguments
	target   target        // of a tool that works on a graph
	images   []mcp.Content // what the reply shows beside its text
	record   *record
	progress *progress
}

// run answers a call. It never fails: an error is an answer too.
func (s *Server) run(ctx context.Context, t *tool, request *mcp.CallToolRequest) *mcp.CallToolResult {
	c := &call{server: s, tool: t, request: request, session: s.sessionOf(request), record: s.newRecord(t, request), progress: newProgress(request.Session, request.Params.GetProgressToken())}
	outcome, size := localapi.CodeInternal, 0 // as a panic leaves them
	defer func() { c.record.end(s.now(), outcome, size) }()
	reply, err := s.answer(ctx, c)
	var asks *inputRequired
	if errors.As(err, &asks) {
		outcome = OutcomeOK // of this round
		return &mcp.CallToolResult{InputRequests: asks.requests}
	}
	if err == nil && len(reply) > s.maxReply {
		whole := reply
		if reply, err = s.fit(whole, c, s.maxReply); err != nil && t.writes() {
			reply, err = c.fitWrite(whole), nil
		}
	}
	result := &mcp.CallToolResult{}
	outcome = OutcomeOK
	if err != nil {
		f := *failureOf(err)
		outcome, f.Hint = f.Code, s.hint(&f)
		if !s.surface.has(f.SuggestedNextTool) {
			f.SuggestedNextTool = ""
		}
		reply = s.fitFailure(&f)
		result.IsError = true
	} else if t.output != nil {
		result.StructuredContent = reply
	}
	result.Content = []mcp.Content{&mcp.TextContent{Text: string(reply)}}
	if err == nil {
		result.Content = append(result.Content, c.images...)
	}
	size = len(reply)
	return result
}

// fitFailure is the error as it goes out; guidelines that would make it too
// long are left to the tool that reads them, and graphs to the one that lists
// them. A uid that makes it so is none of Roam's, and the message quotes it.
func (s *Server) fitFailure(f *failure) json.RawMessage {
	shorter := *f
	whole := func() json.RawMessage { return rawjson.Encode(map[string]*failure{"error": &shorter}) }
	out := whole()
	if len(out) > s.maxReply && f.Guidelines != nil {
		shorter.Guidelines, shorter.SuggestedNextTool = nil, "get_graph_guidelines"
		shorter.Ticket = ""
		out = whole()
	}
	for len(out) > s.maxReply && len(shorter.AvailableGraphs) > 1 {
		shorter.AvailableGraphs = shorter.AvailableGraphs[:len(shorter.AvailableGraphs)/2]
		out = whole()
	}
	if len(out) > s.maxReply {
		shorter.UID = ""
		out = whole()
	}
	for list := rawjson.Elements(f.Results); len(out) > s.maxReply && len(list) > 0; {
		list = list[:len(list)/2]
		shorter.Results = rawjson.Array(list)
		shorter.Hint = strings.TrimSpace(f.Hint + fmt.Sprintf(" Only the first %d of results fit here.", len(list)))
		out = whole()
	}
	return out
}

// answer does the work of a call: configuration, arguments, graph, ticket, and
// then the tool itself.
func (s *Server) answer(ctx context.Context, c *call) (json.RawMessage, error) {
	var err error
	if c.view, err = s.look(ctx); err != nil {
		return nil, err
	}
	if refused := s.surface.refusal(c.tool, c.view); refused != nil {
		return nil, refused
	}
	if err := s.pause.refusal(c.tool); err != nil {
		return nil, err
	}
	var hidden []param
	if c.tool.onGraph { // a client's cached list may still show them
		hidden = []param{{name: "graph", kind: kindString}, {name: "ticket", kind: kindString}}
	}
	c.args, err = parseArguments(c.tool.name, c.request.Params.Arguments, c.tool.allParams(c.view.choosing()), hidden)
	if err != nil {
		return nil, err
	}
	if !c.tool.onGraph {
		c.record.begin("")
		return c.tool.handle(ctx, c)
	}
	if c.target, err = s.chooseGraph(c); err != nil {
		return nil, err
	}
	c.record.begin(c.target.entry.Nickname)
	if c.target.implicit {
		c.session.adopt(c.target.entry.Graph())
	}
	if c.tool.needsTicket() {
		if err := s.checkTicket(ctx, c); err != nil {
			return nil, err
		}
	}
	reply, err := c.tool.handle(ctx, c)
	if err != nil {
		return nil, err
	}
	return c.labelled(reply), nil
}

// labelled puts the graph into a reply: as the caller named it, and by its
// canonical name, so that no agent wonders which graph it reads.
func (c *call) labelled(reply json.RawMessage) json.RawMessage {
	if !rawjson.IsObject(reply) {
		reply = rawjson.With("result", reply).JSON()
	}
	return rawjson.With("graph", c.target.label).With("graphName", c.target.entry.Name).Append(rawjson.Parse(reply)).JSON()
}

// roam runs one action on the call's graph. While it waits, the client hears of
// it where it asked to.
func (c *call) roam(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := c.send(ctx, action, args...)
	if err != nil {
		return nil, c.explain(ctx, err)
	}
	return reply.Result, nil
}

// send sends one action to the call's graph, once; Roam is opened first where
// it is closed and may be.
func (c *call) send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	stop := c.progress.repeat(ctx, func() string { return waitingForRoam })
	defer stop()
	s, entry := c.server, c.target.entry
	var reply localapi.Reply
	err := c.withRoam(ctx, entry.Graph(), func() (err error) {
		reply, err = s.options.Roam.Call(ctx, entry.Graph(), entry.Token, action, args...)
		return err
	})
	if err == nil && entry.LastKnownTokenStatus == localapi.TokenRevoked {
		s.noteToken(ctx, entry, localapi.TokenInfo{Status: localapi.TokenUnknown}, true)
	}
	return reply, err
}

// explain adds to Roam's error what this server knows: which graph it was, and
// how a person gets a new token for it.
func (c *call) explain(ctx context.Context, err error) error {
	roam, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	switch {
	case unauthorized(roam):
		return c.explainUnauthorized(ctx, roam)
	case roam.Code == localapi.CodeInsufficientScope:
		return c.explainScope(ctx, roam)
	case roam.Code == localapi.CodeConnectionFailed && roam.Sent(): // a write of which this is true is looked for
		f := failureOfRoam(roam)
		f.Hint = "Nothing was written by this. Try again."
		return f
	case roam.Code == localapi.CodeNotFound && roam.Status() >= 500 && c.server.isOffered("search") && c.tool != nil && c.tool.finds():
		f := failureOfRoam(roam)
		f.Hint, f.SuggestedNextTool = "Do not send it again as it is: find what is meant with search.", "search"
		return f
	}
	return err
}

func (c *call) explainUnauthorized(ctx context.Context, roam *problem.Error) *failure {
	entry := c.target.entry
	if roam.Code == localapi.CodeTokenNotFound && entry.LastKnownTokenStatus != localapi.TokenRevoked {
		c.lookAtToken(ctx, false) // only tokens/info may call a token revoked
	}
	f := failureOfRoam(roam)
	reauthorize := problem.Run("reauth", entry.Nickname)
	f.advice = problem.Say("Ask the user to re-authorize the graph %s, in roam-mcp or with: %s", quote(entry.Nickname), reauthorize)
	if c.server.offersSetup() {
		f.advice = problem.Say("Call setup_new_graph with graph %s: Roam asks the user for a new token. Or the user runs: %s", quote(entry.Name), reauthorize)
		f.SuggestedNextTool = setupTool
	}
	return f
}

// explainScope also notes that the token permits less than was known.
func (c *call) explainScope(ctx context.Context, roam *problem.Error) *failure {
	entry := c.target.entry
	c.lookAtToken(ctx, true)
	f := failureOfRoam(roam)
	if c.server.offersSetup() {
		f.advice = f.advice.Then("Where the user wants that: setup_new_graph with graph %s and the accessLevel needed.", quote(entry.Name))
	}
	return f
}

// lookAtToken asks Roam about the call's token, and notes what is news.
func (c *call) lookAtToken(ctx context.Context, worked bool) {
	entry := c.target.entry
	ctx, cancel := context.WithTimeout(ctx, c.server.waits.tokenLook)
	defer cancel()
	c.server.noteToken(ctx, entry, c.server.options.Roam.TokenInfo(ctx, entry.Graph(), entry.Token), worked)
}

// checkTicket makes sure that a write goes to the graph that the agent has read
// the guidelines of (TOOLS.md, "Selection, guidelines, tickets").
func (s *Server) checkTicket(ctx context.Context, c *call) error {
	if len(c.view.enabled()) < 2 {
		return nil
	}
	entry := c.target.entry
	switch {
	case c.args.text("ticket") == "" && !s.surface.has("get_graph_guidelines"):
		return s.bringTicket(ctx, c, CodeTicketRequired, "Several graphs are enabled, so a write needs the ticket of its graph.")
	case c.args.text("ticket") == "":
		return &failure{
			Code:    CodeTicketRequired,
			Message: "Several graphs are enabled, so a write needs the ticket of its graph. Nothing was written.",
			Hint:    fmt.Sprintf("Call get_graph_guidelines with graph %s, or with another of the available graphs, and send the ticket of its reply.", quote(entry.Nickname)),

			AvailableGraphs: c.view.choices(), SuggestedNextTool: "get_graph_guidelines",
		}
	case c.target.ticket == nil:
		return s.stale(ctx, c, "The ticket is not from this server process, which may have been restarted.")
	}
	if err := c.ticketDisagrees(); err != nil {
		return err
	}
	s.refreshGuidelines(ctx, entry)
	if latest, known := s.guidelines.latest(entry.Graph()); known && latest.hash != c.target.ticket.hash {
		return s.stale(ctx, c, "The guidelines of the graph have changed since they were read.")
	}
	return nil
}

func (c *call) ticketDisagrees() error {
	ticketGraph := c.target.ticket.graph
	other := ""
	if ticketGraph != c.target.entry.Graph() {
		other = c.target.entry.Nickname
	} else if selected, ok := c.session.selection(); ok && c.args.text("graph") == "" && selected != ticketGraph {
		other = selected.Name
		if entry, found := c.view.findGraph(selected); found {
			other = entry.Nickname
		}
	}
	if other == "" {
		return nil
	}
	of := ticketGraph.Name
	if entry, found := c.view.findGraph(ticketGraph); found {
		of = entry.Nickname
	}
	return &failure{
		Code:    CodeTicketWrongGraph,
		Message: fmt.Sprintf("The ticket belongs to the graph %s, but the call is to %s. Nothing was written.", quote(of), quote(other)),
		Hint:    "Name the graph you mean in the parameter graph, and send the ticket that came with its guidelines.",

		AvailableGraphs: c.view.choices(), SuggestedNextTool: "get_graph_guidelines",
	}
}

// stale refuses a ticket and brings what the next try needs.
func (s *Server) stale(ctx context.Context, c *call, why string) error {
	return s.bringTicket(ctx, c, CodeTicketStale, why)
}

// bringTicket refuses a write with the guidelines and a new ticket.
func (s *Server) bringTicket(ctx context.Context, c *call, code problem.Code, why string) error {
	entry := c.target.entry
	s.refreshGuidelines(ctx, entry)
	read, known := s.guidelines.latest(entry.Graph())
	if !known {
		var err error
		if read, err = s.fetchGuidelines(ctx, entry); err != nil {
			return c.explain(ctx, err)
		}
	}
	return (&failure{
		Code:           code,
		Message:        why + " Nothing was written.",
		Hint:           "Read the guidelines in this reply, then send the call again with the new ticket.",
		Graph:          entry.Nickname,
		Guidelines:     read.text,
		GuidelinesHash: read.hash,
		Ticket:         s.sealer.seal(ticket{entry.Graph(), read.hash, s.now()}),
	}).retryable(true)
}

func (s *Server) staleWithoutGraph(v view) *failure {
	hint := "Call get_graph_guidelines with the graph you mean, and send the ticket of its reply."
	if !s.surface.has("get_graph_guidelines") {
		hint = "Send the call again without ticket, and name the graph you mean in the parameter graph."
	}
	return &failure{
		Code:    CodeTicketStale,
		Message: "The ticket is not from this server process, which may have been restarted, and the call names no graph.",
		Hint:    hint,

		AvailableGraphs: v.choices(), SuggestedNextTool: "get_graph_guidelines",
	}
}
