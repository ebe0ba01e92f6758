package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Box returns lines inside a border that is width cells wide, with the title in its
// upper edge. The title may be empty.
func (l Look) Box(title string, lines []string, width int) []string {
	b, style := l.Glyphs.Border, l.Theme.Border
	inner := width - 4
	title = l.Glyphs.Cut(title, inner-2)
	rest := max(width-5-ansi.StringWidth(title), 0)
	out := []string{style.Render(b.TopLeft+b.Horizontal+" ") + l.Theme.Strong.Render(title) + style.Render(" "+strings.Repeat(b.Horizontal, rest)+b.TopRight)}
	if title == "" {
		out[0] = style.Render(b.TopLeft + strings.Repeat(b.Horizontal, width-2) + b.TopRight)
	}
	for _, line := range lines {
		out = append(out, style.Render(b.Vertical)+" "+l.Glyphs.Fit(line, inner)+" "+style.Render(b.Vertical))
	}
	return append(out, style.Render(b.BottomLeft+strings.Repeat(b.Horizontal, width-2)+b.BottomRight))
}

// Button returns an answer to choose. The chosen one has a pointer as well as a
// colour of its own.
func (l Look) Button(words string, chosen bool) string {
	if chosen {
		return l.Theme.FocusedButton.Render(l.Glyphs.Pointer + " " + words)
	}
	return l.Theme.Button.Render("  " + words)
}
