package mcpserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/mcpserve/bearer"
	"roam-mcp/mcpserve/transport"
	"roam-mcp/problem"
)

// endpoint is a server that serves over HTTP.
type endpoint struct {
	t     *testing.T
	world *world
	http  *HTTPServer
	token bearer.Token
	stop  context.CancelFunc
	done  chan error
}

func (w *world) serveHTTP(change ...func(*HTTPOptions)) *endpoint {
	w.t.Helper()
	e := &endpoint{t: w.t, world: w, token: bearer.New(), done: make(chan error, 1)}
	options := HTTPOptions{Address: "127.0.0.1:0", Token: e.token}
	for _, each := range change {
		each(&options)
	}
	var err error
	e.http, err = w.server.ListenHTTP(w.t.Context(), options)
	must(w.t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	e.stop = stop
	go func() { e.done <- e.http.Serve(ctx); close(e.done) }()
	w.t.Cleanup(func() { stop(); <-e.done })
	return e
}

// withToken sends the token with every request.
type withToken struct{ token bearer.Token }

func (c withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token.Reveal())
	return http.DefaultTransport.RoundTrip(r)
}

func (e *endpoint) connect(version, name string) *client {
	e.t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: e.http.URL(), HTTPClient: &http.Client{Transport: withToken{e.token}}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(e.t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	must(e.t, err)
	e.t.Cleanup(func() { _ = session.Close() })
	return &client{e.t, session}
}

// post sends a message as it is; headers come in pairs.
func (e *endpoint) post(body string, headers ...string) (*http.Response, string) {
	e.t.Helper()
	request, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.http.URL(), strings.NewReader(body))
	must(e.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Authorization", "Bearer "+e.token.Reveal())
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
	response, err := http.DefaultClient.Do(request)
	must(e.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(e.t, err)
	return response, string(text)
}

func (e *endpoint) ended() error {
	e.t.Helper()
	return await.Value(e.t, "the end of the server", e.done)
}

const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func TestBothErasAreServedAtOneAddress(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t, configText("Work"))
			w.roam.result("data.ai.getPage", pageResult)
			c := w.serveHTTP().connect(version, "test")
			if got := c.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("the server speaks %s", got)
			}
			if hasSession := c.ID() != ""; hasSession != (version < statelessVersion) {
				t.Errorf("a session: %v", hasSession)
			}
			list, err := c.ListTools(t.Context(), nil)
			must(t, err)
			if version >= statelessVersion && list.CacheScope != "private" {
				t.Errorf("cache scope %q", list.CacheScope)
			}
			c.call("get_page", `{"title":"x"}`).ok().has("graph", "Work")
		})
	}
}

func TestASelectionStaysInItsSession(t *testing.T) {
	w := newWorld(t, configText("Work", "Home"))
	w.roam.result("data.ai.getPage", pageResult)
	e := w.serveHTTP()
	first, second := e.connect("2025-11-25", "first"), e.connect("2025-11-25", "second")
	modern := e.connect("2026-07-28", "modern")
	first.call("select_graph", `{"graph":"Work"}`).ok()
	second.call("get_page", `{"title":"x"}`).fails(CodeGraphNotSelected)
	modern.call("select_graph", `{"graph":"Home"}`).ok()
	modern.call("get_page", `{"title":"x"}`).fails(CodeGraphNotSelected)
	first.call("get_page", `{"title":"x"}`).ok().has("graph", "Work")
}

func TestWhoMayNotComeIsTurnedAway(t *testing.T) {
	e := newWorld(t, configText("Work")).serveHTTP(func(o *HTTPOptions) { o.MaxBody = 10_000; o.Hosts = []string{"box.local", "proxy:8080"} })
	port := e.http.guard.port
	for name, tc := range map[string]struct {
		headers []string
		status  int
	}{
		"the token":                         {nil, 200},
		"the scheme in lower case":          {[]string{"Authorization", "bearer " + e.token.Reveal()}, 200},
		"no token":                          {[]string{"Authorization", ""}, 401},
		"another token":                     {[]string{"Authorization", "Bearer " + bearer.New().Reveal()}, 401},
		"the token cut short":               {[]string{"Authorization", "Bearer " + e.token.Reveal()[:30]}, 401},
		"another scheme":                    {[]string{"Authorization", "Basic " + e.token.Reveal()}, 401},
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
		t.Run(name, func(t *testing.T) {
			response, text := e.post(initializeBody, tc.headers...)
			if response.StatusCode != tc.status {
				t.Fatalf("status %d: %s", response.StatusCode, text)
			}
			if challenge := response.Header.Get("WWW-Authenticate"); (tc.status == 401) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("WWW-Authenticate: %q", challenge)
			}
			if tc.status != 200 && !strings.Contains(text, `"error":{"code":`) {
				t.Errorf("the refusal does not say why: %s", text)
			}
		})
	}
	if response, text := e.post(initializeBody + strings.Repeat(" ", 10_000)); response.StatusCode != 413 {
		t.Errorf("a long message: %d %s", response.StatusCode, text)
	}
	if log := e.world.log.String(); strings.Contains(log, e.token.Reveal()[len(bearer.Prefix):]) {
		t.Errorf("the token is in the log: %s", log)
	}
}

