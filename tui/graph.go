package tui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

const (
	// watchInterval is how often the token of the graph on the screen is checked.
	watchInterval = 10 * time.Second
	// guidelinesTimeout bounds one reading. Roam may have to open the graph first.
	guidelinesTimeout = time.Minute
)

// graphScreen shows a configured graph: what is known of it, its guidelines for
// agents, and what can be done with it.
type graphScreen struct {
	env        *env
	graph      localapi.Graph
	ctx        context.Context
	cancel     context.CancelFunc
	checking   bool
	guidelines guidelines
	scroll     kit.Scroll
}

// guidelines are those of the graph on the screen, as far as they are read.
type guidelines struct {
	stage    guidelinesStage
	id       int // of the reading under way
	since    time.Time
	token    localapi.Token // of the token that they were read with
	text     string
	took     time.Duration
	err      error
	rendered renderedGuidelines
}

type guidelinesStage uint8

const (
	guidelinesUnread guidelinesStage = iota
	guidelinesReading
	guidelinesFailed
	guidelinesRead
)

type guidelinesMsg struct {
	id   int
	text string
	took time.Duration
	err  error
}

var (
	_ screen  = (*graphScreen)(nil)
	_ starter = (*graphScreen)(nil)
	_ closer  = (*graphScreen)(nil)
)

func newGraphScreen(e *env, g localapi.Graph) *graphScreen {
	ctx, cancel := context.WithCancel(e.ctx)
	return &graphScreen{env: e, graph: g, ctx: ctx, cancel: cancel}
}

func (s *graphScreen) start() tea.Cmd { return s.refresh() }

func (s *graphScreen) close() tea.Cmd {
	s.cancel()
	return nil
}

func (s *graphScreen) row() (row, bool) {
	g := s.env.roster.Graph(s.graph)
	return row{Graph: g}, g.Connected
}

func (s *graphScreen) title() string {
	if r, ok := s.row(); ok {
		return s.env.Glyphs.Cut(r.Entry.Nickname, 32)
	}
	return s.graph.Name
}

func (s *graphScreen) mode() mode { return mode{inView: true, allowsPanelKeys: true, polls: true} }

func (s *graphScreen) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return s.handleKey(msg)
	case guidelinesMsg:
		if msg.id != s.guidelines.id || s.guidelines.stage != guidelinesReading {
			return nil, nil
		}
		s.guidelines.text, s.guidelines.took, s.guidelines.err = msg.text, msg.took, msg.err
		s.guidelines.stage = guidelinesRead
		if msg.err != nil {
			s.guidelines.stage = guidelinesFailed
		}
		return nil, nil
	case checkedMsg:
		if msg.entry.Graph() == s.graph && !msg.scheduled {
			s.checking = false
		}
	}
	return nil, s.refresh()
}

func (s *graphScreen) handleKey(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc):
		return back{}, nil
	case s.scroll.HandleKey(k.ScrollKeys, press):
		return nil, nil
	case key.Matches(press, k.enter):
		return nil, s.readGuidelines()
	case key.Matches(press, k.open):
		return s.env.roam.open(s.graph)
	case key.Matches(press, k.history):
		return s.env.openHistory(s.graph), nil
	}
	r, ok := s.row()
	switch {
	case !ok:
		return nil, nil
	case key.Matches(press, k.texts):
		return s.env.config.toggleTexts(r.Entry)
	}
	return s.env.graphKey(r, press)
}

// refresh checks the token when the screen opens and every watchInterval, and reads
// the guidelines once. It does not read them if Roam would have to open the graph: a
// look at a screen should open no window.
func (s *graphScreen) refresh() tea.Cmd {
	r, ok := s.row()
	if !ok || !s.env.roster.Roam.Answers() {
		return nil
	}
	var cmds []tea.Cmd
	if check, _ := s.env.roster.Check(r.Entry); !s.checking && s.env.now.Sub(check.At) >= watchInterval {
		s.checking = true
		cmds = append(cmds, s.env.roam.checkToken(r.Entry, false))
	}
	if s.guidelines.stage == guidelinesFailed && s.guidelines.token != r.Entry.Token {
		s.guidelines = guidelines{} // there is a new token to read them with
	}
	if s.guidelines.stage == guidelinesUnread && r.Open && !s.env.roster.Revoked(r.Entry) {
		cmds = append(cmds, s.readGuidelines())
	}
	return tea.Batch(cmds...)
}

func (s *graphScreen) readGuidelines() tea.Cmd {
	r, ok := s.row()
	if !ok || s.guidelines.stage == guidelinesReading {
		return nil
	}
	s.guidelines.stage, s.guidelines.id = guidelinesReading, s.env.nextID()
	s.guidelines.since, s.guidelines.token = s.env.now, r.Entry.Token
	id, ctx, ports, nickname := s.guidelines.id, s.ctx, s.env.ports, r.Entry.Nickname
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, guidelinesTimeout)
		defer cancel()
		text, took, err := ports.Guidelines(ctx, nickname)
		return guidelinesMsg{id, text, took, err}
	}
}

func (s *graphScreen) keys() []key.Binding {
	k := s.env.keys
	r, ok := s.row()
	if !ok {
		return []key.Binding{k.esc}
	}
	out := []key.Binding{k.test, k.rename, k.toggleOf(r.Entry), k.reauthorize, k.remove}
	switch s.guidelines.stage {
	case guidelinesUnread, guidelinesFailed:
		out = append(out, kit.Relabel(k.enter, "read the guidelines"))
	case guidelinesRead:
		out = append(out, kit.Relabel(k.enter, "read again"))
	case guidelinesReading:
	}
	if s.env.ports.History != nil {
		out = append(out, kit.Relabel(k.history, "its history"))
	}
	if s.env.options.HistoryFolder != "" {
		out = append(out, s.textsKey(r))
	}
	out = append(out, k.scrolling(&s.scroll)...)
	if s.env.ports.OpenRoam != nil && !s.env.options.Sandbox {
		out = append(out, kit.Relabel(k.open, "open in Roam"))
	}
	return append(out, k.esc)
}

// parts returns what the menu is told of the graph.
func (s *graphScreen) parts() menuParts {
	p := menuParts{}
	if s.guidelines.stage == guidelinesReading {
		p.later = because("they are being read", kit.Relabel(s.env.keys.enter, "read the guidelines"))
	}
	return p
}

// textsKey returns the key that keeps texts of a graph, or none.
func (s *graphScreen) textsKey(r row) key.Binding {
	if s.env.roster.Config.TextsOf(r.Entry) == configstore.Off {
		return kit.Relabel(s.env.keys.texts, "keep texts")
	}
	return s.env.keys.texts
}
