package netutil

import (
	"context"
	"fmt"

	"github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"
)

// Listener is a process that listens on a port.
type Listener struct {
	PID  int
	Name string // of its program: "node"; empty where the system does not tell
}

// String returns the process as people are told of it: "node (process 4711)".
func (p Listener) String() string {
	if p.Name == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("%s (process %d)", p.Name, p.PID)
}

// ListenerOn returns the process that listens on a port of any address; false where none does, and
// where the system does not tell, as of other users' processes.
func ListenerOn(ctx context.Context, port int) (Listener, bool) {
	connections, err := net.ConnectionsWithContext(ctx, "tcp")
	if err != nil {
		return Listener{}, false
	}
	for _, c := range connections {
		if c.Status != "LISTEN" || int(c.Laddr.Port) != port || c.Pid == 0 {
			continue
		}
		found := Listener{PID: int(c.Pid)}
		if running, err := process.NewProcessWithContext(ctx, c.Pid); err == nil {
			found.Name, _ = running.NameWithContext(ctx) // it may have ended
		}
		return found, true
	}
	return Listener{}, false
}
