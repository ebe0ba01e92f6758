package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

func secretToken(t testing.TB) Token {
	t.Helper()
	token, err := ParseToken(TokenPrefix + "Zz9-secret-part-of-the-token-")
	require.NoError(t, err)
	return token
}

// portFileFor writes a port file that points at the server.
func portFileFor(t testing.TB, server *httptest.Server) PortFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), PortFileName)
	writePort(t, path, portOf(t, server))
	return PortFile{Path: path}
}

func portOf(t testing.TB, server *httptest.Server) int {
	t.Helper()
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	return port
}

func writePort(t testing.TB, path string, port int) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(fmt.Sprintf(`{"port": %d}`, port)), 0o600))
}

// serve starts a Roam that says hello, and answers everything else with the handler.
func serve(t testing.TB, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(hello.Before(handler))
	t.Cleanup(server.Close)
	client := New(Options{PortFile: portFileFor(t, server)})
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func failedCall(t testing.TB, err error) *problem.Error {
	t.Helper()
	e, ok := problem.AsCall(err)
	if !ok {
		t.Fatalf("%v (%T) is no failed call", err, err)
	}
	return e
}

// hint is what the error says to do, as a person reads it in a terminal.
func hint(e *problem.Error) string { return problem.World{}.Say(e.Hint) }

var work = Graph{Name: "work", Type: Hosted}

func TestCallSendsWhatTheLocalAPIWants(t *testing.T) {
	token := secretToken(t)
	var got *http.Request
	var body map[string]any
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(context.Background())
		_ = json.NewDecoder(r.Body).Decode(&body)
		answer(200, `{"success":true,"result":{"uid":"x"},"apiVersion":"1.1.9"}`)(w, r)
	})
	reply, err := client.Call(t.Context(), Graph{Name: "notes", Type: Offline}, token, "data.ai.getPage", map[string]string{"title": "Projects"})
	require.NoError(t, err)
	if string(reply.Result) != `{"uid":"x"}` || reply.APIVersion != "1.1.9" {
		t.Errorf("reply %s, version %q", reply.Result, reply.APIVersion)
	}
	if got.Method != "POST" || got.URL.String() != "/api/notes?type=offline" || got.Header.Get("Authorization") != "Bearer "+token.Reveal() || got.Header.Get("Origin") != "" {
		t.Errorf("request %s %s %v", got.Method, got.URL, got.Header)
	}
	want := map[string]any{"action": "data.ai.getPage", "args": []any{map[string]any{"title": "Projects"}}, "expectedApiVersion": APIVersion}
	if fmt.Sprint(body) != fmt.Sprint(want) {
		t.Errorf("body %v, want %v", body, want)
	}
}

