package activity

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/transport"
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
	told  map[*func(Client)]bool // by OnClient
}

// NoteClient notes that a client was heard of now; all three are as it says.
func (m *Monitor) NoteClient(name, version, protocol string) {
	m.clients.note(Client{
		Name: DisplayName(name), Version: textsafe.Redact(textsafe.Line(version, 40)), Protocol: textsafe.Line(protocol, 20),
		LastHeard: m.now(),
	})
}

// note remembers a client. Beyond mostClients the one that was silent longest is
// forgotten.
func (c *clients) note(client Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, there := c.heard[client.Name]; !there || known.Version != client.Version {
		for told := range c.told {
			(*told)(client)
		}
	}
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

// OnClient has told called with every client that is heard of under a name or a version for the
// first time, until stop is called, and with those that were heard of before. told must not
// block, and must call no method of the Monitor.
func (m *Monitor) OnClient(told func(Client)) (stop func()) {
	c := &m.clients
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, client := range c.heard {
		told(client)
	}
	if c.told == nil {
		c.told = map[*func(Client)]bool{}
	}
	key := &told
	c.told[key] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.told, key)
	}
}

// Clients lists who is connected, sorted by name. open are the names, as the
// clients give them, of the connections of the stateful era.
func (m *Monitor) Clients(open []string) []Client {
	sessions := map[string]int{}
	for _, name := range open {
		sessions[DisplayName(name)]++
	}
	now := m.now()
	m.clients.mu.Lock()
	defer m.clients.mu.Unlock()
	var list []Client
	for name, client := range m.clients.heard {
		client.Sessions = sessions[name]
		stateless := client.Protocol >= transport.StatelessVersion
		if client.Sessions > 0 || stateless && now.Sub(client.LastHeard) < statelessPresence {
			list = append(list, client)
		}
	}
	slices.SortFunc(list, func(a, b Client) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
