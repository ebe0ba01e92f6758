// Package unusedconn closes the connections of an HTTP server on which no request has come
// yet. http.Server.Shutdown waits five seconds for each to be used; clients keep such ones
// for later calls, and nothing is lost with them.
package unusedconn

import (
	"net"
	"net/http"
	"sync"
)

// Set holds the connections on which no request has come yet. The zero Set is empty.
type Set struct {
	mu          sync.Mutex
	connections map[net.Conn]struct{}
	ending      bool
}

// Note is the hook http.Server.ConnState.
func (s *Set) Note(connection net.Conn, state http.ConnState) {
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
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ending = true
	for connection := range s.connections {
		_ = connection.Close()
	}
	clear(s.connections)
}
