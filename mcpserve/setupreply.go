package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

const (
	maxListedGraphs = 100 // that are listed to choose from

	lookingForRoam = "Looking for Roam."
)

// setupGraph is a connected graph as setup_new_graph shows it.
type setupGraph struct {
	Name        string               `json:"name"`
	Nickname    string               `json:"nickname"`
	Type        localapi.GraphType   `json:"type"`
	AccessLevel localapi.AccessLevel `json:"accessLevel,omitempty"`
	TokenStatus localapi.TokenStatus `json:"lastKnownTokenStatus,omitempty"`
	Disabled    bool                 `json:"disabled,omitempty"`
}

func setupGraphOf(e configstore.Entry) setupGraph {
	return setupGraph{e.Name, e.Nickname, e.Graph().Type, e.AccessLevel, e.LastKnownTokenStatus, e.Disabled}
}

// listedByRoam is a graph that can be connected.
type listedByRoam struct {
	localapi.Graph
	Open bool `json:"open,omitempty"`
}

// listing is what Roam lists: the open graphs first, hosted before offline.
type listing struct{ graphs []listedByRoam }

// listing asks Roam, which is opened where it is closed and may be.
func (c *call) listing(ctx context.Context, graph localapi.Graph) (listing, error) {
	c.progress.tell(ctx, lookingForRoam)
	var open, available []localapi.Graph
	err := c.withRoam(ctx, graph, func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, probeTimeout)
		defer cancel()
		if open, err = c.server.asker.OpenGraphs(ctx); err != nil {
			return err
		}
		available, err = c.server.asker.AvailableGraphs(ctx)
		var roam *localapi.Error
		if errors.As(err, &roam) && roam.Status == 404 {
			return nil // builds without this route
		}
		return err
	})
	if err != nil {
		return listing{}, hangs(err)
	}
	var l listing
	seen := map[localapi.Graph]bool{}
	for i, g := range slices.Concat(open, available) {
		if !seen[g] {
			seen[g] = true
			l.graphs = append(l.graphs, listedByRoam{g, i < len(open)})
		}
	}
	return l, nil
}

// hangs explains a Roam that accepts the question and does not answer.
func hangs(err error) error {
	var roam *localapi.Error
	if !errors.As(err, &roam) || roam.Code != localapi.CodeTimeout {
		return err
	}
	return (&failure{
		Code:    localapi.CodeTimeout,
		Message: fmt.Sprintf("Roam did not answer within %d seconds.", int(probeTimeout.Seconds())),
		Hint:    "Ask the user to look at Roam Desktop, then try again.",
		err:     err,
	}).retryable(true)
}

// find gives the graph of a name; hosted where there are two.
func (l listing) find(name string) (localapi.Graph, error) {
	var found localapi.Graph
	var names []string
	for _, g := range l.graphs {
		if g.Name == name && (found.Name == "" || g.Type == localapi.Hosted) {
			found = g.Graph
		}
		names = append(names, g.Name)
	}
	if found.Name != "" {
		return found, nil
	}
	f := &failure{
		Code:    localapi.CodeGraphNotListed,
		Message: fmt.Sprintf("Roam lists no graph named %s.", quote(name)),
		Hint: fmt.Sprintf("Roam lists: %s. Somebody else's public graph is never listed; the user can connect it with: roam-mcp connect --public %s",
			strings.Join(names[:min(len(names), maxListedGraphs)], ", "), name),
	}
	if len(names) == 0 {
		f.Message += " It lists none at all."
		f.Hint = "Ask the user to sign in to Roam Desktop, then try again."
	}
	return found, f
}

// listSetup answers a call without graph.
func (c *call) listSetup(ctx context.Context) (json.RawMessage, error) {
	listed, err := c.listing(ctx, localapi.Graph{})
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	configured := []setupGraph{}
	for _, e := range c.view.config.Entries {
		names[e.Name] = true
		configured = append(configured, setupGraphOf(e))
	}
	available := []listedByRoam{}
	for _, g := range listed.graphs {
		if !names[g.Name] {
			available = append(available, g)
		}
	}
	instruction := "Ask the user which graph to connect, and by what nickname; then call this tool with graph and nickname. Roam asks the user to allow it."
	switch {
	case len(listed.graphs) == 0:
		instruction = "Roam lists no graphs. Ask the user to sign in to Roam Desktop."
	case len(available) == 0:
		instruction = "All graphs that Roam lists are connected. Call this tool with one of them to renew its token."
	}
	reply := []member{{"available_graphs", encode(available[:min(len(available), maxListedGraphs)])}}
	if more := len(available) - maxListedGraphs; more > 0 {
		reply = append(reply, member{"more_graphs", encode(more)})
	}
	return join(append(reply, member{"already_configured", encode(configured)}, member{"instruction", encode(instruction)})), nil
}

