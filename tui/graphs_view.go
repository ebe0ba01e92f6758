package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// detailsWidth is from where on the list leaves room for details beside it.
const detailsWidth = 130

// columns are the widths of the list's columns; kind is 0 where there is no room
// for it.
type columns struct{ nickname, name, kind, access, state int }

func columnsFor(width int) columns {
	c := columns{kind: 7, access: 13, state: 15}
	rest := width - 4 - c.kind - c.access - c.state - 8
	if rest < 30 {
		rest += c.kind + 2
		c.kind = 0
	}
	c.nickname = min(rest*2/5, 28)
	c.name = min(rest-c.nickname, 48)
	return c
}

func (s *graphs) view(width, height int) []string {
	e := s.env
	if width < detailsWidth {
		return s.narrow(width, height)
	}
	// Beside the list there is room for all that is known of the selected graph.
	beside := sideWidth(width)
	main := width - beside
	lines := e.glyphs.fill(s.list(main, height), main, height)
	rows, at := s.current()
	if at < 0 {
		return lines
	}
	side := e.box(rows[at].nameOf(), e.facts(rows[at], beside-5), beside-1)
	for i, line := range side {
		if i < len(lines) {
			lines[i] = e.glyphs.fit(lines[i], main) + line
		}
	}
	return lines
}

// narrow puts the summary of the selected graph under the list.
func (s *graphs) narrow(width, height int) []string {
	e := s.env
	rows, at := s.current()
	if at < 0 || height < 10 {
		return s.list(width, height)
	}
	name := e.glyphs.cut(rows[at].nameOf(), 24)
	var below []string
	for i, sentence := range e.summary(rows[at]) {
		lead, room := "", width-2
		if i == 0 {
			lead = e.theme.strong.Render(name) + e.theme.muted.Render("  "+e.glyphs.dot+"  ")
			room -= ansi.StringWidth(lead)
		}
		for j, line := range wrap(sentence, room) {
			if j == 2 {
				break
			}
			below = append(below, " "+lead+e.theme.muted.Render(line))
			lead = strings.Repeat(" ", ansi.StringWidth(lead))
		}
	}
	listHeight := height - len(below) - 1
	lines := e.glyphs.fill(s.list(width, listHeight), width, listHeight)
	return append(append(lines, ""), below...)
}

// list draws what is the matter, then the window of rows around the selected one.
func (s *graphs) list(width, height int) []string {
	e := s.env
	top := s.notices(width)
	if s.filtering || s.filter != "" {
		top = append(top, s.filterLine(), "")
	}
	rows, at := s.current()
	if len(rows) == 0 {
		return append(top, s.empty(width)...)
	}
	if len(e.config.Entries) == 0 && e.configErr == nil && s.filter == "" {
		top = append(append(top, s.empty(width)...), "")
	}
	return append(top, s.window(rows, at, width, height-len(top))...)
}

func (s *graphs) filterLine() string {
	e := s.env
	cursor := ""
	if s.filtering {
		cursor = e.theme.accent.Render("_")
	}
	return " " + e.theme.accent.Render("/") + " " + e.theme.strong.Render(s.filter) + cursor
}

