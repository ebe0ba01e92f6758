package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/manage"
	"roam-mcp/mcpserve/surface"
)

const (
	// setupPatience is how long one call waits for a person: clients give up on
	// a call after 60 s, and would take the dialog down with it. The request
	// stays open, and the next call goes on waiting.
	setupPatience    = 50 * time.Second
	nicknameQuestion = "nickname"
)

// setUpGraph connects a graph or renews its token, or lists what there is to
// connect.
func setUpGraph(ctx context.Context, c *call) (json.RawMessage, error) {
	if c.server.tokenRequests == nil {
		return nil, &problem.Error{Code: CodeToolNotOffered, Message: "This server can't ask Roam for tokens.", Hint: problem.Say("The user can connect a graph with: %s", problem.Run("connect", "GRAPH"))}
	}
	ctx, cancel := c.server.limit(ctx)
	defer cancel()
	name := strings.TrimSpace(c.args.Text(surface.ParamGraph))
	if name == "" {
		return c.setup().listSetup(ctx)
	}
	level := localapi.AccessLevel(c.args.Text("accessLevel"))
	for {
		open, found := c.server.tokenRequests.find(name)
		if !found {
			plan, done, err := c.setup().planSetup(ctx, name, level)
			if err != nil || done != nil {
				return done, err
			}
			if open, err = c.server.tokenRequests.begin(c.server.ctx, plan); err != nil {
				return nil, err
			}
		}
		if err := c.setup().agreesWith(open, level); err != nil {
			return nil, err
		}
		if c.server.tokenRequests.join(open) {
			return c.setup().awaitSetup(ctx, open)
		}
	}
}

// agreesWith refuses to join a request for another access level: the dialog that
// the person sees can't change any more.
func (c setupCall) agreesWith(open *tokenRequest, level localapi.AccessLevel) error {
	now := open.state()
	if level == "" || level == open.authorization.Request.AccessLevel || now.over || now.closing {
		return nil
	}
	return &problem.Error{
		Code:    localapi.CodeRequestInProgress,
		Message: fmt.Sprintf("Roam is asking the user for %s access to %s already.", open.authorization.Request.AccessLevel.Words(), textsafe.Quote(open.authorization.Request.Graph.Name)),
		Hint:    problem.Say("Call again without accessLevel to wait for that answer. Roam's dialog lets the user choose less."),
		Retry:   problem.RetryNever,
	}
}

// planSetup checks all that can be checked before a person is asked for a token.
// done is the reply where nothing is left to do.
func (c setupCall) planSetup(ctx context.Context, name string, level localapi.AccessLevel) (plan manage.Authorization, done json.RawMessage, err error) {
	target, err := c.setupGraph(ctx, name)
	if err != nil {
		return plan, nil, err
	}
	if target.configured {
		if done, err = c.stillConnected(ctx, target, level); done != nil || err != nil {
			return plan, done, err
		}
	}
	if err := c.server.options.Store.CheckWritable(ctx); err != nil {
		return plan, nil, err
	}
	chosen := manage.Options{Nickname: c.args.Text("nickname"), Proposed: c.args.Text("nickname") != "", AccessLevel: level, Description: c.setupDescription()}
	if target.configured {
		plan, err = manage.Reauthorize(c.view.config, target.entry, chosen)
		return plan, nil, c.withoutOthers(err)
	}
	if plan, err = manage.Connect(c.view.config, target.graph, chosen); err == nil && chosen.Nickname == "" && !plan.Renews {
		if chosen.Nickname, err = c.askNickname(ctx, plan); err == nil {
			plan, err = manage.Connect(c.view.config, target.graph, chosen)
		}
	}
	return plan, nil, c.withoutOthers(err)
}

// withoutOthers takes the other graph out of an error about a nickname that is
// taken, where --graph keeps graphs from agents.
func (c setupCall) withoutOthers(err error) error {
	taken, ok := problem.As(err)
	if !ok || taken.Code != configstore.CodeNicknameTaken || len(c.server.serving.wanted) == 0 {
		return err
	}
	return &problem.Error{Code: taken.Code, Message: "The nickname is taken, or looks like one that is.", Hint: problem.Say("Choose another nickname.")}
}

// setupTarget is the graph that a call is about.
type setupTarget struct {
	graph      localapi.Graph
	entry      configstore.Entry // of a graph that is configured
	configured bool
	listed     bool // Roam lists it
}

