package kit

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// RowIndent is the column that the text of a Row begins at, and RowWidth what a Row takes
// of the width besides its text: a margin, the bar and a gap on the left, and a margin on
// the right.
const (
	RowIndent = 3
	rowAround = RowIndent + 1
)

// RowWidth returns the width that a Row leaves its text.
func RowWidth(width int) int { return max(width-rowAround, 0) }

// Row returns a line of a list that is width cells wide. The line may be styled; it is cut
// or padded to RowWidth and begins at RowIndent. The selected row has a bar and the
// selection's colours from margin to margin: of the line's own styles bold and underline
// are kept, its colours are not, since nobody knows whether they can be read there.
func (l Look) Row(line string, width int, selected bool) string {
	line = l.Glyphs.Fit(line, RowWidth(width))
	if !selected {
		return strings.Repeat(" ", RowIndent) + line + " "
	}
	bar := l.Theme.SelectionBar.Render(l.Glyphs.Bar)
	return " " + bar + Restyle(l.Theme.Selected, " "+line) + " "
}

// Restyle returns s in one style. Of its own styles bold and underline are kept.
func Restyle(style lipgloss.Style, s string) string {
	var out, text strings.Builder
	var bold, underline bool // of text
	var nextBold, nextUnderline bool
	begin, _, _ := strings.Cut(style.Render("x"), "x")
	flush := func() {
		if text.Len() == 0 {
			return
		}
		out.WriteString(begin)
		if bold {
			out.WriteString(ansi.Style{}.Bold().String())
		}
		if underline { // lipgloss would do it letter by letter
			out.WriteString(ansi.Style{}.Underline(true).String())
		}
		out.WriteString(text.String() + ansi.ResetStyle)
		text.Reset()
	}
	var state byte
	for s != "" {
		seq, width, n, next := ansi.DecodeSequence(s, state, nil)
		state, s = next, s[n:]
		if width > 0 || !strings.HasPrefix(seq, "\x1b") {
			if nextBold != bold || nextUnderline != underline {
				flush()
				bold, underline = nextBold, nextUnderline
			}
			text.WriteString(seq)
			continue
		}
		if parameters, ok := strings.CutPrefix(seq, "\x1b["); ok && strings.HasSuffix(parameters, "m") {
			nextBold, nextUnderline = attributes(strings.TrimSuffix(parameters, "m"), nextBold, nextUnderline)
		}
	}
	flush()
	return out.String()
}

// attributes returns whether text is bold and underlined after an SGR sequence with these
// parameters (ECMA-48, 8.3.117).
func attributes(parameters string, bold, underline bool) (isBold, isUnderlined bool) {
	values := strings.Split(parameters, ";")
	for i := 0; i < len(values); i++ {
		switch values[i] {
		case "", "0":
			bold, underline = false, false
		case "1":
			bold = true
		case "22":
			bold = false
		case "4":
			underline = true
		case "24":
			underline = false
		case "38", "48", "58": // a colour follows: 5;N or 2;R;G;B
			if i+1 < len(values) && values[i+1] == "2" {
				i += 4
			} else {
				i += 2
			}
		}
	}
	return bold, underline
}

// Overlay returns exactly height lines with a box over the middle of those below, which
// lose their colours and step back.
func (l Look) Overlay(below, box []string, width, height int) []string {
	g := l.Glyphs
	boxWidth := 0
	for _, line := range box {
		boxWidth = max(boxWidth, ansi.StringWidth(line))
	}
	if boxWidth+2 <= width { // a space at each side
		box, boxWidth = Indent(box, 1), boxWidth+2
	}
	top, left := max((height-len(box))/3, 0), max((width-boxWidth)/2, 0)
	out := g.Fill(below, width, height)
	dim := func(s string) string {
		if strings.TrimSpace(s) == "" {
			return s
		}
		return l.Theme.Dimmed.Render(s)
	}
	for i, line := range out {
		line = ansi.Strip(line)
		if i < top || i >= top+len(box) {
			out[i] = dim(line)
			continue
		}
		line = g.Fit(line, width)
		right := left + boxWidth
		// A wide character that the box covers half of is gone.
		covered := right - ansi.StringWidth(ansi.Cut(line, 0, right))
		after := strings.Repeat(" ", covered) + strings.TrimRight(ansi.Cut(line, right+covered, width), " ")
		out[i] = dim(g.Fit(ansi.Cut(line, 0, left), left)) + g.Fit(box[i-top], boxWidth) + dim(after)
	}
	return out
}
