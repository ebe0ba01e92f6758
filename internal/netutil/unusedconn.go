package netutil

import (
	"net"
	"net/http"
	"sync"
)

// UnusedConns holds the connections on which no request has come yet. The zero UnusedConns is empty.
type UnusedConns struct {
	mu          sync.Mutex
	connections map[net.Conn]struct{}
	ending      bool
}

// Note is the hook http.Server.ConnState.
func (s *UnusedConns) Note(connection net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.connections, connection)
	case s.ending:
		_ = connection.Close()
	default:
		if s.connections == nil {
			s.connections = map[net.Conn]struct{}{}
		}
		s.connections[connection] = struct{}{}
	}
}

// Close closes them all, and from now on each new one.
func (s *UnusedConns) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	for connection := range s.connections {
		_ = connection.Close()
	}
	clear(s.connections)
}