func TestResultsOfEveryShapePassThrough(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"object":    {`{"success":true,"result":{"a":[1]}}`, `{"a":[1]}`},
		"array":     {`{"success":true,"result":[[1,"x"]]}`, `[[1,"x"]]`},
		"number":    {`{"success":true,"result":12345678901234567890}`, `12345678901234567890`},
		"null":      {`{"success":true,"result":null}`, `null`},
		"undefined": {`{"success":true}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := serve(t, answer(200, c.body)).Call(t.Context(), work, secretToken(t), "q")
			if err != nil || string(reply.Result) != c.want {
				t.Errorf("%s, %v; want %s", reply.Result, err, c.want)
			}
		})
	}
}

// failedReply is a reply that reports an error, and what is made of it.
type failedReply struct {
	status int
	body   string
	code   problem.Code
	roam   string // must be in the message, word for word
	hint   string // must be in the hint
}

func errorObject(code, message string) string {
	return fmt.Sprintf(`{"success":false,"error":{"code":%q,"message":%q},"apiVersion":"1.1.5"}`, code, message)
}

func errorText(message string) string { return fmt.Sprintf(`{"success":false,"error":%q}`, message) }

// refusals are replies below 500.
func refusals() map[string]failedReply {
	return map[string]failedReply{
		"an object keeps its code and text":  {403, errorObject("INSUFFICIENT_SCOPE", "needs edit"), CodeInsufficientScope, "needs edit", "more access"},
		"a code nobody knows passes through": {418, errorObject("TEAPOT_MODE", "short and stout"), "TEAPOT_MODE", "short and stout", ""},
		"an error in a 200 is an error":      {200, errorText("it went wrong"), CodeValidation, "it went wrong", ""},
		"disabled, as an old build says it":  {403, errorText("Local API is disabled. Enable it in Settings."), CodeDisabled, "Local API is disabled. Enable it in Settings.", "Open Settings in Roam Desktop and switch the Local API on, or update Roam"},
		"a bare JSON string":                 {403, `"Local API is disabled"`, CodeDisabled, "Local API is disabled", "Open Settings in Roam Desktop"},
		"plain text":                         {403, `Local API is disabled`, CodeDisabled, "Local API is disabled", "Open Settings in Roam Desktop"},
		"a 403 with another text keeps it":   {403, errorText("Not in this graph"), CodeAccessDenied, "Not in this graph", ""},
		"an empty 401":                       {401, ``, CodeUnauthorized, "401", ""},
		"401 without code: header missing":   {401, errorText("Missing Authorization header"), CodeMissingToken, "Missing", "Re-authorize"},
		"401 without code: format":           {401, errorText("Invalid token format"), CodeInvalidTokenFormat, "Invalid token format", "Local API Tokens"},
		"401 without code: cloud token":      {401, errorText("This endpoint requires a local API token"), CodeInvalidTokenFormat, "requires a local", "cloud"},
		"401 without code: other type":       {401, errorText("Token is valid for the offline graph; use ?type=offline"), CodeWrongGraphType, "offline", "type"},
		"401 without code: unknown":          {401, errorText("Token not recognized for graph work"), CodeTokenNotFound, "not recognized", "Re-authorize"},
		"401 without code: expired":          {401, errorText("Invalid or expired token"), CodeTokenNotFound, "expired", "Re-authorize"},
		"404 without code, an action":        {404, errorText("Unknown action: data.nope"), CodeUnknownAction, "data.nope", "Update Roam"},
		"404 without code, something else":   {404, errorText("Cannot GET /x"), CodeNotFound, "Cannot GET", ""},
	}
}

// breakdowns are replies of a Roam in which something broke.
func breakdowns() map[string]failedReply {
	return map[string]failedReply{
		"500 without code: exists":                     {500, errorText("Page already exists"), CodeAlreadyExists, "already exists", ""},
		"500 without code: missing":                    {500, errorText("Parent block doesn't exist"), CodeNotFound, "doesn't exist", ""},
		"500 without code: a graph that is gone":       {500, errorText("the graph work (hosted) does not exist in the sandbox"), CodeGraphNotFound, "deleted or renamed", "whether the graph is there"},
		"500 INTERNAL_ERROR: a graph that is gone":     {500, errorObject("INTERNAL_ERROR", "Error: Graph not found"), CodeGraphNotFound, "deleted or renamed", "whether the graph is there"},
		"500 without code: missing in a graph":         {500, errorText("Page x of graph work not found"), CodeNotFound, "of graph work", ""},
		"500 without code: slow query":                 {500, errorText("The expression took too long"), CodeQueryTimeout, "too long", ":timeout"},
		"500 without code: closed window":              {500, errorText("Promise error: window gone"), CodeWindowClosed, "window gone", "Open the graph"},
		"500 without code: rate":                       {500, errorText("Rate limit exceeded"), CodeRateLimited, "Rate limit", "Wait"},
		"500 without code: too many calls":             {500, errorText("Too many requests"), CodeRateLimited, "Too many", "Wait"},
		"500 without code: too many of something else": {500, errorText("Too many inputs passed"), CodeInternal, "Too many inputs", ""},
		"500 without code: corrupt token file":         {500, errorText("local-api-tokens.edn is corrupted"), CodeTokenFileCorrupted, "corrupted", "anew"},
		"500 without code: anything":                   {500, errorText("boom"), CodeInternal, "boom", ""},
		"500 INTERNAL_ERROR is told apart by its text": {500, errorObject("INTERNAL_ERROR", "Page already exists"), CodeAlreadyExists, "already exists", ""},
	}
}

// oddReplies are those that no Roam should send, and those of another version.
func oddReplies() map[string]failedReply {
	return map[string]failedReply{
		"HTML":                            {502, `<!DOCTYPE html><title>Bad Gateway</title>`, CodeInvalidReply, "<!DOCTYPE html>", ""},
		"HTML that says too long":         {413, `<!DOCTYPE html><title>Payload Too Large</title>`, CodeRequestTooLarge, "longer than Roam takes", ""},
		"a 413 that says nothing":         {413, ``, CodeRequestTooLarge, "longer than Roam takes", ""},
		"a 413 of Roam's own":             {413, `{"success":false,"error":"too much"}`, CodeRequestTooLarge, "too much", "in parts"},
		"half a JSON":                     {200, `{"success":true,"result":{"a":`, CodeInvalidReply, `success`, ""},
		"half a failed JSON":              {500, `{"success":false,"err`, CodeInvalidReply, "500", ""},
		"nothing at all":                  {200, ``, CodeInvalidReply, "200", ""},
		"an object that is no envelope":   {200, `{"hello":"world"}`, CodeInvalidReply, "hello", ""},
		"an error that is neither":        {500, `{"success":false,"error":[1,2]}`, CodeInternal, "[1,2]", ""},
		"a code that is a sentence":       {500, errorObject("oh no it broke", "boom"), CodeInternal, "boom", ""},
		"version: Roam is newer":          {400, `{"success":false,"error":{"code":"VERSION_MISMATCH","message":"no"},"apiVersion":"1.2.0","expectedApiVersion":"1.1.5"}`, CodeVersionMismatch, "no", "Update roam-mcp"},
		"version: Roam is older":          {400, `{"success":false,"error":{"code":"VERSION_MISMATCH","message":"no"},"apiVersion":"1.0.9"}`, CodeVersionMismatch, "no", "Update Roam Desktop: it speaks 1.0.9"},
		"version: Roam does not say":      {400, `{"success":false,"error":{"code":"VERSION_MISMATCH","message":"no"}}`, CodeVersionMismatch, "no", "Update Roam Desktop and roam-mcp"},
		"a redirect is an error, unasked": {302, ``, CodeValidation, "302", ""},
	}
}

func TestEveryFailedReplyBecomesAnErrorWithACode(t *testing.T) {
	all := refusals()
	maps.Copy(all, breakdowns())
	maps.Copy(all, oddReplies())
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, answer(c.status, c.body)).Call(t.Context(), work, secretToken(t), "data.nope")
			e := failedCall(t, err)
			if e.Code != c.code || e.Status() != c.status || !e.Sent() {
				t.Errorf("code %s, status %d, sent %v; want %s, %d, true", e.Code, e.Status(), e.Sent(), c.code, c.status)
			}
			if !strings.Contains(e.Message, c.roam) || !strings.Contains(hint(e), c.hint) {
				t.Errorf("message %q must hold %q; hint %q must hold %q", e.Message, c.roam, hint(e), c.hint)
			}
		})
	}
}

