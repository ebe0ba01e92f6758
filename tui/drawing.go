package tui

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// drawing is how signs, sentences and texts are drawn, whatever the screen.
type drawing struct {
	kit.Look
	keys  keys
	words Wording
	now   time.Time
}

// spinner returns the sign of work under way. It turns once a second.
func (d *drawing) spinner() string { return d.Glyphs.SpinnerAt(d.now) }

// sign returns how the sign of a sentence is drawn.
func (d *drawing) sign(sign Sign) kit.Sign {
	g, t := d.Glyphs, d.Theme
	switch sign {
	case SignOff:
		return kit.NewSign(g.Off, "", t.Muted)
	case SignDone:
		return kit.NewSign(g.On, "", t.Success)
	case SignWarning:
		return kit.NewSign(g.Warning, "", t.Warning)
	case SignFailed:
		return kit.NewSign(g.Failed, "", t.Danger)
	case SignBusy:
		return kit.NewSign(d.spinner(), "", t.Accent)
	case SignStalled:
		return kit.NewSign(d.spinner(), "", t.Warning)
	case SignNone:
	}
	return kit.NewSign(g.None, "", t.Muted)
}

// signed returns a sentence behind its sign.
func (d *drawing) signed(line Line, width int) []string {
	sign := d.sign(line.Sign)
	if line.Sign == SignDone {
		sign.Glyph = d.Glyphs.Marked
	}
	return kit.Hang(sign.Style.Render(sign.Glyph)+" ", kit.Wrap(line.Text, max(width-2, 1)))
}

// markSign returns how a mark is drawn.
func (d *drawing) markSign(mark review.Mark) kit.Sign {
	g, t := d.Glyphs, d.Theme
	switch mark {
	case review.Done:
		return kit.NewSign(g.On, "", t.Success)
	case review.Failed:
		return kit.NewSign(g.Failed, "", t.Danger)
	case review.Unsure:
		return kit.NewSign(g.Warning, "", t.Warning)
	case review.Running:
		return kit.NewSign(d.spinner(), "", t.Accent)
	case review.NoMark:
	}
	return kit.NewSign(g.Dot, "", t.Muted)
}

// stateSign returns the sign and the word for the state of a graph.
func (d *drawing) stateSign(state manage.State) kit.Sign {
	glyphs, t := d.Glyphs, d.Theme
	glyph, style := glyphs.Off, t.Muted
	switch state {
	case manage.StateOpen:
		style = t.Text
	case manage.StateNotConnected, manage.StateNotOpen, manage.StateAPIDisabled, manage.StateRoamAway:
	case manage.StateDisabled:
		glyph = glyphs.None
	case manage.StateNoToken:
		glyph, style = glyphs.Warning, t.Warning
	case manage.StateRevoked:
		glyph, style = glyphs.Failed, t.Danger
	case manage.StateChecking:
		glyph = glyphs.Busy
	case manage.StateConnected:
		glyph, style = glyphs.On, t.Success
	case manage.StateUnchecked:
		glyph, style = glyphs.Warning, t.Warning
	}
	return kit.NewSign(glyph, state.String(), style)
}

// chosenMark is the sign of a chosen client.
func (d *drawing) chosenMark() string {
	if d.Glyphs.Marked == "✓" {
		return "x"
	}
	return d.Glyphs.Marked
}

// foundStyle is the style of what a filter has found.
func (d *drawing) foundStyle() lipgloss.Style {
	return d.Theme.Strong.Underline(true).Foreground(d.Theme.Colors.Accent)
}

// withDetails returns exactly height lines of a list that is main cells wide, with details
// behind a rule beside it.
func (d *drawing) withDetails(list, details []string, main, height int) []string {
	lines := d.Glyphs.Fill(list, main, height)
	for i := range lines {
		lines[i] = d.Glyphs.Fit(lines[i], main) + d.Theme.Border.Render(d.Glyphs.Border.Vertical) + " "
		if i < len(details) {
			lines[i] += details[i]
		}
	}
	return lines
}

// excerpt returns what stands at the place of an error in a file, and below it a mark at
// the fault; nothing where that is not known.
func (d *drawing) excerpt(err error, width int) []string {
	told, ok := problem.As(err)
	if !ok || told.Place == nil || told.Place.Text == "" {
		return nil
	}
	// The mark stays in sight however narrow the window is.
	text, mark := []rune(kit.Sanitize(told.Place.Text)), told.Place.Mark
	if over := mark - (width - 4); over > 0 && over < len(text) {
		text, mark = text[over:], mark-over
	}
	before := strings.Repeat(" ", ansi.StringWidth(string(text[:min(mark, len(text))])))
	return []string{d.Theme.Muted.Render(d.Glyphs.Cut(string(text), width)), before + d.Theme.Danger.Render("^")}
}

// errorNotice returns the notice of an error.
func (d *drawing) errorNotice(err error) notice {
	return notice{d.words.Error(err), noticeFailure}
}

// complain returns the action that shows an error.
func (d *drawing) complain(err error) action { return notify{d.errorNotice(err)} }