// setupGraph finds the graph that is meant: by its name among those that are
// configured, by its name in Roam, or by the nickname that it has. A nickname
// comes last, since it may be the name of another graph.
func (c setupCall) setupGraph(ctx context.Context, name string) (setupTarget, error) {
	if waiting, ok := c.view.findWaiting(name); ok {
		if waiting.Disabled {
			return setupTarget{}, disabled(c.view, waiting)
		}
		name = waiting.Name
	}
	entry, named := manage.Conflict(c.view.config, localapi.Graph{Name: name})
	nicknamed, found := c.view.config.Find(name)
	if !found && (!localapi.ValidGraphName(name) || textsafe.Redact(name) != name) {
		return setupTarget{}, surface.Invalid(c.tool.Name, "graph is %s; it takes a graph's name as Roam has it: letters, digits, - and _. Without graph the tool lists them.", textsafe.Quote(name))
	}
	if named || !found {
		if err := c.maySetUp(name, entry); err != nil {
			return setupTarget{}, err
		}
	}
	listing, err := c.listing(ctx, localapi.Graph{Name: name, Type: entry.Type})
	if err != nil {
		return setupTarget{}, err
	}
	if named {
		return configuredTarget(entry, listing), nil
	}
	graph, ok := listing.Find(localapi.Graph{Name: name})
	switch {
	case ok:
		return setupTarget{graph: graph, listed: true}, c.maySetUp(name, entry)
	case found:
		return configuredTarget(nicknamed, listing), c.maySetUp(nicknamed.Name, nicknamed)
	}
	return setupTarget{}, graphNotListed(name, listing)
}

func configuredTarget(entry configstore.Entry, listing localapi.Listing) setupTarget {
	_, listed := listing.Find(entry.Graph())
	return setupTarget{graph: entry.Graph(), entry: entry, configured: true, listed: listed}
}

// maySetUp refuses what the user has ruled out.
func (c setupCall) maySetUp(name string, entry configstore.Entry) error {
	switch {
	case !c.server.serving.admits(name, entry):
		// Whether it is connected, and by what nickname, is not told.
		return withGraphs(c.view, &problem.Error{
			Code:    configstore.CodeGraphNotConfigured,
			Message: fmt.Sprintf("This server was started for certain graphs only, and %s is none of them.", textsafe.Quote(name)),
			Hint:    problem.Say("Only the user can change that, by starting the server with a further --graph %s.", textsafe.Quote(name)),
		})
	case entry.Disabled:
		return disabled(c.view, entry)
	}
	return nil
}

// setupDescription is how Roam's dialog names the one who asks.
func (c setupCall) setupDescription() string {
	info := c.request.ClientInfo()
	if info == nil {
		return "roam-mcp"
	}
	client := info.Title
	if client == "" {
		client = info.Name
	}
	if client = textsafe.Redact(textsafe.Line(client, 60)); client == "" {
		return "roam-mcp"
	}
	return "roam-mcp for " + client
}

// stillConnected is the reply for a graph that is there, and whose token works and
// permits what is wanted; nil where a new token is the way on.
func (c setupCall) stillConnected(ctx context.Context, target setupTarget, wanted localapi.AccessLevel) (json.RawMessage, error) {
	entry := target.entry
	level, err := c.server.exchanger.VerifyToken(ctx, entry.Graph(), entry.Token)
	if err == nil && !target.listed {
		err = c.stillThere(ctx, entry)
	}
	roam, refused := problem.AsCall(err)
	switch {
	case err == nil:
	case refused && Unauthorized(roam):
		return nil, nil
	case refused && roam.Code == localapi.CodeGraphNotFound:
		return nil, Gone(entry, roam)
	default:
		return nil, err
	}
	c.server.roam.NoteToken(ctx, entry, localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: level}, true)
	if level == "" {
		level = entry.AccessLevel
	}
	if level.LowerThan(wanted) {
		return nil, nil
	}
	entry.AccessLevel, entry.LastKnownTokenStatus = level, localapi.TokenActive
	return rawjson.With("status", "already_configured").
		With("graphs", []setupGraph{setupGraphOf(entry)}).
		With("instruction", "The token works. Use this nickname as graph. For more access call this tool with accessLevel.").JSON(), nil
}

// stillThere reads a graph that Roam does not list: it is somebody else's public
// one, or is gone, which Roam says of no token.
func (c setupCall) stillThere(ctx context.Context, entry configstore.Entry) error {
	_, err := c.server.roam.Read(ctx, entry, localapi.GuidelinesAction)
	return err
}

// awaitSetup waits with the client hearing of every state, and says how it ended
// or that a person still has to answer.
func (c setupCall) awaitSetup(ctx context.Context, a *tokenRequest) (json.RawMessage, error) {
	stop := c.roam.Progress.Repeat(ctx, func() string { return setupWords(a.state().machine) })
	defer stop()
	telling := context.WithoutCancel(ctx) // the last state is told also where time is up
	now := c.server.tokenRequests.wait(ctx, a, func(m exchange.Machine) {
		if m.State != exchange.Locating { // that Roam is looked for was said before
			c.roam.Progress.Tell(telling, setupWords(m))
		}
	})
	if now.over && now.machine.State == exchange.Granted {
		return c.setupDone(now)
	}
	switch now.machine.State {
	case exchange.Waiting, exchange.Locating:
		return c.setupWaiting(now.machine), nil
	case exchange.Unreachable, exchange.Disabled, exchange.Busy, exchange.Verifying, exchange.Granted,
		exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
	}
	return nil, setupFailure(now.machine)
}
