package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/hinshun/vt10x"

	"roam-mcp/cmd/internal/terminal"
)

// The size of a cell and the space around the screen, in SVG units.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
	fontSize   = 14
)

const (
	background = "#15171e"
	foreground = "#d7dae3"
)

// The attribute bits of a cell, which vt10x does not export.
const (
	attrReverse = 1 << iota
	attrUnderline
	attrBold
	_
	attrItalic
)

// style is what two neighbouring cells must share to be drawn together.
type style struct {
	fg, bg  string
	bold    bool
	italic  bool
	underln bool
}

// stretch is a row of cells with one style.
type stretch struct {
	style
	column, row int
	text        []rune
}

// render draws the screen as one SVG image.
func render(screen *terminal.Terminal) string {
	columns, rows := screen.Size()
	width := float64(columns)*cellWidth + 2*margin
	height := float64(rows)*cellHeight + 2*margin
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="%d">`+"\n",
		width, height, width, height, fontSize)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", background)
	for _, r := range stretches(screen) {
		r.draw(&out)
	}
	out.WriteString("</svg>\n")
	return out.String()
}

func stretches(screen *terminal.Terminal) []stretch {
	var all []stretch
	screen.Cells(func(column, row int, cell vt10x.Glyph) {
		s, char := styleOf(cell), cell.Char
		if char == 0 {
			char = ' '
		}
		if n := len(all) - 1; n >= 0 && all[n].row == row && all[n].style == s {
			all[n].text = append(all[n].text, char)
			return
		}
		all = append(all, stretch{style: s, column: column, row: row, text: []rune{char}})
	})
	return all
}

func styleOf(cell vt10x.Glyph) style {
	s := style{
		fg: colour(cell.FG, foreground), bg: colour(cell.BG, background),
		bold: cell.Mode&attrBold != 0, italic: cell.Mode&attrItalic != 0, underln: cell.Mode&attrUnderline != 0,
	}
	if cell.Mode&attrReverse != 0 {
		s.fg, s.bg = s.bg, s.fg
	}
	return s
}

func (r stretch) draw(out *strings.Builder) {
	x, y := margin+float64(r.column)*cellWidth, margin+float64(r.row)*cellHeight
	width := float64(len(r.text)) * cellWidth
	if r.bg != background {
		fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", x, y, width, cellHeight, r.bg)
	}
	text := string(r.text)
	if strings.TrimSpace(text) == "" {
		return
	}
	attributes := ""
	if r.bold {
		attributes += ` font-weight="bold"`
	}
	if r.italic {
		attributes += ` font-style="italic"`
	}
	if r.underln {
		attributes += ` text-decoration="underline"`
	}
	// textLength keeps the columns straight whatever font the reader has.
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="%s"%s>%s</text>`+"\n",
		x, y+fontSize-1, width, r.fg, attributes, html.EscapeString(text))
}

// colour gives the colour of a number of the xterm palette of 256.
func colour(c vt10x.Color, standard string) string {
	switch {
	case c == vt10x.DefaultFG || c == vt10x.DefaultBG:
		return standard
	case c < 16:
		return [...]string{
			"#3b4048", "#e06c75", "#8cc570", "#e5c07b", "#6aa7f0", "#c678dd", "#56b6c2", "#c8ccd4",
			"#6b7280", "#ff7b86", "#a5e075", "#f0d399", "#7fb8ff", "#de8cf2", "#6fd3df", "#ffffff",
		}[c]
	case c < 232:
		n := int(c) - 16
		level := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	case c < 256:
		v := 8 + 10*(int(c)-232)
		return fmt.Sprintf("#%02x%02x%02x", v, v, v)
	}
	return fmt.Sprintf("#%06x", uint32(c)&0xffffff)
}
