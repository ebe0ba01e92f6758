package mcpserve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// statelessPresence is how long a client without a connection counts as
	// there after it was last heard of.
	statelessPresence = 5 * time.Minute
	// mostClients bounds the names that are remembered.
	mostClients = 200
)

// Client is a program that uses the server, by the name that it gives itself.
type Client struct {
	Name     string
	Version  string
	Protocol string // version of MCP that it speaks
	// Sessions are its open connections. A client of the stateless era has
	// none: it is listed until it has been silent for five minutes.
	Sessions  int
	LastHeard time.Time
}

// clients remembers who was heard of, by name.
type clients struct {
	mu    sync.Mutex
	heard map[string]Client
}

func newClients() *clients { return &clients{heard: map[string]Client{}} }

// Clients lists who is connected, by name.
func (s *Server) Clients() []Client {
	open := map[string]int{}
	for session := range s.mcp.Sessions() {
		if hello := session.InitializeParams(); hello != nil && hello.ProtocolVersion < statelessVersion {
			open[clientName(hello.ClientInfo)]++
		}
	}
	now := s.now()
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	var list []Client
	for name, client := range s.clients.heard {
		client.Sessions = open[name]
		if client.Sessions > 0 || client.isStateless() && now.Sub(client.LastHeard) < statelessPresence {
			list = append(list, client)
		}
	}
	slices.SortFunc(list, func(a, b Client) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

func (c Client) isStateless() bool { return c.Protocol >= statelessVersion }

// note remembers that a client was heard of. Beyond mostClients the one that
// was silent longest is forgotten.
func (c *clients) note(client Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard[client.Name] = client
	if len(c.heard) <= mostClients {
		return
	}
	oldest := client
	for _, each := range c.heard {
		if each.LastHeard.Before(oldest.LastHeard) {
			oldest = each
		}
	}
	delete(c.heard, oldest.Name)
}

// hear notes for every message who sent it: at once where that is known, after
// it for the one that introduces the client.
func (s *Server) hear(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		known := s.noteSender(request)
		result, err := next(ctx, method, request)
		if !known {
			s.noteSender(request)
		}
		return result, err
	}
}

// noteSender reports whether the request tells who sent it.
func (s *Server) noteSender(request mcp.Request) bool {
	from, ok := request.(interface {
		ClientInfo() *mcp.Implementation
		ProtocolVersion() string
	})
	if !ok || from.ProtocolVersion() == "" {
		return false
	}
	info := from.ClientInfo()
	client := Client{Name: clientName(info), Protocol: printable(from.ProtocolVersion(), 20), LastHeard: s.now()}
	if info != nil {
		client.Version = redact(printable(info.Version, 40))
	}
	s.clients.note(client)
	return true
}

// clientName is the name of a client as it may be shown; "" where it gave none.
func clientName(info *mcp.Implementation) string {
	if info == nil {
		return ""
	}
	return redact(printable(info.Name, 60))
}
