package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
)

// handler serves the routes of LOCAL_API.md 1.3, the page for browsers, and the
// sandbox's own routes for switches and exports.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.page)
	api := s.switched(s.api())
	if s.options.Around != nil {
		api = s.options.Around(api)
	}
	mux.Handle("/api/", api)
	mux.HandleFunc("/sandbox/switches", s.withKey(s.controlSwitches))
	mux.HandleFunc("/sandbox/export", s.withKey(s.export))
	return s.guard(mux)
}

// api serves the routes that Roam has.
func (s *Server) api() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /api/graphs/open", s.route(func(*http.Request) (reply, error) { return s.list(true) }))
	mux.Handle("GET /api/graphs/available", s.route(func(*http.Request) (reply, error) { return s.list(false) }))
	mux.Handle("POST /api/graphs/tokens/request", s.route(s.requestToken))
	mux.Handle("POST /api/graphs/tokens/info", s.route(s.tokenInfo))
	mux.HandleFunc("POST /api/{graph}", s.runAction)
	for _, path := range []string{"/api/graphs/open", "/api/graphs/available", "/api/graphs/tokens/request", "/api/graphs/tokens/info", "/api/{graph}"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			refuseWith(w, refuse(http.StatusMethodNotAllowed, codeWrongMethod, r.Method+" is not understood here."))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuseWith(w, refuse(http.StatusNotFound, localapi.CodeNotFound, "There is no such route."))
	})
	return mux
}

// route runs one of the routes without a graph, and logs it.
func (s *Server) route(run func(*http.Request) (reply, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := begin(localapi.Graph{}, strings.TrimPrefix(r.URL.Path, "/api/"))
		status := http.StatusOK
		answer, err := run(r)
		if err != nil {
			status, answer = failure(err)
		}
		s.end(entry, status, err)
		send(w, status, answer)
	})
}

func (s *Server) list(openOnly bool) (reply, error) {
	graphs := []localapi.Graph{}
	for _, graph := range s.graphs.status() {
		if s.isListed(graph, openOnly) {
			graphs = append(graphs, graph.Graph)
		}
	}
	return reply{Result: rawjson.Encode(graphs)}, nil
}

// decodeBody reads a JSON object. Unknown fields are ignored, as by Roam.
func decodeBody(r *http.Request, into any) error {
	body, err := readBody(r)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	err = decoder.Decode(into)
	if err == nil {
		if _, next := decoder.Token(); next != io.EOF {
			err = errors.New("something follows the JSON object")
		}
	}
	if err != nil {
		return refuse(http.StatusBadRequest, localapi.CodeValidation, "The request body is not the JSON that is expected: "+actions.DescribeJSON(err)+".")
	}
	return nil
}

// requestToken blocks until somebody has decided (LOCAL_API.md 1.3.3). Closing the
// connection cancels the request's context, which drops the dialog.
func (s *Server) requestToken(r *http.Request) (reply, error) {
	var asked struct {
		Graph       string               `json:"graph"`
		GraphType   string               `json:"graphType"`
		Description string               `json:"description"`
		AccessLevel localapi.AccessLevel `json:"accessLevel"`
		AI          bool                 `json:"ai"`
	}
	if err := decodeBody(r, &asked); err != nil {
		return reply{}, err
	}
	graph, err := graphNamed(asked.Graph, asked.GraphType)
	if err != nil {
		return reply{}, err
	}
	access := desk.Access{Graph: graph, AccessLevel: asked.AccessLevel, Description: asked.Description, AI: asked.AI}
	if err := access.Check(); err != nil {
		return reply{}, err
	}
	found, err := s.graphs.find(graph)
	if err != nil {
		return reply{}, err
	}
	found.open.Store(true) // Roam opens the graph to show its dialog
	grant, err := s.decide(r.Context(), access)
	if err != nil {
		return reply{}, err
	}
	if s.switches.value(exchangeEnd) == exchangeNoToken {
		return reply{GraphName: graph.Name, GraphType: graph.Type, GrantedAccessLevel: grant.AccessLevel}, nil
	}
	return reply{
		Token: grant.Token.Reveal(), GraphName: graph.Name, GraphType: graph.Type,
		GrantedAccessLevel: grant.AccessLevel, GrantedScopes: scopeMap(grant.AccessLevel),
	}, nil
}

