package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// box draws a titled border around lines; it is width wide.
func (l look) box(title string, lines []string, width int) []string {
	b, style := l.glyphs.border, l.theme.border
	inner := width - 4
	title = l.glyphs.cut(title, inner-2)
	rest := max(width-5-ansi.StringWidth(title), 0)
	out := []string{style.Render(b.tl+b.h+" ") + l.theme.strong.Render(title) + style.Render(" "+strings.Repeat(b.h, rest)+b.tr)}
	if title == "" {
		out[0] = style.Render(b.tl + strings.Repeat(b.h, width-2) + b.tr)
	}
	for _, line := range lines {
		out = append(out, style.Render(b.v)+" "+l.glyphs.fit(line, inner)+" "+style.Render(b.v))
	}
	return append(out, style.Render(b.bl+strings.Repeat(b.h, width-2)+b.br))
}

// button marks the chosen answer by more than colour.
func (l look) button(words string, chosen bool) string {
	if chosen {
		return l.theme.focusedButton.Render(l.glyphs.pointer + " " + words)
	}
	return l.theme.button.Render("  " + words)
}
