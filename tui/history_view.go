package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/tui/kit"
)

func (s *historyScreen) keys() []key.Binding {
	k := s.env.keys
	next := kit.Relabel(k.next, "show "+s.scopeWords(s.scopeAfter(1)))
	if s.list.Filter.Typing {
		return []key.Binding{kit.Relabel(k.enter, "keep the filter"), next, kit.Relabel(k.esc, "show all")}
	}
	var out []key.Binding
	if len(s.feed.calls) > 0 {
		out = append(out, k.chooseRow, kit.Relabel(k.enter, "diff"))
		out = append(out, s.undoKeys()...)
	}
	if len(s.feed.calls) > 0 || s.filtered() {
		out = append(out, k.filter, next, kit.Relabel(k.previous, "the filter before"))
	}
	out = append(out, k.kept)
	switch {
	case s.run.id != 0:
		return append(out, kit.Relabel(k.esc, "stop"))
	case s.run.told != nil || s.run.failed != "":
		return append(out, kit.Relabel(k.esc, "seen"))
	case s.filtered():
		return append(out, kit.Relabel(k.esc, "show all"))
	}
	return append(out, k.esc)
}

// undoKeys are the keys that take back the chosen call, or the undo of it.
func (s *historyScreen) undoKeys() (out []key.Binding) {
	k, call := s.env.keys, s.feed.calls[s.list.Selected()]
	if s.run.id != 0 {
		return nil
	}
	if call.Changes > 0 && call.State != history.CallOpen && (call.UndoneBy == 0 || call.PartlyUndone) {
		out = append(out, k.undo)
	}
	if redoable(call) {
		out = append(out, k.redo)
	}
	return append(out, k.undoSession)
}

// parts returns what the menu is told of the calls.
func (s *historyScreen) parts() menuParts {
	k := s.env.keys
	p := menuParts{ofRow: []key.Binding{k.enter, k.undo, k.redo, k.undoSession}, moves: len(s.feed.calls) > 1}
	diff, at := kit.Relabel(k.enter, "diff"), s.list.Selected()
	if at < 0 {
		reason := "nothing was written yet"
		switch {
		case s.outdated:
			reason = "it is still read"
		case s.filtered():
			reason = "nothing is listed under this filter"
		}
		p.later = because(reason, diff, k.undo, k.undoSession, k.filter)
		return p
	}
	call := s.feed.calls[at]
	p.row = fmt.Sprintf("Change %d", call.ID)
	switch {
	case s.run.id != 0:
		p.later = because("one is under way", k.undo, k.redo, k.undoSession)
		return p
	case call.State == history.CallOpen:
		p.later = because("it is still running", k.undo)
	case call.Changes == 0:
		p.later = because("it changed nothing", k.undo)
	default:
		p.later = because("it is undone already", k.undo)
	}
	p.later = append(p.later, because("it is not undone", k.redo)...)
	return p
}

// scopeWords returns what a ready-made filter is called.
func (s *historyScreen) scopeWords(scope historyScope) string {
	switch scope {
	case scopeGraph:
		return "this graph"
	case scopeSession:
		return "this session"
	case scopeToday:
		return "today"
	case scopeAll, scopes:
	}
	return "all of it"
}

// Heights of the parts of the screen.
const (
	leastHistory = 5 // of the list with its heading
	leastDiff    = 6 // of the difference below it, with a gap; else its first line is shown alone
)

func (s *historyScreen) view(width, height int) []string {
	lines := s.top(width)
	// The list stays in sight however much is wrong.
	if most := max(height-leastHistory-2, 0); len(lines) > most {
		lines = append(lines[:max(most-1, 0)], "   "+s.env.Theme.Faint.Render(s.env.Glyphs.Ellipsis))
	}
	room := height - len(lines)
	at := s.list.Selected()
	if at < 0 {
		return append(lines, s.empty(width)...)
	}
	below := 2 // a gap and a line
	if room-leastHistory >= leastDiff+2 {
		below = min(max(room/2, room-1-len(s.feed.calls)), room-leastHistory)
	}
	list := s.drawList(width, room-below)
	lines = append(append(lines, list...), "")
	line := s.feed.line(at, s.env)
	diff := s.diff.lines(line, width)
	if room = max(height-len(lines), 0); len(diff) > room && room > 2 {
		return append(append(lines, diff[:room-1]...), " "+s.env.Theme.Faint.Render(s.env.Glyphs.Down+" enter shows the rest"))
	}
	return append(lines, diff[:min(len(diff), room)]...)
}

