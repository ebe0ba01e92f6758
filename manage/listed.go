package manage

import (
	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
)

// Listed is a graph as scripts read it.
type Listed struct {
	Nickname    string               `json:"nickname,omitempty"`
	Name        string               `json:"name"`
	Type        localapi.GraphType   `json:"type"`
	AccessLevel localapi.AccessLevel `json:"accessLevel,omitempty"`
	State       string               `json:"state"` // connected, disabled, revoked, not connected, or that with "no token"
	Open        bool                 `json:"open"`  // has a window in Roam
	// Texts is whether the history keeps texts of what agents write: kept, not kept, or
	// kept if not encrypted, which Roam has to say. Of connected graphs.
	Texts string `json:"texts,omitempty"`
}

// List returns the graphs of the configuration and those that Roam lists, as Merge does.
func List(config configstore.Config, listing localapi.Listing) []Listed {
	list := []Listed{}
	for _, g := range Merge(config, listing) {
		listed := Listed{Name: g.Name, Type: g.Type, State: "not connected", Open: g.Open}
		switch {
		case g.WithoutToken:
			listed.Nickname, listed.State = g.Entry.Nickname, "not connected: no token"
		case g.Connected:
			listed.Nickname, listed.AccessLevel, listed.State = g.Entry.Nickname, g.Entry.AccessLevel, entryState(g.Entry)
			listed.Texts = map[configstore.Switch]string{configstore.On: "kept", configstore.Off: "not kept", "": "kept if not encrypted"}[config.TextsOf(g.Entry)]
		}
		list = append(list, listed)
	}
	return list
}

func entryState(entry configstore.Entry) string {
	switch {
	case entry.LastKnownTokenStatus == localapi.TokenRevoked:
		return "revoked"
	case entry.Disabled:
		return "disabled"
	}
	return "connected"
}
