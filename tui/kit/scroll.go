package kit

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// ScrollKeys are the bindings that move through lines.
type ScrollKeys struct{ Up, Down, PageUp, PageDown, First, Last key.Binding }

// Scroll is the place in lines that may be more than there is room for. A place
// beyond the end counts as the end, so that a window which was large for a
// moment loses nothing.
type Scroll struct {
	offset int
	most   int // the largest offset that shows something new
	page   int // lines shown at a time
}

// Scrollable reports whether there were more lines than room when they were last
// drawn.
func (s *Scroll) Scrollable() bool { return s.most > 0 }

// HandleKey moves the place; it reports whether the key was one that does.
func (s *Scroll) HandleKey(k ScrollKeys, press tea.KeyPressMsg) bool {
	s.offset = min(s.offset, s.most)
	switch {
	case key.Matches(press, k.Up):
		s.offset--
	case key.Matches(press, k.Down):
		s.offset++
	case key.Matches(press, k.PageUp):
		s.offset -= max(s.page-1, 1)
	case key.Matches(press, k.PageDown):
		s.offset += max(s.page-1, 1)
	case key.Matches(press, k.First):
		s.offset = 0
	case key.Matches(press, k.Last):
		s.offset = s.most
	default:
		return false
	}
	s.offset = min(max(s.offset, 0), s.most)
	return true
}

// View cuts the lines to the height. Where there is more below, the last line
// says how much.
func (s *Scroll) View(l Look, lines []string, height int) []string {
	if len(lines) <= height {
		s.most = 0
		return lines
	}
	s.page = max(height-1, 1)
	s.most = len(lines) - s.page
	at := min(s.offset, s.most)
	out := append([]string(nil), lines[at:at+s.page]...)
	if below := s.most - at; below > 0 {
		return append(out, "  "+l.Theme.Faint.Render(l.Glyphs.Down+" "+Plural(below, "more line")))
	}
	return append(out, "  "+l.Theme.Faint.Render(l.Glyphs.Up+" the end"))
}
