package tui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
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
		return nil, e.config.setDisabled([]configstore.Entry{r.Entry}, !r.Entry.Disabled)
	case key.Matches(press, k.reauthorize):
		return open{newReauthorizeForm(e, r.Entry)}, nil
	case key.Matches(press, k.remove):
		return open{newRemovalQuestion(e, []configstore.Entry{r.Entry})}, nil
	case key.Matches(press, k.test):
		if r.Entry.Disabled {
			return inform(r.Entry.Nickname + " is disabled, so agents can't reach it. D enables it."), nil
		}
		return open{newGraphTest(e, r.Entry)}, nil
	}
	return nil, nil
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

// startImport opens the import of the official tools' graphs.
func (e *env) startImport() action {
	if e.ports.Graphs.Official == nil {
		return inform("There is nothing to import here.")
	}
	return open{newImporting(e)}
}

// mendStep performs what mends a step that failed, but for writing a client's entry anew.
func (e *env) mendStep(step install.ProofStep) (action, tea.Cmd) {
	switch step.Mend {
	case install.MendOpenRoam:
		return e.roam.open(localapi.Graph{})
	case install.MendReauthorize:
		if entry, ok := e.roster.Config.Find(step.Graph); ok {
			return open{newReauthorizeForm(e, entry)}, nil
		}
		return home{}, nil
	case install.MendConnectGraph:
		return home{}, nil
	case install.MendNone, install.MendWriteAnew, install.MendInstallProgram, install.MendEnableAPI, install.MendAgree:
	}
	return inform(e.words.Error(step.Err)), nil
}

// openHistory opens the history of a graph.
func (e *env) openHistory(g localapi.Graph) action {
	if e.ports.History == nil {
		return inform(e.words.NoHistory())
	}
	return open{newHistoryScreen(e, g)}
}

// newHistoryScreen returns the history of a graph, or of all for the zero value.
func newHistoryScreen(e *env, g localapi.Graph) *historyScreen {
	ctx, cancel := context.WithCancel(e.ctx)
	s := &historyScreen{env: e, ctx: ctx, cancel: cancel, of: history.Graph{Name: g.Name, Type: string(g.Type)}}
	s.list = kit.NewList(maxHistoryWords, func() (int, func(int) int64) {
		return len(s.feed.calls), func(i int) int64 { return s.feed.calls[i].ID }
	})
	s.diff = callDiff{env: e, ctx: ctx}
	s.reset()
	return s
}
