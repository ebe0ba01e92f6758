package streamablehttp

import (
	"net"
	"net/http"
	"sync"
)

// unused holds the connections on which no request has come yet. http.Server.Shutdown
// waits five seconds for each to be used; clients keep such ones for later calls, and
// nothing is lost with them.
type unused struct {
	mu          sync.Mutex
	connections map[net.Conn]struct{}
	ending      bool
}

// note is the hook http.Server.ConnState.
func (u *unused) note(connection net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.connections, connection)
	case u.ending:
		_ = connection.Close()
	default:
		if u.connections == nil {
			u.connections = map[net.Conn]struct{}{}
		}
		u.connections[connection] = struct{}{}
	}
}

// close closes them all, and from now on each new one.
func (u *unused) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ending = true
	for connection := range u.connections {
		_ = connection.Close()
	}
	clear(u.connections)
}
