package localapi

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// listenerOf returns whoever listens where a connection leads. It is not known where
// the system does not tell, as in some containers, or where the user is none of this
// container's.
func listenerOf(conn net.Conn) (found listener, known bool) {
	local, isTCP := conn.LocalAddr().(*net.TCPAddr)
	peer, _ := conn.RemoteAddr().(*net.TCPAddr)
	if !isTCP || peer == nil {
		return listener{}, false
	}
	found, known = askListener(peer)
	if !known {
		found, known = socketTables{"/proc/net/tcp", "/proc/net/tcp6"}.listener(peer, local)
	}
	return found, known && !(found.uid == overflowUID && mapsUsers("/proc/self/uid_map"))
}

// overflowUID stands for every user that a user namespace does not have.
const overflowUID = 65534

// mapsUsers reports whether a uid_map is that of a user namespace which does not
// have all users.
func mapsUsers(path string) bool {
	content, err := os.ReadFile(path)
	return err != nil || strings.Join(strings.Fields(string(content)), " ") != "0 0 4294967295"
}

// ownsFile reports whether a file belongs to a user.
func ownsFile(uid int, path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid
}

// socketTables are the paths of the kernel's tables of TCP sockets, proc_net_tcp(5):
// first those of IPv4, then those of IPv6, which may be missing.
type socketTables [2]string

// The states of sockets that matter. One that is closing has no owner any more.
const (
	stateEstablished = "01"
	stateListen      = "0A"
)

// socket is a line of a table, its addresses as they are written there.
type socket struct {
	local, remote, state string
	uid                  int
	inode                uint64
}

// listener returns the socket that listens at an address. Where none does any more,
// only the user id is known, from the other end of the connection that comes from a
// local address.
func (t socketTables) listener(peer, local *net.TCPAddr) (found listener, known bool) {
	for i, ranks := range listenRanks(peer) {
		best := ranks.best()
		_ = each(t[i], func(s socket) bool {
			if s.state != stateListen {
				return false // the kernel lists those that listen first
			}
			best.see(s)
			return true
		})
		if best.rank > 0 {
			return best.listener, true
		}
	}
	for i, toTable := range []func(net.IP) net.IP{net.IP.To4, net.IP.To16} {
		here, there := tableAddress(toTable(peer.IP), peer.Port), tableAddress(toTable(local.IP), local.Port)
		_ = each(t[i], func(s socket) bool {
			if s.local == here && (s.state == stateListen || s.state == stateEstablished && s.remote == there) {
				found, known = listener{uid: s.uid}, true
			}
			return !known
		})
	}
	return found, known
}

// askListener returns the socket that listens at an address, as socketTables do, from the
// kernel's own search. It is not known where none listens, and where the kernel does not
// answer, as in some containers.
func askListener(peer *net.TCPAddr) (found listener, known bool) {
	families := [2]uint8{syscall.AF_INET, syscall.AF_INET6}
	for i, ranks := range listenRanks(peer) {
		sockets, err := diagListeners(families[i], peer.Port)
		if err != nil {
			return listener{}, false
		}
		best := ranks.best()
		for _, s := range sockets {
			best.see(s)
		}
		if best.rank > 0 {
			return best.listener, true
		}
	}
	return listener{}, false
}

// ranks are the local addresses of sockets that take connections to an address, as the
// kernel chooses among them: the most specific one, with the rank 1, comes first.
type ranks map[string]int

// listenRanks returns the ranks for IPv4 and IPv6.
func listenRanks(peer *net.TCPAddr) [2]ranks {
	return [2]ranks{
		{tableAddress(peer.IP.To4(), peer.Port): 1, tableAddress(net.IPv4zero.To4(), peer.Port): 2},
		{tableAddress(peer.IP.To16(), peer.Port): 1, tableAddress(net.IPv6zero, peer.Port): 2},
	}
}

func (r ranks) best() bestListener { return bestListener{ranks: r} }

// bestListener is the listener that takes the connections, of those that it has seen.
type bestListener struct {
	listener
	ranks ranks
	rank  int // 0: none
}

func (b *bestListener) see(s socket) {
	switch r := b.ranks[s.local]; {
	case r != 0 && (b.rank == 0 || r < b.rank):
		b.rank, b.listener = r, listener{s.uid, s.inode}
	case r != 0 && r == b.rank:
		b.socket = 0 // several share the port, and any of them may have been chosen
	}
}

// each calls see with the sockets of a table until it returns false.
func each(path string, see func(socket) bool) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[0] == "sl" {
			continue
		}
		uid, err := strconv.Atoi(fields[7])
		inode, _ := strconv.ParseUint(fields[9], 10, 64) // 0 is that of no socket
		if err == nil && !see(socket{fields[1], fields[2], fields[3], uid, inode}) {
			return nil
		}
	}
	return lines.Err()
}

// tableAddress returns an address as a table has it: words of 32 bits, each in the
// byte order of this machine.
func tableAddress(ip net.IP, port int) string {
	var out strings.Builder
	for ; len(ip) >= 4; ip = ip[4:] {
		fmt.Fprintf(&out, "%08X", binary.NativeEndian.Uint32(ip))
	}
	fmt.Fprintf(&out, ":%04X", port)
	return out.String()
}
