package mcpserve

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/manage"
)

const (
	maxListedGraphs = 100  // that are listed to choose from
	maxListedText   = 2000 // bytes of their names in an error

	lookingForRoam = "Looking for Roam."
	probeTimeout   = 5 * time.Second
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
	// Nickname is that of an entry without a token.
	Nickname string `json:"nickname,omitempty"`
}

// listing asks Roam, which is opened where it is closed and may be.
func (c setupCall) listing(ctx context.Context, graph localapi.Graph) (listing localapi.Listing, err error) {
	c.roam.Progress.Tell(ctx, lookingForRoam)
	listing, err = c.list(ctx)
	opened, err := c.roam.Opened(ctx, graph, err)
	if opened {
		listing, err = c.list(ctx)
	}
	return c.admitted(listing), hangs(err)
}

func (c setupCall) list(ctx context.Context) (localapi.Listing, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return localapi.List(ctx, c.server.exchanger)
}

// admitted returns of Roam's list what --graph leaves.
func (c setupCall) admitted(listing localapi.Listing) localapi.Listing {
	outside := func(g localapi.Graph) bool {
		entry, _ := manage.Conflict(c.view.config, g)
		return !c.server.serving.admits(g.Name, entry)
	}
	listing.Open = slices.DeleteFunc(listing.Open, outside)
	listing.Available = slices.DeleteFunc(listing.Available, outside)
	return listing
}

// hangs explains a Roam that accepts the question and does not answer.
func hangs(err error) error {
	roam, ok := problem.AsCall(err)
	if !ok || roam.Code != localapi.CodeTimeout {
		return err
	}
	return &problem.Error{
		Code:    localapi.CodeTimeout,
		Message: fmt.Sprintf("Roam did not answer within %d seconds.", int(probeTimeout.Seconds())),
		Hint:    problem.Say("Ask the user to look at %s, then try again.", problem.Roam),
		Err:     err,
		Retry:   problem.RetryLater,
	}
}

// graphNotListed is the error for a name that Roam does not list.
func graphNotListed(name string, listing localapi.Listing) error {
	var names []string
	for _, g := range listing.Graphs() {
		names = append(names, g.Name)
	}
	if len(names) == 0 {
		return &problem.Error{
			Code:    localapi.CodeGraphNotListed,
			Message: fmt.Sprintf("Roam lists no graph named %s. It lists none at all.", textsafe.Quote(name)),
			Hint:    problem.Say("Ask the user to sign in to %s, then try again.", problem.Roam),
		}
	}
	return &problem.Error{
		Code:    localapi.CodeGraphNotListed,
		Message: fmt.Sprintf("Roam lists no graph named %s.", textsafe.Quote(name)),
		Hint: problem.Say("Roam lists: %s. Somebody else's public graph is never listed; the user can connect it with: %s",
			someNames(names), problem.Run("connect", name).With("--public")),
	}
}

// someNames lists as many names as fit into an error, and counts the others.
func someNames(names []string) string {
	shown, size := 0, 0
	for shown < min(len(names), maxListedGraphs) && size+len(names[shown]) <= maxListedText {
		size += len(names[shown]) + len(", ")
		shown++
	}
	text := strings.Join(names[:shown], ", ")
	if more := len(names) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// listSetup answers a call without graph.
func (c setupCall) listSetup(ctx context.Context) (json.RawMessage, error) {
	listed, err := c.listing(ctx, localapi.Graph{})
	if err != nil {
		return nil, err
	}
	configured, available := []setupGraph{}, []listedByRoam{}
	for _, g := range manage.Merge(configstore.Config{Entries: c.view.entries, WithoutToken: c.view.withoutToken()}, listed) {
		if g.Connected {
			configured = append(configured, setupGraphOf(g.Entry))
		} else if _, taken := manage.Conflict(c.view.config, g.Graph); !taken {
			available = append(available, listedByRoam{g.Graph, g.Open, g.Entry.Nickname})
		}
	}
	instruction := problem.Say("Ask the user which graph to connect, and by what nickname; then call this tool with graph and nickname. Roam asks the user to allow it.")
	switch {
	case len(available) == 0 && len(c.server.serving.wanted) > 0:
		instruction = problem.Say("This server is for certain graphs only. Call this tool with one of them to renew its token.")
	case len(listed.Graphs()) == 0:
		instruction = problem.Say("Roam lists no graphs. Ask the user to sign in to %s.", problem.Roam)
	case len(available) == 0:
		instruction = problem.Say("All graphs that Roam lists are connected. Call this tool with one of them to renew its token.")
	}
	reply := rawjson.With("available_graphs", available[:min(len(available), maxListedGraphs)])
	if more := len(available) - maxListedGraphs; more > 0 {
		reply = reply.With("more_graphs", more)
	}
	return reply.With("already_configured", configured).With("instruction", c.World().Say(instruction)).JSON(), nil
}