func TestNothingThatATerminalObeysComesThroughAnError(t *testing.T) {
	for _, body := range []string{
		`{"success":false,"error":{"code":"VERSION_MISMATCH","message":"no"},"apiVersion":"1.2\u001b[2J"}`,
		`{"success":false,"error":"no\u001b[2J"}`, "no\x1b[2J", `{"success":false,"error":{"code":"A\u001b[2J","message":"no"}}`,
		`{"success":false,"error":"no\u202eya\u200bs\u2066 \u2028I"}`, "<p>\u202eno\u2028",
	} {
		_, err := serve(t, answer(400, body)).Call(t.Context(), work, secretToken(t), "q")
		if e := failedCall(t, err); strings.ContainsAny(e.Message+hint(e)+e.Call.Text+e.Call.APIVersion+err.Error(), "\x1b\u202e\u2066\u2028\u200b") {
			t.Errorf("%q: %q", body, e)
		}
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the redirect was followed, with Authorization %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if _, err := client.Call(t.Context(), work, secretToken(t), "q"); err == nil {
		t.Error("a redirect is no success")
	}
}

// strange is a program that is not Roam, on a port that Roam had. It counts the
// requests, and looks whether a token is in one.
func strange(t *testing.T, port int, requests *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(r.Header.Get("Authorization")+string(body), TokenPrefix) {
			requests.Add(1)
		}
		http.NotFound(w, r)
	})}}
	server.Start()
	t.Cleanup(server.Close)
}

