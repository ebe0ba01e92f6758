package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// activityScreen shows what agents do, on all servers of this user.
type activityScreen struct {
	env  *env
	feed activityFeed
	list kit.List[callKey]
}

var (
	_ screen  = (*activityScreen)(nil)
	_ starter = (*activityScreen)(nil)
	_ closer  = (*activityScreen)(nil)
)

func newActivityScreen(e *env) *activityScreen {
	s := &activityScreen{env: e, feed: activityFeed{env: e}}
	s.list = kit.NewList(0, func() (int, func(int) callKey) {
		return len(s.feed.calls), func(i int) callKey { return s.feed.calls[i].key() }
	})
	s.list.Newest = true
	return s
}

func (s *activityScreen) title() string { return "Activity" }

func (s *activityScreen) mode() mode { return mode{inView: true, allowsPanelKeys: true, polls: true} }

func (s *activityScreen) start() tea.Cmd { return s.feed.start() }

func (s *activityScreen) pause() { s.feed.close() }

func (s *activityScreen) resume() tea.Cmd { return s.feed.start() }

func (s *activityScreen) close() tea.Cmd {
	s.feed.close()
	return nil
}

func (s *activityScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, s.feed.update(msg)
	}
	k, serving := s.env.keys, s.env.serving
	running := serving.stage == servingRuns
	switch {
	case s.list.HandleKey(k.list(), press):
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.serve):
		return s.env.serving.toggle()
	case key.Matches(press, k.pause) && running:
		serving.pause()
	case key.Matches(press, k.connect) && running:
		return open{newHTTPClientsScreen(s.env, serving.service, serving.request.Profile)}, nil
	case key.Matches(press, k.copy) && running && len(s.feed.calls) == 0:
		return nil, s.env.copy("the command", serving.command().Text)
	case key.Matches(press, k.enter) && s.list.Len() > 0:
		return open{newCallScreen(s, s.feed.calls[s.list.Selected()].key())}, nil
	}
	return nil, nil
}

func (s *activityScreen) keys() []key.Binding {
	k, serving := s.env.keys, s.env.serving
	var out []key.Binding
	if len(s.feed.calls) > 0 {
		out = append(out, kit.Relabel(k.enter, "details"))
	}
	if serving.stage == servingRuns {
		pause := kit.Relabel(k.pause, "pause writes")
		if serving.paused {
			pause = kit.Relabel(k.pause, "let writes through")
		}
		out = append(out, kit.Relabel(k.connect, "how to connect"), pause)
		if len(s.feed.calls) == 0 {
			out = append(out, k.copy)
		}
	}
	if s.env.ports.Serve != nil {
		out = append(out, s.env.serving.key())
	}
	if len(s.feed.calls) > 1 {
		out = append(out, k.chooseRow)
	}
	return append(out, k.esc)
}

// parts returns what the menu is told of the calls.
func (s *activityScreen) parts() menuParts {
	k := s.env.keys
	p := menuParts{
		ofRow: []key.Binding{k.enter},
		later: because("no call was made yet", kit.Relabel(k.enter, "details")),
		moves: len(s.feed.calls) > 1,
	}
	if at := s.list.Selected(); at >= 0 {
		p.row = kit.Sanitize(s.feed.calls[at].Tool)
	}
	if s.env.ports.Serve != nil {
		p.later = append(p.later, because("nothing is served", kit.Relabel(k.connect, "how to connect"), k.pause)...)
	}
	return p
}
