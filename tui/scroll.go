package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// scrollKeys are the bindings that move through lines.
type scrollKeys struct{ up, down, pageUp, pageDown, first, last key.Binding }

// scroll is the place in lines that may be more than there is room for. A place
// beyond the end counts as the end, so that a window which was large for a
// moment loses nothing.
type scroll struct {
	offset int
	most   int // the largest offset that shows something new
	page   int // lines shown at a time
}

// key moves the place; it reports whether the key was one that does.
func (s *scroll) key(k scrollKeys, press tea.KeyPressMsg) bool {
	s.offset = min(s.offset, s.most)
	switch {
	case key.Matches(press, k.up):
		s.offset--
	case key.Matches(press, k.down):
		s.offset++
	case key.Matches(press, k.pageUp):
		s.offset -= max(s.page-1, 1)
	case key.Matches(press, k.pageDown):
		s.offset += max(s.page-1, 1)
	case key.Matches(press, k.first):
		s.offset = 0
	case key.Matches(press, k.last):
		s.offset = s.most
	default:
		return false
	}
	s.offset = min(max(s.offset, 0), s.most)
	return true
}

// show cuts the lines to the height. Where there is more below, the last line
// says how much.
func (s *scroll) show(l look, lines []string, height int) []string {
	if len(lines) <= height {
		s.most = 0
		return lines
	}
	s.page = max(height-1, 1)
	s.most = len(lines) - s.page
	at := min(s.offset, s.most)
	out := append([]string(nil), lines[at:at+s.page]...)
	if below := s.most - at; below > 0 {
		return append(out, "  "+l.theme.faint.Render(l.glyphs.down+" "+plural(below, "more line")))
	}
	return append(out, "  "+l.theme.faint.Render(l.glyphs.up+" the end"))
}
