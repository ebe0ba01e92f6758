package localapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

const (
	tableHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	zeros     = "00000000000000000000000000000000"
)

// line is a line of a table of sockets.
func line(local, remote net.IP, localPort, remotePort int, state string, uid int) string {
	return fmt.Sprintf("   0: %s %s %s 00000000:00000000 00:00000000 00000000  %4d        0 12345 1 0000000000000000 100 0 0 10 0\n",
		tableAddress(local, localPort), tableAddress(remote, remotePort), state, uid)
}

func TestSocketTables(t *testing.T) {
	loopback, elsewhere := net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 2)
	any4, any6 := net.IPv4zero.To4(), net.IPv6zero
	listens := func(ip net.IP, port, uid int) string {
		return line(ip, make(net.IP, len(ip)), port, 0, stateListen, uid)
	}
	connected := line(loopback.To4(), loopback.To4(), 3333, 50000, "01", 1003)
	for name, test := range map[string]struct {
		tcp, tcp6 string
		want      listener
		known     bool
	}{
		"finds who listens on the loopback address":      {listens(loopback.To4(), 3334, 1) + listens(loopback.To4(), 3333, 1000), "", listener{1000, 12345}, true},
		"finds who listens on all addresses":             {listens(any4, 3333, 1000), "", listener{1000, 12345}, true},
		"finds who listens by IPv6":                      {connected, listens(any6, 3333, 1000), listener{1000, 12345}, true},
		"finds who listens on a mapped address":          {"", listens(any6, 3333, 1) + listens(loopback.To16(), 3333, 1000), listener{1000, 12345}, true},
		"takes the listener that the kernel takes":       {listens(any4, 3333, 1) + listens(loopback.To4(), 3333, 1000) + connected, listens(any6, 3333, 2), listener{1000, 12345}, true},
		"finds the other end where nobody listens":       {connected, "", listener{uid: 1003}, true},
		"finds the other end by IPv6":                    {"", line(loopback.To16(), loopback.To16(), 3333, 50000, "01", 1003), listener{uid: 1003}, true},
		"does not take a connection that is closing":     {line(loopback.To4(), loopback.To4(), 3333, 50000, "05", 0), "", listener{}, false},
		"finds a listener in a table in another order":   {line(elsewhere.To4(), loopback.To4(), 1, 2, "01", 1) + listens(loopback.To4(), 3333, 1000), "", listener{uid: 1000}, true},
		"knows nothing of another address":               {listens(elsewhere.To4(), 3333, 1000), "", listener{}, false},
		"knows nothing of another connection":            {line(loopback.To4(), loopback.To4(), 3333, 50001, "01", 1003), "", listener{}, false},
		"knows nothing from lines that make no sense":    {"x\n 0: a b c d e f nobody\n", zeros + "\n", listener{}, false},
		"knows nothing from a table that is not there":   {"", "", listener{}, false},
		"knows nothing from a line longer than a buffer": {strings.Repeat("x", bufio.MaxScanTokenSize+1), "", listener{}, false},
		"does not tell apart who shares a port":          {listens(loopback.To4(), 3333, 1000) + listens(loopback.To4(), 3333, 1000), "", listener{uid: 1000}, true},
	} {
		t.Run(name, func(t *testing.T) {
			tables := socketTables{filepath.Join(t.TempDir(), "tcp"), filepath.Join(t.TempDir(), "tcp6")}
			for i, content := range []string{test.tcp, test.tcp6} {
				if content != "" {
					require.NoError(t, os.WriteFile(tables[i], []byte(tableHead+content), 0o600))
				}
			}
			found, known := tables.listener(&net.TCPAddr{IP: loopback, Port: 3333}, &net.TCPAddr{IP: loopback, Port: 50000})
			if found != test.want || known != test.known {
				t.Errorf("found %+v, known %v", found, known)
			}
		})
	}
}

func TestMapsUsers(t *testing.T) {
	for content, want := range map[string]bool{
		"         0          0 4294967295\n": false,
		"         0       1000          1\n": true,
		"0 1000 1\n1 100000 65536\n":         true,
		"":                                   true,
	} {
		path := filepath.Join(t.TempDir(), "uid_map")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		if got := mapsUsers(path); got != want {
			t.Errorf("%q: %v", content, got)
		}
	}
}

func TestPermits(t *testing.T) {
	me := os.Geteuid()
	mine := filepath.Join(t.TempDir(), PortFileName)
	writePort(t, mine, 1)
	for name, test := range map[string]struct {
		user, owner int
		file        string
		want        bool
	}{
		"permits what is the user's own":                     {1000, 1000, "", true},
		"permits root what is root's":                        {0, 0, "", true},
		"refuses what is another user's":                     {1000, 1001, mine, false},
		"refuses what is root's":                             {1000, 0, "", false},
		"refuses root what is another user's":                {0, me + 1000, mine, false},
		"permits root what is the owner's of the port file":  {0, me, mine, true},
		"refuses another user what is the port file owner's": {me + 1000, me + 1001, mine, false},
	} {
		t.Run("Dialer "+name, func(t *testing.T) {
			if got := (Dialer{PortFile: PortFile{Path: test.file}}).permits(test.user, test.owner); got != test.want {
				t.Errorf("permits: %v", got)
			}
		})
	}
}

// listenAsAnother is listenAs; nil where it can't.
func listenAsAnother(t *testing.T) net.Listener {
	if os.Geteuid() != 0 {
		return nil
	}
	return listenAs(t, 1234)
}

// listenAs listens as another user, which only root can.
func listenAs(t *testing.T, uid int) net.Listener {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can listen as another user")
	}
	runtime.LockOSThread() // the id is the thread's
	defer runtime.UnlockOSThread()
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, uintptr(uid), 0, 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

func TestAPortOfAnotherUserGetsNothing(t *testing.T) {
	listener := listenAs(t, 1234)
	path := filepath.Join(t.TempDir(), PortFileName)
	port := listener.Addr().(*net.TCPAddr).Port
	writePort(t, path, port)
	read := make(chan string)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		got := make([]byte, 1000)
		n, _ := conn.Read(got)
		read <- string(got[:n])
	}()
	client := New(Options{PortFile: PortFile{Path: path}})
	_, err := client.Call(t.Context(), work, secretToken(t), "q")
	if e := failedCall(t, err); e.Code != CodeOtherUser || e.Sent() || !strings.Contains(e.Message, "uid 1234") || !strings.Contains(hint(e), "as the user who runs Roam") {
		t.Errorf("%+v, %s", e, hint(e))
	}
	if got := await.Value(t, "the end of the connection", read); got != "" {
		t.Errorf("it was sent %q", got)
	}
	// For root the owner of the port file is the one to work for.
	require.NoError(t, os.Chown(path, 1234, -1))
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		// A reply that comes before the request is nobody's.
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n[{\"name\":\"work\",\"type\":\"hosted\"}]")
		}
	}()
	_, err = client.OpenGraphs(t.Context())
	require.NoError(t, err)
}

func BenchmarkConnecting(b *testing.B) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"without looking": (&net.Dialer{}).DialContext, "looking whose the port is": Dialer{}.DialContext,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				conn, err := dial(b.Context(), "tcp", listener.Addr().String())
				require.NoError(b, err)
				_ = conn.Close()
			}
		})
	}
}