func TestOtherPathsAndMethodsHaveNothing(t *testing.T) {
	e := newWorld(t, configText("Work")).serveHTTP()
	for target, want := range map[string]int{
		"GET /": 404, "GET /mcp/x": 404, "GET /mcp": 400, "DELETE /mcp": 400, "PUT /mcp": 405,
		"GET /.well-known/oauth-protected-resource": 404,
	} {
		method, path, _ := strings.Cut(target, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+e.http.Address()+path, nil)
		must(t, err)
		request.Header.Set("Accept", "text/event-stream")
		response, err := (&http.Client{Transport: withToken{e.token}}).Do(request)
		must(t, err)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", target, response.StatusCode, want)
		}
	}
}

func TestAnAddressThatOthersReachNeedsToBeAllowed(t *testing.T) {
	w := newWorld(t, configText("Work"))
	listen := func(address string, change ...func(*HTTPOptions)) error {
		options := HTTPOptions{Address: address, Token: bearer.New()}
		for _, each := range change {
			each(&options)
		}
		h, err := w.server.ListenHTTP(t.Context(), options)
		if err == nil {
			must(t, h.Close())
		}
		return err
	}
	remote := func(o *HTTPOptions) { o.AllowRemote = true }
	without := func(o *HTTPOptions) { o.Token = bearer.Token{} }
	for name, tc := range map[string]struct {
		err  error
		code problem.Code
	}{
		"loopback":                     {listen("127.0.0.1:0"), ""},
		"the loopback name":            {listen("localhost:0"), ""},
		"a port alone":                 {listen("0"), ""},
		"every address":                {listen("0.0.0.0:0"), CodeAddressRemote},
		"every address, left out":      {listen(":0"), CodeAddressRemote},
		"every address, allowed":       {listen("0.0.0.0:0", remote), ""},
		"allowed, but no token":        {listen("0.0.0.0:0", remote, without), CodeHTTPToken},
		"loopback, but no token":       {listen("127.0.0.1:0", without), CodeHTTPToken},
		"no port":                      {listen("127.0.0.1"), CodeAddressInvalid},
		"a port that is none":          {listen("127.0.0.1:70000"), CodeAddressInvalid},
		"an address that isn't ours":   {listen("192.0.2.1:0", remote), CodeAddressUnusable},
		"a name that leads to nothing": {listen("nothing.invalid:0"), CodeAddressRemote},
	} {
		code := problem.Code("")
		if tc.err != nil {
			code = failureOf(tc.err).Code
		}
		if code != tc.code {
			t.Errorf("%s: %v, want %q", name, tc.err, tc.code)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer taken.Close()
	if err := listen(taken.Addr().String()); err == nil || failureOf(err).Code != CodeAddressInUse || !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Errorf("a port that is taken: %v", err)
	}
}

func TestASessionThatWasSilentLongestMakesRoom(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	e := w.serveHTTP(func(o *HTTPOptions) { o.MaxSessions = 2 })
	first, second := e.connect("2025-11-25", "first"), e.connect("2025-11-25", "second")
	second.call("get_page", `{"title":"x"}`).ok()
	first.call("get_page", `{"title":"x"}`).ok() // so the second was silent longer
	third := e.connect("2025-11-25", "third")
	third.call("get_page", `{"title":"x"}`).ok()
	first.call("get_page", `{"title":"x"}`).ok()
	await.Condition(t, "the second session is over", func() bool {
		_, err := second.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_page"})
		return err != nil
	})
}

func TestASilentSessionEnds(t *testing.T) {
	w := newWorld(t, configText("Work"))
	e := w.serveHTTP(func(o *HTTPOptions) { o.SessionTimeout = 10 * time.Millisecond })
	response, _ := e.post(initializeBody)
	id := response.Header.Get(headerSession)
	await.Condition(t, "the session is over", func() bool {
		for range w.server.mcp.Sessions() {
			return false
		}
		return true
	})
	if response, text := e.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, headerSession, id); response.StatusCode != 404 {
		t.Errorf("status %d: %s", response.StatusCode, text)
	}
}

