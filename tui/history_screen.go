package tui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/journal/history"
	"roam-mcp/tui/kit"
)

const (
	// keptHistory is how many calls the screen holds, and keptFollowing how many while
	// the newest one is followed: a screen that is left open stays small.
	keptHistory   = 20_000
	keptFollowing = 500
	// shownSessions is how many sessions are read.
	shownSessions = 8
	// maxHistoryWords bounds the words of the filter, in characters.
	maxHistoryWords = 200
)

// historyScreen lists what agents have written, as it happens, with the difference that
// the chosen call has made.
type historyScreen struct {
	env *env
	id  int // of the watching of the journal
	// watched is set once changes of the journal are reported.
	watched bool
	ctx     context.Context
	cancel  context.CancelFunc
	unwatch context.CancelFunc
	// of is the graph whose history this is; the zero value stands for all.
	of    history.Graph
	scope historyScope
	query HistoryQuery

	feed historyFeed
	// outdated is set while the feed is that of the query before.
	outdated bool
	notices  []history.Notice
	sessions []history.Session
	// asked is set once it was looked whether to ask about the texts of a graph.
	asked   bool
	err     error
	reading historyReading
	diff    callDiff

	list kit.List[int64] // of the numbers of calls

	run undoRun
}

// historyScope is one of the ready-made filters.
type historyScope uint8

const (
	scopeAll historyScope = iota
	scopeGraph
	scopeSession
	scopeToday
	scopes // how many there are
)

// historyReading is what is to be read of the journal, one thing at a time.
type historyReading struct {
	id     int // of the reading under way; 0: none
	cancel context.CancelFunc
	news   bool // what is new is wanted
	inside bool // what is in sight is wanted anew
}

type historyReadMsg struct {
	id       int
	page     HistoryPage
	about    bool // notices and sessions were read
	notices  []history.Notice
	sessions []history.Session
	err      error
}

var (
	_ screen  = (*historyScreen)(nil)
	_ starter = (*historyScreen)(nil)
	_ closer  = (*historyScreen)(nil)
)

// reset shows what it shows at first: all of what it is about.
func (s *historyScreen) reset() {
	s.scope, s.list.Filter.Text, s.list.Filter.Typing = scopeAll, "", false
	if s.of != (history.Graph{}) {
		s.scope = scopeGraph
	}
	s.ask(HistoryQuery{Graph: s.of})
}

// ask replaces the query.
func (s *historyScreen) ask(query HistoryQuery) {
	if s.reading.id != 0 {
		s.reading.cancel()
	}
	s.query, s.outdated, s.err = query, true, nil
	s.reading = historyReading{news: s.watched}
}

func (s *historyScreen) start() tea.Cmd {
	var watch tea.Cmd
	ctx, cancel := context.WithCancel(s.ctx)
	s.unwatch = cancel
	s.id, watch = s.env.follow(ctx, s.env.ports.History.Watch)
	return watch
}

// pause ends the watching. An undo that is under way goes on.
func (s *historyScreen) pause() { s.unwatch() }

func (s *historyScreen) resume() tea.Cmd { return s.start() }

func (s *historyScreen) close() tea.Cmd {
	s.cancel()
	return nil
}

func (s *historyScreen) title() string {
	if s.of == (history.Graph{}) {
		return "History"
	}
	return "History of " + s.env.Glyphs.Cut(kit.Sanitize(s.env.ports.History.Name(s.of)), 32)
}

func (s *historyScreen) mode() mode {
	typing := s.list.Filter.Typing
	m := mode{inView: true, typing: typing, allowsPanelKeys: !typing, polls: true}
	if s.run.id != 0 {
		m.quitWarning = "What is taken back is not done yet; quitting stops it after the step under way."
	}
	return m
}

func (s *historyScreen) update(msg tea.Msg) (action, tea.Cmd) {
	var a action
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		a = s.handleKey(msg)
	case tea.PasteMsg:
		s.list.Paste(msg.Content)
		s.search()
	case newsMsg:
		if msg.id != s.id {
			return nil, nil
		}
		s.watched, s.reading.news, s.diff.stale = true, true, true
	case tickMsg:
		s.reading.news = s.reading.news || s.err != nil
	case historyReadMsg:
		a = s.handleRead(msg)
	case callDiffMsg:
		cmd = s.diff.take(msg)
	case undoProgressMsg, undoneMsg:
		s.tellRun(msg)
	}
	return a, tea.Batch(cmd, s.next())
}

func (s *historyScreen) handleRead(msg historyReadMsg) (a action) {
	if msg.id != s.reading.id {
		return nil
	}
	s.reading.id, s.err = 0, msg.err
	if msg.err != nil {
		return nil
	}
	if s.outdated {
		s.feed, s.outdated = newHistoryFeed(), false
	}
	s.feed.merge(msg.page, s.env)
	if msg.about {
		s.notices, s.sessions = msg.notices, msg.sessions
		a = s.askAboutTexts()
	}
	if from, _ := s.list.InSight(); from == 0 && !s.list.Held() {
		s.feed.trim(keptFollowing)
	}
	s.feed.trim(keptHistory)
	return a
}