// notices say what is wrong with Roam or the configuration, and what to do.
func (s *graphs) notices(width int) []string {
	e := s.env
	var out []string
	add := func(glyph, text string) {
		for i, line := range wrap(text, min(width-5, proseWidth)) {
			lead := "   "
			if i == 0 {
				lead = " " + glyph + " "
			}
			out = append(out, lead+line)
		}
	}
	for _, problem := range e.problems() {
		add(e.theme.warning.Render(e.glyphs.less), problem)
	}
	if err := e.roam.err; err != nil {
		what, todo := explain(err)
		add(e.theme.warning.Render(e.glyphs.less), what)
		if todo != "" {
			add(" ", todo)
		}
		add(" ", "This screen goes on by itself when Roam answers.")
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	return out
}

// empty says how the list gets its first graph.
func (s *graphs) empty(width int) []string {
	e := s.env
	sentences := func(lines ...string) []string {
		out := []string{" " + e.theme.strong.Render(lines[0])}
		for _, line := range lines[1:] {
			for _, wrapped := range wrap(line, min(width-2, proseWidth)) {
				out = append(out, " "+wrapped)
			}
		}
		return out
	}
	n := len(e.rows(""))
	switch {
	case s.filter != "":
		return sentences("No graph has “"+s.filter+"” in its name.", "esc shows all of them.")
	case !e.configKnown || !e.roam.known:
		return sentences("Looking for Roam and your graphs" + e.glyphs.dots)
	case e.configErr != nil:
		return nil
	case n > 0:
		return sentences("No graph is connected yet.", "Roam lists "+plural(n, "graph")+". Press enter on one to connect it.")
	case e.roam.err != nil && e.ports.Official != nil:
		return sentences("No graph is connected yet.", "i takes over the graphs of the official tools, if you use them. Without Roam Desktop, try: roam-mcp --sandbox")
	case e.roam.err != nil:
		return sentences("No graph is connected yet.")
	}
	return sentences("No graph is connected yet, and Roam lists none.", "Sign in to Roam, or press c to ask for somebody's public graph by its name.")
}

// listLine is a line of the list: a row, or a heading or gap where there is none.
type listLine struct {
	text string
	row  int // -1 for none
}

// listLines lays out headings and rows, and tells the line of the selected one.
// Rows are drawn later, and only those in sight.
func (s *graphs) listLines(rows []row, at int, c columns) (lines []listLine, selected int) {
	e := s.env
	section := func(title string) {
		if len(lines) > 0 {
			lines = append(lines, listLine{row: -1})
		}
		lines = append(lines, listLine{text: " " + e.theme.strong.Render(title), row: -1})
	}
	for i, r := range rows {
		switch {
		case i == 0 && r.configured:
			section("Your graphs")
			heads := e.theme.faint.Render(s.cells(c, "NICKNAME", "GRAPH", "TYPE", "ACCESS", "STATE"))
			lines = append(lines, listLine{text: "   " + heads, row: -1})
		case i == 0 || !r.configured && rows[i-1].configured:
			section("In Roam, not connected")
		}
		if i == at {
			selected = len(lines)
		}
		lines = append(lines, listLine{row: i})
	}
	return lines, selected
}

func (s *graphs) cells(c columns, cells ...string) string {
	g := s.env.glyphs
	out := g.fit(cells[0], c.nickname) + "  " + g.fit(cells[1], c.name)
	if c.kind > 0 {
		out += "  " + g.fit(cells[2], c.kind)
	}
	return out + "  " + g.fit(cells[3], c.access) + "  " + g.fit(cells[4], c.state)
}

func (s *graphs) rowLine(r row, c columns, selected bool) string {
	e := s.env
	bar, text, strong := " ", e.theme.text, e.theme.text
	st := e.stateOf(r)
	style := st.style
	if selected {
		bar = e.theme.accent.Render(e.glyphs.bar)
		text, strong = text.Background(e.theme.colors.selection), e.theme.strong.Background(e.theme.colors.selection)
		style = style.Background(e.theme.colors.selection)
	}
	stateCell := style.Render(e.glyphs.fit(st.glyph+" "+st.word, c.state))
	if !r.configured {
		name := e.glyphs.fit(r.graph.Name, c.nickname+2+c.name)
		rest := ""
		if c.kind > 0 {
			rest = "  " + e.glyphs.fit(string(r.graph.Type), c.kind)
		}
		return " " + bar + strong.Render(" "+name) + text.Render(rest+strings.Repeat(" ", c.access+4)) + stateCell
	}
	level := ""
	if l := e.access(r); l != "" {
		level = l.Words()
	}
	middle := "  " + e.glyphs.fit(r.graph.Name, c.name)
	if c.kind > 0 {
		middle += "  " + e.glyphs.fit(string(r.graph.Type), c.kind)
	}
	middle += "  " + e.glyphs.fit(level, c.access) + "  "
	return " " + bar + strong.Render(" "+e.glyphs.fit(r.entry.Nickname, c.nickname)) + text.Render(middle) + stateCell
}

// window draws the part of the list around the selected line, with a word on
// what is above and below.
func (s *graphs) window(rows []row, at, width, height int) []string {
	e, c := s.env, columnsFor(width)
	lines, selected := s.listLines(rows, at, c)
	height = max(min(height, len(lines)), 0)
	from := min(max(selected-height/2, 0), len(lines)-height)
	out := make([]string, height)
	for i, line := range lines[from : from+height] {
		out[i] = line.text
		if line.row >= 0 {
			out[i] = s.rowLine(rows[line.row], c, line.row == at)
		}
	}
	if height > 0 && from > 0 && selected != from {
		out[0] = "   " + e.theme.faint.Render(e.glyphs.up+" more")
	}
	if height > 0 && from+height < len(lines) && selected != from+height-1 {
		out[height-1] = "   " + e.theme.faint.Render(e.glyphs.down+" more")
	}
	return out
}