func TestABodyThatIsNoMessageIsAnsweredAndSurvived(t *testing.T) {
	w := newWorld(t, configText("Work"))
	e := w.serveHTTP()
	for name, body := range map[string]string{"nothing": "", "no JSON": "hello", "half": `{"jsonrpc":`, "a batch of nothing": "[]", "a number": "7"} {
		if response, text := e.post(body); response.StatusCode < 400 || response.StatusCode > 499 {
			t.Errorf("%s: %d %s", name, response.StatusCode, text)
		}
	}
	e.connect("2026-07-28", "after").call("list_graphs", `{}`).ok()
}

func TestManyCallsAtOnceOverOneEndpoint(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", pageResult)
	e := w.serveHTTP()
	done := make(chan error)
	const clients, each = 8, 20
	for n := range clients {
		c := e.connect([]string{"2025-11-25", "2026-07-28"}[n%2], fmt.Sprint("client ", n))
		go func() {
			var problem error
			for range each {
				result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_page", Arguments: map[string]any{"title": "x"}})
				if err == nil && result.IsError {
					err = errors.New("the tool failed")
				}
				problem = errors.Join(problem, err)
			}
			done <- problem
		}()
	}
	for range clients {
		must(t, <-done)
	}
	if got := len(w.roam.requests("data.ai.getPage")); got != clients*each {
		t.Errorf("Roam saw %d calls", got)
	}
	if counters := w.server.Counters(); counters.Calls != clients*each || counters.Running != 0 {
		t.Errorf("counted: %+v", counters)
	}
}

func TestNoClientHasMoreCallsAnsweredAtOnceThanMayBe(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":%d,"method":"ping"}`
	batch := func(size int) string {
		var all []string
		for i := range size {
			all = append(all, fmt.Sprintf(ping, i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	w := newWorld(t, configText("Work"))
	e := w.serveHTTP()
	greeting, _ := e.post(initializeBody)
	session := greeting.Header.Get(headerSession)
	passedOff := []string{headerMethod, "subscriptions/listen"}
	for name, tc := range map[string]struct {
		running int
		body    string
		headers []string
		status  int
	}{
		"a batch":                                {0, batch(transport.MaxInFlight), nil, 200},
		"a batch of too many":                    {0, batch(transport.MaxInFlight + 1), nil, 400},
		"a batch beside others":                  {1, batch(transport.MaxInFlight), nil, 503},
		"the last one":                           {transport.MaxInFlight - 1, fmt.Sprintf(ping, 1), nil, 200},
		"one too many":                           {transport.MaxInFlight, fmt.Sprintf(ping, 1), nil, 503},
		"a call passed off as a stream":          {transport.MaxInFlight, fmt.Sprintf(ping, 1), passedOff, 503},
		"a call passed off in the stateless era": {2 * transport.MaxInFlight, fmt.Sprintf(ping, 1), append(passedOff, headerVersion, statelessVersion, headerSession, ""), 400},
	} {
		t.Run(name, func(t *testing.T) {
			await.Condition(t, "the others to leave", func() bool { return e.http.work.Enter(tc.running, tc.running) })
			defer e.http.work.Leave(tc.running)
			response, text := e.post(tc.body, append([]string{headerSession, session}, tc.headers...)...)
			if response.StatusCode != tc.status || response.StatusCode == 503 && response.Header.Get("Retry-After") == "" {
				t.Errorf("status %d: %.200s", response.StatusCode, text)
			}
		})
	}
}

func TestALargeReplyAndASmallOneOnOneConnection(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 20 << 20 })
	w.roam.result("data.ai.getPage", `{"uid":"u","markdown":"`+string(bytes.Repeat([]byte("x"), 3<<20))+`"}`)
	e := w.serveHTTP()
	c := e.connect("2026-07-28", "test")
	if reply := c.call("get_page", `{"title":"x"}`).ok(); len(reply.text) < 3<<20 {
		t.Errorf("the reply has %d bytes", len(reply.text))
	}
	c.call("list_graphs", `{}`).ok()
}