// next reads what is wanted: of the journal, and the difference of the chosen call.
func (s *historyScreen) next() tea.Cmd {
	var number int64
	if at := s.list.Selected(); at >= 0 {
		number = s.feed.calls[at].ID
	}
	return tea.Batch(s.read(), s.diff.follow(number))
}

// read returns the command for the most urgent of what is wanted of the journal, unless
// one is under way.
func (s *historyScreen) read() tea.Cmd {
	r, f := &s.reading, &s.feed
	if r.id != 0 || s.err != nil && !r.news {
		return nil
	}
	var before, down int64
	want, about := historyPageSize, false
	switch {
	case r.news:
		about = true
		if !s.outdated && len(f.calls) > 0 {
			down = f.calls[0].ID
		}
		r.news, r.inside = false, true
	case s.atEnd():
		before = f.low
	case r.inside:
		r.inside = false
		from, to := s.list.InSight()
		last := min(to, len(f.calls)) - 1
		if last < 0 || f.calls[last].ID >= f.stale {
			return nil
		}
		before, down, want = f.calls[min(from, last)].ID+1, f.calls[last].ID, 0
	default:
		return nil
	}
	ctx, cancel := context.WithCancel(s.ctx)
	r.id, r.cancel = s.env.nextID(), cancel
	msg, port, query, now := historyReadMsg{id: r.id, about: about}, s.env.ports.History, s.query, s.env.now
	return func() tea.Msg {
		defer cancel()
		return readHistory(ctx, port, query, msg, before, down, want, now)
	}
}

// atEnd reports whether less than a screenful is held beyond what is in sight.
func (s *historyScreen) atEnd() bool {
	f := &s.feed
	from, to := s.list.InSight()
	return f.more && len(f.calls) < keptHistory && to+max(to-from, 1) >= len(f.calls)
}

// readHistory fills a message with a page and, where it is about them, with the notices
// and the newest sessions.
func readHistory(ctx context.Context, port History, query HistoryQuery, msg historyReadMsg, before, down int64, want int, now time.Time) historyReadMsg {
	msg.page, msg.err = ReadHistory(ctx, port, query, before, down, want, now)
	if msg.err == nil && msg.about {
		msg.notices, msg.err = port.Notices(ctx)
	}
	if msg.err == nil && msg.about {
		filter := query.filter(nil)
		filter.Limit = shownSessions
		msg.sessions, msg.err = port.Sessions(ctx, filter)
	}
	return msg
}

func (s *historyScreen) handleKey(press tea.KeyPressMsg) action {
	k := s.env.keys
	switch {
	case key.Matches(press, k.next):
		s.changeScope(1)
	case key.Matches(press, k.previous):
		s.changeScope(int(scopes) - 1)
	case key.Matches(press, k.esc):
		switch {
		case s.list.Filter.Typing:
			s.reset()
		case s.leaveRun():
		case !s.filtered():
			return back{}
		default:
			s.reset()
		}
	case s.list.HandleKey(k.list(), press):
		if !s.list.Filter.Typing && key.Matches(press, k.First) {
			s.list.Release() // the newest, whichever that becomes
		}
		s.reading.inside = true
		s.search()
	case key.Matches(press, k.undo):
		return s.undoSelected(false)
	case key.Matches(press, k.undoSession):
		return s.undoSelected(true)
	case key.Matches(press, k.redo):
		return s.redoSelected()
	case key.Matches(press, k.kept):
		return open{newKeptScreen(s.env)}
	case key.Matches(press, k.enter):
		if at := s.list.Selected(); at >= 0 {
			s.list.Hold() // while it is read
			return open{newDiffScreen(s.env, s.feed.line(at, s.env), s.diff)}
		}
	}
	return nil
}

// filtered reports whether less is listed than the screen is about.
func (s *historyScreen) filtered() bool { return s.query != (HistoryQuery{Graph: s.of}) }

// changeScope goes on to the ready-made filter that is so many further.
func (s *historyScreen) changeScope(by int) {
	s.scope = s.scopeAfter(by)
	query := HistoryQuery{Words: s.query.Words}
	at := s.list.Selected()
	switch s.scope {
	case scopeGraph:
		if query.Graph = s.of; s.of == (history.Graph{}) {
			query.Graph = s.feed.calls[at].Graph
		}
	case scopeSession:
		query.Session = s.feed.calls[at].Session
	case scopeToday:
		query.Graph, query.Since = s.of, StartOfDay(s.env.now)
	case scopeAll, scopes:
	}
	s.ask(query)
}

// scopeAfter returns the ready-made filter that is so many further, without those that
// need a call where none is chosen.
func (s *historyScreen) scopeAfter(by int) historyScope {
	next := s.scope
	for {
		next = historyScope((int(next) + by) % int(scopes))
		of := s.of != (history.Graph{})
		none := s.list.Len() == 0
		switch {
		case next == scopeAll && of, next == scopeGraph && !of && none, next == scopeSession && none:
			continue
		}
		return next
	}
}

// search looks for the words that are typed.
func (s *historyScreen) search() {
	if query := s.query; query.Words != s.list.Filter.Text {
		query.Words = s.list.Filter.Text
		s.list.Release()
		s.ask(query)
	}
}
