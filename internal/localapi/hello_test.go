package localapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

func TestWhatCountsAsAHello(t *testing.T) {
	const named, pages = `[{"name":"work","type":"hosted"}]`, true
	for name, c := range map[string]struct {
		status   int
		body     string
		forPages bool
		code     problem.Code // of the call; empty: it is made
	}{
		"a list":                                  {200, `{"success":true,"result":` + named + `,"apiVersion":"1.1.5"}`, pages, ""},
		"a list without a version":                {200, `{"success":true,"result":` + named + `}`, false, ""},
		"a bare list":                             {200, named, false, ""},
		"an empty list with a version":            {200, `{"success":true,"result":[],"apiVersion":"0.0.9"}`, false, ""},
		"an empty list that pages may read":       {200, `{"success":true,"result":[]}`, pages, ""},
		"a bare empty list that pages may read":   {200, `[]`, pages, ""},
		"graphs that nobody knows, and a version": {200, `{"success":true,"result":[{"name":"x","type":"future"}],"apiVersion":"2.0.0"}`, false, ""},
		"no empty list that anybody may send":     {200, `{"success":true,"result":[]}`, false, CodeNotRoam},
		"no bare empty list":                      {200, `[]`, false, CodeNotRoam},
		"no version that is none":                 {200, `{"success":true,"result":[],"apiVersion":"v2"}`, false, CodeNotRoam},
		"no list of other things":                 {200, `[{"id":1,"title":"a"}]`, pages, CodeNotRoam},
		"no list of numbers":                      {200, `{"success":true,"result":[1,2],"apiVersion":"1.1.5"}`, pages, CodeNotRoam},
		"no object for a list":                    {200, `{"success":true,"result":{},"apiVersion":"1.1.5"}`, pages, CodeNotRoam},
		"no null for a list":                      {200, `{"success":true,"result":null,"apiVersion":"1.1.5"}`, pages, CodeNotRoam},
		"no success without a list":               {200, `{"success":true,"apiVersion":"1.1.5"}`, pages, CodeNotRoam},
		"no list with another status":             {404, `{"success":true,"result":` + named + `,"apiVersion":"1.1.5"}`, pages, CodeNotRoam},
		"no failure in Roam's form":               {500, errorObject("INTERNAL_ERROR", "boom"), pages, CodeNotRoam},
		"no want of a token":                      {401, errorObject("MISSING_TOKEN", "no token"), pages, CodeNotRoam},
		"no redirect":                             {302, ``, pages, CodeNotRoam},
		"no web page":                             {200, `<!DOCTYPE html>`, pages, CodeNotRoam},
		"no half of it":                           {200, `{"success":true,"result":[{"name":"wo`, pages, CodeNotRoam},
		"nothing too long":                        {200, `[` + strings.Repeat(" ", maxHello) + named[1:], pages, CodeNotRoam},
		"that it is disabled, as an answer":       {403, errorText("Local API is disabled. Enable it in Settings."), pages, CodeDisabled},
	} {
		t.Run(name, func(t *testing.T) {
			var told atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.forPages {
					w.Header().Set("Access-Control-Allow-Origin", "*")
				}
				if r.Method == http.MethodPost {
					told.Add(1)
					answer(200, `{"success":true}`)(w, r)
					return
				}
				if r.Header.Get("Authorization") != "" || r.ContentLength > 0 {
					t.Errorf("the hello carries %v", r.Header)
				}
				answer(c.status, c.body)(w, r)
			}))
			defer server.Close()
			client := New(Options{PortFile: portFileFor(t, server)})
			defer client.CloseIdleConnections()
			_, err := client.Call(t.Context(), work, secretToken(t), "q")
			if c.code == "" {
				if err != nil || told.Load() != 1 {
					t.Errorf("%v, %d calls", err, told.Load())
				}
			} else if e := failedCall(t, err); e.Code != c.code || e.Sent() || e.Status() != c.status || e.Action() != "q" || told.Load() != 0 {
				t.Errorf("%+v, %+v, %d calls", e, e.Call, told.Load())
			}
			// The list of open graphs says the same of who answers.
			if _, err := client.OpenGraphs(t.Context()); len(c.body) < maxHello && (err == nil) != (c.code == "") {
				t.Errorf("the list: %v", err)
			}
		})
	}
}

// counted counts the requests to a Roam and its open connections.
type counted struct{ hellos, calls, open atomic.Int32 }

func (c *counted) connState(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		c.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		c.open.Add(-1)
	case http.StateActive, http.StateIdle:
	}
}

// closeConnections returns when no connection is open. The transport makes a
// connection idle some time after the call has returned, so that closing the
// idle ones once can leave one.
func (c *counted) closeConnections(t *testing.T, client *Client) {
	t.Helper()
	await.Condition(t, "all connections closed", func() bool {
		client.CloseIdleConnections()
		return c.open.Load() == 0
	})
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		c.hellos.Add(1)
	} else {
		c.calls.Add(1)
	}
	answer(200, hello.Reply)(w, r)
}

// unseen is what a system tells that knows no listener.
func unseen(net.Conn) (listener, bool) { return listener{}, false }

// manyCalls makes calls at the same time.
func manyCalls(t *testing.T, client *Client, n int) {
	t.Helper()
	token := secretToken(t)
	var calling sync.WaitGroup
	for range n {
		calling.Go(func() {
			if _, err := client.Call(t.Context(), work, token, "q"); err != nil {
				t.Errorf("a call: %v", err)
			}
		})
	}
	calling.Wait()
}

