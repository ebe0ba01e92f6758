package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// actOn carries out a key on a configured graph; the list and the graph's own
// screen share it.
func (e *env) actOn(r row, press tea.KeyPressMsg) (action, tea.Cmd) {
	k := e.keys
	switch {
	case key.Matches(press, k.enter):
		return open{newGraph(e, r.graph)}, nil
	case key.Matches(press, k.rename):
		return open{newRename(e, r.entry)}, nil
	case key.Matches(press, k.toggle):
		return nil, e.toggle(r.entry)
	case key.Matches(press, k.reauthorize):
		return open{newReauthorize(e, r.entry, e.access(r))}, nil
	case key.Matches(press, k.remove):
		return open{newRemoval(e, r.entry)}, nil
	case key.Matches(press, k.test):
		if r.entry.Disabled {
			return say{notice{r.entry.Nickname + " is disabled, so agents can't reach it. space enables it.", told}}, nil
		}
		return open{newClients(e, r.entry.Nickname).proving()}, nil
	}
	return nil, nil
}

// notConfigured says why a key of configured graphs does nothing on another.
func (e *env) notConfigured(press tea.KeyPressMsg) action {
	k := e.keys
	if key.Matches(press, k.rename, k.reauthorize, k.remove, k.test) {
		return say{notice{"This graph is not connected yet. enter connects it.", told}}
	}
	return nil
}

func (e *env) toggleKey(r row) key.Binding {
	if r.entry.Disabled {
		return kit.Relabel(e.keys.toggle, "enable")
	}
	return e.keys.toggle
}

func (e *env) toggle(entry configstore.Entry) tea.Cmd {
	_, cmd := e.write(Toggled(entry.Nickname, !entry.Disabled), func(ctx context.Context, store Store) error {
		return store.SetDisabled(ctx, entry.Nickname, !entry.Disabled)
	})
	return cmd
}

// connect opens the form for a graph that is not configured.
func (e *env) connect(graph localapi.Graph, public bool) (action, tea.Cmd) {
	if e.configErr != nil {
		return say{trouble(e.configErr)}, nil
	}
	if taken := e.taken(graph); taken != "" {
		return say{notice{taken, told}}, nil
	}
	return open{newConnect(e, graph, public)}, nil
}

// taken says why a graph can't be connected: it is already, or the other graph
// of its name is. Empty where nothing is in the way.
func (e *env) taken(graph localapi.Graph) string {
	for _, entry := range e.config.Entries {
		switch {
		case entry.Graph() == graph:
			return graph.Name + " is connected already, as " + entry.Nickname + "."
		case entry.Name == graph.Name:
			return fmt.Sprintf("The %s graph of this name is connected as %s, and only one of the two can be. Remove that one first.", entry.Type, entry.Nickname)
		}
	}
	return ""
}

// openRoam opens Roam, or says how where this machine can't.
func (e *env) openRoam(graph localapi.Graph) (action, tea.Cmd) {
	if e.options.Sandbox {
		return say{notice{"The sandbox stands in for Roam; there is nothing to open.", told}}, nil
	}
	if e.ports.OpenRoam == nil {
		return say{notice{"This machine has nothing that opens links. Start Roam Desktop by hand.", told}}, nil
	}
	ctx, openRoam := e.ctx, e.ports.OpenRoam
	return say{notice{"Opening Roam Desktop.", told}}, func() tea.Msg {
		return openedMsg{openRoam(ctx, graph)}
	}
}

// openedMsg tells that Roam was asked to open.
type openedMsg struct{ err error }

// startImport opens the import of the official tools' graphs.
func (e *env) startImport() (action, tea.Cmd) {
	if e.ports.Official == nil {
		return say{notice{"There is nothing to import here.", told}}, nil
	}
	return open{newImporting(e)}, nil
}

// absent reports whether the official tools have no file at all.
func absent(err error) bool {
	return configstore.HasCode(err, configstore.CodeConfigNotFound) || errors.Is(err, fs.ErrNotExist)
}
