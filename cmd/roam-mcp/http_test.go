package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/internal/testutil/agent"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/transport"
)

// endpointOf reads in the transcript where the last serve --http listens.
func endpointOf(ts *testscript.TestScript) string {
	said := regexp.MustCompile(`Serving MCP at (\S+)`).FindAllStringSubmatch(ts.ReadFile("transcript"), -1)
	if len(said) == 0 {
		ts.Fatalf("nothing serves over HTTP")
	}
	return said[len(said)-1][1]
}

func httpTokenOf(ts *testscript.TestScript) transport.Token {
	token, err := transport.LoadOrCreateToken(context.Background(), filepath.Join(ts.Getenv("XDG_STATE_HOME"), "roam-mcp", "http-token"))
	ts.Check(err)
	return token
}

// mcpHTTP makes the command that connects to the last serve --http, as a client
// of that protocol version does; an empty version is the newest.
//
//	mcp-http NAME
func mcpHTTP(version string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		transport := &mcp.StreamableClientTransport{
			Endpoint: endpointOf(ts), HTTPClient: &http.Client{Transport: agent.WithBearer{Token: httpTokenOf(ts)}},
		}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil).
			Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
		ts.Check(err)
		clientsOf(ts).sessions[args[0]] = session
	}
}

// httpStatus CODE [NAME: VALUE]… posts a ping to the last serve --http with
// these headers and wants that status. TOKEN in a value stands for the token,
// PORT for the port.
func httpStatus(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	endpoint := endpointOf(ts)
	request, err := http.NewRequest(http.MethodPost, endpoint, strings.NewReader(mcptest.Initialize))
	ts.Check(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for _, header := range args[1:] {
		name, value, _ := strings.Cut(header, ": ")
		value = strings.NewReplacer("TOKEN", httpTokenOf(ts).Reveal(), "PORT", request.URL.Port()).Replace(value)
		if name == "Host" {
			request.Host = value
		}
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	_, err = io.Copy(ts.Stdout(), response.Body)
	ts.Check(err)
	if response.StatusCode != want {
		ts.Fatalf("status %d, want %d", response.StatusCode, want)
	}
	if challenge := response.Header.Get("WWW-Authenticate"); (want == 401) != strings.HasPrefix(challenge, "Bearer") {
		ts.Fatalf("WWW-Authenticate: %q", challenge)
	}
}

// httpAddress NAME puts the address of the last serve --http into a variable.
func httpAddress(ts *testscript.TestScript, _ bool, args []string) {
	endpoint, err := url.Parse(endpointOf(ts))
	ts.Check(err)
	ts.Setenv(args[0], endpoint.Host)
}

// terminate ARGUMENT sends SIGTERM to the commands in the background that were
// given that argument.
func terminate(ts *testscript.TestScript, _ bool, args []string) {
	for _, command := range ts.BackgroundCmds() {
		if slices.Contains(command.Args, args[0]) {
			ts.Check(command.Process.Signal(syscall.SIGTERM))
		}
	}
}

var httpTokenPattern = regexp.MustCompile(regexp.QuoteMeta(textsafe.HTTPTokenPrefix) + `[A-Za-z0-9_-]{8,}`)

// isHTTPTokenFile tells the one file that may hold the endpoint's token.
func isHTTPTokenFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && filepath.Base(path) == "http-token" && info.Mode().Perm()&0o077 == 0
}