func TestAStrangerOnTheOldPort(t *testing.T) {
	// called is a client that has called a Roam, which has ended since.
	called := func(t *testing.T, path string) (*Client, int) {
		roam := httptest.NewServer(answer(200, hello.Reply))
		port := portOf(t, roam)
		writePort(t, path, port)
		client := New(Options{PortFile: PortFile{Path: path}})
		t.Cleanup(client.CloseIdleConnections)
		_, err := client.Call(t.Context(), work, secretToken(t), "q")
		require.NoError(t, err)
		roam.Close()
		client.CloseIdleConnections() // else the next call may meet the end of one
		return client, port
	}
	t.Run("gets no token once the port file names another", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), PortFileName)
		client, port := called(t, path)
		var told atomic.Int32
		strange(t, port, &told)
		again := httptest.NewServer(answer(200, hello.Reply))
		defer again.Close()
		writePort(t, path, portOf(t, again))
		_, err := client.Call(t.Context(), work, secretToken(t), "q")
		if err != nil || told.Load() != 0 {
			t.Errorf("%v; the stranger got %d tokens", err, told.Load())
		}
	})
	t.Run("gets no token while the port file names it", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), PortFileName)
		client, port := called(t, path)
		var told atomic.Int32
		strange(t, port, &told)
		for range 2 {
			_, err := client.Call(t.Context(), work, secretToken(t), "q")
			e := failedCall(t, err)
			if e.Code != CodeNotRoam || e.Sent() || e.Action() != "q" || e.Status() != 404 || !strings.Contains(hint(e), "Start Roam") {
				t.Errorf("%+v", e)
			}
			for _, part := range []string{strconv.Itoa(port), fmt.Sprintf("(process %d)", os.Getpid()), "no token was sent"} {
				if !strings.Contains(e.Message, part) {
					t.Errorf("%q does not say %q", e.Message, part)
				}
			}
		}
		info := client.TokenInfo(t.Context(), work, secretToken(t))
		if told.Load() != 0 || info.Status != TokenUnknown {
			t.Errorf("the stranger got %d tokens, %+v", told.Load(), info)
		}
	})
	t.Run("gets no second token where it has said hello", func(t *testing.T) {
		var hellos, told atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && hellos.Add(1) == 1 {
				answer(200, hello.Reply)(w, r)
				return
			}
			if r.Method == http.MethodPost {
				told.Add(1)
			}
			answer(502, `<html>the other side is gone</html>`)(w, r)
		}))
		defer server.Close()
		client := New(Options{PortFile: portFileFor(t, server)})
		for i, code := range []problem.Code{CodeInvalidReply, CodeNotRoam, CodeNotRoam} {
			_, err := client.Call(t.Context(), work, secretToken(t), "q")
			if e := failedCall(t, err); e.Code != code || e.Sent() != (i == 0) {
				t.Errorf("call %d: %+v", i, e)
			}
		}
		if told.Load() != 1 {
			t.Errorf("it got %d tokens", told.Load())
		}
	})
	t.Run("is forgotten once Roam is back on its port", func(t *testing.T) {
		var asked []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Method)
			if len(asked) == 2 {
				http.NotFound(w, r)
				return
			}
			answer(200, hello.Reply)(w, r)
		}))
		defer server.Close()
		client := New(Options{PortFile: portFileFor(t, server)})
		for range 3 {
			_, _ = client.Call(t.Context(), work, secretToken(t), "q")
		}
		if want := []string{"GET", "POST", "GET", "POST", "POST"}; !slices.Equal(asked, want) {
			t.Errorf("asked %v, want %v", asked, want)
		}
	})
}

func TestARefusedConnectionReadsThePortFileAgain(t *testing.T) {
	server := httptest.NewServer(answer(200, hello.Reply))
	defer server.Close()
	path := filepath.Join(t.TempDir(), PortFileName)
	writePort(t, path, 1) // which nothing ever takes
	client := New(Options{PortFile: PortFile{Path: path}})
	_, err := client.OpenGraphs(t.Context())
	if e := failedCall(t, err); e.Code != CodeConnectionFailed || e.Sent() || e.Status() != 0 {
		t.Fatalf("nothing listens: %+v", e)
	}
	writePort(t, path, portOf(t, server)) // Roam has moved
	if _, err := client.OpenGraphs(t.Context()); err != nil {
		t.Errorf("after the move: %v", err)
	}
}

func TestABrokenConnectionIsNotTriedAgain(t *testing.T) {
	var calls atomic.Int32
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		_, _ = io.ReadAll(r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	})
	_, err := client.Call(t.Context(), work, secretToken(t), "data.block.create")
	if e := failedCall(t, err); e.Code != CodeConnectionFailed || !e.Sent() || calls.Load() != 1 {
		t.Errorf("%+v after %d requests", e, calls.Load())
	}
}

