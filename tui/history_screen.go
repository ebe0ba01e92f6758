package tui

import (
	"context"
	"time"
	"unicode/utf8"

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
	// typing is set while the words of the query are typed.
	typing bool

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

	// chosen is the number of the chosen call; 0 for the newest, whichever that becomes.
	chosen int64
	// anchor is the line of the window that the chosen call is to be on, so that news
	// leave it where it was.
	anchor int
	window listWindow

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
	s.scope, s.typing = scopeAll, false
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
	m := mode{inView: true, typing: s.typing, allowsPanelKeys: !s.typing, polls: true}
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
		if s.typing {
			s.extendWords(msg.Content)
		}
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
		s.feed, s.outdated = historyFeed{}, false
	}
	s.feed.merge(msg.page)
	if msg.about {
		s.notices, s.sessions = msg.notices, msg.sessions
		a = s.askAboutTexts()
	}
	if s.chosen == 0 && s.window.from == 0 {
		s.feed.trim(keptFollowing)
	}
	s.feed.trim(keptHistory)
	return a
}

// selected returns the index of the chosen call, or -1.
func (s *historyScreen) selected() int {
	if s.chosen == 0 {
		return min(0, len(s.feed.calls)-1)
	}
	return s.feed.at(s.chosen)
}

// next reads what is wanted: of the journal, and the difference of the chosen call.
func (s *historyScreen) next() tea.Cmd {
	var number int64
	if at := s.selected(); at >= 0 {
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
		last := min(s.window.from+s.window.height, len(f.calls)) - 1
		if last < 0 || f.calls[last].ID >= f.stale {
			return nil
		}
		before, down, want = f.calls[min(s.window.from, last)].ID+1, f.calls[last].ID, 0
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
	return f.more && len(f.calls) < keptHistory && s.window.from+2*max(s.window.height, 1) >= len(f.calls)
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
	case s.typing:
		s.typeWords(press)
	case key.Matches(press, k.esc):
		switch {
		case s.leaveRun():
		case !s.filtered():
			return back{}
		default:
			s.reset()
		}
	case key.Matches(press, k.undo):
		return s.undoSelected(false)
	case key.Matches(press, k.undoSession):
		return s.undoSelected(true)
	case key.Matches(press, k.redo):
		return s.redoSelected()
	case key.Matches(press, k.filter):
		s.typing = true
	case key.Matches(press, k.kept):
		return open{newKeptScreen(s.env)}
	case key.Matches(press, k.enter):
		if at := s.selected(); at >= 0 {
			s.chosen = s.feed.calls[at].ID // stays chosen while it is read
			return open{newDiffScreen(s.env, s.feed.lines(at, at+1, s.env)[0], s.diff)}
		}
	default:
		s.move(press)
	}
	return nil
}

// filtered reports whether less is listed than the screen is about.
func (s *historyScreen) filtered() bool { return s.query != (HistoryQuery{Graph: s.of}) }

// move chooses a call. The first one stands for the newest, whichever that becomes, if
// it is asked for as such.
func (s *historyScreen) move(press tea.KeyPressMsg) {
	at, ok := s.env.keys.Move(press, s.selected(), max(s.window.height-margin, 1), len(s.feed.calls)-1)
	if !ok || len(s.feed.calls) == 0 {
		return
	}
	at = min(max(at, 0), len(s.feed.calls)-1)
	s.chosen = s.feed.calls[at].ID
	if key.Matches(press, s.env.keys.First) {
		s.chosen = 0
	}
	s.anchor = min(max(at-s.window.from, margin), max(s.window.height-1-margin, 0))
	s.reading.inside = true
}

// changeScope goes on to the ready-made filter that is so many further.
func (s *historyScreen) changeScope(by int) {
	s.scope = s.scopeAfter(by)
	query := HistoryQuery{Words: s.query.Words}
	at := s.selected()
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
	if at >= 0 && s.chosen != 0 {
		s.chosen = s.feed.calls[at].ID
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
		switch {
		case next == scopeAll && of, next == scopeGraph && !of && s.selected() < 0, next == scopeSession && s.selected() < 0:
			continue
		}
		return next
	}
}

func (s *historyScreen) typeWords(press tea.KeyPressMsg) {
	k, words := s.env.keys, s.query.Words
	switch {
	case key.Matches(press, k.esc):
		s.reset()
	case key.Matches(press, k.enter):
		s.typing = false
	case key.Matches(press, k.chooseRow):
		s.move(press)
	case key.Matches(press, k.clearText):
		s.search("")
	case press.String() == "backspace":
		_, size := utf8.DecodeLastRuneInString(words)
		s.search(words[:len(words)-size])
	case press.Text != "":
		s.extendWords(press.Text)
	}
}

func (s *historyScreen) extendWords(text string) {
	words := s.query.Words
	for _, r := range kit.Sanitize(text) {
		if utf8.RuneCountInString(words) < maxHistoryWords {
			words += string(r)
		}
	}
	s.search(words)
}

// search replaces the words of the query.
func (s *historyScreen) search(words string) {
	if words != s.query.Words {
		query := s.query
		query.Words = words
		s.ask(query)
	}
}
