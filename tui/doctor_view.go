package tui

import (
	"strings"

	"roam-mcp/internal/clients/doctor"
	"roam-mcp/tui/kit"
)

const (
	// mostSubject is the widest that the first column is, with its sign.
	mostSubject = 28
	// leastFindings is how many lines the list keeps however much is said of one.
	leastFindings = 3
)

// view returns the verdict, the findings, and below them what the selected one means.
func (s *doctorScreen) view(width, height int) []string {
	e := s.env
	lines := []string{" " + s.verdict(), ""}
	if s.list.Filter.On() {
		lines[1] = e.FilterLine(s.list.Filter, width)
	}
	below := s.explanation(width)
	if most := max(height-len(lines)-leastFindings, 0); len(below) > most {
		below = append(below[:max(most-1, 0)], strings.Repeat(" ", kit.RowIndent)+e.Theme.Faint.Render(e.Glyphs.Ellipsis))
	}
	room := max(height-len(lines)-len(below), leastFindings)
	lines = append(lines, s.drawList(len(lines), width, room)...)
	if text := s.list.Filter.Text; s.list.Len() == 0 && text != "" {
		lines = append(lines, kit.Paragraph(e.Theme.Muted, "No finding has “"+text+"” in it. esc shows all of them.", width)...)
	}
	return append(e.Glyphs.Fill(lines, width, max(height-len(below), 0)), below...)
}

// verdict says in a line how all of it stands.
func (s *doctorScreen) verdict() string {
	e := s.env
	switch {
	case s.report == nil || s.mending || s.run != 0:
		word := "Looking"
		if s.mending {
			word = "Mending"
		}
		return e.Theme.Accent.Render(e.spinner()) + " " + e.Theme.Muted.Render(word+e.Glyphs.Ellipsis)
	case s.report.Well() && e.options.Sandbox:
		return e.Theme.Success.Render(e.Glyphs.On) + " " + e.Theme.Strong.Render("All is well in the sandbox. No graph of yours is in it.")
	case s.report.Well():
		return e.Theme.Success.Render(e.Glyphs.On) + " " + e.Theme.Strong.Render("All is well.")
	}
	var parts []string
	if n := s.report.Count(doctor.Failed); n > 0 {
		parts = append(parts, kit.Plural(n, "thing")+" failed")
	}
	if n := s.report.Count(doctor.Warning); n > 0 {
		parts = append(parts, kit.Plural(n, "thing")+" to be mended")
	}
	return e.Theme.Warning.Render(e.Glyphs.Warning) + " " + e.Theme.Strong.Render(strings.Join(parts, ", ")+".")
}

// drawList returns the findings around the selected one, in a line each.
func (s *doctorScreen) drawList(top, width, height int) []string {
	e, findings := s.env, s.listed()
	table := kit.NewTable(kit.Column{Max: mostSubject}, kit.Column{Narrow: 1})
	rows := make([][]string, len(findings))
	for i, f := range findings {
		sign, style := s.findingSign(f.Level), e.Theme.Muted
		if !f.Well() && f.Level != doctor.Skipped {
			style = e.Theme.Text
		}
		rows[i] = []string{sign.Style.Render(sign.Glyph) + " " + e.Theme.Text.Render(kit.Sanitize(f.Subject)), style.Render(kit.Sanitize(f.Found))}
		table.Measure(rows[i]...)
	}
	layout := table.In(e.Glyphs, kit.RowWidth(width))
	cells := func(i int) []string { return rows[i] }
	return s.list.View(e.Look, kit.ListView{Top: top, Row: e.Rows(layout, width, cells)}, width, height)
}

// findingSign returns the sign of a level.
func (s *doctorScreen) findingSign(level doctor.Level) kit.Sign {
	g, t := s.env.Glyphs, s.env.Theme
	switch level {
	case doctor.OK:
		return kit.NewSign(g.Marked, "", t.Success)
	case doctor.Note:
		return kit.NewSign(g.Dot, "", t.Muted)
	case doctor.Warning:
		return kit.NewSign(g.Warning, "", t.Warning)
	case doctor.Failed:
		return kit.NewSign(g.Failed, "", t.Danger)
	case doctor.Skipped:
	}
	return kit.NewSign(g.None, "", t.Faint)
}

// explanation says of the selected finding what was found, why it matters and what to do.
func (s *doctorScreen) explanation(width int) []string {
	e, inner := s.env, min(width-kit.RowIndent-1, kit.ProseWidth)
	f, ok := s.chosen()
	if !ok {
		return nil
	}
	lines := []string{""}
	add := func(style kit.Style, text string) {
		if text != "" {
			lines = append(lines, kit.Indent(kit.WrapStyled(style, text, inner), kit.RowIndent)...)
		}
	}
	add(e.Theme.Strong, kit.Sanitize(f.Subject))
	add(e.Theme.Text, kit.Sanitize(f.Found))
	if !f.Well() {
		lines = append(lines, s.excerptOf(f, inner)...)
		add(e.Theme.Muted, kit.Sanitize(f.Why))
	}
	if !f.Well() || f.Level == doctor.Note {
		add(e.Theme.Text, e.words.Todo(f.Todo))
	}
	return lines
}

// excerptOf returns what stands at the place of the configuration that a finding is about.
func (s *doctorScreen) excerptOf(f doctor.Finding, width int) []string {
	if f.Fix == nil || f.Fix.Go.Place != doctor.EditConfig || s.env.roster.ConfigErr == nil {
		return nil
	}
	return kit.Indent(s.env.excerpt(s.env.roster.ConfigErr, width), kit.RowIndent)
}
