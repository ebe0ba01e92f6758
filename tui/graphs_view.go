package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// detailsWidth returns the width of the column of details beside the list; 0 without room
// for it.
func detailsWidth(width int) int {
	const list = 70 // what the list keeps
	if width < wideWidth {
		return 0
	}
	return min(52, max(width-list-8, 40))
}

func (s *graphList) view(width, height int) []string {
	beside := detailsWidth(width)
	if beside == 0 {
		return s.viewNarrow(width, height)
	}
	// Everything known of the selected graph stands beside the list.
	e, main := s.env, width-beside
	lines := e.Glyphs.Fill(s.drawList(main, height), main, height)
	rows, at := s.rowsAndSelected()
	if at < 0 {
		return lines
	}
	return e.withDetails(lines, s.details(rows[at], beside-detailsAround, height), main, height)
}

// detailsAround is what of the width of the details is not theirs: a rule, the gap behind
// it, and a margin.
const detailsAround = 3

// details returns everything known of the selected graph, or of the marked ones.
func (s *graphList) details(r row, width, height int) []string {
	e := s.env
	title, facts := r.DisplayName(), e.facts(r, width)
	if len(s.marksLike(r)) > 0 {
		title, facts = markedTitle(s.marksLike(r)), s.markedFacts(r, width, height-2)
	}
	return append(append(kit.WrapStyled(e.Theme.Strong, title, width), ""), facts...)
}

// viewNarrow returns the list with a summary of the selected graph below it.
func (s *graphList) viewNarrow(width, height int) []string {
	rows, at := s.rowsAndSelected()
	if at < 0 || height < 10 {
		return s.drawList(width, height)
	}
	below := s.summary(rows[at], width)
	listHeight := height - len(below) - 1
	if listHeight < len(s.notices(width))+minListHeight {
		return s.drawList(width, height)
	}
	e := s.env
	lines := e.Glyphs.Fill(s.drawList(width, listHeight), width, listHeight)
	return append(append(lines, ""), below...)
}

// summary returns what stands below the list of the selected graph. A nickname that its
// column cuts is there whole.
func (s *graphList) summary(r row, width int) []string {
	e := s.env
	const longest = 24 // before the first sentence
	name, sentences := r.DisplayName(), e.words.Summary(e.roster, r.Graph, e.now)
	if len(s.marksLike(r)) > 0 {
		name, sentences = markedTitle(s.marksLike(r)), []string{markedSentence(r)}
	}
	var below []string
	if ansi.StringWidth(name) > longest {
		below, name = e.Glyphs.Clamp(kit.Wrap(name, width-2), 2, width-2), ""
		below = kit.Indent(kit.Styled(e.Theme.Strong, below), 1)
	}
	for _, sentence := range sentences {
		lead, room := "", width-2
		if name != "" {
			lead = e.Theme.Strong.Render(name) + e.Theme.Muted.Render("  "+e.Glyphs.Dot+"  ")
			room -= ansi.StringWidth(lead)
			name = ""
		}
		for _, line := range e.Glyphs.Clamp(kit.Wrap(sentence, room), 2, room) {
			below = append(below, " "+lead+e.Theme.Muted.Render(line))
			lead = strings.Repeat(" ", ansi.StringWidth(lead))
		}
	}
	return below
}

// minListHeight is the height that the list keeps.
const minListHeight = 4

// drawList returns the notices, the filter, and the window of the list.
func (s *graphList) drawList(width, height int) []string {
	e := s.env
	top := append(s.welcome(width, height), s.notices(width)...)
	if s.list.Filter.On() {
		top = append(top, e.FilterLine(s.list.Filter, width), "")
	}
	// The list stays in sight however much is wrong.
	if most := max(height-minListHeight, 0); len(top) > most {
		top = append(top[:max(most-1, 0)], "   "+e.Theme.Faint.Render(e.Glyphs.Ellipsis))
	}
	if rows, _ := s.rowsAndSelected(); len(rows) == 0 {
		return append(top, s.empty(width)...)
	}
	if len(e.roster.Config.Entries) == 0 && e.roster.ConfigErr == nil && s.list.Filter.Text == "" {
		if empty := append(s.empty(width), ""); len(top)+len(empty) <= height-minListHeight {
			top = append(top, empty...)
		}
	}
	return append(top, s.drawWindow(len(top), width, height-len(top))...)
}

// notices returns what is wrong with Roam or the configuration, and what to do.
func (s *graphList) notices(width int) []string {
	e := s.env
	var out []string
	add := func(glyph, text string) {
		out = append(out, kit.Hang(" "+glyph+" ", kit.Wrap(text, min(width-5, kit.ProseWidth)))...)
	}
	for i, text := range e.words.Problems(e.roster) {
		add(e.Theme.Warning.Render(e.Glyphs.Warning), text)
		if i == 0 { // the error of the configuration is the first of them
			out = append(out, kit.Indent(e.excerpt(e.roster.ConfigErr, min(width-5, kit.ProseWidth)), 3)...)
		}
	}
	if err := e.roster.Roam.Err; err != nil {
		what, todo := e.words.Explain(err)
		add(e.Theme.Warning.Render(e.Glyphs.Warning), what)
		if todo != "" {
			add(" ", todo)
		}
		goesOn := "This screen goes on by itself when Roam answers."
		if problem.CodeOf(err) == localapi.CodeConnectionFailed && e.ports.OpenRoam != nil && !e.options.Sandbox {
			goesOn = "o opens Roam; this screen goes on by itself when Roam answers."
		}
		add(" ", goesOn)
	}
	if len(out) > 0 {
		out = append(out, "")
	}
	return out
}
