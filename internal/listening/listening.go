// Package listening finds out which process listens on a TCP port of this machine, as far
// as the system tells the user.
package listening

import (
	"context"
	"fmt"

	"github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"
)

// Process is one that listens on a port.
type Process struct {
	PID  int
	Name string // of its program: "node"; empty where the system does not tell
}

// String returns the process as people are told of it: "node (process 4711)".
func (p Process) String() string {
	if p.Name == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("%s (process %d)", p.Name, p.PID)
}

// On returns the process that listens on a port of any address; false where none does, and
// where the system does not tell, as of other users' processes.
func On(ctx context.Context, port int) (Process, bool) {
	connections, err := net.ConnectionsWithContext(ctx, "tcp")
	if err != nil {
		return Process{}, false
	}
	for _, c := range connections {
		if c.Status != "LISTEN" || int(c.Laddr.Port) != port || c.Pid == 0 {
			continue
		}
		found := Process{PID: int(c.Pid)}
		if running, err := process.NewProcessWithContext(ctx, c.Pid); err == nil {
			found.Name, _ = running.NameWithContext(ctx) // it may have ended
		}
		return found, true
	}
	return Process{}, false
}
