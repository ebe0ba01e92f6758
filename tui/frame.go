package tui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/tui/kit"
)

const (
	minWidth  = 60
	minHeight = 16
	// wideWidth is the least width in which things stand side by side.
	wideWidth = 110
	// viewsWidth is the least width in which the header names the views.
	viewsWidth = 80
	// brandWidth is the least width in which the program's name is beside them.
	brandWidth = 120
)

// sideWidth returns the width of the column beside the screen, its gap included. The
// screen keeps 64 cells.
func sideWidth(width int) int { return min(52, width-64) }

// lines returns the frame: the header, the screen with the panel beside or below it,
// a notice, and the keys.
func (r *root) lines() []string {
	width, height := r.size()
	e := r.env
	if r.tooSmall() {
		return r.tooSmallView(width, height)
	}
	foot := r.footer(width, height)
	body := r.body(width, height-headerLines-len(foot))
	// Once drawn, the screen knows whether it scrolls, which is one key more.
	before := len(foot)
	if foot = r.footer(width, height); len(foot) != before {
		body = r.body(width, height-headerLines-len(foot))
	}
	lines := append([]string{r.header(width), ""}, body...)
	lines = e.Glyphs.Fill(append(lines, foot...), width, height)
	for i, line := range lines {
		lines[i] = kit.Drawn(line, r.signs)
	}
	return lines
}

// signs replaces the signs that the terminal lacks.
func (r *root) signs(line string) string {
	line = r.env.Glyphs.Transliterate(line)
	if !r.knowsClusters {
		line = kit.StableWidth(line)
	}
	return line
}

// tooSmallView asks for more room. It shows what ctrl+c warns of, too.
func (r *root) tooSmallView(width, height int) []string {
	e := r.env
	lines := kit.WrapStyled(e.Theme.Strong, "roam-mcp needs more room.", width)
	lines = append(lines, kit.Wrap(fmt.Sprintf("%dx%d at least; this is %dx%d.", minWidth, minHeight, width, height), width)...)
	last := "Make the window larger; ctrl+c quits."
	if r.quitAfterWrites || r.notice.kind == noticeFailure {
		last = r.notice.text
	}
	return e.Glyphs.Fill(append(lines, kit.Wrap(last, width)...), width, height)
}

func (r *root) body(width, height int) []string {
	g := r.env.Glyphs
	if !r.panel.visible() {
		return r.stacked(width, height)
	}
	hasKeys := r.panelTakesKeys()
	if width < wideWidth {
		box := kit.Indent(r.panel.view(width-2, hasKeys), 1)
		above := max(height-len(box), 0)
		return append(r.stacked(width, above), box...)
	}
	side := sideWidth(width)
	main := width - side
	lines := r.stacked(main, height)
	for i, line := range r.panel.view(side-1, hasKeys) {
		if i < len(lines) {
			lines[i] = g.Fit(lines[i], main) + line
		}
	}
	return lines
}

// stacked returns the top screen in exactly height lines. A dialog covers the screen below
// it.
func (r *root) stacked(width, height int) []string {
	return r.stackedTo(len(r.stack)-1, width, height)
}

// stackedTo is stacked without the screens above an index.
func (r *root) stackedTo(index, width, height int) []string {
	s, e := r.stack[index], r.env
	if s.mode().dialog && index > 0 {
		return e.Overlay(r.stackedTo(index-1, width, height), s.view(width, height), width, height)
	}
	return e.Glyphs.Fill(s.view(width, height), width, height)
}

// under returns the top screen that is no dialog. The first screen is none.
func (r *root) under() screen {
	for i := len(r.stack) - 1; i > 0; i-- {
		if !r.stack[i].mode().dialog {
			return r.stack[i]
		}
	}
	return r.stack[0]
}

// minBodyHeight is the height that the screen keeps below a long notice.
const minBodyHeight = 4

// footer returns the notice and the keys.
func (r *root) footer(width, height int) []string {
	e := r.env
	lines := []string{""}
	if r.notice.text != "" {
		style, glyph := e.Theme.AccentMuted, e.Glyphs.Dot
		switch r.notice.kind {
		case noticeSuccess:
			style, glyph = e.Theme.Success, e.Glyphs.On
		case noticeFailure:
			style, glyph = e.Theme.Warning, e.Glyphs.Warning
		case noticeInfo:
		}
		const around = 3 // a gap above and two lines of keys
		text := e.Glyphs.Clamp(kit.Wrap(r.notice.text, width-4), height-headerLines-minBodyHeight-around, width-4)
		lines = append(lines, kit.Hang(" "+style.Render(glyph)+" ", kit.Styled(e.Theme.Text, text))...)
	}
	if r.top().mode().typing { // there is no menu, and there are few keys
		return append(lines, e.KeyLines(r.top().keys(), width)...)
	}
	return append(lines, e.KeyLine(r.shownKeys(), width))
}

