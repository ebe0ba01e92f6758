package manage

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Options are what a person chooses about a new token. The zero value of each but
// Description means the default.
type Options struct {
	Nickname    string               // the one that the graph has, or else one made from its name
	Proposed    bool                 // Nickname is an agent's and was not typed by a person
	AccessLevel localapi.AccessLevel // the one that the graph has, or else full
	Description string               // shown in Roam's dialog
	Public      bool                 // it is somebody else's graph, which Roam never lists: read only
	Token       localapi.Token       // made by hand: verified instead of asking for one
	History     configstore.Switch   // whether the history may hold texts; else what the file says
}

// Authorization is what Roam is asked for, and where the token is kept that it
// grants.
type Authorization struct {
	Request exchange.Request
	// Entry gets the token. Before a graph is connected for the first time it has
	// name, type and nickname alone.
	Entry configstore.Entry
	// Renews reports that the graph is in the configuration and its nickname stays:
	// the one in the file counts, which may change meanwhile.
	Renews bool
}

// Connect prepares the request for the token of a graph that is not connected, or
// whose token was revoked. One whose entry has no token keeps its nickname. The graph's
// name may be its address; where neither gives a type, Roam's list has it. The error has
// code GRAPH_CONFIGURED, NICKNAME_INVALID or NICKNAME_TAKEN, or none
// where an option makes no sense.
func Connect(config configstore.Config, graph localapi.Graph, o Options) (Authorization, error) {
	named, err := localapi.ParseGraphName(graph.Name)
	if err != nil {
		return Authorization{}, err
	}
	if graph.Type != "" && named.Type != "" && graph.Type != named.Type {
		return Authorization{}, fmt.Errorf("that is the address of a graph that is %s, and not %s", named.Type, graph.Type)
	}
	graph = localapi.Graph{Name: named.Name, Type: cmp.Or(graph.Type, named.Type)}
	if o.Public && (graph.Type == localapi.Offline || o.AccessLevel != "" && o.AccessLevel != localapi.ReadOnly) {
		return Authorization{}, errors.New("a public graph of somebody else is hosted and read-only")
	}
	switch {
	case o.Public:
		o.AccessLevel = localapi.ReadOnly
	case o.AccessLevel == "":
		o.AccessLevel = localapi.Full
	}
	entry := unconnected(config, graph)
	if other, taken := Conflict(config, graph); taken {
		if other.LastKnownTokenStatus != localapi.TokenRevoked || graph.Type != "" && graph.Type != other.Type {
			return Authorization{}, alreadyConnected(other)
		}
		entry = other
	}
	return newAuthorization(config, entry, o)
}

// unconnected returns the entry of a graph that has no token yet: the one in the
// configuration, or else a new one.
func unconnected(config configstore.Config, graph localapi.Graph) configstore.Entry {
	for _, entry := range config.WithoutToken {
		if entry.Name == graph.Name && (graph.Type == "" || graph.Type == entry.Type) {
			return entry
		}
	}
	return configstore.Entry{Name: graph.Name, Type: graph.Type, Nickname: config.UniqueNickname(localapi.DefaultNickname(graph.Name))}
}

// ProposedNickname returns the nickname that Connect gives to a graph that is not
// connected, unless the person chooses another.
func ProposedNickname(config configstore.Config, graph localapi.Graph) string {
	return unconnected(config, graph).Nickname
}

// Reauthorize prepares the request for a new token of a connected graph. The old
// one stays until the new one is saved. Errors are those of Connect.
func Reauthorize(config configstore.Config, entry configstore.Entry, o Options) (Authorization, error) {
	if o.AccessLevel == "" {
		o.AccessLevel = localapi.Full
		if level, err := localapi.ParseAccessLevel(string(entry.AccessLevel)); err == nil {
			o.AccessLevel = level
		}
	}
	return newAuthorization(config, entry, o)
}

func newAuthorization(config configstore.Config, entry configstore.Entry, o Options) (Authorization, error) {
	if o.Description == "" {
		return Authorization{}, errors.New("the description is empty, and Roam wants one")
	}
	isConnected := !entry.Token.IsZero()
	isConfigured := isConnected || slices.Contains(config.WithoutToken, entry)
	a := Authorization{Entry: entry, Renews: isConfigured && o.Nickname == "", Request: exchange.Request{
		Graph:       localapi.Graph{Name: entry.Name, Type: entry.Type},
		AccessLevel: o.AccessLevel,
		Description: o.Description,
		Public:      o.Public || isConnected, // what was connected once may be public, and so not listed
		Token:       o.Token,
	}}
	if o.Nickname != "" {
		a.Entry.Nickname = o.Nickname
	}
	a.Entry.History = o.History // what the file says may change meanwhile
	check := config.CheckNewNickname
	if o.Proposed && !configstore.SameNickname(o.Nickname, entry.Nickname) {
		check = config.CheckProposedNickname
	}
	if err := check(a.Request.Graph, a.Entry.Nickname); err != nil {
		return Authorization{}, err
	}
	var err error
	a.Entry.Nickname, err = configstore.NormalizeNickname(a.Entry.Nickname)
	return a, err
}

// Conflict returns the entry that keeps a graph from being connected: its own, or that of
// the graph with the same name and the other type. Only one of the two can be connected.
func Conflict(config configstore.Config, graph localapi.Graph) (configstore.Entry, bool) {
	for _, entry := range config.Entries {
		if entry.Name == graph.Name {
			return entry, true
		}
	}
	return configstore.Entry{}, false
}

func alreadyConnected(entry configstore.Entry) error {
	return &problem.Error{
		Code:    configstore.CodeGraphConfigured,
		Message: fmt.Sprintf("%s (%s) is connected already, as %s.", entry.Name, entry.Type, entry.Nickname),
		Hint: problem.Say("For a new token: %s.", problem.Run("reauth", entry.Nickname)).
			Then("For the other graph of that name, remove this one first."),
	}
}

// Granted returns the entry with the token: what Roam granted, not what it was
// asked for.
func (a Authorization) Granted(grant localapi.TokenGrant) configstore.Entry {
	entry := a.Entry
	entry.Name, entry.Type = grant.Graph.Name, grant.Graph.Type
	entry.Token, entry.LastKnownTokenStatus = grant.Token, localapi.TokenActive
	entry.AccessLevel = grant.AccessLevel
	return entry
}
