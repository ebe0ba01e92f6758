package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roam-mcp/history"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
)

// TestT12StartStaysFree is the promise of that name (HISTORY.md, Promises): a server
// that was started, has listed its tools and has read a page has made no file and holds
// none of the journal.
func TestT12StartStaysFree(t *testing.T) {
	roam := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"success":true,"result":{"uid":"p","markdown":"# x"},"apiVersion":"1.1.5"}`)
	}))
	t.Cleanup(roam.Close)
	home := homeWithGraph(t, roam.URL)
	before := filesBelow(t, home)
	process := exec.Command(programPath(t, "roam-mcp"), "serve", "--log-level", "debug")
	process.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME="+filepath.Join(home, "data"))
	s := &served{t: t, process: process}
	s.start()
	s.send(initializeLine + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + fmt.Sprintf(pageCall, 7))
	for range 3 {
		if _, err := s.out.ReadString('\n'); err != nil {
			t.Fatal(err, s.stderr.String())
		}
	}
	for _, open := range openFiles(t, process.Process.Pid) {
		if strings.Contains(open, "history") || strings.HasSuffix(open, ".db") {
			t.Errorf("%s is open", open)
		}
	}
	require.NoError(t, s.in.Close())
	s.rest()
	if code := s.ended(); code != exitDone {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	if after := filesBelow(t, home); !slices.Equal(after, before) {
		t.Errorf("there were %q, and are %q", before, after)
	}
}

// openFiles returns the paths of the files that a process has open, where the system
// tells.
func openFiles(t *testing.T, pid int) (paths []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		if path, err := os.Readlink(filepath.Join(folder, entry.Name())); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func filesBelow(t *testing.T, folder string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	}))
	return paths
}

func TestServeFlagsOfTheJournal(t *testing.T) {
	for name, tc := range map[string]struct {
		options serveOptions
		memory  int64
		kind    history.Kind
	}{
		"over streams":           {serveOptions{}, memoryForOne + memoryForJournal, history.KindStdio},
		"over HTTP":              {serveOptions{http: "127.0.0.1:0"}, memoryForMany + memoryForJournal, history.KindHTTP},
		"without a journal":      {serveOptions{noJournal: true}, memoryForOne, history.KindStdio},
		"HTTP without a journal": {serveOptions{http: "127.0.0.1:0", noJournal: true}, memoryForMany, history.KindHTTP},
	} {
		if got := tc.options.memory(false); got != tc.memory || tc.options.kind() != tc.kind {
			t.Errorf("%s: memory %d, kind %s", name, got, tc.options.kind())
		}
	}
	for name, good := range map[string]bool{
		"": true, "claude-code": true, "n8n_2.x": true, "a b": false, "*": false, "ä": false, "a\n": false,
		strings.Repeat("a", 40): true, strings.Repeat("a", 41): false, localapi.TokenPrefix + "0123456789abcdefghijklmnopqrs": false,
	} {
		if err := checkAgent(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
