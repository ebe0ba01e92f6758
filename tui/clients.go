package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/handoff"
	"roam-mcp/tui/kit"
)

// clients says how MCP clients reach the graphs, and proves that it works with a
// real call.
type clients struct {
	env      *env
	snippets []handoff.Snippet
	name     string // of the screen
	about    string
	nickname string // the graph to prove it on; "" for no proof
	selected int    // snippet
	offset   int    // first line shown
	height   int    // lines that were shown last
	proof    proving
	atOnce   bool
}

var (
	_ screen  = (*clients)(nil)
	_ starter = (*clients)(nil)
)

// newClients tells of clients that start roam-mcp. It uses the nicknamed graph
// for the proof, or the first enabled one.
func newClients(e *env, nickname string) *clients {
	if enabled := e.config.Enabled(); nickname == "" && len(enabled) > 0 {
		nickname = enabled[0].Nickname
	}
	return &clients{
		env: e, snippets: e.ports.Snippets, nickname: nickname, name: "Clients",
		about: ClientsAbout,
	}
}

// newHTTPClients tells of clients that reach a server that runs.
func newHTTPClients(e *env, service Service) *clients {
	return &clients{
		env: e, name: "How to connect",
		snippets: e.httpSnippets(service),
		about: "While it runs, clients reach the server at " + service.URL() + ", with the token from " +
			e.short(service.TokenPath()) + ". The token stays the same the next time, and so does the address while its port is free.",
	}
}

func (e *env) httpSnippets(service Service) []handoff.Snippet {
	return handoff.HTTPSnippets("roam", service.URL(), e.short(service.TokenPath()))
}

// proving starts with the proof.
func (s *clients) proving() *clients {
	s.atOnce = true
	return s
}

func (s *clients) start() tea.Cmd {
	if !s.atOnce {
		return nil
	}
	return s.proof.begin(s.env, s.nickname)
}

func (s *clients) title() string { return s.name }

func (s *clients) mode() mode { return mode{lendsKeys: true, polls: true} }

func (s *clients) update(msg tea.Msg) (action, tea.Cmd) {
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
			return say{notice{"No graph is connected and enabled yet, so there is nothing to call.", told}}, nil
		}
		return nil, s.proof.begin(s.env, s.nickname)
	case key.Matches(press, k.copy) && len(s.snippets) > 0:
		return nil, s.env.copy("the text", s.snippets[s.selected].Text)
	case key.Matches(press, k.Down, k.next):
		s.choose(s.selected + 1)
	case key.Matches(press, k.Up, k.prev):
		s.choose(s.selected - 1)
	case key.Matches(press, k.PageDown):
		s.offset += max(s.height-2, 1)
	case key.Matches(press, k.PageUp):
		s.offset = max(s.offset-max(s.height-2, 1), 0)
	}
	return nil, nil
}

func (s *clients) choose(i int) {
	s.selected = min(max(i, 0), max(len(s.snippets)-1, 0))
	s.offset = -1 // wherever the selected one is seen
}

func (s *clients) keys() []key.Binding {
	k := s.env.keys
	out := []key.Binding{}
	if s.nickname != "" {
		out = append(out, kit.Relabel(k.test, "test with a real call"))
	}
	if len(s.snippets) > 0 {
		out = append(out, k.choices, k.copy)
	}
	return append(out, k.esc)
}

func (s *clients) view(width, height int) []string {
	e := s.env
	text := min(width-4, kit.ProseWidth)
	top := kit.WrapStyled(e.Theme.Text, s.about, text)
	top = append(kit.Indent(top, 2), "")
	bottom := s.proof.view(e, s.nickname, text)
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

// scroll keeps the offset within the lines, and the selected snippet in sight
// after it was chosen.
func (s *clients) scroll(lines, from, to, room int) {
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

// snippetLines draws all snippets, and tells the lines of the selected one.
func (s *clients) snippetLines(width int) (lines []string, from, to int) {
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
		for _, line := range strings.Split(snippet.Text, "\n") {
			for _, part := range strings.Split(ansi.Hardwrap(line, width-3, true), "\n") {
				lines = append(lines, " "+bar+"   "+e.Theme.Link.Render(part))
			}
		}
		if i == s.selected {
			to = len(lines)
		}
		lines = append(lines, "")
	}
	return lines, from, to
}

// proving is a real call through the embedded server, and what came of it.
type proving struct {
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

type provenMsg struct {
	id    int
	proof Proof
	err   error
}

func (p *proving) begin(e *env, nickname string) tea.Cmd {
	if p.stage == proofRuns || e.ports.Prove == nil {
		return nil
	}
	p.id, p.stage = e.nextID(), proofRuns
	id, ctx, prove := p.id, e.ctx, e.ports.Prove
	return func() tea.Msg {
		proof, err := prove(ctx, nickname)
		return provenMsg{id, proof, err}
	}
}

func (p *proving) update(msg tea.Msg) {
	if done, ok := msg.(provenMsg); ok && done.id == p.id {
		p.stage, p.proof, p.err = proofDone, done.proof, done.err
	}
}

func (p *proving) view(e *env, nickname string, width int) []string {
	glyph, text := "", ""
	switch {
	case p.stage == notProven:
		return nil
	case p.stage == proofRuns:
		glyph, text = e.Theme.Accent.Render(e.spin()), "Starting the server and calling it on "+nickname+e.Glyphs.Ellipsis
	case p.err != nil:
		what, todo := explain(p.err)
		glyph, text = e.Theme.Danger.Render(e.Glyphs.Failed), strings.TrimSpace(what+" "+todo)
	default:
		glyph = e.Theme.Success.Render(e.Glyphs.On)
		text = fmt.Sprintf("answered initialize, %s, %s on %s in %s", kit.Plural(p.proof.Tools, "tool"), p.proof.Call, nickname, kit.ShortDuration(p.proof.Took))
		if p.proof.Detail != "" {
			text += ". " + kit.Sanitize(p.proof.Detail)
		}
	}
	lines := kit.Indent(kit.Wrap(text, width-2), 4)
	lines[0] = "  " + glyph + lines[0][3:]
	return append([]string{""}, lines...)
}
