package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

func (s *clientsScreen) view(width, height int) []string {
	e := s.env
	if e.ports.Clients == nil {
		return kit.Paragraph(e.Theme.Text, "No client can be configured from here.", width)
	}
	if !s.known {
		return []string{" " + e.Theme.Accent.Render(e.spinner()) + " " + e.Theme.Text.Render("Looking for MCP clients"+e.Glyphs.Ellipsis)}
	}
	if beside := detailsWidth(width); beside > 0 {
		main := width - beside
		return e.withDetails(s.wide(main, height), s.pane(beside, height), main, height)
	}
	top := s.heading(width, height)
	below := s.details(width, height)
	room := height - len(top) - len(below)
	if room < minListHeight {
		below, room = nil, height-len(top)
	}
	list := s.list(width, max(room, 1))
	return append(append(top, list...), below...)
}

// wide returns the list where its details stand beside it.
func (s *clientsScreen) wide(width, height int) []string {
	top := s.heading(width, height)
	return append(top, s.list(width, max(height-len(top), 1))...)
}

// heading asks the question that the list answers, and says what clients are given.
func (s *clientsScreen) heading(width, height int) []string {
	e := s.env
	given := e.Theme.Muted.Render("They get ") + e.Theme.Text.Render(ChoiceText(s.choice, s.profileName())) + e.Theme.Muted.Render(".")
	lines := []string{" " + e.Theme.Strong.Render(AboutClients)}
	if height >= kit.RoomyHeight {
		lines = append(lines, e.Glyphs.Cut(" "+given, width))
	}
	if s.filter.on() {
		return append(lines, e.filterLine(s.filter))
	}
	return append(lines, "")
}

// list returns the rows with what was done below them, in exactly height lines, the
// selected row in sight.
func (s *clientsScreen) list(width, height int) []string {
	e := s.env
	rows := s.rows()
	if len(rows) == 0 && s.filter.text != "" {
		return e.Glyphs.Fill(kit.Paragraph(e.Theme.Muted, "No client has “"+s.filter.text+"” in its name. esc shows all of them.", width), width, height)
	}
	if len(rows) == 0 {
		text := "No MCP client that this program knows is on this machine. a lists them all; y copies what one would be told."
		return e.Glyphs.Fill(kit.Paragraph(e.Theme.Muted, text, width), width, height)
	}
	long := s.lines(rows, width, false)
	if length(long) > height {
		long = s.lines(rows, width, true)
	}
	var lines []string
	from, to := 0, 0
	at := min(s.at, len(rows)-1)
	for i, block := range long {
		if i == at {
			from, to = len(lines), len(lines)+len(block)
		}
		lines = append(lines, block...)
	}
	if at == len(rows)-1 {
		to = len(lines) // with what stands at the end
	}
	s.offset = kit.Window(s.offset, from, to, len(lines), height)
	shown := e.Glyphs.Fill(lines[s.offset:], width, height)
	if more := len(lines) - s.offset - height; more > 0 {
		shown[height-1] = "   " + e.Theme.Faint.Render(e.Glyphs.Down+" "+kit.Plural(more+1, "more line"))
	}
	return shown
}

func length(blocks [][]string) (n int) {
	for _, block := range blocks {
		n += len(block)
	}
	return n
}

// lines returns each row with the lines below it, and at the end how many clients are not
// listed.
func (s *clientsScreen) lines(rows []install.Status, width int, short bool) [][]string {
	e := s.env
	columns, told := s.columns(rows, width), once{}
	var blocks [][]string
	for i, status := range rows {
		block := []string{e.Row(columns.line(s, status), width, i == s.at)}
		if job := s.jobs[status.Client.ID]; job != nil {
			block = append(block, kit.Indent(s.jobLines(status, job, width-kit.RowIndent-6, short, told), kit.RowIndent+4)...)
		}
		blocks = append(blocks, block)
	}
	if others := len(s.all) - len(s.listed()); others > 0 {
		text := fmt.Sprintf("%d more are known, and not on this machine.", others)
		if others == 1 {
			text = "1 more is known, and not on this machine."
		}
		blocks = append(blocks, []string{"", strings.Repeat(" ", kit.RowIndent) + e.Theme.Faint.Render(e.Glyphs.Cut(text, width-6))})
	}
	return blocks
}

