package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// importing takes over the graphs of the official tools' file, which it never
// changes.
type importing struct {
	env      *env
	id       int
	entries  []configstore.Entry
	problems []configstore.Problem
	err      error
	report   *configstore.ImportReport
	stage    importStage
	scroll   kit.Scroll
}

type importStage uint8

const (
	importReads importStage = iota
	importOffers
	importRuns
	importDone
)

var (
	_ screen  = (*importing)(nil)
	_ starter = (*importing)(nil)
)

type officialMsg struct {
	id       int
	entries  []configstore.Entry
	problems []configstore.Problem
	err      error
}

type importedMsg struct {
	id     int
	report configstore.ImportReport
	err    error
}

func newImporting(e *env) *importing { return &importing{env: e, id: e.nextID()} }

func (s *importing) start() tea.Cmd {
	id, official := s.id, s.env.ports.Official
	return func() tea.Msg {
		entries, problems, err := official()
		return officialMsg{id, entries, problems, err}
	}
}

func (s *importing) title() string { return "Import" }

func (s *importing) mode() mode { return mode{allowsPanelKeys: true} }

func (s *importing) update(msg tea.Msg) (action, tea.Cmd) {
	k := s.env.keys
	switch msg := msg.(type) {
	case officialMsg:
		if msg.id == s.id {
			s.entries, s.problems, s.err, s.stage = msg.entries, msg.problems, msg.err, importOffers
		}
	case importedMsg:
		if msg.id == s.id {
			s.report, s.err, s.stage, s.scroll = &msg.report, msg.err, importDone, kit.Scroll{}
		}
	case tea.KeyPressMsg:
		switch {
		case s.scroll.HandleKey(k.ScrollKeys, msg):
		case key.Matches(msg, k.esc), key.Matches(msg, k.enter) && s.stage == importDone:
			return back{}, nil
		case key.Matches(msg, k.enter) && s.stage == importOffers && s.fresh() > 0:
			s.stage = importRuns
			return nil, s.run()
		}
	}
	return nil, nil
}

func (s *importing) run() tea.Cmd {
	id, ctx, store, entries := s.id, s.env.ctx, s.env.ports.Store, s.entries
	return s.env.trackWrite(func() tea.Msg {
		report, err := store.Import(ctx, entries)
		return importedMsg{id, report, err}
	})
}

// fresh counts the graphs that are not connected yet.
func (s *importing) fresh() int {
	n := 0
	for _, entry := range s.entries {
		if _, there := s.env.config.FindGraph(entry.Graph()); !there {
			n++
		}
	}
	return n
}

func (s *importing) keys() []key.Binding {
	k := s.env.keys
	var out []key.Binding
	switch {
	case s.stage == importOffers && s.fresh() > 0:
		out = append(out, kit.Relabel(k.enter, "import "+kit.Plural(s.fresh(), "graph")))
	case s.stage == importDone:
		out = append(out, kit.Relabel(k.enter, "your graphs"))
	}
	if s.scroll.Scrollable() {
		out = append(out, kit.Relabel(k.chooseRow, "scroll"))
	}
	return append(out, k.esc)
}

func (s *importing) view(width, height int) []string {
	e := s.env
	var lines []string
	tell := func(glyph, text string) {
		lines = append(lines, kit.Hang("  "+glyph+" ", kit.Wrap(text, min(width-6, kit.ProseWidth)))...)
	}
	if s.err == nil && s.stage == importOffers && len(s.entries) > 0 {
		lines = append(kit.Paragraph(e.Theme.Text, "The official tools have these graphs; their file stays as it is.", width), "")
	}
	s.say(tell)
	return s.scroll.View(e.Look, lines, height)
}

// say tells what there is to import, or what has come of it.
func (s *importing) say(tell func(glyph, text string)) {
	e := s.env
	switch {
	case s.err != nil && noOfficialFile(s.err):
		tell(e.Theme.Muted.Render(e.Glyphs.None), "The official tools have no configuration here, so there is nothing to import.")
	case s.err != nil:
		what, todo := s.env.explain(s.err)
		tell(e.Theme.Danger.Render(e.Glyphs.Failed), strings.TrimSpace(what+" "+todo))
	case s.stage == importDone:
		s.tellReport(tell)
	case s.stage == importOffers && len(s.entries) == 0:
		tell(e.Theme.Muted.Render(e.Glyphs.None), "The official tools have no graphs configured, so there is nothing to import.")
	case s.stage == importOffers:
		s.offer(tell)
	default:
		tell(e.Theme.Accent.Render(e.Glyphs.Busy), "Reading the file of the official tools"+e.Glyphs.Ellipsis)
	}
}

func (s *importing) offer(tell func(glyph, text string)) {
	e := s.env
	for _, entry := range s.entries {
		level := ""
		if entry.AccessLevel != "" {
			level = ", " + entry.AccessLevel.Words()
		}
		glyph, tail := e.Theme.Muted.Render(e.Glyphs.Off), ""
		if _, there := e.config.FindGraph(entry.Graph()); there {
			glyph, tail = e.Theme.Success.Render(e.Glyphs.On), ", connected already"
		}
		tell(glyph, fmt.Sprintf("%s  (%s, %s%s%s)", entry.Nickname, entry.Name, entry.Type, level, tail))
	}
	for _, p := range s.problems {
		tell(e.Theme.Warning.Render(e.Glyphs.Warning), kit.Sanitize(strings.TrimSpace(p.Message)))
	}
}

func (s *importing) tellReport(tell func(glyph, text string)) {
	e := s.env
	for _, added := range s.report.Added {
		text := "Added " + added.Entry.Nickname + "."
		if added.FormerNickname != "" {
			text = fmt.Sprintf("Added %s as %s, since that nickname was taken.", added.FormerNickname, added.Entry.Nickname)
		}
		tell(e.Theme.Success.Render(e.Glyphs.On), text)
	}
	for _, entry := range s.report.Present {
		tell(e.Theme.Muted.Render(e.Glyphs.None), entry.Nickname+" is connected already and stays as it is.")
	}
	for _, skipped := range s.report.Skipped {
		tell(e.Theme.Warning.Render(e.Glyphs.Warning), "Skipped "+kit.Sanitize(skipped.Entry.Nickname)+": "+kit.Sanitize(skipped.Reason))
	}
}
