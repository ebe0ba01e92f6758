package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/surface"
)

// fakeRoam answers the Local API as a test tells it to, and keeps what came.
type fakeRoam struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	answers map[string]answerFunc // by action or route
	others  answerFunc            // to all other actions; nil: there are none
	seen    []roamRequest
}

type roamRequest struct {
	Graph  string
	Query  string
	Token  string
	Action string
	Args   json.RawMessage
}

// guardsRead names, beside the actions, the query that comes before a write, for whether it
// touches what is protected.
const guardsRead = "q: protected"

var guardsQuery = regexp.MustCompile(`or-join \[\?e\]`)

// answerFunc gives status and body; status 0 drops the connection.
type answerFunc func(roamRequest) (int, string)

func newFakeRoam(t *testing.T) *fakeRoam {
	f := &fakeRoam{t: t, answers: map[string]answerFunc{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	f.result(localapi.GuidelinesAction, `{"guidelines":"Be brief.","starredPages":["Home"],"todaysDailyNotePage":"November 21st, 2026"}`)
	f.result(guardsRead, `[]`)
	f.result("open", `[]`) // the hello
	f.on("tokens/info", func(roamRequest) (int, string) {
		return 200, `{"success":true,"grantedAccessLevel":"full","grantedScopes":{"read":true,"append":true,"edit":true}}`
	})
	return f
}

func (f *fakeRoam) on(action string, answer answerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[action] = answer
}

func (f *fakeRoam) result(action, result string) {
	f.on(action, func(roamRequest) (int, string) {
		return 200, `{"success":true,"result":` + result + `,"apiVersion":"1.1.5"}`
	})
}

func (f *fakeRoam) fails(action string, status int, body string) {
	f.on(action, func(roamRequest) (int, string) { return status, body })
}

func (f *fakeRoam) requests(action string) []roamRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	var found []roamRequest
	for _, r := range f.seen {
		if r.Action == action {
			found = append(found, r)
		}
	}
	return found
}

func (f *fakeRoam) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request := roamRequest{Graph: strings.TrimPrefix(r.URL.Path, "/api/"), Query: r.URL.RawQuery, Token: r.Header.Get("Authorization")}
	var body struct {
		Action string          `json:"action"`
		Args   json.RawMessage `json:"args"`
	}
	_ = json.NewDecoder(r.Body).Decode(&body)
	request.Action, request.Args = body.Action, body.Args
	if rest, ok := strings.CutPrefix(request.Graph, "graphs/"); ok {
		request.Action = rest
	}
	if request.Action == "q" && guardsQuery.Match(request.Args) {
		request.Action = guardsRead
	}
	f.mu.Lock()
	f.seen = append(f.seen, request)
	answer := f.answers[request.Action]
	if answer == nil {
		answer = f.others
	}
	f.mu.Unlock()
	status, text := 404, `{"success":false,"error":{"code":"UNKNOWN_ACTION","message":"no such action"},"apiVersion":"1.1.5"}`
	if answer != nil {
		status, text = answer(request)
	}
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

func (f *fakeRoam) client() *localapi.Client {
	path := filepath.Join(f.t.TempDir(), localapi.PortFileName)
	port := f.URL[strings.LastIndexByte(f.URL, ':')+1:]
	require.NoError(f.t, os.WriteFile(path, []byte(`{"port":`+port+`}`), 0o600))
	return localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: path, Strict: true}})
}

// secretOf is the secret part of a test token for a graph.
func secretOf(graph string) string {
	return localapi.TokenPrefix + (graph + strings.Repeat("S3cr3t", 5))[:29]
}

// world is everything that a server under test lives in.
type world struct {
	t      *testing.T
	roam   *fakeRoam
	path   string // of the configuration
	store  *configstore.Store
	log    *syncbuffer.Buffer
	server *Server
}

// configText is a configuration with one enabled graph per nickname; the name
// of the graph "Work" is "work-graph".
func configText(nicknames ...string) string {
	var entries []string
	for _, nickname := range nicknames {
		name := strings.ToLower(nickname) + "-graph"
		entries = append(entries, fmt.Sprintf(`{"name":%q,"token":%q,"nickname":%q,"accessLevel":"full"}`, name, secretOf(nickname), nickname))
	}
	return `{"version":1,"graphs":[` + strings.Join(entries, ",") + `]}`
}

