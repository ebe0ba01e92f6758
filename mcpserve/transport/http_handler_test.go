package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
)

// hello begins a session of the stateful era and returns its id.
func (e *endpoint) hello() string {
	e.t.Helper()
	response, text := e.Post(e.t, mcptest.Initialize)
	id := response.Header.Get(headerSession)
	if id == "" {
		e.t.Fatalf("status %d: %s", response.StatusCode, text)
	}
	return id
}

// call is a call of a tool with its headers; session "" is the stateless era.
func call(id int, tool, session string) (body string, headers []string) {
	if session != "" {
		return mcptest.Call(id, tool), []string{headerSession, session}
	}
	return mcptest.StatelessCall(id, tool), []string{headerVersion, StatelessVersion, headerMethod, "tools/call", "Mcp-Name", tool}
}

func textOf(message map[string]any) any {
	result, _ := message["result"].(map[string]any)
	content, _ := result["content"].([]any)
	if len(content) != 1 {
		return nil
	}
	return content[0].(map[string]any)["text"]
}

func TestServeHTTP(t *testing.T) {
	e := serveHTTP(t, func(o *HTTPOptions) { o.MaxBody = 10_000; o.Hosts = []string{"box.local", "proxy:8080"} })
	port := e.http.guard.port
	for name, tc := range map[string]struct {
		headers []string
		status  int
	}{
		"the token":                         {nil, 200},
		"the scheme in lower case":          {[]string{"Authorization", "bearer " + e.Token}, 200},
		"no token":                          {[]string{"Authorization", ""}, 401},
		"another token":                     {[]string{"Authorization", "Bearer " + NewToken().Reveal()}, 401},
		"the token cut short":               {[]string{"Authorization", "Bearer " + e.Token[:30]}, 401},
		"another scheme":                    {[]string{"Authorization", "Basic " + e.Token}, 401},
		"localhost":                         {[]string{"Host", "localhost:" + port}, 200},
		"LOCALHOST":                         {[]string{"Host", "LOCALHOST:" + port}, 200},
		"the other loopback address":        {[]string{"Host", "[::1]:" + port}, 200},
		"a name that was allowed":           {[]string{"Host", "box.local:" + port}, 200},
		"a name that was allowed, no port":  {[]string{"Host", "box.local"}, 200},
		"a page of a name that was allowed": {[]string{"Origin", "https://box.local"}, 200},
		"a name that was allowed, its port": {[]string{"Host", "proxy:8080"}, 200},
		"that name with another port":       {[]string{"Host", "proxy:" + port}, 403},
		"that name without its port":        {[]string{"Host", "proxy"}, 403},
		"another port":                      {[]string{"Host", "localhost:1"}, 403},
		"no port":                           {[]string{"Host", "localhost"}, 403},
		"another name":                      {[]string{"Host", "evil.example:" + port}, 403},
		"a name that begins well":           {[]string{"Host", "localhost.evil.example:" + port}, 403},
		"another machine's address":         {[]string{"Host", "192.0.2.7:" + port}, 403},
		"a page of this server":             {[]string{"Origin", "http://localhost:" + port}, 200},
		"a page from elsewhere":             {[]string{"Origin", "http://evil.example"}, 403},
		"a page of another local server":    {[]string{"Origin", "http://localhost:1"}, 403},
		"a page without an origin":          {[]string{"Origin", "null"}, 403},
		"a page, as the browser says":       {[]string{"Sec-Fetch-Site", "cross-site"}, 403},
	} {
		t.Run(fmt.Sprintf("answers %s with %d", name, tc.status), func(t *testing.T) {
			response, text := e.Post(t, mcptest.Initialize, tc.headers...)
			if response.StatusCode != tc.status {
				t.Fatalf("status %d: %s", response.StatusCode, text)
			}
			if challenge := response.Header.Get("WWW-Authenticate"); (tc.status == 401) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if tc.status == 401 && (!strings.Contains(text, `"error":"invalid_token","error_description":"`) || !strings.Contains(text, "http-token")) {
				t.Errorf("the token is not named: %s", text)
			}
			if tc.status == 403 && !strings.Contains(text, `"error":{"code":`) {
				t.Errorf("the refusal does not say why: %s", text)
			}
		})
	}
	everywhere := serveHTTP(t, func(o *HTTPOptions) { o.Address, o.AllowRemote, o.Hosts = "0.0.0.0:0", true, []string{"198.51.100.4"} })
	port = everywhere.http.guard.port
	for name, tc := range map[string]struct {
		headers []string
		status  int
	}{
		"any address of its machine":             {[]string{"Host", "192.0.2.7:" + port}, 200},
		"another name":                           {[]string{"Host", "evil.example:" + port}, 403},
		"a page of this machine":                 {[]string{"Origin", "http://127.0.0.1:" + port}, 200},
		"a page of an address that was allowed":  {[]string{"Origin", "http://198.51.100.4:" + port}, 200},
		"a page of an address that nobody named": {[]string{"Origin", "http://192.0.2.7:" + port}, 403},
		"the same of the other family":           {[]string{"Origin", "http://[2001:db8::7]:" + port}, 403},
	} {
		t.Run(fmt.Sprintf("answers %s with %d where it listens on every address", name, tc.status), func(t *testing.T) {
			if response, text := everywhere.Post(t, mcptest.Initialize, tc.headers...); response.StatusCode != tc.status {
				t.Fatalf("status %d: %s", response.StatusCode, text)
			}
		})
	}
	t.Run("answers a long message with 413", func(t *testing.T) {
		if response, text := e.Post(t, mcptest.Initialize+strings.Repeat(" ", 10_000)); response.StatusCode != 413 {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
	})
	for target, want := range map[string]int{
		"GET /": 404, "GET /mcp/x": 404, "GET /mcp": 400, "DELETE /mcp": 400, "PUT /mcp": 405,
		"GET /.well-known/oauth-protected-resource": 404,
	} {
		t.Run(fmt.Sprintf("answers %s with %d", target, want), func(t *testing.T) {
			method, path, _ := strings.Cut(target, " ")
			request, err := http.NewRequestWithContext(t.Context(), method, "http://"+e.http.Address()+path, nil)
			require.NoError(t, err)
			request.Header.Set("Accept", "text/event-stream")
			response, err := e.Client().Do(request)
			require.NoError(t, err)
			response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("status %d", response.StatusCode)
			}
		})
	}
	for _, target := range []string{"POST /register", "GET /.well-known/oauth-protected-resource/mcp", "GET /.well-known/oauth-authorization-server"} {
		t.Run("names the token to a client that would sign in: "+target, func(t *testing.T) {
			method, path, _ := strings.Cut(target, " ")
			request := e.Request(t, mcptest.Initialize)
			request.Method, request.URL.Path = method, path
			response, err := e.Client().Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			var refused struct {
				Error string `json:"error"`
				Says  string `json:"error_description"`
			}
			require.NoError(t, json.NewDecoder(response.Body).Decode(&refused))
			if refused.Error != "invalid_token" || !strings.Contains(refused.Says, "Authorization: Bearer TOKEN") || !strings.Contains(refused.Says, "http-token") {
				t.Errorf("it says %q, %q", refused.Error, refused.Says)
			}
			if challenge := response.Header.Get("WWW-Authenticate"); strings.Contains(challenge, "resource_metadata") || strings.Contains(refused.Says, "Unauthorized") {
				t.Errorf("it is sent to sign in: %s", challenge)
			}
		})
	}
	for name, body := range map[string]string{"nothing": "", "no JSON": "hello", "half a JSON": `{"jsonrpc":`, "a batch of nothing": "[]", "a number": "7"} {
		t.Run("refuses "+name+" and goes on", func(t *testing.T) {
			if response, text := e.Post(t, body); response.StatusCode < 400 || response.StatusCode > 499 {
				t.Errorf("status %d: %s", response.StatusCode, text)
			}
			e.hello()
		})
	}
	if log := e.log.String(); strings.Contains(log, e.Token[len(textsafe.HTTPTokenPrefix):]) {
		t.Errorf("the token is in the log: %s", log)
	}
}

