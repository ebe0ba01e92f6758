package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// importing takes over the graphs of the official tools' file, which it never
// changes.
type importing struct {
	env     *env
	id      int
	entries []configstore.Entry
	checks  map[localapi.Graph]manage.Check
	offer   func() Offer // as the configuration is now
	result  Offer
	stage   importStage
	scroll  kit.Scroll
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

// officialCheckedMsg reports what Roam said of the token of an entry to import.
type officialCheckedMsg struct {
	id    int
	graph localapi.Graph
	check manage.Check
}

type importedMsg struct {
	id     int
	report configstore.ImportReport
	err    error
}

func newImporting(e *env) *importing {
	return &importing{env: e, id: e.nextID(), checks: make(map[localapi.Graph]manage.Check)}
}

func (s *importing) start() tea.Cmd {
	id, official := s.id, s.env.ports.Graphs.Official
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
			s.entries, s.stage = msg.entries, importOffers
			s.offer = func() Offer {
				return s.env.words.Offer(s.env.roster.Config, msg.entries, msg.problems, msg.err, s.check)
			}
			return nil, s.askAboutNext()
		}
	case officialCheckedMsg:
		if msg.id == s.id {
			s.checks[msg.graph] = msg.check
			return nil, s.askAboutNext()
		}
	case importedMsg:
		if msg.id == s.id {
			s.result, s.stage, s.scroll = s.env.words.Imported(msg.report, msg.err), importDone, kit.Scroll{}
		}
	case tea.KeyPressMsg:
		switch {
		case s.scroll.HandleKey(k.ScrollKeys, msg):
		case key.Matches(msg, k.esc), key.Matches(msg, k.enter) && s.stage == importDone:
			return back{}, nil
		case key.Matches(msg, k.enter) && s.stage == importOffers && s.offer().Fresh > 0:
			s.stage = importRuns
			return nil, s.run()
		}
	}
	return nil, nil
}

// check returns what Roam said of an entry's token, and whether it was asked.
func (s *importing) check(entry configstore.Entry) (manage.Check, bool) {
	check, asked := s.checks[entry.Graph()]
	return check, asked
}

// askAboutNext returns a command that asks Roam about the next token to import, or nil
// where all were asked about or Roam is away.
func (s *importing) askAboutNext() tea.Cmd {
	if s.stage != importOffers || s.env.roster.Roam.Err != nil {
		return nil
	}
	for _, entry := range s.entries {
		_, connected := s.env.roster.Config.FindGraph(entry.Graph())
		if _, asked := s.check(entry); asked || connected {
			continue
		}
		id, ctx, graphs := s.id, s.env.ctx, s.env.ports.Graphs
		return func() tea.Msg { return officialCheckedMsg{id, entry.Graph(), graphs.AskAboutToken(ctx, entry)} }
	}
	return nil
}

func (s *importing) run() tea.Cmd {
	id, ctx, graphs, entries := s.id, s.env.ctx, s.env.ports.Graphs, s.entries
	return s.env.trackWrite(func() tea.Msg {
		report, err := graphs.Import(ctx, entries)
		return importedMsg{id, report, err}
	})
}

func (s *importing) keys() []key.Binding {
	k := s.env.keys
	var out []key.Binding
	switch {
	case s.stage == importOffers && s.offer().Fresh > 0:
		out = append(out, kit.Relabel(k.enter, "import "+kit.Plural(s.offer().Fresh, "graph")))
	case s.stage == importDone:
		out = append(out, kit.Relabel(k.enter, "your graphs"))
	}
	out = append(out, k.scrolling(&s.scroll)...)
	return append(out, k.esc)
}

func (s *importing) view(width, height int) []string {
	e := s.env
	var said Offer
	var lines []string
	switch s.stage {
	case importOffers:
		said = s.offer()
		if len(s.entries) > 0 {
			lines = append(kit.Paragraph(e.Theme.Text, "The official tools have these graphs; their file stays as it is.", width), "")
		}
	case importDone:
		said = s.result
	case importReads, importRuns:
		said.Notes = []Line{{Sign: SignBusy, Text: "Reading the file of the official tools" + e.Glyphs.Ellipsis}}
		if s.stage == importRuns {
			said.Notes[0].Text = "Asking Roam about the tokens, and importing" + e.Glyphs.Ellipsis
		}
	}
	lines = append(lines, s.lines("New", said.New, width)...)
	lines = append(lines, s.lines(PresentHeading, said.Present, width)...)
	lines = append(lines, s.lines("", said.Notes, width)...)
	return s.scroll.View(e.Look, lines, height)
}

// lines returns sentences with their signs below a heading, and a gap after them.
func (s *importing) lines(heading string, said []Line, width int) []string {
	if len(said) == 0 {
		return nil
	}
	e := s.env
	var lines []string
	if heading != "" {
		lines = append(lines, "  "+e.Theme.Strong.Render(heading))
	}
	for _, line := range said {
		sign := e.sign(line.Sign)
		lines = append(lines, kit.Hang(" "+sign.Style.Render(sign.Glyph)+" ", kit.Wrap(line.Text, min(width-6, kit.ProseWidth)))...)
	}
	return append(lines, "")
}
