package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

const (
	setupTool = "setup_new_graph"

	// setupPatience is how long one call waits for a person: clients give up on
	// a call after 60 s, and would take the dialog down with it. The request
	// stays open, and the next call goes on waiting.
	setupPatience    = 50 * time.Second
	nicknameQuestion = "nickname"
)

// setupNewGraph connects a graph or renews its token, or lists what there is to
// connect.
func setupNewGraph(ctx context.Context, c *call) (json.RawMessage, error) {
	if c.server.askings == nil {
		return nil, &failure{Code: CodeToolNotOffered, Message: "This server can't ask Roam for tokens.", Hint: "The user can connect a graph with: roam-mcp connect GRAPH"}
	}
	ctx, cancel := c.server.limit(ctx)
	defer cancel()
	name := strings.TrimSpace(c.args.text("graph"))
	if name == "" {
		return c.listSetup(ctx)
	}
	level := localapi.AccessLevel(strings.ToLower(strings.TrimSpace(c.args.text("accessLevel"))))
	if _, err := localapi.ParseAccessLevel(string(level)); level != "" && err != nil {
		return nil, invalid(c.tool.name, "accessLevel is %s; it takes full, read-append or read-only.", quote(string(level)))
	}
	entry, configured := c.setupEntry(name)
	if configured {
		name = entry.Name
	}
	if open, found := c.server.askings.find(name); found {
		if err := c.agreesWith(open, level); err != nil {
			return nil, err
		}
		return c.awaitSetup(ctx, open)
	}
	request := exchange.Request{
		Graph:       localapi.Graph{Name: name},
		AccessLevel: level,
		Description: c.setupDescription(),
	}
	request, entry, done, err := c.planSetup(ctx, request, entry, configured)
	if err != nil || done != nil {
		return done, err
	}
	begun, err := c.server.askings.begin(c.server.ctx, request, entry)
	if err != nil {
		return nil, err
	}
	return c.awaitSetup(ctx, begun)
}

// setupEntry finds the graph among those that are configured: by its name first,
// since a nickname of one graph may be the name of another.
func (c *call) setupEntry(name string) (configstore.Entry, bool) {
	for _, entry := range c.view.config.Entries {
		if entry.Name == name {
			return entry, true
		}
	}
	return c.view.config.Find(name)
}

// agreesWith refuses to join a request for another access level: the dialog that
// the person sees can't change any more.
func (c *call) agreesWith(open *asking, level localapi.AccessLevel) error {
	if level == "" || level == open.request.AccessLevel || open.standing().over {
		return nil
	}
	return (&failure{
		Code:    localapi.CodeRequestInProgress,
		Message: fmt.Sprintf("Roam is asking the user for %s access to %s already.", open.request.AccessLevel.Words(), quote(open.request.Graph.Name)),
		Hint:    "Call again without accessLevel to wait for that answer. Roam's dialog lets the user choose less.",
	}).retryable(false)
}

// planSetup checks all that can be checked before a person is asked for a token,
// and completes the request and the entry to be saved. done is the reply where
// nothing is left to do.
func (c *call) planSetup(ctx context.Context, request exchange.Request, entry configstore.Entry, configured bool) (_ exchange.Request, _ configstore.Entry, done json.RawMessage, err error) {
	name := request.Graph.Name
	if err := c.maySetUp(name, entry, configured); err != nil {
		return request, entry, nil, err
	}
	listed, err := c.listing(ctx, request.Graph)
	if err != nil {
		return request, entry, nil, err
	}
	if configured {
		request.Graph = entry.Graph()
		request.Public = true // what was connected once may be public, and so not listed
		if done, err = c.stillConnected(ctx, entry, request.AccessLevel); done != nil || err != nil {
			return request, entry, done, err
		}
	} else if request.Graph, err = listed.find(name); err != nil {
		return request, entry, nil, err
	}
	if request.AccessLevel == "" {
		request.AccessLevel = localapi.Full
		if level, err := localapi.ParseAccessLevel(string(entry.AccessLevel)); err == nil {
			request.AccessLevel = level // as it was
		}
	}
	if err := c.server.options.Store.CheckWritable(ctx); err != nil {
		return request, entry, nil, err
	}
	entry.Nickname, err = c.setupNickname(ctx, request, entry)
	return request, entry, nil, err
}

// maySetUp refuses what the user has ruled out.
func (c *call) maySetUp(name string, entry configstore.Entry, configured bool) error {
	switch {
	case !localapi.ValidGraphName(name):
		return invalid(c.tool.name, "graph is %s; it takes a graph's name as Roam has it: letters, digits, - and _. Without graph the tool lists them.", quote(name))
	case configured && entry.Disabled:
		return disabled(c.view, entry)
	case !c.server.serving.admits(name, entry):
		return &failure{
			Code:    CodeGraphNotConfigured,
			Message: fmt.Sprintf("This server was started for certain graphs only, and %s is none of them.", quote(name)),
			Hint:    "The user can connect it with: roam-mcp connect " + name,

			AvailableGraphs: c.view.choices(),
		}
	}
	return nil
}

// setupDescription is how Roam's dialog names the one who asks.
func (c *call) setupDescription() string {
	info := c.request.ClientInfo()
	if info == nil {
		return "roam-mcp"
	}
	client := info.Title
	if client == "" {
		client = info.Name
	}
	if client = redact(printable(client, 60)); client == "" {
		return "roam-mcp"
	}
	return "roam-mcp for " + client
}

// stillConnected is the reply for a graph whose token works and permits what is
// wanted; nil where a new token is the way on.
func (c *call) stillConnected(ctx context.Context, entry configstore.Entry, wanted localapi.AccessLevel) (json.RawMessage, error) {
	level, err := c.server.asker.VerifyToken(ctx, entry.Graph(), entry.Token)
	var roam *localapi.Error
	switch {
	case err == nil:
	case errors.As(err, &roam) && unauthorized(roam):
		return nil, nil
	default:
		return nil, err
	}
	c.server.noteToken(ctx, entry, localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: level}, true)
	if level == "" {
		level = entry.AccessLevel
	}
	if level.LowerThan(wanted) {
		return nil, nil
	}
	entry.AccessLevel, entry.LastKnownTokenStatus = level, localapi.TokenActive
	return join([]member{
		{"status", encode("already_configured")},
		{"graphs", encode([]setupGraph{setupGraphOf(entry)})},
		{"instruction", encode("The token works. Use this nickname as graph. For more access call this tool with accessLevel.")},
	}), nil
}

// awaitSetup waits with the client hearing of every state, and says how it ended
// or that a person still has to answer.
func (c *call) awaitSetup(ctx context.Context, a *asking) (json.RawMessage, error) {
	stop := c.progress.repeat(ctx, func() string { return setupWords(a.standing().machine) })
	defer stop()
	telling := context.WithoutCancel(ctx) // the last state is told also where time is up
	now := c.server.askings.wait(ctx, a, func(m exchange.Machine) { c.progress.tell(telling, setupWords(m)) })
	if now.over && now.machine.State == exchange.Granted {
		return c.setupDone(now)
	}
	switch now.machine.State {
	case exchange.Waiting, exchange.Locating:
		return c.setupWaiting(now.machine), nil
	}
	return nil, setupFailure(now.machine)
}