// graphNamed returns the graph of a name and a type. It lets an empty name pass:
// the desk refuses that in Roam's words.
func graphNamed(name, kind string) (localapi.Graph, error) {
	graphType, err := localapi.ParseGraphType(kind)
	if err == nil && name != "" && !localapi.ValidGraphName(name) {
		err = fmt.Errorf("%q can't be a graph's name", name)
	}
	if err != nil {
		return localapi.Graph{}, refuse(http.StatusBadRequest, localapi.CodeValidation, err.Error())
	}
	return localapi.Graph{Name: name, Type: graphType}, nil
}

func scopeMap(level localapi.AccessLevel) map[desk.Scope]bool {
	scopes := map[desk.Scope]bool{}
	for _, scope := range desk.Scopes(level) {
		scopes[scope] = true
	}
	return scopes
}

// tokenInfo returns a token's level (LOCAL_API.md 1.3.4).
func (s *Server) tokenInfo(r *http.Request) (reply, error) {
	var asked struct {
		Token string `json:"token"`
		Graph string `json:"graph"`
		Type  string `json:"type"`
	}
	if err := decodeBody(r, &asked); err != nil {
		return reply{}, err
	}
	graph, err := graphNamed(asked.Graph, asked.Type)
	if err != nil {
		return reply{}, err
	}
	if asked.Token == "" || graph.Name == "" {
		return reply{}, refuse(http.StatusBadRequest, localapi.CodeValidation, "Token and graph are required")
	}
	info, err := s.checkToken(asked.Token, graph)
	if err != nil {
		return reply{}, err
	}
	return reply{
		GraphName: graph.Name, GraphType: graph.Type, GrantedAccessLevel: info.AccessLevel,
		GrantedScopes: scopeMap(info.AccessLevel), Description: info.Description,
	}, nil
}

// runAction is POST /api/{graph} (LOCAL_API.md 1.3.1).
func (s *Server) runAction(w http.ResponseWriter, r *http.Request) {
	graph := localapi.Graph{Name: r.PathValue("graph"), Type: localapi.Hosted}
	if r.URL.Query().Get("type") == string(localapi.Offline) {
		graph.Type = localapi.Offline
	}
	entry := begin(graph, "")
	status, answer := http.StatusOK, reply{}
	memory := s.actions.OpenMemory()
	defer memory.Release()
	result, err := s.answer(r, graph, &entry, memory)
	if err == nil {
		answer.Result = result
	} else {
		memory.Release()
		status, answer = failure(err)
	}
	s.end(entry, status, err)
	defer limitSending(w)()
	send(w, status, answer)
}

// sendingTime is how long a client may take to read the reply of an action, which holds
// memory that other queries wait for.
const sendingTime = time.Minute

// limitSending limits what is written to sendingTime, until it is undone.
func limitSending(w http.ResponseWriter) (undo func()) {
	connection := http.NewResponseController(w) // which a recorder has none of
	_ = connection.SetWriteDeadline(time.Now().Add(sendingTime))
	return func() { _ = connection.SetWriteDeadline(time.Time{}) }
}

