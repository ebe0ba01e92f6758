package tui

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

const (
	minWidth  = 60
	minHeight = 16
	// wideWidth is from where on things stand side by side.
	wideWidth = 110
	// proseWidth keeps sentences at a length that reads well.
	proseWidth = 76
)

// fit cuts s to the width and fills it up with spaces.
func (g glyphs) fit(s string, width int) string {
	s = g.cut(s, width)
	if gap := width - ansi.StringWidth(s); gap > 0 {
		s += strings.Repeat(" ", gap)
	}
	return s
}

// cut shortens s to the width, with an ellipsis where something is lost.
func (g glyphs) cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	s = withoutKeycaps(s)
	if ansi.StringWidth(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, g.ellipsis)
}

// cutStart shortens s to the width by its beginning: of a path the end tells most.
func (g glyphs) cutStart(s string, width int) string {
	over := ansi.StringWidth(s) - width
	if over <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, over+ansi.StringWidth(g.ellipsis), g.ellipsis)
}

// hardwrap breaks text that has to be seen to the letter, such as a path.
func hardwrap(s string, width int, style interface{ Render(...string) string }) []string {
	lines := strings.Split(ansi.Hardwrap(plain(s), max(width, 1), true), "\n")
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// between puts left and right at the ends of a line; left gives way.
func (g glyphs) between(left, right string, width int) string {
	rightWidth := ansi.StringWidth(right)
	if rightWidth+2 >= width {
		return g.fit(left, width)
	}
	return g.fit(left, width-rightWidth-1) + " " + right
}

// wrap breaks unstyled prose into lines, at spaces alone: paths and hyphenated
// words stay whole unless they are wider than a line.
func wrap(s string, width int) []string {
	width = max(width, 1)
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		w := ansi.StringWidth(word)
		if used > 0 && used+1+w > width {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		if w > width {
			parts := strings.Split(ansi.Hardwrap(word, width, true), "\n")
			lines = append(lines, parts[:len(parts)-1]...)
			word = parts[len(parts)-1]
			w = ansi.StringWidth(word)
		}
		line, used = line+word, used+w
	}
	return append(lines, line)
}

// clamp keeps so many lines, and says with an ellipsis that there were more.
func (g glyphs) clamp(lines []string, most, width int) []string {
	if len(lines) <= most {
		return lines
	}
	last := g.cut(lines[most-1]+" "+lines[most], width)
	if !strings.HasSuffix(last, g.ellipsis) {
		last = g.cut(last, width-1) + g.ellipsis
	}
	return append(lines[:most-1:most-1], last)
}

// indent puts spaces before each line.
func indent(lines []string, by int) []string {
	pad := strings.Repeat(" ", by)
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = pad + line
	}
	return out
}

// render wraps prose and gives every line its style; styles do not nest, and a
// style over several lines would pad them.
func render(style interface{ Render(...string) string }, s string, width int) []string {
	lines := wrap(s, width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// box draws a titled border around lines; it is width wide.
func (e *env) box(title string, lines []string, width int) []string {
	b, style := e.glyphs.border, e.theme.border
	inner := width - 4
	title = e.glyphs.cut(title, inner-2)
	rest := max(width-5-ansi.StringWidth(title), 0)
	out := []string{style.Render(b.tl+b.h+" ") + e.theme.strong.Render(title) + style.Render(" "+strings.Repeat(b.h, rest)+b.tr)}
	if title == "" {
		out[0] = style.Render(b.tl + strings.Repeat(b.h, width-2) + b.tr)
	}
	for _, line := range lines {
		out = append(out, style.Render(b.v)+" "+e.glyphs.fit(line, inner)+" "+style.Render(b.v))
	}
	return append(out, style.Render(b.bl+strings.Repeat(b.h, width-2)+b.br))
}

// overlay puts a box in the middle of the lines below it.
func (g glyphs) overlay(lines, box []string, width int) []string {
	boxWidth := 0
	for _, line := range box {
		boxWidth = max(boxWidth, ansi.StringWidth(line))
	}
	top, left := max((len(lines)-len(box))/3, 0), max((width-boxWidth)/2, 0)
	out := append([]string(nil), lines...)
	for i, line := range box {
		if top+i >= len(out) {
			break
		}
		under := g.fit(out[top+i], width)
		out[top+i] = ansi.Cut(under, 0, left) + g.fit(line, boxWidth) + ansi.Cut(under, left+boxWidth, width)
	}
	return out
}

// fill makes exactly height lines, each no wider than width.
func (g glyphs) fill(lines []string, width, height int) []string {
	out := make([]string, max(height, 0))
	for i := range out {
		if i < len(lines) {
			out[i] = g.cut(lines[i], width)
		}
	}
	return out
}

// plain drops what a terminal would take for a command from text of others.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Bidi_Control), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, ansi.Strip(s))
}

// clock writes a duration as minutes and seconds: 4:12.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// took writes how long something took: 38 ms, 1.4 s.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// ago writes how long ago something was: 20 s ago, 3 min ago.
func ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h ago", int(d.Hours()))
}

// plural writes a count with its word: 1 graph, 3 graphs.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
