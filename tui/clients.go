package tui

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/handoff"
	"roam-mcp/tui/kit"
	"roam-mcp/tui/wording"
)

// clientsScreen shows how MCP clients reach the graphs, and proves with a real call
// that they can.
type clientsScreen struct {
	env         *env
	snippets    []handoff.Snippet
	profile     int    // index of the profile that clients are given
	graph       string // nickname of the graph that they are given alone; "" for every enabled one
	http        bool   // about a server that runs, whose profile is not chosen here
	name        string // the screen's title
	about       string
	nickname    string // of the graph to call; "" if there is none
	selected    int    // index of the snippet
	offset      int    // of the first line shown; -1 to show the selected snippet
	height      int    // of the lines shown last
	proof       proofRun
	proveAtOnce bool
}

var (
	_ screen  = (*clientsScreen)(nil)
	_ starter = (*clientsScreen)(nil)
)

// newClientsScreen is about clients that start roam-mcp. The call is made on the
// nicknamed graph, or on the first enabled one.
func newClientsScreen(e *env, nickname string) *clientsScreen {
	if enabled := e.roster.Config.Enabled(); nickname == "" && len(enabled) > 0 {
		nickname = enabled[0].Nickname
	}
	s := &clientsScreen{env: e, nickname: nickname, name: "Clients"}
	s.chooseProfile(0)
	return s
}

// chooseProfile has clients given a profile. One that is not the usual one is made for a
// single graph, which is suggested then.
func (s *clientsScreen) chooseProfile(i int) {
	s.profile = i
	switch {
	case i == 0:
		s.chooseGraph("")
	case s.graph == "":
		s.chooseGraph(s.nickname)
	default:
		s.chooseGraph(s.graph)
	}
}

// chooseGraph has clients given one graph alone, or with "" every enabled one.
func (s *clientsScreen) chooseGraph(nickname string) {
	s.graph = nickname
	s.about = wording.AboutClients(nickname)
	s.snippets = s.env.ports.Snippets(s.env.ports.Profiles[s.profile].Name, nickname)
	s.proof = proofRun{} // of something else
}

// nextGraph returns the choice behind the present one: the enabled graphs, then all.
func (s *clientsScreen) nextGraph() string {
	enabled := s.env.roster.Config.Enabled()
	at := slices.IndexFunc(enabled, func(e configstore.Entry) bool { return e.Nickname == s.graph })
	if at+1 == len(enabled) {
		return ""
	}
	return enabled[at+1].Nickname
}

// choosesProfile and choosesGraph report whether there is something to choose.
func (s *clientsScreen) choosesProfile() bool { return !s.http && len(s.env.ports.Profiles) > 1 }

func (s *clientsScreen) choosesGraph() bool {
	return s.choosesProfile() && s.profile > 0 && len(s.env.roster.Config.Enabled()) > 1
}

// servesHere reports whether the chosen profile can be served by this program. The usual
// one is served from the list of graphs.
func (s *clientsScreen) servesHere() bool {
	return s.choosesProfile() && s.profile > 0 && s.nickname != "" && s.env.ports.Serve != nil
}

// newHTTPClientsScreen is about clients of a server that runs.
func newHTTPClientsScreen(e *env, service Service, profile string) *clientsScreen {
	return &clientsScreen{
		env: e, name: "How to connect", http: true,
		snippets: HTTPSnippets(service, profile, e.words),
		about: "While it runs, clients reach the server at " + service.URL() + ", with the token from " +
			e.words.Path(service.TokenPath()) + ". The token stays the same the next time, and so does the address while its port is free.",
	}
}

// HTTPSnippets are what clients on this computer are told of a server that runs, with a
// profile that is not the usual one, or "".
func HTTPSnippets(service Service, profile string, words wording.Wording) []handoff.Snippet {
	server := handoff.Server{Name: "roam"}.For(profile, "")
	return handoff.HTTPSnippets(server.Name, service.URL(), words.Path(service.TokenPath()))
}