// answer checks token, version, action and scope, in this order, and runs the
// action.
func (s *Server) answer(r *http.Request, graph localapi.Graph, entry *loggedCall, memory *datalog.Share) (json.RawMessage, error) {
	if !localapi.ValidGraphName(graph.Name) {
		return nil, refuse(http.StatusBadRequest, localapi.CodeValidation, "That can't be a graph's name.")
	}
	token, err := s.authorize(r, graph)
	if err != nil {
		return nil, err
	}
	var called struct {
		Action   string            `json:"action"`
		Args     []json.RawMessage `json:"args"`
		Expected json.RawMessage   `json:"expectedApiVersion"`
	}
	if err := decodeBody(r, &called); err != nil {
		return nil, err
	}
	entry.action = actions.Loggable(called.Action)
	if err := checkVersion(called.Expected, s.switches.version()); err != nil {
		return nil, err
	}
	if called.Action == "" {
		return nil, refuse(http.StatusBadRequest, localapi.CodeValidation, "Action is required")
	}
	scope, known := s.actions.Scope(called.Action)
	if !known || s.switches.isOn(build) && oldLacks(called.Action) {
		return nil, refuse(http.StatusNotFound, localapi.CodeUnknownAction, "Unknown action: "+actions.Loggable(called.Action))
	}
	if err := s.permit(called.Action, scope, token); err != nil {
		return nil, err
	}
	if err := s.awaitWindow(r.Context()); err != nil {
		return nil, err
	}
	return s.run(r.Context(), called.Action, scope, graph, token, called.Args, memory)
}

func (s *Server) run(ctx context.Context, name string, scope desk.Scope, graph localapi.Graph, token desk.TokenInfo, args []json.RawMessage, memory *datalog.Share) (json.RawMessage, error) {
	found, err := s.graphs.find(graph)
	if err != nil {
		// The token outlived its graph: Roam would fail to open it.
		return nil, fmt.Errorf("the graph %s (%s) does not exist in the sandbox", graph.Name, graph.Type)
	}
	found.open.Store(true)
	now := s.options.Now()
	if scope != desk.Read {
		if err := found.writes.take(now); err != nil {
			return nil, err
		}
	}
	if err := s.graphs.reload(ctx, found, s.switches); err != nil {
		return nil, err
	}
	call := actions.Call{
		Action: name, Args: args, Now: now, AI: token.AI, Memory: memory,
		Encrypted: s.isEncrypted(graph), SignedOut: s.switches.isOn(signedOut), OldGuidelines: s.switches.isOn(build), MayEdit: s.checkPermission(graph, desk.Edit) == nil,
		NoMoveStamp: s.switches.isOn(noMoveStamp),
		Permit:      func(what string, scope desk.Scope) error { return s.permit(what, scope, token) },
	}
	leave, err := found.enter(ctx, s.switches, call)
	if err != nil {
		return nil, err
	}
	defer leave()
	call.Graph = found.loaded.Load()
	return s.actions.Run(ctx, call)
}

// permit makes the two checks of LOCAL_API.md 1.4: the token's scope, then the
// user's own right.
func (s *Server) permit(name string, scope desk.Scope, token desk.TokenInfo) error {
	if !token.May(scope) {
		return refuse(http.StatusForbidden, localapi.CodeInsufficientScope, fmt.Sprintf(
			"%s needs the %s scope; this token has %s access.", name, scope, token.AccessLevel.Words()))
	}
	return s.checkPermission(token.Graph, scope)
}

func (s *Server) authorize(r *http.Request, graph localapi.Graph) (desk.TokenInfo, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return desk.TokenInfo{}, refuse(http.StatusUnauthorized, localapi.CodeMissingToken, "Missing Authorization header with a Bearer token")
	}
	return s.checkToken(secret, graph)
}

// checkVersion compares major and minor only (LOCAL_API.md 1.5).
func checkVersion(expected json.RawMessage, ours string) error {
	if len(expected) == 0 || string(expected) == "null" {
		return nil
	}
	var version string
	if json.Unmarshal(expected, &version) == nil && minorOf(version) == minorOf(ours) {
		return nil
	}
	if len(expected) > 64 {
		expected = json.RawMessage(`"…"`)
	}
	err := refuse(http.StatusBadRequest, localapi.CodeVersionMismatch, fmt.Sprintf(
		"API version mismatch: this is %s, the client expects %s.", ours, strings.Trim(string(expected), `"`)))
	err.expected = expected
	return err
}

func minorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return version
	}
	return parts[0] + "." + parts[1]
}
