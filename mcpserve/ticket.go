package mcpserve

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/safetext"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/task"
	"roam-mcp/problem"
)

// ticket shows that the guidelines of a graph were read. It travels with the
// client, so the server remembers nothing, and serves both eras of MCP.
type ticket struct {
	graph localapi.Graph
	hash  string // of the guidelines as they were read
	at    time.Time
}

// sealer makes tickets that only this process can open: a ticket of another
// process is not a forged one but a stale one.
type sealer struct{ aead cipher.AEAD }

var errForeignTicket = errors.New("the ticket was not made by this server process")

func newSealer() (sealer, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return sealer{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return sealer{}, fmt.Errorf("make the key for tickets: %w", err)
	}
	return sealer{aead}, nil
}

func (s sealer) seal(t ticket) string {
	// "|" is in no graph name, type or hash.
	plain := strings.Join([]string{t.graph.Name, string(t.graph.Type), t.hash, strconv.FormatInt(t.at.Unix(), 36)}, "|")
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, []byte(plain), nil))
}

func (s sealer) open(text string) (ticket, error) {
	text = strings.TrimSpace(text)
	if len(text) > 1024 {
		return ticket{}, errForeignTicket
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return ticket{}, errForeignTicket
	}
	plain, err := s.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return ticket{}, errForeignTicket
	}
	parts := strings.Split(string(plain), "|")
	if len(parts) != 4 {
		return ticket{}, errForeignTicket
	}
	seconds, err := strconv.ParseInt(parts[3], 36, 64)
	if err != nil {
		return ticket{}, errForeignTicket
	}
	return ticket{
		graph: localapi.Graph{Name: parts[0], Type: localapi.GraphType(parts[1])},
		hash:  parts[2],
		at:    time.Unix(seconds, 0),
	}, nil
}

// hashGuidelines names a state of a graph's guidelines.
func hashGuidelines(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// checkTicket makes sure that a write goes to the graph that the agent has read
// the guidelines of (TOOLS.md, "Selection, guidelines, tickets").
func (s *Server) checkTicket(ctx context.Context, c *call) error {
	if len(c.view.enabled()) < 2 {
		return nil
	}
	entry := c.target.entry
	switch {
	case c.args.Text(surface.ParamTicket) == "" && c.World().ToolName(task.ReadGuidelines) == "":
		return s.bringTicket(ctx, c, CodeTicketRequired, "Several graphs are enabled, so a write needs the ticket of its graph.")
	case c.args.Text(surface.ParamTicket) == "":
		return withGraphs(c.view, &problem.Error{
			Code:    CodeTicketRequired,
			Message: "Several graphs are enabled, so a write needs the ticket of its graph. Nothing was written.",
			Hint:    problem.Say("Call %s with graph %s, or with another of the available graphs, and send the ticket of its reply.", task.ReadGuidelines, safetext.Quote(entry.Nickname)),
			Next:    task.ReadGuidelines,
		})
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
		Message: fmt.Sprintf("The ticket belongs to the graph %s, but the call is to %s. Nothing was written.", safetext.Quote(of), safetext.Quote(other)),
		Hint:    problem.Say("Name the graph you mean in the parameter graph, and send the ticket that came with its guidelines."),
		Next:    task.ReadGuidelines,
	})
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
			return c.Explain(ctx, err)
		}
	}
	return &problem.Error{
		Code:    code,
		Message: why + " Nothing was written.",
		Hint:    problem.Say("Read the guidelines in this reply, then send the call again with the new ticket."),
		Retry:   problem.RetryLater,
		Details: []problem.Detail{
			{Name: "graph", Value: entry.Nickname},
			{Name: surface.DetailGuidelines, Value: read.text},
			{Name: "guidelines_hash", Value: read.hash},
			{Name: surface.DetailTicket, Value: s.sealer.seal(ticket{entry.Graph(), read.hash, s.now()})},
		},
	}
}

func staleWithoutGraph(v view) *problem.Error {
	return withGraphs(v, &problem.Error{
		Code:    CodeTicketStale,
		Message: "The ticket is not from this server process, which may have been restarted, and the call names no graph.",
		Hint: problem.Say("Call %s with the graph you mean, and send the ticket of its reply.", task.ReadGuidelines).
			Or("Send the call again without ticket, and name the graph you mean in the parameter graph."),
		Next: task.ReadGuidelines,
	})
}
