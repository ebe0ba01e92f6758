package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

// served is a real "roam-mcp serve" over pipes, with a Roam that answers when it
// is told to.
type served struct {
	t       *testing.T
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  bytes.Buffer
	arrived chan struct{} // one for each call that Roam got
	release chan struct{} // closed: Roam answers
}

// secretOfProbes is a token that must be in nothing that is printed.
const secretOfProbes = localapi.TokenPrefix + "0123456789abcdefghijklmnopqrs"

func serveProcess(t *testing.T, page string) *served {
	t.Helper()
	s := &served{t: t, arrived: make(chan struct{}, 1000), release: make(chan struct{})}
	roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		s.arrived <- struct{}{}
		select {
		case <-s.release:
		case <-r.Context().Done():
			return
		}
		_, _ = fmt.Fprintf(w, `{"success":true,"result":{"uid":"p","markdown":%q},"apiVersion":"1.1.5"}`, page)
	}))
	t.Cleanup(roam.Close)
	home := homeWithGraph(t, roam.URL)
	s.process = exec.Command(programPath(t, "roam-mcp"), "serve", "--log-level", "debug", "--max-reply", "4000000")
	s.process.Env = append(os.Environ(), "HOME="+home)
	s.start()
	return s
}

// start starts the process, with pipes.
func (s *served) start() {
	t := s.t
	t.Helper()
	s.process.Stderr = &s.stderr
	in, err := s.process.StdinPipe()
	require.NoError(t, err)
	s.in = in
	out, err := s.process.StdoutPipe()
	require.NoError(t, err)
	s.out = bufio.NewReader(out)
	require.NoError(t, s.process.Start())
	t.Cleanup(func() { _ = s.process.Process.Kill() })
}

func (s *served) send(lines string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, lines); err != nil {
		s.t.Fatal(err)
	}
}

func (s *served) awaitCalls(n int) {
	s.t.Helper()
	for range n {
		await.Value(s.t, "a call that reaches Roam", s.arrived)
	}
}

// rest reads to the end of the output: every line is JSON-RPC, or the test
// fails. It gives the answers by id.
func (s *served) rest() map[string]string {
	s.t.Helper()
	answers := map[string]string{}
	for {
		line, err := s.out.ReadString('\n')
		if line != "" {
			var message struct {
				JSONRPC string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
			}
			if json.Unmarshal([]byte(line), &message) != nil || message.JSONRPC != "2.0" {
				s.t.Errorf("standard output carries %q", line)
			}
			answers[string(message.ID)] = line
		}
		if err != nil {
			return answers
		}
	}
}

// ended waits for the process and gives its exit code.
func (s *served) ended() int {
	s.t.Helper()
	done := make(chan struct{})
	go func() { _ = s.process.Wait(); close(done) }()
	await.Value(s.t, "the end of the server", done)
	if strings.Contains(s.stderr.String(), secretOfProbes) {
		s.t.Error("the token is in standard error")
	}
	return s.process.ProcessState.ExitCode()
}

const pageCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"x"}}}` + "\n"

func TestCallsInFlightAreAnsweredWhenTheProcessIsToEnd(t *testing.T) {
	for name, end := range map[string]func(*served) error{
		"SIGTERM":            func(s *served) error { return s.process.Process.Signal(syscall.SIGTERM) },
		"SIGINT":             func(s *served) error { return s.process.Process.Signal(syscall.SIGINT) },
		"the end of stdin":   func(s *served) error { return s.in.Close() },
		"stdin, then a kill": func(s *served) error { _ = s.in.Close(); return s.process.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveProcess(t, "# x")
			s.send(initializeLine + fmt.Sprintf(pageCall, 7) + fmt.Sprintf(pageCall, 8))
			s.awaitCalls(2)
			require.NoError(t, end(s))
			close(s.release)
			answers := s.rest()
			for _, id := range []string{"7", "8"} {
				if !strings.Contains(answers[id], `"graphName\":\"work\"`) {
					t.Errorf("call %s got %q", id, answers[id])
				}
			}
			if code := s.ended(); code != exitDone {
				t.Errorf("exit code %d: %s", code, s.stderr.String())
			}
		})
	}
}

func TestAProcessThatGetsNothingEndsWell(t *testing.T) {
	s := serveProcess(t, "# x")
	require.NoError(t, s.in.Close())
	if answers := s.rest(); len(answers) != 0 {
		t.Errorf("it said %v", answers)
	}
	if code := s.ended(); code != exitDone {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}

func TestOnlyMessagesGoToStandardOutput(t *testing.T) {
	s := serveProcess(t, "# x")
	close(s.release)
	s.send("\xEF\xBB\xBF" + initializeLine + "\r\n\n" + "no json\n" + "[]\n" + `{"jsonrpc":"2.0","id":5,"method":"nope"}` + "\r\n" +
		strings.Repeat("x", 17<<20) + "\n" + fmt.Sprintf(pageCall, 7))
	require.NoError(t, s.in.Close())
	answers := s.rest()
	if !strings.Contains(answers["1"], "serverInfo") || !strings.Contains(answers["5"], "-32601") || !strings.Contains(answers["7"], "work") {
		t.Errorf("got %v", answers)
	}
	if code := s.ended(); code != exitDone {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
}

// homeWithGraph makes a home folder with the port file of the Roam at the URL and
// one graph.
func homeWithGraph(t testing.TB, roam string) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{
		localapi.PortFileName: `{"port":` + roam[strings.LastIndexByte(roam, ':')+1:] + `}`,
		".roam-mcp.json":      `{"version":1,"graphs":[{"name":"work","token":"` + secretOfProbes + `","nickname":"Work"}]}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	return home
}