// clientColumns are the widths of the columns.
type clientColumns struct{ name, state, where int }

func (s *clientsScreen) columns(rows []install.Status, width int) clientColumns {
	var c clientColumns
	for _, status := range rows {
		c.name = max(c.name, ansi.StringWidth(status.Client.Name))
		c.state = max(c.state, ansi.StringWidth(s.state(status).Text)+2)
	}
	const mark, gap = 4, 2
	left := kit.RowWidth(width) - mark - c.name - gap - c.state - gap
	if left >= 16 {
		c.where = left
	}
	return c
}

// line returns the row of a client.
func (c clientColumns) line(s *clientsScreen, status install.Status) string {
	e, t := s.env, s.env.Theme
	mark, name := "[ ] ", t.Text
	switch {
	case status.State == clients.Absent:
		mark, name = "    ", t.Faint
	case s.chosen[status.Client.ID]:
		mark = "[" + e.chosenMark() + "] "
	}
	state := s.state(status)
	sign := e.sign(state.Sign)
	text := t.Muted
	if state.Sign == SignWarning || state.Sign == SignFailed || state.Sign == SignDone {
		text = sign.Style
	}
	if status.State == clients.Absent {
		sign.Style, text = t.Faint, t.Faint
	}
	line := mark + name.Render(e.Glyphs.Fit(status.Client.Name, c.name)) + "  " + sign.Style.Render(sign.Glyph) + " " + text.Render(e.Glyphs.Fit(state.Text, c.state-2))
	if c.where > 0 {
		line += "  " + t.Faint.Render(e.Glyphs.CutStart(e.words.Path(status.File), c.where))
	}
	return line
}

// jobLines returns what was done with a client, and what to do next, less what was told of
// another one.
func (s *clientsScreen) jobLines(status install.Status, job *clientJob, width int, short bool, told once) []string {
	e := s.env
	text := min(width, kit.ProseWidth)
	var lines []string
	say := func(sign Sign, words string) {
		lines = append(lines, e.signed(Line{Sign: sign, Text: words}, text)...)
	}
	if job.written != "" && !(short && job.proving.succeeded()) {
		say(SignDone, job.written)
	}
	switch {
	case job.err != nil:
		say(SignFailed, e.words.Error(job.err))
	case job.queued:
		say(SignOff, "proven next")
	case job.proving.stage != notProven:
		lines = append(lines, job.proving.lines(e, text, short, told)...)
	}
	if called, first := s.called(status); first {
		say(SignDone, called)
		return lines
	}
	if next := NextAfterProofText(status.Client); job.proving.succeeded() && next != "" {
		lead := e.Theme.Accent.Render(e.Glyphs.Pointer) + " "
		lines = append(lines, kit.Hang(lead, kit.WrapStyled(e.Theme.Text, next, text-2))...)
	}
	return lines
}

// details says more of the selected client, where there is room.
func (s *clientsScreen) details(width, height int) []string {
	status, ok := s.selected()
	if !ok || height < kit.RoomyHeight {
		return nil
	}
	e := s.env
	var facts []string
	switch {
	case status.Err != nil:
		facts = append(facts, e.words.Error(status.Err))
	case status.State == clients.Absent:
		facts = append(facts, "It is not on this machine. y copies what it would be told.")
	}
	for _, entry := range status.Entries {
		facts = append(facts, e.words.Entry(entry))
	}
	if len(status.Beside) > 0 {
		facts = append(facts, "Beside it: "+strings.Join(status.Beside, ", ")+", of Roam's official tools.")
	}
	if called, _ := s.called(status); called != "" {
		facts = append(facts, problem.Sentence(called))
	}
	if len(facts) == 0 && status.File != "" {
		facts = append(facts, "Its file is "+e.words.Path(status.File)+".")
	}
	if len(facts) == 0 {
		return nil
	}
	head := e.Theme.Strong.Render(status.Client.Name) + e.Theme.Muted.Render("  "+e.Glyphs.Dot+"  ")
	lines := e.Glyphs.Clamp(kit.Wrap(strings.Join(facts, " "), width-4-ansi.StringWidth(head)), 3, width-4-ansi.StringWidth(head))
	return append([]string{""}, kit.Hang(" "+head, kit.Styled(e.Theme.Muted, lines))...)
}
