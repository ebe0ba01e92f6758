package localapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"roam-mcp/internal/problem"
)

// maxListed bounds the graphs of one list; more is not a list of a person's graphs.
const maxListed = 100_000

const openGraphsRoute = "/api/graphs/open"

// OpenGraphs lists the graphs that have a window (LOCAL_API.md 1.3.2). It is
// also the cheapest way to see whether Roam is there: what answers but is not
// Roam gives CodeNotRoam.
func (c *Client) OpenGraphs(ctx context.Context) ([]Graph, error) {
	return c.list(ctx, openGraphsRoute)
}

// AvailableGraphs lists the graphs that the signed-in user can open. It is
// empty where nobody is signed in, and never holds other people's public graphs.
func (c *Client) AvailableGraphs(ctx context.Context) ([]Graph, error) {
	return c.list(ctx, "/api/graphs/available")
}

func (c *Client) list(ctx context.Context, route string) ([]Graph, error) {
	answer, err := c.do(ctx, call{action: route, method: http.MethodGet, path: route})
	if err != nil {
		return nil, err
	}
	graphs, version, err := graphsIn(route, answer)
	if err != nil {
		return nil, listFailed(answer.port, err)
	}
	c.saw(version)
	return graphs, nil
}

// graphsIn reads the reply to a list of graphs, and the version that is stamped on it.
// Its error says that the reply has not the form of Roam's.
func graphsIn(route string, answer reply) (graphs []Graph, version string, err error) {
	envelope, err := decode(route, answer, APIVersion)
	if err != nil {
		return nil, "", err
	}
	var listed []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	if err := json.Unmarshal(envelope.Result, &listed); err != nil || listed == nil || len(listed) > maxListed {
		return nil, "", unreadable(route, answer)
	}
	graphs = make([]Graph, 0, len(listed))
	for _, g := range listed {
		kind, err := ParseGraphType(g.Type)
		// What has no usable name can't be asked for either.
		if err != nil || !ValidGraphName(g.Name) {
			continue
		}
		graphs = append(graphs, Graph{Name: g.Name, Type: kind})
	}
	version = clean(envelope.APIVersion)
	// Anybody may answer with an empty list. Roam's has a version on it or, on older
	// builds, is for web pages to read.
	own := versionForm.MatchString(version) || len(graphs) > 0 || len(listed) == 0 && answer.forPages
	if route == openGraphsRoute && !own {
		return nil, "", unreadable(route, answer)
	}
	return graphs, version, nil
}

// listFailed says of a list that makes no sense that it is not Roam who answers.
func listFailed(port int, err error) error {
	e, ok := problem.AsCall(err)
	if !ok {
		return err
	}
	// A list takes no arguments and no token: Roam has nothing to refuse in it, but
	// for being disabled.
	refused := e.Status() >= 300 && e.Status() < 500 && e.Status() != http.StatusForbidden && !e.Call.CodeSent
	if refused || e.Code == CodeInvalidReply || e.Code == CodeNotFound || e.Code == CodeUnknownAction {
		return notRoam(port, e)
	}
	return err
}

// notRoam returns the error of a call whose port is somebody else's, as the reply to
// it has shown.
func notRoam(port int, e *problem.Error) *problem.Error {
	return &problem.Error{
		Code: CodeNotRoam, Call: &problem.Call{Action: e.Action(), Status: e.Status(), Text: e.Call.Text, Sent: true}, Err: e,
		Message: fmt.Sprintf("Something answers on 127.0.0.1:%d, but it is not Roam's Local API.", port),
		Hint:    startRoam(),
	}
}

func startRoam() problem.Hint {
	return problem.Say("Start %s; it writes the port it listens on into ~/%s.", problem.Roam, PortFileName)
}

// TokenRequest asks a person, through Roam's dialog, for a token.
type TokenRequest struct {
	Graph       Graph
	AccessLevel AccessLevel // one of RequestableLevels
	Description string      // shown in the dialog; not empty
}

// TokenGrant is what the person granted. The level may be lower than asked.
type TokenGrant struct {
	Graph       Graph
	Token       Token
	AccessLevel AccessLevel
}

// RequestToken asks for a token and blocks until the person has answered, five
// minutes at most (LOCAL_API.md 1.3.3). Cancelling ctx closes the connection,
// so that Roam drops its dialog.
func (c *Client) RequestToken(ctx context.Context, request TokenRequest) (TokenGrant, error) {
	const route = "/api/graphs/tokens/request"
	if !ValidGraphName(request.Graph.Name) {
		return TokenGrant{}, invalidName(route, request.Graph.Name)
	}
	body, err := json.Marshal(struct {
		Graph       string      `json:"graph"`
		GraphType   GraphType   `json:"graphType"`
		Description string      `json:"description"`
		AccessLevel AccessLevel `json:"accessLevel"`
		AI          bool        `json:"ai"`
	}{request.Graph.Name, request.Graph.Type, request.Description, request.AccessLevel, true})
	if err != nil {
		return TokenGrant{}, fmt.Errorf("encode the token request: %w", err)
	}
	envelope, err := c.postRoute(ctx, route, body)
	if err != nil {
		return TokenGrant{}, err
	}
	token, err := ParseToken(envelope.Token)
	if err != nil {
		return TokenGrant{}, &problem.Error{
			Code: CodeInvalidReply, Call: &problem.Call{Action: route, Status: http.StatusOK, Sent: true}, Err: err,
			Message: "Roam reported success but sent no usable token: " + period(err.Error()),
			Hint:    problem.Say("Ask again; if it stays so, update %s.", problem.Roam),
		}
	}
	return TokenGrant{Graph: request.Graph, Token: token, AccessLevel: envelope.level()}, nil
}