// startWithProof makes the call when the screen opens.
func (s *clientsScreen) startWithProof() *clientsScreen {
	s.proveAtOnce = true
	return s
}

func (s *clientsScreen) start() tea.Cmd {
	if !s.proveAtOnce {
		return nil
	}
	return s.prove()
}

// prove makes a real call on the graph that clients are given.
func (s *clientsScreen) prove() tea.Cmd {
	return s.proof.begin(s.env, s.env.ports.Profiles[s.profile].Name, cmp.Or(s.graph, s.nickname))
}

func (s *clientsScreen) title() string { return s.name }

func (s *clientsScreen) mode() mode { return mode{allowsPanelKeys: true, polls: true} }

func (s *clientsScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		s.proof.update(msg)
		return nil, nil
	}
	k := s.env.keys
	switch {
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.test):
		if s.nickname == "" {
			return inform("No graph is connected and enabled yet, so there is nothing to call."), nil
		}
		return nil, s.prove()
	case key.Matches(press, k.profile) && s.choosesProfile():
		s.chooseProfile((s.profile + 1) % len(s.env.ports.Profiles))
	case key.Matches(press, k.oneGraph) && s.choosesGraph():
		s.chooseGraph(s.nextGraph())
	case key.Matches(press, k.serve) && s.servesHere():
		return s.env.openServeScreen(s.env.ports.Profiles[s.profile].Name, s.graph), nil
	case key.Matches(press, k.copy) && len(s.snippets) > 0:
		return nil, s.env.copy("the text", s.snippets[s.selected].Text)
	case key.Matches(press, k.Down, k.next):
		s.selectSnippet(s.selected + 1)
	case key.Matches(press, k.Up, k.previous):
		s.selectSnippet(s.selected - 1)
	case key.Matches(press, k.PageDown):
		s.offset += max(s.height-2, 1)
	case key.Matches(press, k.PageUp):
		s.offset = max(s.offset-max(s.height-2, 1), 0)
	}
	return nil, nil
}

func (s *clientsScreen) selectSnippet(i int) {
	s.selected = min(max(i, 0), max(len(s.snippets)-1, 0))
	s.offset = -1 // wherever the selected one is seen
}

func (s *clientsScreen) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{}
	if s.nickname != "" {
		out = append(out, kit.Relabel(k.test, "test with a real call"))
	}
	if len(s.snippets) > 0 {
		out = append(out, k.chooseRow, k.copy)
	}
	if s.choosesProfile() {
		out = append(out, k.profile)
	}
	if s.choosesGraph() {
		out = append(out, k.oneGraph)
	}
	if s.servesHere() {
		out = append(out, kit.Relabel(k.serve, "serve it here"))
	}
	return append(out, k.esc)
}

func (s *clientsScreen) view(width, height int) []string {
	e := s.env
	text := min(width-4, kit.ProseWidth)
	top := append(append(kit.Paragraph(e.Theme.Text, s.about, width), s.profileLines(text, height)...), "")
	bottom := s.proof.view(e, cmp.Or(s.graph, s.nickname), text)
	room := height - len(top) - len(bottom)
	lines, from, to := s.snippetLines(width - 4)
	s.scroll(len(lines), from, to, room)
	shown := e.Glyphs.Fill(lines[min(s.offset, len(lines)):], width, room)
	if s.offset > 0 && room > 0 {
		shown[0] = "  " + e.Theme.Faint.Render(e.Glyphs.Up+" more")
	}
	if s.offset+room < len(lines) && room > 0 {
		shown[room-1] = "  " + e.Theme.Faint.Render(e.Glyphs.Down+" more")
	}
	return append(append(top, shown...), bottom...)
}

