package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/mcpserve/transport"
)

func TestRedacting(t *testing.T) {
	for text, want := range map[string]string{
		"Bearer " + secretOfProbes + ", twice: " + secretOfProbes + "\n": "[token redacted], twice: [token redacted]\n",
		`starting with "…` + secretOfProbes + `\r\n"; err`:               `starting with "…[token redacted]\r\n"; err`,
		"token=" + transport.NewToken().Reveal() + "\n":                  "token=[token redacted]\n",
		"authorization: bearer abcdefghijklmnop\n":                       "authorization: [token redacted]\n",
		"a token starts with " + localapi.TokenPrefix + "\n":             "a token starts with " + localapi.TokenPrefix + "\n",
		"as the header Authorization: Bearer TOKEN.\n":                   "as the header Authorization: Bearer TOKEN.\n",
	} {
		var out syncbuffer.Buffer
		if n, err := (redacting{&out}).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("Write: %d of %d, %v", n, len(text), err)
		}
		if out.String() != want {
			t.Errorf("%q became %q, want %q", text, out.String(), want)
		}
	}
}

// echoing is a hostile peer: what it was sent comes back in a second response that
// nobody asked for, which net/http prints.
func echoing(t *testing.T) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				request := make([]byte, 10000)
				n, _ := conn.Read(request)
				if bytes.HasPrefix(request[:n], []byte("GET")) {
					_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(hello.Reply), hello.Reply)
					n, _ = conn.Read(request)
				}
				const body = `{"success":true,"result":{"uid":"p","markdown":"x"},"apiVersion":"1.1.5"}`
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%sHTTP/1.1 200 OK\r\n%s", len(body), body, request[:n])
				_, _ = conn.Read(request) // until the client closes it
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestAHostilePeerPutsNoTokenIntoStandardError(t *testing.T) {
	for name, args := range map[string][]string{
		"of serve": {"serve"}, "of serve with a log": {"serve", "--log-level", "debug"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stderr syncbuffer.Buffer
			process := exec.Command(programPath(t, "roam-mcp"), args...)
			process.Env = append(os.Environ(), "HOME="+homeWithGraph(t, echoing(t)))
			process.Stderr = &stderr
			in, err := process.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, process.Start())
			t.Cleanup(func() { _ = process.Process.Kill() })
			_, err = fmt.Fprintf(in, initializeLine+pageCall, 7)
			require.NoError(t, err)
			await.Condition(t, "net/http's line on what nobody asked for", func() bool { return strings.Contains(stderr.String(), "nsolicited response") })
			require.NoError(t, in.Close())
			require.NoError(t, process.Wait())
			if got := stderr.String(); strings.Contains(got, secretOfProbes) || !strings.Contains(got, "[token redacted]") {
				t.Errorf("standard error: %s", got)
			}
		})
	}
}

func TestGarbageDoesNotFillStandardError(t *testing.T) {
	var stderr syncbuffer.Buffer
	process := exec.Command(programPath(t, "roam-mcp"), "serve")
	process.Env = append(os.Environ(), "HOME="+t.TempDir())
	process.Stderr = &stderr
	process.Stdin = strings.NewReader(strings.Repeat("garbage\n", 3000))
	require.NoError(t, process.Run())
	if lines := strings.Split(strings.TrimSpace(stderr.String()), "\n"); len(lines) != 6 || !strings.Contains(lines[5], "and 2995 more of this kind") {
		t.Errorf("standard error has %d lines: %.2000s", len(lines), stderr.String())
	}
}

func TestAPanicOfTheCommandHoldsNoToken(t *testing.T) {
	var out syncbuffer.Buffer
	a := &app{streams: streams{err: redacting{&out}}}
	code := func() (code int) {
		defer a.tellPanic(&code)
		panic(fmt.Errorf("no way with %s: %w", secretOfProbes, http.ErrAbortHandler))
	}()
	if got := out.String(); code != exitUsage || strings.Contains(got, secretOfProbes) || !strings.Contains(got, "TestAPanicOfTheCommand") {
		t.Errorf("exit code %d: %s", code, got)
	}
}
