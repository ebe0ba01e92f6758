package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/mcptest"
	"roam-mcp/internal/testutil/require"
)

// hanging are calls of "wait" on their way.
type hanging struct {
	answers chan string // one for each that was answered: its status and its body
	leave   func()      // hangs up
}

// hang makes n calls in a session, or without one, and returns once each runs or
// was refused.
func (e *endpoint) hang(n int, session string) *hanging {
	e.t.Helper()
	ctx, leave := context.WithCancel(context.WithoutCancel(e.t.Context()))
	connections := &http.Transport{DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address) // none is left when the server ends
	}}
	e.t.Cleanup(func() { leave(); connections.CloseIdleConnections() })
	h := &hanging{make(chan string, n), leave}
	before, refused := e.tools.Calls(), atomic.Int64{}
	for id := range n {
		body, headers := call(1000+id, "wait", session)
		request := e.Request(e.t, body, headers...).WithContext(ctx)
		go func() {
			response, err := (&http.Client{Transport: connections}).Do(request)
			if err != nil {
				return // it has left
			}
			defer response.Body.Close()
			if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "" {
				refused.Add(1)
			}
			text, _ := io.ReadAll(response.Body)
			h.answers <- fmt.Sprint(response.StatusCode, " ", string(text))
		}()
	}
	await.Condition(e.t, "each call runs or is refused", func() bool { return e.tools.Calls()-before+int(refused.Load()) == n })
	return h
}

// text calls "text" and returns the status; session "" is the stateless era.
func (e *endpoint) text(session string) int {
	e.t.Helper()
	body, headers := call(1, "text", session)
	if session == "" {
		body = strings.Replace(body, `"name":"t",`, `"name":"another",`, 1)
	}
	response, _ := e.Post(e.t, body, headers...)
	return response.StatusCode
}

func (e *endpoint) end(session string) int {
	e.t.Helper()
	request := e.Request(e.t, "", headerSession, session)
	request.Method = http.MethodDelete
	response, err := http.DefaultClient.Do(request)
	require.NoError(e.t, err)
	response.Body.Close()
	return response.StatusCode
}

const pingMessage = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func (e *endpoint) ping(session string) int {
	e.t.Helper()
	response, _ := e.Post(e.t, pingMessage, headerSession, session)
	return response.StatusCode
}

