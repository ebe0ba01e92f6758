package mcpserve

import (
	"maps"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/transport"
)

const statelessVersion = transport.StatelessVersion

// session is what the server remembers of one connection: the selected graph,
// and how to end its calls. A nil *session is a request of the stateless era:
// it selects nothing and remembers nothing.
type session struct {
	name string // of its own within this server

	mu       sync.Mutex
	selected *localapi.Graph
}

func (s *session) selection() (localapi.Graph, bool) {
	if s == nil {
		return localapi.Graph{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.selected == nil {
		return localapi.Graph{}, false
	}
	return *s.selected, true
}

func (s *session) choose(graph localapi.Graph) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.selected = &graph
}

// adopt makes the only graph the selected one, unless one is selected already.
func (s *session) adopt(graph localapi.Graph) {
	if _, chosen := s.selection(); !chosen {
		s.choose(graph)
	}
}

// sessions are the connections that are open now.
type sessions struct {
	mu   sync.Mutex
	open map[*mcp.ServerSession]*session
	last int // number of the newest
}

func newSessions() *sessions { return &sessions{open: map[*mcp.ServerSession]*session{}} }

// of gives what is remembered of a connection. Connections that have ended are
// dropped whenever a new one is met, whatever transport they came by.
func (s *sessions) of(connection *mcp.ServerSession, server *mcp.Server) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.open[connection]; ok {
		return known
	}
	alive := map[*mcp.ServerSession]bool{}
	for each := range server.Sessions() {
		alive[each] = true
	}
	maps.DeleteFunc(s.open, func(each *mcp.ServerSession, _ *session) bool {
		return !alive[each]
	})
	s.last++
	fresh := &session{name: strconv.Itoa(s.last)}
	s.open[connection] = fresh
	return fresh
}
