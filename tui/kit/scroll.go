package kit

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// ScrollKeys are the bindings that move through lines or rows.
type ScrollKeys struct{ Up, Down, PageUp, PageDown, First, Last key.Binding }

// Move returns where a key leads from index at, and whether it is one of the
// bindings. The result may lie outside of 0 to last.
func (k ScrollKeys) Move(press tea.KeyPressMsg, at, page, last int) (to int, ok bool) {
	switch {
	case key.Matches(press, k.Up):
		return at - 1, true
	case key.Matches(press, k.Down):
		return at + 1, true
	case key.Matches(press, k.PageUp):
		return at - page, true
	case key.Matches(press, k.PageDown):
		return at + page, true
	case key.Matches(press, k.First):
		return 0, true
	case key.Matches(press, k.Last):
		return last, true
	}
	return at, false
}

// Scroll is a place in lines that may be more than there is room for. It keeps its
// offset while the window is large enough for all lines.
type Scroll struct {
	offset int
	most   int // the largest offset that shows something new
	page   int // lines shown at a time
}

// Scrollable reports whether View was last given more lines than it had room for.
func (s *Scroll) Scrollable() bool { return s.most > 0 }

// HandleKey scrolls, and reports whether the key was one that does.
func (s *Scroll) HandleKey(k ScrollKeys, press tea.KeyPressMsg) bool {
	to, ok := k.Move(press, min(s.offset, s.most), max(s.page-1, 1), s.most)
	s.offset = min(max(to, 0), s.most)
	return ok
}

// View returns the lines that are in sight. The last of them says how many more
// there are below.
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
