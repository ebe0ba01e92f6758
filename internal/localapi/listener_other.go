//go:build !linux

package localapi

import "net"

// listenerOf never knows: without cgo these systems do not tell whose a port is.
func listenerOf(net.Conn) (found listener, known bool) { return listener{}, false }

func ownsFile(int, string) bool { return false }
