package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

var (
	demo     = localapi.Graph{Name: "demo", Type: localapi.Hosted}
	notebook = localapi.Graph{Name: "notebook", Type: localapi.Offline}
	small    = localapi.Graph{Name: "small", Type: localapi.Hosted}
)

// clock is the time in tests; it stands still.
func clock() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC) }

// transcript collects a log and fails the test if a token is in it.
type transcript struct{ syncbuffer.Buffer }

var secret = regexp.MustCompile(regexp.QuoteMeta(localapi.TokenPrefix) + `[A-Za-z0-9_-]{8}`)

func (l *transcript) check(t *testing.T) {
	if secret.MatchString(l.String()) {
		t.Error("a token is in the log")
	}
}

// start runs a sandbox until the test ends. Without Home it has one of its own,
// with the small graph; its log is checked for tokens.
func start(t *testing.T, options Options) *Server {
	t.Helper()
	s, _ := startLogged(t, options)
	return s
}

// startLogged is start that also returns the log.
func startLogged(t *testing.T, options Options) (*Server, *transcript) {
	t.Helper()
	if options.Home == "" {
		options.Home = t.TempDir()
		options.Import = append(options.Import, smallGraph)
	}
	if options.Now == nil {
		options.Now = clock
	}
	log := &transcript{}
	options.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s, err := Start(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(func() {
		stop(t, s)
		log.check(t)
	})
	return s, log
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// smallGraph is a graph whose every block a test can know.
var smallGraph = Import{Path: "testdata/small.json", Graph: small}

// clientOf is the real client, led by the port file.
func clientOf(t *testing.T, s *Server) *localapi.Client {
	t.Helper()
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFilePath(s.options.Home), Strict: true}})
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// tokenFor asks for a token of a sandbox that allows every request.
func tokenFor(t *testing.T, s *Server, graph localapi.Graph, level localapi.AccessLevel) localapi.Token {
	t.Helper()
	grant, err := s.Desk().RequestAccess(t.Context(), desk.Access{Graph: graph, AccessLevel: level, Description: "a test", AI: true})
	require.NoError(t, err)
	return grant.Token
}

// caller runs actions on one graph with full access.
type caller struct {
	t      *testing.T
	client *localapi.Client
	graph  localapi.Graph
	token  localapi.Token
}

func callerOf(t *testing.T, s *Server, graph localapi.Graph) *caller {
	t.Helper()
	return &caller{t, clientOf(t, s), graph, tokenFor(t, s, graph, localapi.Full)}
}

// try runs an action with one argument in JSON and gives the result or error.
func (c *caller) try(action, argument string) (string, error) {
	var args []any
	if argument != "" {
		args = append(args, json.RawMessage(argument))
	}
	reply, err := c.client.Call(c.t.Context(), c.graph, c.token, action, args...)
	return string(reply.Result), err
}

// do is try for an action that must succeed.
func (c *caller) do(action, argument string) string {
	c.t.Helper()
	result, err := c.try(action, argument)
	if err != nil {
		c.t.Fatalf("%s %s: %v", action, argument, err)
	}
	return result
}

// markdown returns a page or block as it is read, blank where there is none.
func (c *caller) markdown(uid string) string {
	c.t.Helper()
	var read struct {
		Markdown string `json:"markdown"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(c.do("data.ai.getBlock", fmt.Sprintf(`{"uid": %q}`, uid))), &read))
	return read.Markdown
}

// askWith sends a request with a key, and with more headers after it, and gives status
// and body. Without a key it is exchange.
func askWith(t *testing.T, s *Server, method, path, body string, keyAndHeader ...string) (int, string) {
	t.Helper()
	if len(keyAndHeader) > 0 {
		keyAndHeader = append([]string{"Authorization", bearer + keyAndHeader[0]}, keyAndHeader[1:]...)
	}
	status, got, _ := exchange(t, s, method, path, body, keyAndHeader...)
	return status, got
}

// exchange sends a raw request and gives status and body.
func exchange(t *testing.T, s *Server, method, path, body string, header ...string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", s.Port(), path), strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
			continue
		}
		request.Header.Set(header[i], header[i+1])
	}
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	require.NoError(t, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(read), response.Header
}