// profileLines says which profile clients are given, where there is a choice.
func (s *clientsScreen) profileLines(width, height int) []string {
	if !s.choosesProfile() {
		return nil
	}
	e := s.env
	lines := kit.Hang("  "+e.Theme.Muted.Render("Profile")+"  ", kit.Wrap(e.ports.Profiles[s.profile].Sentence(), width-9))
	if height < kit.RoomyHeight {
		return lines
	}
	return append([]string{""}, lines...)
}

// scroll keeps the offset within the lines, and shows the selected snippet after it
// was chosen.
func (s *clientsScreen) scroll(lines, from, to, room int) {
	s.height = room
	most := max(lines-room, 0)
	if s.offset < 0 {
		s.offset = 0
		if to >= room {
			s.offset = min(from-1, to-room+2)
		}
	}
	s.offset = min(max(s.offset, 0), most)
}

// snippetLines returns the lines of all snippets, and which of them are the selected
// one's.
func (s *clientsScreen) snippetLines(width int) (lines []string, from, to int) {
	e := s.env
	for i, snippet := range s.snippets {
		bar, title := " ", e.Theme.Text
		if i == s.selected {
			bar, title, from = e.Theme.Accent.Render(e.Glyphs.Bar), e.Theme.Strong, len(lines)
		}
		head, where := title.Render(snippet.Client), e.Theme.Muted.Render(snippet.Where)
		switch {
		case snippet.Where == "":
			lines = append(lines, " "+bar+" "+head)
		case ansi.StringWidth(head)+ansi.StringWidth(where) < width:
			lines = append(lines, " "+bar+" "+head+"  "+where)
		default:
			lines = append(lines, " "+bar+" "+head, " "+bar+" "+where)
		}
		for _, part := range wrapSnippet(snippet, width-1) {
			lines = append(lines, "   "+e.Theme.Link.Render(part)) // no bar: it would be selected with the text
		}
		if i == s.selected {
			to = len(lines)
		}
		lines = append(lines, "")
	}
	return lines, from, to
}

// wrapSnippet returns the lines of a snippet's text. A command is broken between its
// words; what goes into a file keeps its indentation.
func wrapSnippet(snippet handoff.Snippet, width int) []string {
	if snippet.Where == "" {
		return kit.Command(snippet.Text, width)
	}
	return strings.Split(ansi.Hardwrap(snippet.Text, width, true), "\n")
}

// proofRun is a real call through the embedded server and its result.
type proofRun struct {
	id    int
	stage proofStage
	proof Proof
	err   error
}

type proofStage uint8

const (
	notProven proofStage = iota
	proofRuns
	proofDone
)

type proofMsg struct {
	id    int
	proof Proof
	err   error
}

func (p *proofRun) begin(e *env, profile, nickname string) tea.Cmd {
	if p.stage == proofRuns || e.ports.Prove == nil {
		return nil
	}
	p.id, p.stage = e.nextID(), proofRuns
	id, ctx, prove := p.id, e.ctx, e.ports.Prove
	return func() tea.Msg {
		proof, err := prove(ctx, profile, nickname)
		return proofMsg{id, proof, err}
	}
}

func (p *proofRun) update(msg tea.Msg) {
	if done, ok := msg.(proofMsg); ok && done.id == p.id {
		p.stage, p.proof, p.err = proofDone, done.proof, done.err
	}
}

func (p *proofRun) view(e *env, nickname string, width int) []string {
	glyph, text := "", ""
	switch {
	case p.stage == notProven:
		return nil
	case p.stage == proofRuns:
		glyph, text = e.Theme.Accent.Render(e.spinner()), "Starting the server and calling it on "+nickname+e.Glyphs.Ellipsis
	case p.err != nil:
		glyph, text = e.Theme.Danger.Render(e.Glyphs.Failed), e.words.Error(p.err)
	default:
		glyph, text = e.Theme.Success.Render(e.Glyphs.On), p.proof.Sentence(nickname)
	}
	return append([]string{""}, kit.Hang("  "+glyph+" ", kit.Wrap(text, width-2))...)
}
