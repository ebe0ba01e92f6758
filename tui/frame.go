package tui

import (
	"errors"
	"fmt"

	"roam-mcp/localapi"
)

const (
	minWidth  = 60
	minHeight = 16
	// wideWidth is from where on things stand side by side.
	wideWidth = 110
)

// sideWidth is the width of the column beside the screen, gap included: as much
// as it can use, as long as the screen keeps its 64 columns.
func sideWidth(width int) int { return min(52, width-64) }

// lines draws the whole frame: header, the screen with the panel beside or below
// it, a notice, and the line of keys.
func (r *root) lines() []string {
	width, height := r.size()
	e := r.env
	if r.tooSmall() {
		return r.request(width, height)
	}
	foot := r.foot(width, height)
	body := r.body(width, height-headerLines-len(foot))
	// Only now is it known whether there is anything to scroll.
	before := len(foot)
	if foot = r.foot(width, height); len(foot) != before {
		body = r.body(width, height-headerLines-len(foot))
	}
	lines := append([]string{r.header(width), ""}, body...)
	lines = e.glyphs.fill(append(lines, foot...), width, height)
	for i, line := range lines {
		lines[i] = e.glyphs.text(line)
		if !r.clusters {
			lines[i] = steady(lines[i])
		}
	}
	return lines
}

// request asks for room. What ctrl+c warns of, or waits for, is said here too.
func (r *root) request(width, height int) []string {
	e := r.env
	lines := render(e.theme.strong, "roam-mcp needs more room.", width)
	lines = append(lines, wrap(fmt.Sprintf("%dx%d at least; this is %dx%d.", minWidth, minHeight, width, height), width)...)
	last := "Make the window larger; ctrl+c quits."
	if r.leaving || r.notice.kind == failed {
		last = r.notice.text
	}
	return e.glyphs.fill(append(lines, wrap(last, width)...), width, height)
}

func (r *root) body(width, height int) []string {
	s, g := r.top(), r.env.glyphs
	if !r.panel.visible() {
		return g.fill(s.view(width, height), width, height)
	}
	hasKeys := r.panelHasKeys()
	if width < wideWidth {
		box := indent(r.panel.view(width-4, hasKeys), 2)
		above := max(height-len(box), 0)
		return append(g.fill(s.view(width, above), width, above), box...)
	}
	side := sideWidth(width)
	main := width - side
	lines := g.fill(s.view(main, height), main, height)
	for i, line := range r.panel.view(side-1, hasKeys) {
		if i < len(lines) {
			lines[i] = g.fit(lines[i], main) + line
		}
	}
	return lines
}

// leastBody is the height that the screen keeps under a long notice.
const leastBody = 4

// foot is the notice and the keys.
func (r *root) foot(width, height int) []string {
	e := r.env
	lines := []string{""}
	if r.notice.text != "" {
		style, glyph := e.theme.accentMuted, e.glyphs.dot
		switch r.notice.kind {
		case succeeded:
			style, glyph = e.theme.success, e.glyphs.on
		case failed:
			style, glyph = e.theme.warning, e.glyphs.less
		}
		const around = 3 // a gap above and two lines of keys
		glyph = style.Render(glyph)
		for _, line := range e.glyphs.clamp(wrap(r.notice.text, width-4), height-headerLines-leastBody-around, width-4) {
			lines = append(lines, " "+glyph+" "+e.theme.text.Render(line))
			glyph = " "
		}
	}
	bindings := r.top().keys()
	if _, helping := r.top().(*help); !helping && !r.top().mode().typing {
		bindings = append(bindings[:len(bindings):len(bindings)], e.keys.help)
		if len(r.stack) == 1 {
			bindings = append(bindings, e.keys.quit)
		}
	}
	return append(lines, e.keyLine(bindings, width)...)
}

// header says where the person is, and where Roam is.
func (r *root) header(width int) string {
	e := r.env
	left := " " + e.theme.accent.Render("roam-mcp")
	if title := r.top().title(); title != "" {
		left += e.theme.faint.Render("  "+e.glyphs.pointer+"  ") + e.theme.strong.Render(title)
	}
	return e.glyphs.between(left, e.roamStatus(len(r.stack) == 1)+" ", width)
}

// roamStatus is Roam's state in a few words, and in full with the version of its
// API.
func (e *env) roamStatus(full bool) string {
	name, roam := e.theme.muted.Render(e.roamName())+" ", e.roam
	switch {
	case !roam.known:
		return name + e.theme.muted.Render(e.glyphs.busy+" looking")
	case roam.err == nil:
		where := roam.address
		if full && roam.version != "" {
			where += " " + e.glyphs.dot + " API " + e.glyphs.cut(plain(roam.version), 12)
		}
		return name + e.theme.success.Render(e.glyphs.on) + " " + e.theme.muted.Render(where)
	case isCode(roam.err, localapi.CodeDisabled):
		return name + e.theme.warning.Render(e.glyphs.less+" Local API disabled")
	case isCode(roam.err, localapi.CodeNotRoam):
		return name + e.theme.warning.Render(e.glyphs.less+" something else on "+roam.address)
	case isCode(roam.err, localapi.CodeVersionMismatch):
		return name + e.theme.warning.Render(e.glyphs.less+" another version of the API")
	case isCode(roam.err, localapi.CodeConnectionFailed):
		return name + e.theme.muted.Render(e.glyphs.off+" not running")
	}
	return name + e.theme.warning.Render(e.glyphs.less+" no answer")
}

func isCode(err error, code localapi.Code) bool {
	var explainer localapi.Explainer
	return errors.As(err, &explainer) && explainer.Explain().Code == code
}
