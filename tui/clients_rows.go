package tui

import (
	"fmt"
	"slices"
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
	list := s.drawList(len(top), width, max(room, 1))
	return append(append(top, list...), below...)
}

// wide returns the list where its details stand beside it.
func (s *clientsScreen) wide(width, height int) []string {
	top := s.heading(width, height)
	return append(top, s.drawList(len(top), width, max(height-len(top), 1))...)
}

// heading asks the question that the list answers, and says what clients are given.
func (s *clientsScreen) heading(width, height int) []string {
	e := s.env
	given := e.Theme.Muted.Render("They get ") + e.Theme.Text.Render(ChoiceText(s.choice, s.profileName())) + e.Theme.Muted.Render(".")
	lines := []string{" " + e.Theme.Strong.Render(AboutClients)}
	if height >= kit.RoomyHeight {
		lines = append(lines, e.Glyphs.Cut(" "+given, width))
	}
	if s.list.Filter.On() {
		return append(lines, e.FilterLine(s.list.Filter, width))
	}
	return append(lines, "")
}

// drawList returns the rows with what was done below them, in exactly height lines, and at the
// end how many clients are not listed. top is the line of the screen that they begin at.
func (s *clientsScreen) drawList(top, width, height int) []string {
	e, rows := s.env, s.rows()
	if text := s.list.Filter.Text; len(rows) == 0 && text != "" {
		return e.Glyphs.Fill(kit.Paragraph(e.Theme.Muted, "No client has “"+text+"” in its name. esc shows all of them.", width), width, height)
	}
	if len(rows) == 0 {
		text := "No MCP client that this program knows is on this machine. a lists them all; y copies what one would be told."
		return e.Glyphs.Fill(kit.Paragraph(e.Theme.Muted, text, width), width, height)
	}
	sections := []kit.Section{{Rows: len(rows)}}
	if others := len(s.all) - len(s.listed()); others > 0 {
		text := fmt.Sprintf("%d more are known, and not on this machine.", others)
		if others == 1 {
			text = "1 more is known, and not on this machine."
		}
		sections = append(sections, kit.Section{Title: strings.Repeat(" ", kit.RowIndent) + e.Theme.Faint.Render(e.Glyphs.Cut(text, width-6))})
	}
	jobs, lines := s.jobsOf(rows, width, false)
	if lines+len(sections) > height {
		jobs, _ = s.jobsOf(rows, width, true)
	}
	table := kit.NewTable(kit.Column{}, kit.Column{}, kit.Column{Narrow: 16, Drops: 1, Grows: true, TheEnd: true})
	cells := make([][]string, len(rows))
	for i, status := range rows {
		cells[i] = s.cells(status)
		table.Measure(cells[i]...)
	}
	layout := table.In(e.Glyphs, kit.RowWidth(width))
	return e.Glyphs.Fill(s.list.View(e.Look, kit.ListView{
		Top: top, Sections: sections,
		Height: func(i int) int { return 1 + len(jobs[i]) },
		Row: func(i int, selected bool) []string {
			return append([]string{e.Row(layout.Line(cells[i]...), width, selected)}, jobs[i]...)
		},
	}, width, height), width, height)
}

// jobsOf returns what was done with each client, and how many lines the list has with that.
func (s *clientsScreen) jobsOf(rows []install.Status, width int, short bool) (jobs [][]string, lines int) {
	told := once{}
	for _, status := range rows {
		var said []string
		if job := s.jobs[status.Client.ID]; job != nil {
			said = kit.Indent(s.jobLines(status, job, width-kit.RowIndent-6, short, told), kit.RowIndent+4)
		}
		jobs, lines = append(jobs, said), lines+1+len(said)
	}
	return jobs, lines
}

// cells returns the row of a client.
func (s *clientsScreen) cells(status install.Status) []string {
	e, t := s.env, s.env.Theme
	mark, name := "[ ] ", t.Text
	switch {
	case status.State == clients.Absent:
		mark, name = "    ", t.Faint
	case slices.Contains(s.chosen, status.Client.ID):
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
	return []string{
		mark + name.Render(status.Client.Name), sign.Style.Render(sign.Glyph) + " " + text.Render(state.Text),
		t.Faint.Render(e.words.Path(status.File)),
	}
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
