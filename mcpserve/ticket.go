package mcpserve

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// ticket shows that the guidelines of a graph were read. It travels with the
// client, so the server remembers none, and serves both eras of MCP.
type ticket struct {
	graph localapi.Graph
	hash  string // of the guidelines as they were read
}

// ticketBytes is the length of a ticket before it is encoded: twelve characters, of
// which another agent could guess one in 2^72.
const ticketBytes = 9

// ticketCodec makes tickets that only this process can make: a ticket of another process
// is not a forged one but a stale one.
type ticketCodec struct{ key []byte }

func newSealer() (ticketCodec, error) {
	key := make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return ticketCodec{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	return ticketCodec{key}, nil
}

// seal returns a ticket as text: the beginning of an HMAC of what it stands for. The
// same guidelines have the same ticket.
func (s ticketCodec) seal(t ticket) string {
	mac := hmac.New(sha256.New, s.key)
	// A line break is in no graph name, type or hash.
	mac.Write([]byte(strings.Join([]string{t.graph.Name, string(t.graph.Type), t.hash}, "\n")))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:ticketBytes])
}

// ticketOf finds the ticket that a text is among those that this process can have given: for
// the guidelines of each graph as they were read, the latest or some before.
func (s ticketCheck) ticketOf(text string) (ticket, bool) {
	text = strings.TrimSpace(text)
	for _, read := range s.guidelines.read() {
		if hmac.Equal([]byte(s.sealer.seal(read)), []byte(text)) {
			return read, true
		}
	}
	return ticket{}, false
}

// hashGuidelines names a state of a graph's guidelines.
func hashGuidelines(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:8])
}

// checkTicket makes sure that a write goes to the graph that the agent has read
// the guidelines of (TOOLS.md, "Selection, guidelines, tickets").
func (s ticketCheck) checkTicket(ctx context.Context, c *call) error {
	if len(c.view.enabled()) < 2 {
		return nil
	}
	entry := c.target.entry
	switch {
	case c.args.Text(surface.ParamTicket) == "" && c.World().ToolName(problem.ReadGuidelines) == "":
		return s.bringTicket(ctx, c, CodeTicketRequired, "Several graphs are enabled, so a write needs the ticket of its graph.")
	case c.args.Text(surface.ParamTicket) == "":
		return withGraphs(c.view, &problem.Error{
			Code:    CodeTicketRequired,
			Message: "Several graphs are enabled, so a write needs the ticket of its graph. Nothing was written.",
			Hint:    problem.Say("Call %s with graph %s, or with another of the available graphs, and send the ticket of its reply.", problem.ReadGuidelines, textsafe.Quote(entry.Nickname)),
			Next:    problem.ReadGuidelines,
		})
	case c.target.ticket == nil:
		return s.bringTicket(ctx, c, CodeTicketStale, "The ticket is not from this server process, which may have been restarted.")
	}
	if err := c.ticketDisagrees(); err != nil {
		return err
	}
	s.guide().refreshGuidelines(ctx, entry)
	if latest, known := s.guidelines.latest(entry.Graph()); known && latest.hash != c.target.ticket.hash {
		return s.bringTicket(ctx, c, CodeTicketStale, "The guidelines of the graph have changed since they were read.")
	}
	return nil
}

func (c *call) ticketDisagrees() error {
	ticketGraph := c.target.ticket.graph
	other := ""
	if ticketGraph != c.target.entry.Graph() {
		other = c.target.entry.Nickname
	} else if selected, ok := c.session.selection(); ok && c.args.Text(surface.ParamGraph) == "" && selected != ticketGraph {
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
	return withGraphs(c.view, &problem.Error{
		Code:    CodeTicketWrongGraph,
		Message: fmt.Sprintf("The ticket belongs to the graph %s, but the call is to %s. Nothing was written.", textsafe.Quote(of), textsafe.Quote(other)),
		Hint:    problem.Say("Name the graph you mean in the parameter graph, and send the ticket that came with its guidelines."),
		Next:    problem.ReadGuidelines,
	})
}

// bringTicket refuses a write with the guidelines and a new ticket.
func (s ticketCheck) bringTicket(ctx context.Context, c *call, code problem.Code, why string) error {
	entry := c.target.entry
	s.guide().refreshGuidelines(ctx, entry)
	read, known := s.guidelines.latest(entry.Graph())
	if !known {
		var err error
		if read, err = s.guide().fetchGuidelines(ctx, entry); err != nil {
			return c.roam.Explain(ctx, err)
		}
	}
	return &problem.Error{
		Code:    code,
		Message: why + " Nothing was written.",
		Hint:    problem.Say("Read the guidelines in this reply, then send the call again with the new ticket."),
		Retry:   problem.RetryLater,
		Details: []problem.Detail{
			{Name: "graph", Value: textsafe.Name(entry.Nickname)},
			{Name: surface.DetailGuidelines, Value: read.text},
			{Name: "guidelines_hash", Value: read.hash},
			{Name: surface.DetailTicket, Value: s.sealer.seal(ticket{entry.Graph(), read.hash})},
		},
	}
}

func staleWithoutGraph(v view) *problem.Error {
	return withGraphs(v, &problem.Error{
		Code:    CodeTicketStale,
		Message: "The ticket is not from this server process, which may have been restarted, and the call names no graph.",
		Hint: problem.Say("Call %s with the graph you mean, and send the ticket of its reply.", problem.ReadGuidelines).
			Or("Send the call again without ticket, and name the graph you mean in the parameter graph."),
		Next: problem.ReadGuidelines,
	})
}
