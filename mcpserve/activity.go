package mcpserve

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/surface"
)

// Activity tells what goes on in the server, and pauses its writes.
func (s *Server) Activity() *activity.Monitor { return s.activity }

// Clients lists who is connected, sorted by name.
func (s *Server) Clients() []activity.Client {
	var open []string
	for session := range s.mcp.Sessions() {
		if hello := session.InitializeParams(); hello != nil && hello.ProtocolVersion < statelessVersion {
			open = append(open, clientName(hello.ClientInfo))
		}
	}
	return s.activity.Clients(open)
}

// noteSender notes who sent a message, and reports whether the message tells.
func (s *Server) noteSender(request mcp.Request) bool {
	from, ok := request.(interface {
		ClientInfo() *mcp.Implementation
		ProtocolVersion() string
	})
	if !ok || from.ProtocolVersion() == "" {
		return false
	}
	info, version := from.ClientInfo(), ""
	if info != nil {
		version = info.Version
	}
	s.activity.NoteClient(clientName(info), version, from.ProtocolVersion())
	return true
}

// pageParams are the parameters that name the page which a call is about, in any profile.
var pageParams = [...]string{"title", "pageTitle", "page", "path", "pages", "names"}

// tellPage tells those who watch the server which page the call is about.
func (c *call) tellPage() {
	for _, name := range pageParams {
		page := c.args.Text(name)
		if list := c.args.List(name); len(list) > 0 {
			page = list[0]
		}
		if page != "" {
			s := c.server
			c.seen.About(page, s.recorder != nil && s.recorder.KnowsToKeep(c.target.entry.Graph(), c.keeps()))
			return
		}
	}
}

// clientName returns the name that a client gives itself; "" where it gave none.
func clientName(info *mcp.Implementation) string {
	if info == nil {
		return ""
	}
	return info.Name
}

// refuseWhilePaused refuses a tool that changes something while writes are
// paused.
func (s *Server) refuseWhilePaused(t *surface.Tool) error {
	if t.Effects.ReadOnly || !s.activity.WritesPaused() {
		return nil
	}
	return &problem.Error{
		Code:    CodeWritesPaused,
		Message: "The user has paused all writes in roam-mcp. Nothing was written.",
		Hint:    problem.Say("Reading goes on working. Tell the user, and send the call again once writes are resumed."),
		Retry:   problem.RetryLater,
	}
}