// mostKeys is how many keys of a screen its key line shows, that which leaves the screen
// included. The menu shows all.
const mostKeys = 5

// shownKeys returns the keys of the key line: the first ones of the top screen, then that
// which leads out of it, and the menu.
func (r *root) shownKeys() []key.Binding {
	k, others := r.env.keys, r.top().keys()
	var leave []key.Binding
	if i := slices.IndexFunc(others, func(b key.Binding) bool { return slices.Equal(b.Keys(), k.esc.Keys()) }); i >= 0 {
		leave, others = others[i:i+1], slices.Concat(others[:i], others[i+1:])
	} else if len(r.stack) == 1 {
		leave = []key.Binding{k.quit}
	}
	first := others[:min(len(others), mostKeys-1)]
	return slices.Concat(first, leave, []key.Binding{k.help})
}

// viewsHeader returns the header with the names of the views. That which is looked at has a
// bar, and the title of what lies above it; those that need a look have a mark. Where there
// is no room for all, the state of Roam is shorter, then the title.
func (r *root) viewsHeader(width int) string {
	e := r.env
	title := ""
	if s := r.under(); s != r.stack[0] && s != r.views.kept[r.views.of(r.stack)] {
		title = s.title()
	}
	if width >= brandWidth {
		brand := " " + e.Theme.Accent.Render("roam-mcp") + "  "
		return r.besideStatus(brand+r.viewsLine(title), width)
	}
	if over := ansi.StringWidth(r.viewsLine(title)) + 1 - width; over > 0 {
		title = e.Glyphs.Cut(title, max(ansi.StringWidth(title)-over, 1))
	}
	return r.besideStatus(r.viewsLine(title), width)
}

// viewsLine returns the names of the views.
func (r *root) viewsLine(title string) string {
	e, t, current := r.env, r.env.Theme, r.views.of(r.stack)
	digit := t.Faint
	if r.leadsAway(r.top()) {
		digit = t.Accent
	}
	line := ""
	for v, name := range viewNames() {
		bar, style := " ", t.Muted
		if view(v) == current {
			bar, style = t.Accent.Render(e.Glyphs.Bar), t.Strong
		}
		if line != "" {
			line += " "
		}
		line += bar + digit.Render(e.keys.views[v].Help().Key) + " " + style.Render(name)
		if r.views.needsLook(view(v)) {
			line += " " + t.Warning.Render(e.Glyphs.Warning)
		}
		if view(v) == current && title != "" {
			line += t.Faint.Render(" "+e.Glyphs.Pointer+" ") + t.Strong.Render(title)
		}
	}
	return line
}

// statusGap is how far the state of Roam stands behind the names of the views at least.
const statusGap = 3

// besideStatus returns a header with as much of the server and of Roam on its right as there
// is room for.
func (r *root) besideStatus(left string, width int) string {
	e := r.env
	ends := []string{e.roam.status(), e.roam.shortStatus(), e.roam.sign()}
	if chip := e.serving.chip(); chip != "" {
		ends = append([]string{chip + "   " + e.roam.status(), chip + "   " + e.roam.sign()}, e.serving.shortChips()...)
	}
	for _, end := range ends {
		if ansi.StringWidth(left)+statusGap+ansi.StringWidth(end)+1 <= width {
			return e.Glyphs.Between(left, end+" ", width)
		}
	}
	return e.Glyphs.Fit(left, width)
}

// inView reports whether the screens belong to a view, whatever dialog is open.
func (r *root) inView() bool {
	return !slices.ContainsFunc(r.stack, func(s screen) bool {
		return !s.mode().dialog && !s.mode().inView
	})
}

// header returns the line with the screen's title, the chip, and the state of Roam.
func (r *root) header(width int) string {
	if width >= viewsWidth && r.inView() {
		return r.viewsHeader(width)
	}
	e := r.env
	left := " " + e.Theme.Accent.Render("roam-mcp")
	if title := r.under().title(); title != "" {
		left += e.Theme.Faint.Render("  "+e.Glyphs.Pointer+"  ") + e.Theme.Strong.Render(title)
	}
	status := e.roam.status()
	right := status
	if chip := e.serving.chip(); chip != "" {
		right = chip + "   " + status
		if ansi.StringWidth(left)+ansi.StringWidth(right)+4 > width && e.roster.Roam.Answers() {
			right = chip // that Roam runs goes without saying
		}
	}
	return e.Glyphs.Between(left, right+" ", width)
}
