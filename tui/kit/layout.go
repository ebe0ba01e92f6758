package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ProseWidth keeps sentences at a length that reads well.
const ProseWidth = 76

// Fit cuts s to the width and fills it up with spaces.
func (g Glyphs) Fit(s string, width int) string {
	s = g.Cut(s, width)
	if gap := width - ansi.StringWidth(s); gap > 0 {
		s += strings.Repeat(" ", gap)
	}
	return s
}

// Cut shortens s to the width, with an ellipsis where something is lost.
func (g Glyphs) Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	s = withoutKeycaps(s)
	if ansi.StringWidth(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, g.CutMark)
}

// CutStart shortens s to the width by its beginning: of a path the end tells most.
func (g Glyphs) CutStart(s string, width int) string {
	over := ansi.StringWidth(s) - width
	if over <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, over+ansi.StringWidth(g.CutMark), g.CutMark)
}

// HardWrap breaks text that has to be seen to the letter, such as a path.
func HardWrap(s string, width int, style interface{ Render(...string) string }) []string {
	lines := strings.Split(ansi.Hardwrap(Sanitize(s), max(width, 1), true), "\n")
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// Between puts left and right at the ends of a line; left gives way.
func (g Glyphs) Between(left, right string, width int) string {
	rightWidth := ansi.StringWidth(right)
	if rightWidth+2 >= width {
		return g.Fit(left, width)
	}
	return g.Fit(left, width-rightWidth-1) + " " + right
}

// Wrap breaks unstyled prose into lines, at spaces alone: paths and hyphenated
// words stay whole unless they are wider than a line.
func Wrap(s string, width int) []string {
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

// Clamp keeps so many lines, and says with an ellipsis that there were more.
func (g Glyphs) Clamp(lines []string, most, width int) []string {
	if len(lines) <= most {
		return lines
	}
	last := g.Cut(lines[most-1]+" "+lines[most], width)
	if !strings.HasSuffix(last, g.CutMark) {
		last = g.Cut(last, width-1) + g.CutMark
	}
	return append(lines[:most-1:most-1], last)
}

// Indent puts spaces before each line.
func Indent(lines []string, by int) []string {
	pad := strings.Repeat(" ", by)
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = pad + line
	}
	return out
}

// WrapStyled wraps prose and gives every line its style; styles do not nest, and a
// style over several lines would pad them.
func WrapStyled(style interface{ Render(...string) string }, s string, width int) []string {
	lines := Wrap(s, width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// Overlay puts a box in the middle of the lines below it.
func (g Glyphs) Overlay(lines, box []string, width int) []string {
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
		under := g.Fit(out[top+i], width)
		out[top+i] = ansi.Cut(under, 0, left) + g.Fit(line, boxWidth) + ansi.Cut(under, left+boxWidth, width)
	}
	return out
}

// Fill makes exactly height lines, each no wider than width.
func (g Glyphs) Fill(lines []string, width, height int) []string {
	out := make([]string, max(height, 0))
	for i := range out {
		if i < len(lines) {
			out[i] = g.Cut(lines[i], width)
		}
	}
	return out
}