// setupNickname is the one that the agent gave, the one the graph has, the one
// that the person gives at the client, or one made from the graph's name.
func (c *call) setupNickname(ctx context.Context, request exchange.Request, entry configstore.Entry) (string, error) {
	given := c.args.text("nickname")
	if given == "" {
		given = entry.Nickname
	}
	if given == "" {
		suggested := c.view.config.UniqueNickname(localapi.DefaultNickname(request.Graph.Name))
		said, err := c.elicit(ctx, nicknameQuestion, nicknameForm(request, suggested))
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", &failure{Code: localapi.CodeTimeout, Message: "The user did not say what nickname the graph should have. Nothing was requested.", Hint: "Ask for it, then call again with nickname."}
		}
		if err != nil {
			return "", err
		}
		if said == nil {
			return suggested, nil
		}
		if said.Action != "accept" {
			return "", &failure{Code: localapi.CodeCancelled, Message: "The user did not want to connect the graph. Nothing was requested.", Hint: "Do not ask again by yourself."}
		}
		if given, _ = said.Content[nicknameQuestion].(string); strings.TrimSpace(given) == "" {
			given = suggested
		}
	}
	nickname, err := configstore.NormalizeNickname(given)
	if err != nil {
		return "", err
	}
	return nickname, c.view.config.CheckNickname(request.Graph, nickname)
}

func nicknameForm(request exchange.Request, suggested string) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Mode: "form",
		Message: fmt.Sprintf("An agent asks to connect the Roam graph %s with %s access: it could %s. Choose a nickname for the graph; then Roam asks you to allow it.",
			request.Graph.Name, request.AccessLevel.Words(), request.AccessLevel.Explain()),
		RequestedSchema: json.RawMessage(fmt.Sprintf(
			`{"type":"object","properties":{"nickname":{"type":"string","title":"Nickname","description":"What you and agents call this graph.","minLength":1,"maxLength":%d,"default":%s}},"required":["nickname"]}`,
			configstore.MaxNicknameLength, encode(suggested))),
	}
}

// setupWords tells a state to the one who waits.
func setupWords(m exchange.Machine) string {
	graph, level := quote(m.Request.Graph.Name), m.Request.AccessLevel.Words()
	switch m.State {
	case exchange.Locating:
		return lookingForRoam
	case exchange.Waiting:
		return fmt.Sprintf("Waiting for the user: Roam asks whether %s may be used with %s access.", graph, level)
	case exchange.Busy:
		return fmt.Sprintf("Another request for %s is open in Roam. Asking again until it is answered.", graph)
	case exchange.Granted:
		return fmt.Sprintf("Roam granted %s access to %s.", m.Grant.AccessLevel.Words(), graph)
	}
	if m.Err != nil {
		return m.Err.Message
	}
	return "The request was cancelled."
}

// setupDone is the reply once a token was granted; the error is that of saving.
func (c *call) setupDone(now standing) (json.RawMessage, error) {
	if now.err != nil {
		return nil, now.err
	}
	graph := setupGraphOf(now.saved)
	graph.TokenStatus = ""
	reply := []member{{"status", encode("connected")}, {"graph", encode(graph)}}
	if now.machine.Lowered() {
		reply = append(reply,
			member{"requestedAccessLevel", encode(now.machine.Request.AccessLevel)},
			member{"warning", encode(fmt.Sprintf("Less was granted than asked: you can %s.", now.saved.AccessLevel.Explain()))})
	}
	instruction := fmt.Sprintf("The graph can be used at once. Call get_graph_guidelines with graph %s before anything else there.", quote(now.saved.Nickname))
	if now.saved.Disabled {
		instruction = fmt.Sprintf("The graph is disabled; the user can enable it with: roam-mcp enable %q", now.saved.Nickname)
	}
	return join(append(reply, member{"instruction", encode(instruction)})), nil
}

// setupWaiting is the reply where the person has not answered yet.
func (c *call) setupWaiting(m exchange.Machine) json.RawMessage {
	reply := []member{
		{"status", encode("waiting")},
		{"graph", encode(m.Request.Graph)},
		{"requestedAccessLevel", encode(m.Request.AccessLevel)},
	}
	if left := m.Left(time.Now()); left > 0 {
		reply = append(reply, member{"secondsLeft", encode(int(left.Seconds()))})
	}
	return join(append(reply, member{"instruction", encode(
		"Roam is still asking. Tell the user to answer the dialog in Roam Desktop, then call this tool again with the same graph: it goes on waiting, and no second dialog opens.")}))
}

// setupFailure is how an exchange ended without a token.
func setupFailure(m exchange.Machine) error {
	if m.Err == nil {
		return &failure{Code: localapi.CodeCancelled, Message: "The request was cancelled.", Hint: "Nothing was saved."}
	}
	f := failureOfRoam(m.Err)
	if f.Hint == "" {
		f.Hint = "Nothing was saved. Where it stays so, the user can make a token in Roam (Settings > Graph > Local API Tokens) and add it with: roam-mcp connect --token-stdin " + m.Request.Graph.Name
	}
	switch m.State {
	case exchange.Rejected:
		f.Hint = "Do not ask again by yourself. Where the user wants less access: call again with accessLevel read-append or read-only."
	case exchange.TimedOut:
		f.Hint = "Ask the user to be at Roam Desktop, then call again."
		f.retryable(false) // a dialog that nobody answers is not to be opened again and again
	case exchange.Failed:
		if f.Code == localapi.CodeConnectionFailed {
			f.Hint = "Roam went away while it was asking. Ask the user to start it, then call again; where it asks once more, the first token stays unused."
		}
	case exchange.Unreachable:
		f.Hint = "Ask the user to start Roam Desktop, then call again."
		f.retryable(true)
	case exchange.Disabled:
		f.Hint = "Ask the user to enable the Local API in Roam's settings, then call again."
	case exchange.Busy:
		f.Hint = "Ask the user to answer or close the other dialog in Roam, then call again."
	}
	return f
}