func TestAListenerSaysHelloOnce(t *testing.T) {
	look := func(net.Conn) (listener, bool) { return listener{socket: 7}, true }
	roam := &counted{}
	server := httptest.NewUnstartedServer(roam)
	server.Config.ConnState = roam.connState
	server.Start()
	defer server.Close()
	client := New(Options{PortFile: portFileFor(t, server)})
	client.greeter.dialer.look = look
	manyCalls(t, client, 40)
	roam.closeConnections(t, client)
	manyCalls(t, client, 40)
	if roam.hellos.Load() != 1 || roam.calls.Load() != 80 {
		t.Errorf("%d hellos, %d calls", roam.hellos.Load(), roam.calls.Load())
	}
	client.greeter.dialer.look = func(net.Conn) (listener, bool) { return listener{socket: 8}, true }
	roam.closeConnections(t, client)
	manyCalls(t, client, 10)
	if roam.hellos.Load() != 2 {
		t.Errorf("another listener on the port: %d hellos", roam.hellos.Load())
	}
}

func TestAListenerThatNobodyKnowsSaysHelloOnEachConnection(t *testing.T) {
	for name, closes := range map[string]bool{"that is kept": false, "and gets no token where it closes each": true} {
		t.Run(name, func(t *testing.T) {
			roam := &counted{}
			server := httptest.NewUnstartedServer(roam)
			server.Config.SetKeepAlivesEnabled(!closes)
			server.Config.ConnState = roam.connState
			server.Start()
			defer server.Close()
			client := New(Options{PortFile: portFileFor(t, server)})
			client.greeter.dialer.look = unseen
			if closes {
				_, err := client.Call(t.Context(), work, secretToken(t), "q")
				if e := failedCall(t, err); e.Code != CodeConnectionFailed || e.Sent() || roam.calls.Load() != 0 {
					t.Errorf("%+v, %d calls", e, roam.calls.Load())
				}
				return
			}
			for range 3 {
				manyCalls(t, client, 1)
			}
			roam.closeConnections(t, client)
			manyCalls(t, client, 1)
			if roam.hellos.Load() != 2 || roam.calls.Load() != 4 {
				t.Errorf("%d hellos, %d calls", roam.hellos.Load(), roam.calls.Load())
			}
		})
	}
}

func TestAHelloThatIsCancelledFailsNobodyElse(t *testing.T) {
	var hellos atomic.Int32
	first := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && hellos.Add(1) == 1 {
			close(first)
			<-r.Context().Done()
			return
		}
		answer(200, hello.Reply)(w, r)
	}))
	defer server.Close()
	client := New(Options{PortFile: portFileFor(t, server)})
	client.greeter.dialer.look = func(net.Conn) (listener, bool) { return listener{socket: 7}, true }
	defer client.CloseIdleConnections()
	token := secretToken(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := client.Call(ctx, work, token, "q")
		ended <- err
	}()
	await.Value(t, "the first hello", first)
	others := make(chan struct{})
	go func() {
		defer close(others)
		manyCalls(t, client, 20)
	}()
	cancel()
	if e := failedCall(t, await.Value(t, "the end of the cancelled call", ended)); e.Code != CodeCancelled || e.Sent() {
		t.Errorf("the cancelled call: %+v", e)
	}
	await.Value(t, "the other calls", others)
	if hellos.Load() != 2 {
		t.Errorf("%d hellos", hellos.Load())
	}
}

func TestAListenerThatAnswersNothingGetsNoToken(t *testing.T) {
	for name, c := range map[string]struct {
		says string
		code problem.Code
		told string
	}{
		"but ends the connection": {"", CodeConnectionFailed, "ends its connections without an answer"},
		"but half a status":       {"HTTP/1.1 2", CodeNotRoam, "not Roam's Local API"},
		"but half an answer":      {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[", CodeConnectionFailed, "ends its connections"},
		"but what is no HTTP":     {"SSH-2.0-OpenSSH_9.9\r\n", CodeNotRoam, "not Roam's Local API"},
		"but a header for ever":   {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 3*maxHello), CodeNotRoam, "not Roam's Local API"},
		"but a part too much":     {"HTTP/1.1 200 OK\r\nContent-Length: 80\r\n\r\n" + hello.Reply + "HTTP/1.1 200 OK\r\n\r\n", CodeNotRoam, "not Roam's Local API"},
	} {
		t.Run(name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			var heard atomic.Value
			heard.Store("")
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					got := make([]byte, 4096)
					n, _ := conn.Read(got)
					heard.Store(string(got[:n]))
					_, _ = io.WriteString(conn, c.says)
					_ = conn.(*net.TCPConn).CloseWrite()
					_, _ = io.Copy(io.Discard, conn)
					_ = conn.Close()
				}
			}()
			path := t.TempDir() + "/port"
			writePort(t, path, listener.Addr().(*net.TCPAddr).Port)
			client := New(Options{PortFile: PortFile{Path: path}})
			_, err = client.Call(t.Context(), work, secretToken(t), "q")
			e := failedCall(t, err)
			if e.Code != c.code || e.Sent() || !strings.Contains(e.Message, c.told) || !strings.Contains(e.Message, "no token was sent") || strings.Contains(heard.Load().(string), TokenPrefix) {
				t.Errorf("%+v, it heard %q", e, heard.Load())
			}
		})
	}
}