func TestBodyTimeout(t *testing.T) {
	for name, tc := range map[string]struct{ token, status string }{
		"without the token": {"", "401"},
		"of a message":      {"TOKEN", "400"},
	} {
		t.Run("lets go of a request "+name+" whose body does not come", func(t *testing.T) {
			token := NewToken()
			h, err := ListenHTTP(t.Context(), mcptest.NewServer(Middleware).Server, HTTPOptions{Address: "0", Token: token})
			require.NoError(t, err)
			h.bodyTimeout = 50 * time.Millisecond
			ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
			done := make(chan error, 1)
			go func() { done <- h.Serve(ctx) }()
			connection, err := net.Dial("tcp", h.Address())
			require.NoError(t, err)
			header := ""
			if tc.token != "" {
				header = "Authorization: Bearer " + token.Reveal() + "\r\n"
			}
			_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 100\r\n\r\n", HTTPPath, h.Address(), header)
			require.NoError(t, err)
			require.NoError(t, connection.SetReadDeadline(time.Now().Add(2*time.Minute)))
			answer, err := io.ReadAll(connection) // to the end of the connection
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+tc.status) {
				t.Errorf("got %q, %v", answer, err)
			}
			require.NoError(t, connection.Close())
			stop()
			require.NoError(t, <-done)
		})
	}
}