func TestCancellingClosesTheConnection(t *testing.T) {
	arrived, closed := make(chan struct{}), make(chan struct{})
	client := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		close(arrived)
		<-r.Context().Done()
		close(closed)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := client.RequestToken(ctx, TokenRequest{Graph: work, AccessLevel: Full, Description: "t"})
	if e := failedCall(t, err); e.Code != CodeCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v", e)
	}
	await.Value(t, "the end of the request on Roam's side", closed)
}

func TestAReplyOverTheLimitIsRefused(t *testing.T) {
	for name, chunked := range map[string]bool{"with its length told": false, "in chunks": true} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(hello.Before(func(w http.ResponseWriter, r *http.Request) {
				body := `{"success":true,"result":"` + strings.Repeat("x", 5000) + `"}`
				if chunked {
					w.(http.Flusher).Flush()
				} else {
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				}
				_, _ = io.WriteString(w, body)
			}))
			defer server.Close()
			client := New(Options{PortFile: portFileFor(t, server), MaxReply: 1000})
			_, err := client.Call(t.Context(), work, secretToken(t), "q")
			if e := failedCall(t, err); e.Code != CodeInvalidReply || !e.Sent() {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestInvalidUTF8BecomesReplacementCharacters(t *testing.T) {
	for name, told := range map[string]bool{"in a reply that tells its length": true, "in one that does not": false} {
		t.Run(name, func(t *testing.T) {
			long := strings.Repeat("é", 20_000)
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				body := `{"success":true,"result":{"a":"x` + "\xff\xfe" + long + `","b` + "\xc3" + `":"\ud800"}}`
				if told {
					w.Header().Set("Content-Length", strconv.Itoa(len(body)))
				} else {
					defer w.(http.Flusher).Flush()
				}
				_, _ = io.WriteString(w, body)
			})
			answer, err := client.Call(t.Context(), work, secretToken(t), "q")
			if want := `{"a":"x�` + long + `","b�":"\ufffd"}`; err != nil || string(answer.Result) != want {
				t.Errorf("%.60s, %v", answer.Result, err)
			}
		})
	}
}

func TestANameThatIsNoGraphIsRefusedBeforeTheWire(t *testing.T) {
	client := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") })
	for _, name := range []string{"", "../x", "a/b", "a b", "é", "a?type=offline", strings.Repeat("a", 200)} {
		if _, err := client.Call(t.Context(), Graph{Name: name}, secretToken(t), "q"); failedCall(t, err).Code != CodeValidation {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := client.RequestToken(t.Context(), TokenRequest{Graph: Graph{Name: name}}); failedCall(t, err).Code != CodeValidation {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestTheTokenShowsInNoError(t *testing.T) {
	token := secretToken(t)
	secret := token.Reveal()
	for name, handler := range map[string]http.HandlerFunc{
		"Roam echoes it in an object": answer(401, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"no such token: `+secret+`."}}`),
		"Roam echoes it in a string":  answer(500, `{"success":false,"error":"bad `+secret+`"}`),
		"Roam echoes it in HTML":      answer(500, `<p>`+secret+`</p>`),
		"Roam echoes it as a code":    answer(500, `{"success":false,"error":{"code":"`+secret+`","message":"m"}}`),
		"Roam echoes it half":         answer(200, `{"token":"`+secret),
	} {
		t.Run(name, func(t *testing.T) {
			client := serve(t, handler)
			_, call := client.Call(t.Context(), work, token, "q")
			_, request := client.RequestToken(t.Context(), TokenRequest{Graph: work, AccessLevel: Full, Description: "d"})
			info := client.TokenInfo(t.Context(), work, token)
			for _, err := range []error{call, request, info.Reason} {
				for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", failedCall(t, err)), fmt.Sprintf("%#v", failedCall(t, err).Call)} {
					if strings.Contains(text, secret) || strings.Contains(text, "secret-part") {
						t.Errorf("the token shows in %q", text)
					}
				}
			}
		})
	}
}

func TestTheProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	if transport := New(Options{}).http.Transport.(*http.Transport); transport.Proxy != nil {
		t.Error("loopback calls would go through a proxy")
	}
}

func BenchmarkCall(b *testing.B) {
	client := serve(b, answer(200, `{"success":true,"result":[]}`))
	token := secretToken(b)
	for b.Loop() {
		_, err := client.Call(b.Context(), work, token, "q")
		require.NoError(b, err)
	}
}
