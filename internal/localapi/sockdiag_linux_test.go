package localapi

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// The kernel's own search finds the listener that its tables have: of all of the socket.
func TestTheKernelAndItsTablesTellTheSame(t *testing.T) {
	if _, err := diagListeners(syscall.AF_INET, 1); err != nil {
		t.Skipf("the kernel does not answer: %v", err)
	}
	for name, tc := range map[string]struct {
		listen  []string // addresses; those behind the first have its port
		another bool     // as another user
		dial    string
		shared  bool
	}{
		"on the loopback address":    {listen: []string{"127.0.0.1:0"}, dial: "127.0.0.1"},
		"on all addresses of IPv4":   {listen: []string{"0.0.0.0:0"}, dial: "127.0.0.1"},
		"on all addresses":           {listen: []string{"[::]:0"}, dial: "127.0.0.1"},
		"on the loopback of IPv6":    {listen: []string{"[::1]:0"}, dial: "::1"},
		"on an address and on all":   {listen: []string{"0.0.0.0:0", "127.0.0.1"}, dial: "127.0.0.1"},
		"on an address beside IPv6":  {listen: []string{"127.0.0.1:0", "::1"}, dial: "127.0.0.1"},
		"by several":                 {listen: []string{"127.0.0.1:0", "127.0.0.1", "127.0.0.1"}, dial: "127.0.0.1", shared: true},
		"as another user":            {another: true, dial: "127.0.0.1"},
		"on another address as well": {listen: []string{"127.0.0.1:0", "127.0.0.2"}, dial: "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			uid, port := os.Geteuid(), 0
			if tc.another {
				uid, port = 1234, listenAs(t, 1234).Addr().(*net.TCPAddr).Port
			}
			for i, address := range tc.listen {
				if i > 0 {
					address = (&net.TCPAddr{IP: net.ParseIP(address), Port: port}).String()
				}
				port = listenShared(t, address)
			}
			conn, err := net.DialTCP("tcp", nil, &net.TCPAddr{IP: net.ParseIP(tc.dial), Port: port})
			require.NoError(t, err)
			defer conn.Close()
			peer, local := conn.RemoteAddr().(*net.TCPAddr), conn.LocalAddr().(*net.TCPAddr)
			want, inTables := socketTables{"/proc/net/tcp", "/proc/net/tcp6"}.listener(peer, local)
			got, known := askListener(peer)
			if !known || !inTables || got != want || got.uid != uid || (got.socket == 0) != tc.shared {
				t.Errorf("the kernel has %+v, %v; its tables %+v, %v", got, known, want, inTables)
			}
		})
	}
}

// listenShared listens on a port that others may listen on, too, and returns it.
func listenShared(t *testing.T, address string) (port int) {
	t.Helper()
	const reusePort = 15 // SO_REUSEPORT
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, reusePort, 1) })
		return errors.Join(failed, err)
	}}
	network := "tcp"
	if address[0] != '[' {
		network = "tcp4"
	} else if address != "[::]:0" {
		network = "tcp6"
	}
	l, err := config.Listen(context.Background(), network, address)
	if err != nil && network != "tcp4" {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

// Sockets that nobody listens on are not found, and many that listen elsewhere are passed.
func TestTheKernelListsThePortAlone(t *testing.T) {
	port := 0
	for range 300 {
		port = listenShared(t, "127.0.0.1:0")
	}
	found, err := diagListeners(syscall.AF_INET, port)
	if err != nil {
		t.Skip(err)
	}
	if len(found) != 1 || found[0].local != tableAddress(net.IPv4(127, 0, 0, 1).To4(), port) {
		t.Errorf("%+v", found)
	}
	if found, err := diagListeners(syscall.AF_INET6, port); err != nil || len(found) != 0 {
		t.Errorf("by IPv6: %+v, %v", found, err)
	}
	if found, known := askListener(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 9), Port: port}); known {
		t.Errorf("on another address: %+v", found)
	}
}

// A list that takes several answers is read to its end.
func TestTheKernelListsManyListeners(t *testing.T) {
	port := listenShared(t, "127.0.0.1:0")
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}).String()
	for range 200 {
		listenShared(t, address)
	}
	if found, err := diagListeners(syscall.AF_INET, port); err == nil && len(found) != 201 {
		t.Errorf("%d sockets", len(found))
	}
}

func BenchmarkListener(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	for range 50 { // as many sockets as a desktop has, at least
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(b, err)
		defer l.Close()
	}
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(b, err)
	defer conn.Close()
	peer, local := conn.RemoteAddr().(*net.TCPAddr), conn.LocalAddr().(*net.TCPAddr)
	for name, look := range map[string]func() (listener, bool){
		"asked":        func() (listener, bool) { return askListener(peer) },
		"in the table": func() (listener, bool) { return socketTables{"/proc/net/tcp", "/proc/net/tcp6"}.listener(peer, local) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if found, known := look(); !known || found.socket == 0 {
					b.Fatal(found, known)
				}
			}
		})
	}
}