func TestErrors(t *testing.T) {
	e := serveHTTP(t)
	session := e.hello()
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	stateless := func(method, name string) []string {
		return []string{headerVersion, StatelessVersion, headerMethod, method, "Mcp-Name", name}
	}
	inSession := []string{headerSession, session}
	message := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}
	for name, tc := range map[string]struct {
		body    string
		headers []string
		status  int
		code    float64
	}{
		"params that are a list":                 {message("tools/call", `[]`), inSession, 200, -32602},
		"params of a wrong type":                 {message("tools/call", `{"name":7}`), inSession, 200, -32602},
		"a tool that is unknown":                 {message("tools/call", `{"name":"nope"}`), inSession, 200, -32602},
		"a prompt that is unknown":               {message("prompts/get", `{"name":"nope"}`), inSession, 200, -32602},
		"initialize twice":                       {strings.Replace(mcptest.Initialize, `"id":1`, `"id":7`, 1), inSession, 200, -32600},
		"server/discover in a session":           {message("server/discover", `{}`), inSession, 200, -32601},
		"a list nested too deeply":               {message("tools/call", deep), inSession, 400, -32600},
		"one that only the library can't decode": {message("tools/call", strings.Repeat("[", 2000)+strings.Repeat("]", 2000)), inSession, 400, -32600},
		"ping without a session":                 {message("ping", `{}`), nil, 400, -32600},
		"a call without a session":               {message("tools/call", `{"name":"text"}`), nil, 400, -32600},
		"a call in a session that is over":       {message("tools/call", `{"name":"text"}`), []string{headerSession, "made up"}, 404, -32600},
		"a tool that is unknown, stateless":      {strings.Replace(mcptest.StatelessCall(7, "nope"), "\n", "", 1), stateless("tools/call", "nope"), 400, -32602},
		"arguments of a wrong type, stateless":   {message("tools/call", `{"name":"text","arguments":7,"_meta":7}`), stateless("tools/call", "text"), 400, -32602},
		"a version in the message alone":         {strings.Replace(mcptest.StatelessCall(7, "text"), "\n", "", 1), nil, 400, -32020},
		"a list nested too deeply, stateless":    {message("tools/call", deep), stateless("tools/call", "text"), 400, -32600},
		"a method that is unknown and stateless": {message("nope", `{`+mcptest.StatelessMeta+`}`), stateless("nope", ""), 404, -32601},
	} {
		t.Run(fmt.Sprintf("answers %s with %d and %v", name, tc.status, tc.code), func(t *testing.T) {
			response, text := e.Post(t, tc.body, tc.headers...)
			got := mcptest.Message(t, text)
			if response.StatusCode != tc.status || mcptest.Code(got) != tc.code || got["id"] != 7.0 {
				t.Errorf("status %d: %.300s", response.StatusCode, text)
			}
			if mcptest.NamesGo(got) {
				t.Errorf("it speaks of this program's types: %.300s", text)
			}
		})
	}
	t.Run("answers a notification without a session with 400", func(t *testing.T) {
		if response, text := e.Post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); response.StatusCode != 400 {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
	})
}

func TestLargeReply(t *testing.T) {
	t.Run("arrives as it is", func(t *testing.T) {
		e := serveHTTP(t)
		text := strings.Repeat("a text — with \"quotes\", <tags>, \\ and \u2028\n", 1500)
		e.tools.Answer(text)
		sessions := []string{e.hello(), ""}
		var all sync.WaitGroup
		for id := range 16 {
			all.Go(func() {
				body, headers := call(id, "text", sessions[id%2])
				if _, answer := e.Post(t, body, headers...); textOf(mcptest.Message(t, answer)) != text {
					t.Errorf("the reply to %d is not as it was given: %.300q", id, answer)
				}
			})
		}
		all.Wait()
		await.Condition(t, "no text is held", func() bool { return e.http.work.Held() == 0 })
	})
	t.Run("and a small one arrive on one connection", func(t *testing.T) {
		e := serveHTTP(t)
		c := e.Connect(t, "2026-07-28", "test", nil)
		for _, size := range []int{3 << 20, 10} {
			e.tools.Answer(strings.Repeat("x", size))
			result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "text"})
			require.NoError(t, err)
			if got := len(result.Content[0].(*mcp.TextContent).Text); got != size {
				t.Errorf("the reply has %d bytes, want %d", got, size)
			}
		}
	})
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("does no harm when its client leaves, stateless %v", stateless), func(t *testing.T) {
			e := serveHTTP(t)
			e.tools.Answer(strings.Repeat("x", 16<<20))
			session := ""
			if !stateless {
				session = e.hello()
			}
			body, headers := call(7, "text", session)
			response, err := http.DefaultClient.Do(e.Request(t, body, headers...))
			require.NoError(t, err)
			head := make([]byte, 10_000)
			if _, err := io.ReadFull(response.Body, head); err != nil || !strings.Contains(string(head), "xxxxx") {
				t.Fatalf("%v: %.200s", err, head)
			}
			response.Body.Close()
			await.Condition(t, "the text is let go of", func() bool { return e.http.work.Held() == 0 })
			e.tools.Answer("small")
			body, headers = call(8, "text", session)
			if _, answer := e.Post(t, body, headers...); textOf(mcptest.Message(t, answer)) != "small" {
				t.Errorf("the next call: %s", answer)
			}
		})
	}
}