// 300 calls hang, since Roam does: whoever else there is, is answered.
func TestCallsThatHang(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("lock nobody else out, stateless %v", stateless), func(t *testing.T) {
			e := serveHTTP(t)
			session := ""
			if !stateless {
				session = e.hello()
			}
			other := e.hello()
			calls := e.hang(300, session)
			if n := e.tools.Calls(); n != MaxPerClient {
				t.Errorf("%d calls of one client run, want %d", n, MaxPerClient)
			}
			for who, status := range map[string]int{"another session": e.text(other), "a client without one": e.text(""), "a new session": e.text(e.hello())} {
				if status != 200 {
					t.Errorf("the call of %s is answered with %d", who, status)
				}
			}
			if !stateless && (e.ping(session) != 200 || e.text(session) != 503) {
				t.Error("ping in that session is not answered, or a call is")
			}
			calls.leave()
			await.Condition(t, "the calls of who hung up have ended", func() bool { return e.http.work.IdleWithin(time.Millisecond) })
			if session != "" && e.text(session) != 200 {
				t.Error("the session has no room for a call")
			}
		})
	}
	t.Run("leave the session that is deleted", func(t *testing.T) {
		e := serveHTTP(t)
		session := e.hello()
		calls := e.hang(MaxPerClient, session)
		if status := e.end(session); status != 204 {
			t.Fatalf("status %d", status)
		}
		for range MaxPerClient {
			if answer := await.Value(t, "the answer to a call", calls.answers); !strings.Contains(answer, "CANCELLED") {
				t.Fatalf("got %s", answer)
			}
		}
		if e.ping(session) != 404 || e.end(session) != 404 {
			t.Error("the session is still there")
		}
		await.Condition(t, "the library has forgotten it", func() bool { return !e.http.alive()[session] })
	})
	t.Run("end when they are cancelled, at the cap of all", func(t *testing.T) {
		e := serveHTTP(t)
		var sessions []string
		for range MaxInFlight / MaxPerClient {
			sessions = append(sessions, e.hello())
			e.hang(MaxPerClient, sessions[len(sessions)-1])
		}
		if n := e.tools.Calls(); n != MaxInFlight {
			t.Errorf("%d calls run, want %d", n, MaxInFlight)
		}
		if e.text(e.hello()) != 503 || e.text("") != 503 {
			t.Error("there is room for more")
		}
		response, text := e.Post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000}}`, headerSession, sessions[0])
		if response.StatusCode != 202 {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
		await.Condition(t, "there is room for one", func() bool { return e.text("") == 200 })
	})
}

func TestMaxInFlight(t *testing.T) {
	const one, most = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"text","arguments":{}}}`, MaxPerClient
	batch := func(size int) string {
		var all []string
		for i := range size {
			all = append(all, fmt.Sprintf(one, i))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	e := serveHTTP(t)
	session := e.hello()
	passedOff := []string{headerMethod, MethodListen}
	stateless := append(passedOff, headerVersion, StatelessVersion, headerSession, "")
	for name, tc := range map[string]struct {
		running, own int // calls of others, and of the same session
		body         string
		headers      []string
		status       int
	}{
		"a batch":                                {0, 0, batch(most), nil, 200},
		"a batch of too many":                    {0, 0, batch(most + 1), nil, 400},
		"a batch beside another call":            {0, 1, batch(most), nil, 503},
		"the last one":                           {MaxInFlight - 1, 0, fmt.Sprintf(one, 1), nil, 200},
		"one too many":                           {MaxInFlight, 0, fmt.Sprintf(one, 1), nil, 503},
		"the last one of a session":              {0, most - 1, fmt.Sprintf(one, 1), nil, 200},
		"one too many of a session":              {0, most, fmt.Sprintf(one, 1), nil, 503},
		"ping, which never counts":               {MaxInFlight, 0, pingMessage, nil, 200},
		"a call passed off as a stream":          {0, most, fmt.Sprintf(one, 1), passedOff, 503},
		"a call passed off in the stateless era": {0, 0, fmt.Sprintf(one, 1), stateless, 400},
	} {
		t.Run(fmt.Sprintf("answers %s with %d", name, tc.status), func(t *testing.T) {
			var posts []*Post
			admit := func(client string) {
				p, ok := e.http.work.Admit(t.Context(), client, 1, http.Header{}, func() {})
				if !ok {
					t.Fatalf("no room for a call of %s", client)
				}
				posts = append(posts, p)
			}
			for n := range tc.running {
				admit(fmt.Sprint("another ", n))
			}
			for range tc.own {
				admit(session)
			}
			response, text := e.Post(t, tc.body, append([]string{headerSession, session}, tc.headers...)...)
			if response.StatusCode != tc.status || response.StatusCode == 503 && response.Header.Get("Retry-After") == "" {
				t.Errorf("status %d: %.200s", response.StatusCode, text)
			}
			for _, p := range posts {
				p.Done()
			}
			await.Condition(t, "all have left", func() bool { return e.http.work.IdleWithin(time.Millisecond) })
		})
	}
	t.Run("runs no call that says that it is a stream too", func(t *testing.T) {
		before := e.tools.Calls()
		body, headers := call(1, "text", "")
		twice := strings.Replace(body, `"method":`, `"method":"subscriptions/listen","method":`, 1)
		if _, text := e.Post(t, twice, headers...); e.tools.Calls() != before {
			t.Errorf("it runs: %s", text)
		}
	})
}

func TestSessions(t *testing.T) {
	serve := func(t *testing.T, most int) *endpoint {
		return serveHTTP(t, func(o *HTTPOptions) { o.MaxSessions = most })
	}
	t.Run("make room where one more comes than may be", func(t *testing.T) {
		e := serve(t, 2)
		first, second := e.hello(), e.hello()
		for _, session := range []string{second, first, "made up"} { // so the second was silent longer
			e.text(session)
		}
		third := e.hello()
		if e.text(first) != 200 || e.text(third) != 200 || e.text(second) != 404 {
			t.Error("another session is over")
		}
		await.Condition(t, "two are left", func() bool { return len(e.http.alive()) == 2 })
	})
	t.Run("in which a call hangs stay, and leave the cap in force", func(t *testing.T) {
		e := serve(t, 3)
		session := e.hello()
		calls := e.hang(1, session)
		for range 50 {
			e.hello()
		}
		await.Condition(t, "three are left", func() bool { return len(e.http.alive()) == 3 })
		e.tools.Release()
		if answer := await.Value(t, "the answer to the call", calls.answers); !strings.Contains(answer, "released") {
			t.Errorf("got %s", answer)
		}
	})
	t.Run("are refused while all others are at work", func(t *testing.T) {
		e := serve(t, 2)
		for range 2 {
			e.hang(1, e.hello())
		}
		response, text := e.Post(t, mcptest.Initialize)
		if response.StatusCode != 503 || response.Header.Get("Retry-After") == "" || !strings.Contains(text, `"id":1,`) {
			t.Errorf("status %d: %s", response.StatusCode, text)
		}
		e.tools.Release()
		await.Condition(t, "one has ended its work", func() bool {
			response, _ := e.Post(t, mcptest.Initialize)
			return response.StatusCode == 200
		})
	})
	t.Run("to which a client listens end last", func(t *testing.T) {
		e := serve(t, 2)
		listened := e.hello()
		open := e.listen(listened)
		defer open.Body.Close()
		if again := e.listen(listened); again.StatusCode != 409 {
			t.Errorf("a second stream of a session: status %d", again.StatusCode)
		}
		silent := e.hello()
		e.hello()
		if e.ping(listened) != 200 || e.ping(silent) != 404 {
			t.Error("another session is over")
		}
	})
	t.Run("that fail to begin take no place", func(t *testing.T) {
		e := serve(t, 1)
		session := e.hello()
		e.hang(1, session)
		for range 3 {
			if response, text := e.Post(t, strings.Replace(mcptest.Initialize, `"params":{`, `"params":[{`, 1)); response.StatusCode == 200 {
				t.Errorf("status %d: %s", response.StatusCode, text)
			}
		}
		e.end(session)
		e.hello()
	})
	t.Run("end when nothing comes for long", func(t *testing.T) {
		e := serve(t, 1)
		e.http.options.SessionTimeout = 10 * time.Millisecond
		e.http.stateful, _ = e.http.handlers()
		id := e.hello()
		await.Condition(t, "the session is over", func() bool { return len(e.http.alive()) == 0 })
		if status := e.ping(id); status != 404 {
			t.Errorf("status %d", status)
		}
		e.hello() // its place is free
	})
}

// listen opens the stream of a session.
func (e *endpoint) listen(session string) *http.Response {
	e.t.Helper()
	request := e.Request(e.t, "", headerSession, session)
	request.Method = http.MethodGet
	response, err := http.DefaultClient.Do(request)
	require.NoError(e.t, err)
	return response
}

func TestStreams(t *testing.T) {
	e := serveHTTP(t)
	listen := `{"jsonrpc":"2.0","id":6,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + mcptest.StatelessMeta + `}}`
	open := func(body string) *http.Response {
		response, err := http.DefaultClient.Do(e.Request(t, body, headerVersion, StatelessVersion, headerMethod, MethodListen))
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	t.Run("are bounded for a client", func(t *testing.T) {
		for range streamsPerClient {
			if response := open(listen); response.StatusCode != 200 {
				t.Fatalf("status %d", response.StatusCode)
			}
		}
		if response := open(listen); response.StatusCode != 503 || response.Header.Get("Retry-After") == "" {
			t.Errorf("one too many: status %d", response.StatusCode)
		}
		if response := open(strings.Replace(listen, `"name":"t"`, `"name":"another"`, 1)); response.StatusCode != 200 {
			t.Errorf("one of another client: status %d", response.StatusCode)
		}
	})
	t.Run("are bounded in all", func(t *testing.T) {
		for n := 0; e.http.streams.Enter(fmt.Sprint("another ", n), 1); n++ {
		}
		if response := e.listen(e.hello()); response.StatusCode != 503 {
			t.Errorf("status %d", response.StatusCode)
		}
	})
}

func TestSlowBodies(t *testing.T) {
	t.Run("hold no place of a call", func(t *testing.T) {
		e := serveHTTP(t)
		for range 300 {
			connection, err := net.Dial("tcp", e.http.Address())
			require.NoError(t, err)
			defer connection.Close()
			_, err = fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", HTTPPath, e.http.Address(), e.Token)
			require.NoError(t, err)
		}
		if status := e.text(e.hello()); status != 200 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("have the more time the more comes", func(t *testing.T) {
		var deadline time.Time
		started := time.Now()
		steady := &steadyReader{body: strings.NewReader(strings.Repeat("x", 3*bodyRate)), started: started, timeout: time.Minute, setDeadline: func(at time.Time) error { deadline = at; return nil }}
		_, err := io.ReadAll(steady)
		require.NoError(t, err)
		if got := deadline.Sub(started); got != time.Minute+3*time.Second {
			t.Errorf("it has %v", got)
		}
	})
}
