package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/kit"
)

func (s *historyScreen) keys() []key.Binding {
	k := s.env.keys
	next := kit.Relabel(k.next, "show "+s.scopeWords(s.scopeAfter(1)))
	if s.typing {
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
	k, call := s.env.keys, s.feed.calls[s.selected()]
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
	diff, at := kit.Relabel(k.enter, "diff"), s.selected()
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
	at := s.selected()
	if at < 0 {
		s.window = listWindow{}
		return append(lines, s.empty(width)...)
	}
	below := 2 // a gap and a line
	if room-leastHistory >= leastDiff+2 {
		below = min(max(room/2, room-1-len(s.feed.calls)), room-leastHistory)
	}
	list := s.list(width, room-below)
	lines = append(append(lines, list...), "")
	line := s.feed.lines(at, at+1, s.env)[0]
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
	if s.typing || s.query.Words != "" {
		cursor := ""
		if s.typing {
			cursor = e.Theme.Accent.Render("_")
		}
		what += "  " + e.Theme.Accent.Render("/") + " " + e.Theme.Strong.Render(e.Glyphs.CutStart(s.query.Words, max(width/2, 8))) + cursor
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

// historyColumns are the widths of the columns, gaps included; 0 without room.
type historyColumns struct{ number, at, agent, graph, tool, what, result int }

// columns returns widths that fit the texts. Without room the number goes, then agent
// and graph, which stand below the list as well.
func (s *historyScreen) columns(width int) historyColumns {
	const gap = 2
	f := &s.feed
	c := historyColumns{at: 12 + gap, agent: f.agent + gap, graph: f.graph + gap, tool: min(max(f.tool, 4), 24) + gap, result: f.result + 2}
	if s.allOfToday() {
		c.at = 8 + gap
	}
	most := 22
	if width < 100 {
		most = 16
	}
	c.agent, c.graph = min(max(c.agent, 5+gap), most), min(max(c.graph, 5+gap), most)
	if s.query.Graph != (history.Graph{}) {
		c.graph = 0
	}
	rest := kit.RowWidth(width)
	if width >= 100 {
		c.number = max(len(fmt.Sprint(s.feed.calls[0].ID)), 3) + gap
	}
	if width < 76 {
		c.agent, c.graph, c.tool = 0, 0, min(c.tool, 16)
	}
	rest -= c.number + c.at + c.agent + c.graph + c.tool
	const leastName, leastWhat, leastResult = 10, 18, 9 // “● running”
	c.result = min(max(c.result, leastResult), max(rest-leastWhat-gap, leastResult))
	for _, column := range []*int{&c.agent, &c.graph, &c.tool} {
		if missing := leastWhat + gap + c.result - rest; missing > 0 && *column > leastName {
			given := min(missing, *column-leastName)
			*column, rest = *column-given, rest+given
		}
	}
	c.what = rest - c.result
	return c
}

// allOfToday reports whether the calls in sight are all of today, which is short to
// say.
func (s *historyScreen) allOfToday() bool {
	last := min(s.window.from+s.window.height, len(s.feed.calls)) - 1
	return last < 0 || !s.feed.calls[last].At.Before(StartOfDay(s.env.now))
}

// list returns the heading and the calls around the chosen one.
func (s *historyScreen) list(width, height int) []string {
	e, f := s.env, &s.feed
	at, rows := s.selected(), max(height-1, 1)
	from := 0
	if s.chosen != 0 {
		from = max(min(max(at-s.anchor, at-rows+1), at, len(f.calls)-rows), 0)
	}
	s.window = listWindow{from: from, height: rows}
	columns := s.columns(width)
	out := []string{e.Theme.Faint.Render(columns.line(e, "   ", "NO.", "TIME", "AGENT", "GRAPH", "TOOL", "WHAT", "RESULT"))}
	to := min(from+rows, len(f.calls))
	for i, line := range f.lines(from, to, e) {
		out = append(out, e.Row(s.row(line, f.calls[from+i], columns), width, from+i == at))
	}
	if rows < minMore {
		return out
	}
	if from > 0 && at > from {
		out[1] = "   " + e.Theme.Faint.Render(fmt.Sprintf("%s %d newer", e.Glyphs.Up, from+1))
	}
	if left := len(f.calls) - to; (left > 0 || f.more) && at < to-1 && to-from == rows {
		text := fmt.Sprintf("%s %d older", e.Glyphs.Down, left+1)
		if f.more {
			text = e.Glyphs.Down + " older ones"
		}
		out[len(out)-1] = "   " + e.Theme.Faint.Render(text)
	}
	return out
}

func (c historyColumns) line(e *env, bar, number, at, agent, graph, tool, what, result string) string {
	cell := func(text string, width int) string {
		if width == 0 {
			return ""
		}
		return e.Glyphs.Fit(e.Glyphs.Cut(text, width-2), width)
	}
	return bar + cell(number, c.number) + cell(at, c.at) + cell(agent, c.agent) + cell(graph, c.graph) + cell(tool, c.tool) + cell(what, c.what) + e.Glyphs.Cut(result, c.result)
}

// row returns the text of the row of a call.
func (s *historyScreen) row(line review.Line, call history.Call, c historyColumns) string {
	e, t := s.env, s.env.Theme
	sign := e.markSign(line.Result.Mark)
	word := ""
	for _, term := range termsOf(s.query.Words) {
		if term.field == "" {
			word = term.text
		}
	}
	cell := func(text string, width int) string {
		if width == 0 {
			return ""
		}
		text = e.Glyphs.Cut(kit.Sanitize(text), width-2)
		from, to := kit.FindFolded(text, word, configstore.FoldNickname)
		return e.Glyphs.FitMarked(text, width, from, to, t.Text, e.foundStyle())
	}
	what := line.Summary
	if what == "" && call.TextsGone {
		what = "texts not kept"
	}
	result := sign.Style.Render(e.Glyphs.Fit(sign.Glyph+" "+kit.Sanitize(line.Result.Words), c.result))
	at := t.Muted.Render(e.Glyphs.Fit(historyClock(call.At, e.now), c.at))
	if c.number > 0 {
		at = t.Muted.Render(e.Glyphs.Fit(fmt.Sprint(line.Number), c.number)) + at
	}
	return at + cell(line.Agent, c.agent) + cell(line.Graph, c.graph) + cell(line.Tool, c.tool) + cell(what, c.what) + result
}
