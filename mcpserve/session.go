package mcpserve

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/mcpserve/transport"
)

const statelessVersion = transport.StatelessVersion

// session is what the server remembers of one connection: the selected graph,
// and how to end its calls. A nil *session is a request of the stateless era:
// it selects nothing and remembers nothing.
type session struct {
	name  string // of its own within this server
	shown *shown.Memory

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

	serving sync.RWMutex // held where what is remembered depends on the graphs that are served
	served  map[localapi.Graph]bool

	// Of the stateless era clients are known by their names, and by the token that all of
	// them have to send. The one that called last is the last.
	clients []statelessClient
}

// statelessClient is a client of the stateless era.
type statelessClient struct {
	name  string
	shown *shown.Memory
}

// mostClients is how many clients of the stateless era are remembered.
const mostClients = 32

func newSessions() *sessions { return &sessions{open: map[*mcp.ServerSession]*session{}} }

// shownTo returns the memory of what a client of the stateless era was shown.
func (s *sessions) shownTo(name string) *shown.Memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := statelessClient{name, nil}
	if at := slices.IndexFunc(s.clients, func(c statelessClient) bool { return c.name == name }); at >= 0 {
		known = s.clients[at]
		s.clients = slices.Delete(s.clients, at, at+1)
	} else {
		known.shown = shown.NewMemory()
	}
	s.clients = append(s.clients[max(0, len(s.clients)-mostClients+1):], known)
	return known.shown
}

// remember runs what remembers something of a graph, if that is served.
func (s *sessions) remember(graph localapi.Graph, run func()) {
	s.serving.RLock()
	defer s.serving.RUnlock()
	if s.served[graph] {
		run()
	}
}

// retain forgets what was shown of graphs that are not enabled any more.
func (s *sessions) retain(v view) {
	served := map[localapi.Graph]bool{}
	for _, entry := range v.enabled() {
		served[entry.Graph()] = true
	}
	s.serving.Lock()
	defer s.serving.Unlock()
	if maps.Equal(served, s.served) {
		return
	}
	s.served = served
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.open {
		session.shown.Retain(func(graph localapi.Graph) bool { return served[graph] })
	}
	for _, c := range s.clients {
		c.shown.Retain(func(graph localapi.Graph) bool { return served[graph] })
	}
}

// of gives what is remembered of a connection, until it ends. Connections of which the end
// was missed are dropped whenever a new one is met, whatever transport they came by.
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
	fresh := &session{name: strconv.Itoa(s.last), shown: shown.NewMemory()}
	s.open[connection] = fresh
	go func() {
		_ = connection.Wait()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, connection)
	}()
	return fresh
}
