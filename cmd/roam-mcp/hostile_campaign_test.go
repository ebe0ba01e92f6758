//go:build campaign

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/hostile"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

const (
	// callPatience is when a client gives up a call to a hostile peer.
	callPatience = 2 * time.Second
	// mostResident is the peak of the server's memory in bytes: the largest reply that it
	// reads, twice, and itself.
	mostResident = 300 << 20
)

// One server meets every kind of hostile peer, one after another, each in the face of
// a write.
func TestAServerAmongHostilePeers(t *testing.T) {
	home := homeWithGraph(t, ":1")
	var stdout, stderr syncbuffer.Buffer
	process := exec.Command(programPath(t, "roam-mcp"), "serve", "--log-level", "debug")
	process.Env = append(os.Environ(), "HOME="+home)
	process.Stderr = &stderr
	in, err := process.StdinPipe()
	require.NoError(t, err)
	out, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	t.Cleanup(func() { _ = process.Process.Kill() })
	answered := make(chan int, 1000)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			_, _ = stdout.Write([]byte(line)) // never fails
			var message struct {
				ID int `json:"id"`
			}
			if json.Unmarshal([]byte(line), &message) == nil && message.ID > 0 {
				answered <- message.ID
			}
		}
	}()
	send := func(format string, args ...any) {
		t.Helper()
		_, err := fmt.Fprintf(in, format+"\n", args...)
		require.NoError(t, err)
	}
	// comes waits for an answer, and passes over those of calls that were given up.
	comes := func(id int, within time.Duration) bool {
		limit := time.After(within)
		for {
			select {
			case got := <-answered:
				if got == id {
					return true
				}
			case <-limit:
				return false
			}
		}
	}
	send("%s", strings.TrimSpace(initializeLine))
	if !comes(1, patience) {
		t.Fatal("initialize is not answered")
	}
	writes, givenUp := 0, 0
	for i, kind := range hostile.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			peer := hostile.Start(t, kind)
			fresh := filepath.Join(home, "port")
			require.NoError(t, os.WriteFile(fresh, fmt.Appendf(nil, `{"port": %d}`, peer.Port), 0o600))
			require.NoError(t, os.Rename(fresh, filepath.Join(home, localapi.PortFileName)))
			call, ping := 1000+i, 2000+i
			send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"Once %d","markdown":"- x"}}}`, call, i)
			if !comes(call, callPatience) {
				givenUp++
				send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, call)
			}
			send(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, ping)
			if !comes(ping, patience) {
				t.Fatal("ping is not answered")
			}
			sent := peer.Sent(`"action":"data.page.`)
			if writes += sent; sent > 1 {
				t.Errorf("the write was sent %d times", sent)
			}
			if n := peer.CalledElsewhere(); n > 0 {
				t.Errorf("a stranger was called %d times", n)
			}
		})
	}
	resident := peakOf(t, process)
	require.NoError(t, in.Close())
	await.Value(t, "the end of the output", ended)
	if err := process.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	t.Logf("%d kinds, %d writes sent, %d calls given up, peak %d MiB", len(hostile.Kinds()), writes, givenUp, resident>>20)
	if writes < len(hostile.Kinds())/2 || resident > mostResident {
		t.Error("too few writes, or too much memory")
	}
	for name, text := range map[string]string{"output": stdout.String(), "error": stderr.String()} {
		if at := strings.Index(text, secretOfProbes[len(localapi.TokenPrefix):]); at >= 0 {
			t.Errorf("the token is in standard %s: …%s", name, text[max(0, at-300):at])
		}
	}
}
