package tui

import (
	"strings"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// factsWidth is the width of the facts beside the guidelines.
const factsWidth = 46

// renderedGuidelines are the lines of a text, with all that they depend on.
type renderedGuidelines struct {
	text       string
	width      int
	colors     kit.Palette
	colourless bool
	lines      []string
}

func (s *graphScreen) view(width, height int) []string {
	e := s.env
	r, ok := s.row()
	if !ok {
		return kit.Paragraph(e.Theme.Text, "This graph is no longer in "+e.words.ConfigPath()+".", width)
	}
	if width < wideWidth {
		inner := min(width-4, kit.ProseWidth)
		lines := append(e.facts(r, inner), "", s.guidelinesHeading(inner), "")
		return s.scroll.View(e.Look, kit.Indent(append(lines, s.guidelinesLines(r, inner)...), 1), height)
	}
	inner := min(width-factsWidth-6, kit.ProseWidth)
	right := append([]string{s.guidelinesHeading(inner), ""}, s.scroll.View(e.Look, s.guidelinesLines(r, inner), height-2)...)
	left := e.facts(r, factsWidth-2)
	return kit.Indent(e.Glyphs.SideBySide(left, right, factsWidth+2), 1)
}

// guidelinesHeading returns the headline, with how long Roam took on the right.
func (s *graphScreen) guidelinesHeading(width int) string {
	e := s.env
	right := ""
	switch s.guidelines.stage {
	case guidelinesReading:
		right = e.Theme.Accent.Render(e.spinner()) + e.Theme.Muted.Render(" reading"+s.readingFor())
	case guidelinesRead:
		right = e.Theme.Muted.Render("read in " + kit.ShortDuration(s.guidelines.took))
	case guidelinesUnread, guidelinesFailed:
	}
	return e.Glyphs.Between(e.Theme.Strong.Render("Guidelines for agents"), right, width)
}

// readingFor says how long a reading has taken, once that is two seconds.
func (s *graphScreen) readingFor() string {
	elapsed := s.env.now.Sub(s.guidelines.since)
	if elapsed < 2*time.Second {
		return ""
	}
	return ", " + kit.Clock(elapsed) + " so far"
}

// guidelinesLines returns the guidelines, or why there are none.
func (s *graphScreen) guidelinesLines(r row, width int) []string {
	e, g := s.env, &s.guidelines
	muted := func(text string) []string { return kit.WrapStyled(e.Theme.Muted, text, width) }
	switch {
	case g.stage == guidelinesReading && g.text == "":
		return muted("Reading the page [[roam/agent guidelines]] in Roam. Roam opens the graph where it is not open.")
	case g.stage == guidelinesFailed:
		what, todo := e.words.Explain(g.err)
		return append([]string{e.Theme.Danger.Render(e.Glyphs.Failed) + " " + e.Theme.Text.Render("They could not be read.")}, muted(what+" "+todo)...)
	case g.stage == guidelinesUnread && e.roster.Revoked(r.Entry):
		return muted("They can't be read without a token. r asks for a new one.")
	case g.stage == guidelinesUnread && e.roster.Roam.Err != nil:
		return muted("They are read once Roam is there.")
	case g.stage == guidelinesUnread && !r.Open:
		return muted("The graph is not open in Roam. enter reads them, and Roam opens the graph for that.")
	case g.stage == guidelinesUnread:
		return muted("Not read yet.")
	case strings.TrimSpace(g.text) == "":
		return append(muted("This graph has none. They tell agents how you want it read and written: what names and tags mean, where notes go, what to leave alone."), s.howToWrite(width)...)
	}
	colors := e.Theme.Colors
	if d := g.rendered; d.text != g.text || d.width != width || d.colors != colors || d.colourless != e.Colourless {
		g.rendered = renderedGuidelines{g.text, width, colors, e.Colourless, e.Markdown(g.text, width)}
	}
	return g.rendered.lines
}

// howToWrite returns how guidelines are written, with an example.
func (s *graphScreen) howToWrite(width int) []string {
	e := s.env
	lines := append([]string{""}, kit.WrapStyled(e.Theme.Text, "To write some, make a page of this name in Roam and fill it with blocks:", width)...)
	lines = append(lines, "")
	return append(lines, kit.Indent(e.Markdown(strings.Join([]string{
		"[[roam/agent guidelines]]",
		"- Dated notes go on the daily page; tag what you add with #inbox",
		"- A task starts with `{{[[TODO]]}}` and links the person who has it",
		"- Search before you make a page",
		"- Ask before you delete, move or rename anything",
	}, "\n"), width-2), 2)...)
}

// scopes returns which of the three scopes a level includes.
func (d *drawing) scopes(level localapi.AccessLevel) string {
	if !level.Known() {
		return ""
	}
	sign := func(has bool, word string) string {
		if has {
			return d.Theme.Success.Render(d.Glyphs.On) + " " + d.Theme.Text.Render(word)
		}
		return d.Theme.Muted.Render(d.Glyphs.None + " no " + word)
	}
	return strings.Join([]string{sign(true, "read"), sign(level.CanAppend(), "append"), sign(level.CanEdit(), "edit")}, "   ")
}

// facts returns all that is known of a graph, each fact with a label.
func (e *env) facts(r row, width int) []string {
	const label = 10
	var out []string
	add := func(name, value string, style kit.Style) {
		out = append(out, e.Labelled(e.Theme.Muted, name, label, kit.WrapStyled(style, value, width-label))...)
	}
	st := e.stateSign(e.roster.State(r.Graph))
	add("State", st.Glyph+" "+st.Word, st.Style)
	add("Graph", r.Name, e.Theme.Text)
	kind := map[localapi.GraphType]string{
		localapi.Hosted: "hosted by Roam", localapi.Offline: "offline, on this machine",
	}[r.Type]
	if r.Open {
		kind += ", open now"
	}
	add("Type", kind, e.Theme.Text)
	if !r.Connected {
		out = append(out, "")
		for _, sentence := range e.words.Summary(e.roster, r.Graph, e.now)[1:] {
			out = append(out, kit.WrapStyled(e.Theme.Muted, sentence, width)...)
		}
		return out
	}
	level := e.roster.AccessLevel(r.Entry)
	add("Access", level.Words(), e.Theme.Text)
	if level.Known() {
		add("", "Agents can "+level.Explain()+".", e.Theme.Muted)
		out = append(out, e.Theme.Muted.Render(e.Glyphs.Fit("Scopes", label))+e.scopes(level))
	}
	if e.options.HistoryFolder != "" {
		add("History", KeptTextsText(e.roster.Config, r.Entry), e.Theme.Text)
	}
	out = append(out, "")
	out = append(out, kit.WrapStyled(e.Theme.Muted, e.words.Token(e.roster, r.Entry, e.now), width)...)
	if r.Entry.Disabled {
		out = append(out, kit.WrapStyled(e.Theme.Muted, "Disabled: agents don't see this graph.", width)...)
	}
	return append(out, kit.WrapStyled(e.Theme.Muted, "Kept in "+e.words.ConfigPath()+".", width)...)
}
