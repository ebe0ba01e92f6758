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
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// graphKey performs a key on a configured graph, for the list and the graph's own
// screen.
func (e *env) graphKey(r row, press tea.KeyPressMsg) (action, tea.Cmd) {
	k := e.keys
	switch {
	case key.Matches(press, k.enter):
		return open{newGraphScreen(e, r.graph)}, nil
	case key.Matches(press, k.rename):
		return open{newRenameForm(e, r.entry)}, nil
	case key.Matches(press, k.toggle):
		return nil, e.toggle(r.entry)
	case key.Matches(press, k.reauthorize):
		return open{newReauthorizeForm(e, r.entry, e.access(r))}, nil
	case key.Matches(press, k.remove):
		return open{newRemovalQuestion(e, r.entry)}, nil
	case key.Matches(press, k.test):
		if r.entry.Disabled {
			return inform(r.entry.Nickname + " is disabled, so agents can't reach it. space enables it."), nil
		}
		return open{newClientsScreen(e, r.entry.Nickname).startWithProof()}, nil
	}
	return nil, nil
}

// notConnectedNotice returns what a key of configured graphs says on another graph.
func (e *env) notConnectedNotice(press tea.KeyPressMsg) action {
	k := e.keys
	if key.Matches(press, k.rename, k.reauthorize, k.remove, k.test) {
		return inform("This graph is not connected yet. enter connects it.")
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
	_, cmd := e.writeConfig(Toggled(entry.Nickname, !entry.Disabled), func(ctx context.Context, store Store) error {
		return store.SetDisabled(ctx, entry.Nickname, !entry.Disabled)
	})
	return cmd
}

// openConnectForm opens the form for a graph that is not configured.
func (e *env) openConnectForm(graph localapi.Graph, public bool) (action, tea.Cmd) {
	if e.configErr != nil {
		return e.complain(e.configErr), nil
	}
	if taken := e.connectRefusal(graph); taken != "" {
		return inform(taken), nil
	}
	return open{newConnectForm(e, graph, public)}, nil
}

// connectRefusal returns a sentence on why a graph can't be connected, or "". It is
// connected already, or the graph of the same name and the other type is.
func (e *env) connectRefusal(graph localapi.Graph) string {
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

// openRoam opens Roam, or says why it can't.
func (e *env) openRoam(graph localapi.Graph) (action, tea.Cmd) {
	if e.options.Sandbox {
		return inform("The sandbox stands in for Roam; there is nothing to open."), nil
	}
	if e.ports.OpenRoam == nil {
		return inform("This machine has nothing that opens links. Start Roam Desktop by hand."), nil
	}
	ctx, openRoam := e.ctx, e.ports.OpenRoam
	return inform("Opening Roam Desktop."), func() tea.Msg {
		return openedMsg{openRoam(ctx, graph)}
	}
}

// openedMsg reports that Roam was asked to open.
type openedMsg struct{ err error }

// startImport opens the import of the official tools' graphs.
func (e *env) startImport() (action, tea.Cmd) {
	if e.ports.Official == nil {
		return inform("There is nothing to import here."), nil
	}
	return open{newImporting(e)}, nil
}

// noOfficialFile reports whether the official tools have no file.
func noOfficialFile(err error) bool {
	return problem.CodeOf(err) == configstore.CodeConfigNotFound || errors.Is(err, fs.ErrNotExist)
}
