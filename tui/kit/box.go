package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Box draws a titled border around lines; it is width wide.
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

// Button marks the chosen answer by more than colour.
func (l Look) Button(words string, chosen bool) string {
	if chosen {
		return l.Theme.FocusedButton.Render(l.Glyphs.Pointer + " " + words)
	}
	return l.Theme.Button.Render("  " + words)
}
