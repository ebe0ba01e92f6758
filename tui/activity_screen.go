package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// activityScreen shows what agents do, on all servers of this user.
type activityScreen struct {
	env    *env
	feed   activityFeed
	chosen callKey // the zero value stands for the newest
	page   int     // rows in sight
}

var (
	_ screen  = (*activityScreen)(nil)
	_ starter = (*activityScreen)(nil)
	_ closer  = (*activityScreen)(nil)
)

func newActivityScreen(e *env) *activityScreen {
	return &activityScreen{env: e, feed: activityFeed{env: e}}
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
	case key.Matches(press, k.enter) && s.selected() >= 0:
		return open{newCallScreen(s, s.feed.calls[s.selected()].key())}, nil
	default:
		s.move(press)
	}
	return nil, nil
}

// selected returns the index of the chosen call, or -1.
func (s *activityScreen) selected() int {
	if i := s.feed.indexOf(s.chosen); s.chosen != (callKey{}) && i >= 0 {
		return i
	}
	return len(s.feed.calls) - 1
}

// move chooses a call. The last one stands for the newest, whichever that becomes.
func (s *activityScreen) move(press tea.KeyPressMsg) {
	if at, ok := s.env.keys.Move(press, s.selected(), max(s.page-1, 1), len(s.feed.calls)); ok && len(s.feed.calls) > 0 {
		s.choose(at)
	}
}

// choose chooses the call at an index, or the nearest one.
func (s *activityScreen) choose(at int) {
	if s.chosen = (callKey{}); at < len(s.feed.calls)-1 {
		s.chosen = s.feed.calls[max(at, 0)].key()
	}
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
	if at := s.selected(); at >= 0 {
		p.row = kit.Sanitize(s.feed.calls[at].Tool)
	}
	if s.env.ports.Serve != nil {
		p.later = append(p.later, because("nothing is served", kit.Relabel(k.connect, "how to connect"), k.pause)...)
	}
	return p
}
