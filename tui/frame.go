package tui

import (
	"fmt"

	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

const (
	minWidth  = 60
	minHeight = 16
	// wideWidth is the least width in which things stand side by side.
	wideWidth = 110
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
		lines[i] = e.Glyphs.Transliterate(line)
		if !r.knowsClusters {
			lines[i] = kit.StableWidth(lines[i])
		}
	}
	return lines
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
	s, g := r.top(), r.env.Glyphs
	if !r.panel.visible() {
		return g.Fill(s.view(width, height), width, height)
	}
	hasKeys := r.panelTakesKeys()
	if width < wideWidth {
		box := kit.Indent(r.panel.view(width-4, hasKeys), 2)
		above := max(height-len(box), 0)
		return append(g.Fill(s.view(width, above), width, above), box...)
	}
	side := sideWidth(width)
	main := width - side
	lines := g.Fill(s.view(main, height), main, height)
	for i, line := range r.panel.view(side-1, hasKeys) {
		if i < len(lines) {
			lines[i] = g.Fit(lines[i], main) + line
		}
	}
	return lines
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
	bindings := r.top().keys()
	if _, helping := r.top().(*helpScreen); !helping && !r.top().mode().typing {
		bindings = append(bindings[:len(bindings):len(bindings)], e.keys.help)
		if len(r.stack) == 1 {
			bindings = append(bindings, e.keys.quit)
		}
	}
	return append(lines, e.KeyLine(bindings, width)...)
}

// header returns the line with the screen's title and the state of Roam.
func (r *root) header(width int) string {
	e := r.env
	left := " " + e.Theme.Accent.Render("roam-mcp")
	if title := r.top().title(); title != "" {
		left += e.Theme.Faint.Render("  "+e.Glyphs.Pointer+"  ") + e.Theme.Strong.Render(title)
	}
	return e.Glyphs.Between(left, e.roamStatus(len(r.stack) == 1)+" ", width)
}

// roamStatus returns Roam's state in a few words; if full, with the version of its
// API.
func (e *env) roamStatus(full bool) string {
	name, roam := e.Theme.Muted.Render(e.words.Roam())+" ", e.roster.Roam
	switch {
	case !roam.Known:
		return name + e.Theme.Muted.Render(e.Glyphs.Busy+" looking")
	case roam.Err == nil:
		where := roam.Address
		if full && roam.Version != "" {
			where += " " + e.Glyphs.Dot + " API " + e.Glyphs.Cut(kit.Sanitize(roam.Version), 12)
		}
		return name + e.Theme.Success.Render(e.Glyphs.On) + " " + e.Theme.Muted.Render(where)
	}
	switch problem.CodeOf(roam.Err) {
	case localapi.CodeDisabled:
		return name + e.Theme.Warning.Render(e.Glyphs.Warning+" Local API disabled")
	case localapi.CodeNotRoam, localapi.CodeOtherUser:
		return name + e.Theme.Warning.Render(e.Glyphs.Warning+" something else on "+roam.Address)
	case localapi.CodeVersionMismatch:
		return name + e.Theme.Warning.Render(e.Glyphs.Warning+" another version of the API")
	case localapi.CodeConnectionFailed:
		return name + e.Theme.Muted.Render(e.Glyphs.Off+" not running")
	}
	return name + e.Theme.Warning.Render(e.Glyphs.Warning+" no answer")
}
