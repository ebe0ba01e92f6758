package mcptest

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP is an endpoint as clients know it: its address and its bearer token.
type HTTP struct{ URL, Token string }

// Initialize is the message that begins a session of the stateful era.
const Initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// Client sends the token with every request.
func (e HTTP) Client() *http.Client { return &http.Client{Transport: withToken(e.Token)} }

type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// Connect opens a session of the library's client, which ends with the test.
func (e HTTP) Connect(t *testing.T, version, name string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: e.URL, HTTPClient: e.Client()}
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, options).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// Request is a POST of a message as it is. Headers come in pairs and replace the
// usual ones; an empty value takes one out.
func (e HTTP) Request(t *testing.T, body string, headers ...string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+e.Token)
	for i := 0; i+1 < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			request.Host = headers[i+1]
		case headers[i+1] == "":
			request.Header.Del(headers[i])
		default:
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	return request
}

// Post sends a Request and returns the answer with its body.
func (e HTTP) Post(t *testing.T, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(e.Request(t, body, headers...))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}
