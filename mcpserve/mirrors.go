package mcpserve

import (
	"context"
	"strconv"
	"sync"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/localapi"
)

// keeper is what the server needs of a mirror.Cache.
type keeper interface {
	View(ctx context.Context, s mirror.Source, need mirror.Need) (*mirror.View, error)
	Wrote(graph localapi.Graph, restructured bool)
	Retain(serves func(localapi.Graph) bool)
	Close()
}

var _ keeper = (*mirror.Cache)(nil)

// mirrors are the graphs that this server holds in memory for tools which ask about
// whole graphs. There are none before the first of these is called, and none once nobody has
// called any tool for a while (releaser).
type mirrors struct {
	make     func() keeper
	releaser *releaser

	// reading is held while the configuration is read and followed, so that what was
	// read first is followed first.
	reading sync.Mutex

	mu     sync.Mutex
	keeper keeper                            // nil: no graph is held
	keys   map[localapi.Token]string         // stand for the tokens
	served map[localapi.Graph]localapi.Token // of the enabled graphs, as the configuration was read last
}

func newMirrors(make func() keeper) *mirrors {
	m := &mirrors{make: make, keys: map[localapi.Token]string{}}
	m.releaser = newReleaser(m.forget)
	return m
}

// follow forgets the graphs that are not served any more, or not with the same token.
func (m *mirrors) follow(v view) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.served
	m.served = map[localapi.Graph]localapi.Token{}
	for _, entry := range v.enabled() {
		m.served[entry.Graph()] = entry.Token
	}
	if m.keeper == nil {
		return
	}
	m.keeper.Retain(func(graph localapi.Graph) bool {
		token, served := m.served[graph]
		return served && token == before[graph]
	})
}

// source returns the keeper, and what stands for the token of a graph. It fails where
// the graph is not served with that token any more.
func (m *mirrors) source(graph localapi.Graph, token localapi.Token) (held keeper, key string, served bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now, ok := m.served[graph]; !ok || now != token {
		return nil, "", false
	}
	if m.keeper == nil {
		m.keeper = m.make()
	}
	if m.keys[token] == "" {
		m.keys[token] = strconv.Itoa(len(m.keys) + 1)
	}
	return m.keeper, m.keys[token], true
}

// wrote tells that this server has written to a graph.
func (m *mirrors) wrote(graph localapi.Graph, restructured bool) {
	m.mu.Lock()
	keeper := m.keeper
	m.mu.Unlock()
	if keeper != nil {
		keeper.Wrote(graph, restructured)
	}
}

// forget forgets all graphs, and reports whether any was held. The next call that asks
// about one has it read again.
func (m *mirrors) forget() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keeper == nil {
		return false
	}
	m.keeper.Close()
	m.keeper = nil
	return true
}

// close forgets all graphs.
func (m *mirrors) close() {
	m.releaser.stop()
	m.forget()
}

// Mirror implements surface.Call. A graph that is disabled or removed while it is read is
// refused, and one that gets another token is read with that.
func (c *call) Mirror(ctx context.Context, need mirror.Need) (*mirror.View, error) {
	for {
		entry, held := c.target.entry, c.server.mirrors
		keeper, key, served := held.source(entry.Graph(), entry.Token)
		if served {
			localapi.ReleaseReply(ctx) // the load may wait for memory through another call
			view, err := keeper.View(ctx, mirror.Source{Graph: entry.Graph(), Key: key, Ask: c.Graph().Ask, Progress: c.Progress}, need)
			if _, _, served = held.source(entry.Graph(), entry.Token); served {
				if err == nil {
					c.asOf = view.AsOf()
				}
				return view, err
			}
		}
		if err := c.lookAgain(ctx); err != nil {
			return nil, err
		}
	}
}

// lookAgain takes the graph of the call from the configuration as it is now.
func (c *call) lookAgain(ctx context.Context) error {
	now, err := c.server.look(ctx)
	if err != nil {
		return unchosen{err}
	}
	entry, found := now.findGraph(c.target.entry.Graph())
	switch {
	case !found:
		return unchosen{notConfigured(now, c.target.entry.Nickname)}
	case entry.Disabled:
		return unchosen{disabled(now, entry)}
	}
	c.view, c.target.entry = now, entry
	return nil
}
