package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ProseWidth is the widest that prose is set, in cells.
const ProseWidth = 76

// margin is the space at each side of a screen's text, in cells.
const margin = 1

// Fit returns s cut or padded with spaces to exactly width cells.
func (g Glyphs) Fit(s string, width int) string {
	s = g.Cut(s, width)
	if gap := width - ansi.StringWidth(s); gap > 0 {
		s += strings.Repeat(" ", gap)
	}
	return s
}

// Cut returns s shortened to width cells, with a CutMark at its end if anything is
// lost.
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

// CutStart is Cut at the beginning: the end of a path tells most.
func (g Glyphs) CutStart(s string, width int) string {
	over := ansi.StringWidth(s) - width
	if over <= 0 {
		return s
	}
	return ansi.TruncateLeft(s, over+ansi.StringWidth(g.CutMark), g.CutMark)
}

// HardWrap breaks text that has to be shown to the letter, such as a path.
func HardWrap(s string, width int, style Style) []string {
	return Styled(style, strings.Split(ansi.Hardwrap(Sanitize(s), max(width, 1), true), "\n"))
}

// Between returns a line with left and right at its ends. left is cut if it has to
// be; right is left out if there is no room for it.
func (g Glyphs) Between(left, right string, width int) string {
	rightWidth := ansi.StringWidth(right)
	if rightWidth+2 >= width {
		return g.Fit(left, width)
	}
	return g.Fit(left, width-rightWidth-1) + " " + right
}

// Wrap breaks unstyled prose into lines, at spaces alone: paths and hyphenated words
// stay whole unless they are wider than a line. A command of Advice is a line of its own,
// as wide as it is.
func Wrap(s string, width int) []string {
	var lines []string
	for i, part := range strings.Split(s, commandMark) {
		switch {
		case i%2 == 1:
			lines = append(lines, commandIndent+commandMark+part+commandMark)
		case strings.TrimSpace(part) != "":
			lines = append(lines, wrapWords(part, max(width, 1))...)
		}
	}
	if lines == nil {
		return []string{""}
	}
	return lines
}

func wrapWords(s string, width int) []string {
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

// Clamp returns the first lines, at most so many. The last ends with a CutMark if
// there were more.
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

// Indent returns the lines with spaces before each.
func Indent(lines []string, by int) []string {
	pad := strings.Repeat(" ", by)
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = pad + line
	}
	return out
}

// Hang returns the lines with lead before the first, and as many spaces before the
// others.
func Hang(lead string, lines []string) []string {
	out := Indent(lines, ansi.StringWidth(lead))
	out[0] = lead + lines[0]
	return out
}

// Style gives text its colours; a lipgloss.Style is one.
type Style interface{ Render(...string) string }

// Labelled returns the lines in a column beside a label in the given style.
func (l Look) Labelled(style Style, label string, labelWidth int, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = style.Render(l.Glyphs.Fit(label, labelWidth)) + line
		label = ""
	}
	return out
}

// Paragraph returns prose as part of a screen that is width cells wide: wrapped to
// ProseWidth, and with a margin.
func Paragraph(style Style, s string, width int) []string {
	return Indent(WrapStyled(style, s, min(width-2*margin, ProseWidth)), margin)
}

// WrapStyled is Wrap with the lines in a style.
func WrapStyled(style Style, s string, width int) []string {
	return Styled(style, Wrap(s, width))
}

// Styled returns the lines, each in the style. A style for several lines at once
// would pad them.
func Styled(style Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = style.Render(line)
	}
	return out
}

// Fill returns exactly height lines, none wider than width.
func (g Glyphs) Fill(lines []string, width, height int) []string {
	out := make([]string, max(height, 0))
	for i := range out {
		if i < len(lines) {
			out[i] = g.Cut(lines[i], width)
		}
	}
	return out
}

// SideBySide returns two columns of lines. leftWidth is the width of the left one
// with the gap after it.
func (g Glyphs) SideBySide(left, right []string, leftWidth int) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = left[i]
		}
		out[i] = g.Fit(out[i], leftWidth)
		if i < len(right) {
			out[i] += right[i]
		}
	}
	return out
}