// top returns what the journal has to say of itself, what is listed, and whose calls
// they are.
func (s *historyScreen) top(width int) []string {
	e := s.env
	var out []string
	add := func(glyph, text string) {
		out = append(out, kit.Hang(" "+glyph+" ", kit.Wrap(text, min(width-5, kit.ProseWidth)))...)
	}
	for _, n := range s.notices {
		if _, unsaid := s.textsUnsaid(n); n.Code == history.CodeTextsUnsaid && !unsaid {
			continue // it was said since the notices were read
		}
		add(e.Theme.Warning.Render(e.Glyphs.Warning), strings.TrimSpace(kit.Sanitize(n.Message)+" "+e.words.Todo(n.Hint)))
	}
	out = append(out, s.run.lines(e, min(width, kit.ProseWidth))...)
	if s.err != nil && s.feed.known {
		add(e.Theme.Danger.Render(e.Glyphs.Failed), e.words.Error(s.err))
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	if len(s.feed.calls) == 0 && !s.filtered() {
		return out
	}
	what := e.Theme.Strong.Render(s.what())
	if s.list.Filter.On() {
		what += " " + e.FilterLine(s.list.Filter, width/2)
	}
	out = append(out, " "+e.Glyphs.Cut(what, width-2))
	if sessions := s.sessionsLine(width - 2); sessions != "" {
		out = append(out, " "+sessions)
	}
	return append(out, "")
}

// what says what is listed.
func (s *historyScreen) what() string {
	graph := func(g history.Graph) string { return kit.Sanitize(calledGraph(g, s.feed.names)) }
	switch s.scope {
	case scopeGraph:
		return "All that was written to " + graph(s.query.Graph)
	case scopeSession:
		return fmt.Sprintf("Session s%d", s.query.Session)
	case scopeToday:
		if s.of != (history.Graph{}) {
			return "What was written to " + graph(s.of) + " today"
		}
		return "What was written today"
	case scopeAll, scopes:
	}
	return "All that agents have written"
}

// sessionsLine returns the newest sessions, as many as there is room for.
func (s *historyScreen) sessionsLine(width int) string {
	e := s.env
	line := ""
	for _, session := range s.sessions {
		sign := e.Theme.Muted.Render(e.Glyphs.Off)
		state := "ended " + historyClock(session.Last, e.now)
		if session.Alive {
			sign, state = e.Theme.Success.Render(e.Glyphs.On), "open since "+historyClock(session.Opened, e.now)
		}
		next := sign + e.Theme.Muted.Render(fmt.Sprintf(" s%d %s, %s, %s", session.ID, e.Glyphs.Cut(kit.Sanitize(session.Agent), 20), kit.Plural(session.Calls, "call"), state))
		if line != "" {
			next = "   " + next
		}
		if ansi.StringWidth(line)+ansi.StringWidth(next) > width {
			if line == "" {
				return e.Glyphs.Cut(next, width)
			}
			break
		}
		line += next
	}
	return line
}

// empty says why no call is listed, and how there will be some.
func (s *historyScreen) empty(width int) []string {
	e, text := s.env, min(width-2, kit.ProseWidth)
	strong := func(text string) string { return " " + e.Theme.Strong.Render(text) }
	switch {
	case s.err != nil && !s.feed.known:
		what, todo := e.words.Explain(s.err)
		lines := kit.Hang(" "+e.Theme.Danger.Render(e.Glyphs.Failed)+" ", kit.WrapStyled(e.Theme.Strong, what, text-2))
		return append(lines, kit.Indent(kit.WrapStyled(e.Theme.Muted, todo, text-2), 3)...)
	case !s.feed.known || s.outdated:
		return []string{strong("Looking into the journal" + e.Glyphs.Ellipsis)}
	case s.feed.more:
		return []string{strong("Looking through what is older" + e.Glyphs.Ellipsis)}
	case s.filtered():
		return []string{strong("Nothing that was written fits."), " " + e.Theme.Muted.Render("esc shows all of it.")}
	}
	lines := []string{strong("Nothing is recorded yet.")}
	for i, sentence := range append([]string{e.words.HistoryToCome()}, e.words.HistoryKept(e.roster.Config)...) {
		style := e.Theme.Muted
		if i == 0 {
			style = e.Theme.Text
		}
		lines = append(append(lines, kit.Indent(kit.WrapStyled(style, sentence, text), 1)...), "")
	}
	return lines[:len(lines)-1]
}

// drawList returns the heading and the calls around the chosen one.
func (s *historyScreen) drawList(width, height int) []string {
	e, f := s.env, &s.feed
	view := kit.ListView{
		Sections: []kit.Section{{Heads: []string{""}, Rows: len(f.calls)}}, More: f.more,
		Row: func(int, bool) []string { return []string{""} },
	}
	s.list.View(e.Look, view, width, height) // which calls are in sight is known then
	_, to := s.list.InSight()
	table := f.table.Copy()
	table.Measure("", historyClock(f.calls[max(to, 1)-1].At, e.now))
	if width < 100 {
		table.Drop(historyNumber)
	}
	if s.query.Graph != (history.Graph{}) {
		table.Drop(historyGraph)
	}
	layout := table.In(e.Glyphs, kit.RowWidth(width))
	word := ""
	for _, term := range termsOf(s.query.Words) {
		if term.field == "" {
			word = term.text
		}
	}
	cells := func(i int) []string {
		cells := f.cells(f.line(i, e), f.calls[i], e)
		for c := range cells[:historyResult] {
			style := e.Theme.Text
			if c <= historyTime {
				style = e.Theme.Muted
			}
			cells[c] = kit.Found(e.Glyphs.Cut(cells[c], layout.Width(c)), word, configstore.FoldNickname, style, e.foundStyle())
		}
		return cells
	}
	view.Sections[0].Heads[0] = strings.Repeat(" ", kit.RowIndent) + e.Theme.Faint.Render(layout.Heads())
	view.Row = e.Rows(layout, width, cells)
	return s.list.View(e.Look, view, width, height)
}
