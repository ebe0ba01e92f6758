package tui

import (
	"context"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
	"roam-mcp/tui/wording"
)

// graphKey performs a key on a configured graph, for the list and the graph's own
// screen.
func (e *env) graphKey(r row, press tea.KeyPressMsg) (action, tea.Cmd) {
	k := e.keys
	switch {
	case key.Matches(press, k.enter):
		return open{newGraphScreen(e, r.Graph.Graph)}, nil
	case key.Matches(press, k.rename):
		return open{newRenameDialog(e, r.Entry)}, nil
	case key.Matches(press, k.toggle):
		return nil, e.toggle(r.Entry)
	case key.Matches(press, k.reauthorize):
		return open{newReauthorizeForm(e, r.Entry)}, nil
	case key.Matches(press, k.remove):
		return open{newRemovalQuestion(e, r.Entry)}, nil
	case key.Matches(press, k.test):
		if r.Entry.Disabled {
			return inform(r.Entry.Nickname + " is disabled, so agents can't reach it. space enables it."), nil
		}
		return open{newGraphTest(e, r.Entry)}, nil
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

// rename returns the write that gives a graph another nickname, and its id; 0 where the
// typed one is none or the old one.
func (e *env) rename(from, typed string) (id int, cmd tea.Cmd) {
	to, err := configstore.NormalizeNickname(typed)
	if err != nil || to == from {
		return 0, nil
	}
	return e.writeConfigWith(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		msg := configWrittenMsg{done: e.words.Renamed(from, to), err: graphs.Rename(ctx, from, to)}
		if e.ports.Clients == nil || msg.err != nil {
			return msg
		}
		plans, err := e.ports.Clients.PlanRename(ctx, from, to)
		for _, plan := range plans {
			msg.renamed = append(msg.renamed, change{client: plan.Client, plan: plan})
		}
		if err != nil {
			msg.done += " Not every client follows: " + e.words.Error(err)
		}
		return msg
	})
}

// without says which clients name a graph that agents can't reach any more; "" for none.
func (e *env) without(ctx context.Context, nickname string) string {
	if e.ports.Clients == nil {
		return ""
	}
	said := e.ports.Clients.Without(ctx, nickname)
	if len(said) == 0 {
		return ""
	}
	return " " + kit.Sanitize(strings.Join(said, " "))
}

func (e *env) toggleKey(r row) key.Binding {
	if r.Entry.Disabled {
		return kit.Relabel(e.keys.toggle, "enable")
	}
	return e.keys.toggle
}

func (e *env) toggle(entry configstore.Entry) tea.Cmd {
	_, cmd := e.writeConfigWith(func(ctx context.Context, graphs *manage.Manager) configWrittenMsg {
		msg := configWrittenMsg{done: wording.Disabled(entry.Nickname, !entry.Disabled), err: graphs.SetDisabled(ctx, entry.Nickname, !entry.Disabled)}
		if !entry.Disabled {
			msg.done += e.without(ctx, entry.Nickname)
		}
		return msg
	})
	return cmd
}

// openConnectForm opens the form for a graph that is not connected.
func (e *env) openConnectForm(g manage.Graph, public bool) (action, tea.Cmd) {
	if e.roster.ConfigErr != nil && !g.Connected {
		return e.refuseBrokenConfig(), nil
	}
	if refusal := e.words.Refusal(e.roster, g); refusal != "" {
		return inform(refusal), nil
	}
	return open{newConnectForm(e, g.Graph, public)}, nil
}

// refuseBrokenConfig says that nothing can be connected yet. Why stands on the screen
// already.
func (e *env) refuseBrokenConfig() action {
	return inform("First the configuration has to be mended: E opens it in an editor, f tells more.")
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
	if e.ports.Graphs.Official == nil {
		return inform("There is nothing to import here."), nil
	}
	return open{newImporting(e)}, nil
}