// newWorld makes a server over a fake Roam and a configuration; "" is none.
func newWorld(t *testing.T, config string, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, roam: newFakeRoam(t), path: filepath.Join(t.TempDir(), "roam-mcp.json"), log: new(syncbuffer.Buffer)}
	if config != "" {
		w.configure(config)
	}
	w.store = configstore.New(w.path)
	options := Options{
		Store: w.store, Roam: w.roam.client(), Version: "test", Timeouts: patientTimeouts(),
		Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, each := range change {
		each(&options)
	}
	server, err := New(t.Context(), options)
	require.NoError(t, err)
	server.drain.Cancelled, server.drain.Replies = 2*time.Minute, 2*time.Minute
	w.server = server
	return w
}

// patientTimeouts are for a slow machine: what is asked for comes in the end, and
// between two looks no time passes, since nothing is on its way then.
func patientTimeouts() *Timeouts {
	long := 2 * time.Minute
	return &Timeouts{
		Roam: CallTimeouts{Write: long, Read: long, Token: long, Note: long}, Call: 2 * long,
		Guidelines: long, TokenInfo: long, Completion: long, Look: long,
		Between: func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil },
	}
}

func (w *world) configure(config string) {
	w.t.Helper()
	temporary := w.path + ".new"
	require.NoError(w.t, os.WriteFile(temporary, []byte(config), 0o600))
	require.NoError(w.t, os.Rename(temporary, w.path))
}

// connect opens a client session of the stateful era.
func (w *world) connect(options ...*mcp.ClientOptions) *client {
	w.t.Helper()
	return w.connectVersion("2025-11-25", options...)
}

func (w *world) connectVersion(version string, options ...*mcp.ClientOptions) *client {
	w.t.Helper()
	var clientOptions *mcp.ClientOptions
	if len(options) > 0 {
		clientOptions = options[0]
	}
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	if _, err := w.server.Connect(context.WithoutCancel(w.t.Context()), serverEnd); err != nil {
		w.t.Fatal(err)
	}
	mcpClient := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, clientOptions)
	listens := make(chan struct{}, 1)
	mcpClient.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				listens <- struct{}{}
			}
			return next(ctx, method, request)
		}
	})
	session, err := mcpClient.Connect(w.t.Context(), clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = session.Close() })
	if version >= statelessVersion && hearsOfLists(clientOptions) {
		<-listens // what changes before that is not told
	}
	return &client{w.t, session}
}

// hearsOfLists reports whether a client wants to know when a list has changed.
func hearsOfLists(options *mcp.ClientOptions) bool {
	return options != nil && (options.ToolListChangedHandler != nil || options.PromptListChangedHandler != nil || options.ResourceListChangedHandler != nil)
}

type client struct {
	t *testing.T
	*mcp.ClientSession
}

// call runs a tool; the arguments are JSON.
func (c *client) call(tool, arguments string) toolReply {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	return newToolReply(c.t, result)
}

// toolReply is what a model reads.
type toolReply struct {
	t       *testing.T
	text    string
	isError bool
	fields  map[string]any
	failure map[string]any
	result  *mcp.CallToolResult
}

func newToolReply(t *testing.T, result *mcp.CallToolResult) toolReply {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("a reply has %d contents", len(result.Content))
	}
	reply := toolReply{t: t, text: result.Content[0].(*mcp.TextContent).Text, isError: result.IsError, result: result}
	if err := json.Unmarshal([]byte(reply.text), &reply.fields); err != nil {
		t.Fatalf("the reply is no JSON object: %v: %s", err, reply.text)
	}
	reply.failure, _ = reply.fields["error"].(map[string]any)
	return reply
}

func (r toolReply) ok() toolReply {
	r.t.Helper()
	if r.isError {
		r.t.Fatalf("unexpected error: %s", r.text)
	}
	return r
}

func (r toolReply) fails(code problem.Code) toolReply {
	r.t.Helper()
	if !r.isError || r.failure["code"] != string(code) {
		r.t.Fatalf("want error %s, got %s", code, r.text)
	}
	if r.failure["message"] == "" {
		r.t.Fatalf("the error has no message: %s", r.text)
	}
	return r
}

func (r toolReply) has(key string, want any) toolReply {
	r.t.Helper()
	if got := r.fields[key]; got != want {
		r.t.Fatalf("%s is %v, want %v: %s", key, got, want, r.text)
	}
	return r
}

func (r toolReply) field(key string) string {
	r.t.Helper()
	s, ok := r.fields[key].(string)
	if !ok || s == "" {
		r.t.Fatalf("the reply has no %s: %s", key, r.text)
	}
	return s
}

const setupTool = "setup_new_graph"

// roamTools are the tools of the profile roam.
func roamTools() []surface.Tool { return roam.Profile().Tools }

// roamTool is a tool of the profile roam.
func roamTool(name string) *surface.Tool {
	profile := roam.Profile()
	found, _ := profile.Find(name)
	return found
}

// callOf is a call of a tool; the arguments are JSON.
func callOf(tool, arguments string) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}
}