func (c *Client) postRoute(ctx context.Context, route string, body []byte) (envelope, error) {
	answer, err := c.do(ctx, call{action: route, method: http.MethodPost, path: route, body: body})
	if err != nil {
		return envelope{}, err
	}
	return c.decode(route, answer, c.options.ExpectedAPIVersion)
}

// level is the one that Roam granted. It is shown also where this build does not
// know it, so what is not one word counts as not sent.
func (e envelope) level() AccessLevel {
	if isCode(e.GrantedAccessLevel) {
		return AccessLevel(e.GrantedAccessLevel)
	}
	return levelOfScopes(e.GrantedScopes)
}

func levelOfScopes(scopes map[string]bool) AccessLevel {
	switch {
	case scopes["edit"]:
		return Full
	case scopes["append"]:
		return ReadAppend
	case scopes["read"]:
		return ReadOnly
	}
	return ""
}

// TokenStatus is the status of a token, as Roam says or as it was last known.
type TokenStatus string

const (
	TokenActive  TokenStatus = "active"
	TokenRevoked TokenStatus = "revoked"
	TokenUnknown TokenStatus = "unknown"
)

// TokenInfo is Roam's word on a token.
type TokenInfo struct {
	Status      TokenStatus
	AccessLevel AccessLevel // of an active token
	// Reason is why the status is not active; a *problem.Error.
	Reason error
}

// TokenInfo asks Roam about a token (LOCAL_API.md 1.3.4). Revoked means that
// Roam said TOKEN_NOT_FOUND with status 401, and nothing less: every other
// failure leaves the status unknown.
func (c *Client) TokenInfo(ctx context.Context, graph Graph, token Token) TokenInfo {
	const route = "/api/graphs/tokens/info"
	body, err := json.Marshal(map[string]string{"token": token.Reveal(), "graph": graph.Name, "type": string(graph.Type)})
	if err != nil {
		return TokenInfo{Status: TokenUnknown, Reason: err}
	}
	envelope, err := c.postRoute(ctx, route, body)
	if err != nil {
		e, ok := problem.AsCall(err)
		if ok && e.Status() == http.StatusUnauthorized && e.Code == CodeTokenNotFound && e.Call.CodeSent {
			return TokenInfo{Status: TokenRevoked, Reason: err}
		}
		return TokenInfo{Status: TokenUnknown, Reason: err}
	}
	return TokenInfo{Status: TokenActive, AccessLevel: envelope.level()}
}

// VerifyToken finds out whether a token works: with TokenInfo where Roam has
// that route, else with a harmless read of the graph. The level is empty where
// Roam does not tell it.
func (c *Client) VerifyToken(ctx context.Context, graph Graph, token Token) (AccessLevel, error) {
	info := c.TokenInfo(ctx, graph, token)
	if info.Status == TokenActive {
		return info.AccessLevel, nil
	}
	if e, ok := problem.AsCall(info.Reason); !ok || e.Status() != http.StatusNotFound {
		return "", info.Reason
	}
	// The version does not matter to a token.
	_, err := c.Call(Expecting(ctx, AnyVersion), graph, token, GuidelinesAction)
	return "", err
}

// GuidelinesAction is a harmless read that every token is good for.
const GuidelinesAction = "data.ai.getGraphGuidelines"

// Guidelines reads what the graph's owner tells agents, as markdown: the page
// [[roam/agent guidelines]] (LOCAL_API.md 2 and 7). Empty: there are none. Roam
// opens the graph for it where it is not open.
func (c *Client) Guidelines(ctx context.Context, graph Graph, token Token) (string, error) {
	reply, err := c.Call(ctx, graph, token, GuidelinesAction)
	if err != nil {
		return "", err
	}
	return guidelinesIn(reply.Result), nil
}

// guidelinesIn finds the text in a reply: an object that holds it, the bare
// string of older builds, or null. A shape that is none of these has no text.
func guidelinesIn(result json.RawMessage) string {
	var text string
	if json.Unmarshal(result, &text) == nil {
		return text
	}
	var object struct {
		Guidelines json.RawMessage `json:"guidelines"`
	}
	if json.Unmarshal(result, &object) != nil || json.Unmarshal(object.Guidelines, &text) != nil {
		return ""
	}
	return text
}
