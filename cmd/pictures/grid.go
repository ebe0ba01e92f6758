package main

import (
	"bytes"
	"errors"
	"regexp"
	"time"

	"github.com/hinshun/vt10x"

	"roam-mcp/cmd/internal/terminal"
)

// The attribute bits of a cell, which vt10x does not export. It has swapped the
// colours of a reversed cell itself.
const (
	attrUnderline = 1 << 1
	attrBold      = 1 << 2
	attrItalic    = 1 << 4
)

// grid is what a terminal shows, by row and column.
type grid [][]vt10x.Glyph

func gridOf(screen *terminal.Terminal) grid {
	_, rows := screen.Size()
	g := make(grid, rows)
	screen.Cells(func(_, row int, cell vt10x.Glyph) {
		if cell.Char == 0 {
			cell.Char = ' '
		}
		g[row] = append(g[row], cell)
	})
	return g
}

// mask replaces what differs from one run to the next. The replacement is as long
// as the shortest of what may be found; what is longer leaves space behind it, or
// before it where it ends a line that is aligned at the right. So nothing moves.
type mask struct {
	find    *regexp.Regexp
	replace string
	right   bool
}

func masks() []mask {
	return []mask{
		{find: regexp.MustCompile(regexp.QuoteMeta(programAt)), replace: shownAt},
		{find: regexp.MustCompile(`127\.0\.0\.1:\d{5}`), replace: "127.0.0.1:33333"},
		{find: regexp.MustCompile(`…[A-Za-z0-9_-]{4}\b`), replace: "…p0k7"},
		{find: regexp.MustCompile(`checked (just now|\d+ s ago), answered in (under 1|\d+) ms\. *`), replace: "checked just now, answered in 2 ms."},
		{find: regexp.MustCompile(` in \d+ ms *$`), replace: " in 9 ms"},
		{find: regexp.MustCompile(`\d:\d\d so far, \d:\d\d left`), replace: "0:12 so far, 4:48 left"},
		{find: regexp.MustCompile(`read in (under 1|\d+) ms`), replace: "read in 2 ms", right: true},
		{find: regexp.MustCompile(`up \d:\d\d:\d\d`), replace: "up 0:14:07"},
		{find: regexp.MustCompile(`[◓◑◒]`), replace: "◐"},
	}
}

// masked replaces in each row, in the style of what was there.
func (g grid) masked() grid {
	for _, m := range masks() {
		for row := range g {
			g[row] = m.apply(g[row])
		}
	}
	return g
}

func (m mask) apply(row []vt10x.Glyph) []vt10x.Glyph {
	text := make([]rune, len(row))
	for i, cell := range row {
		text[i] = cell.Char
	}
	found := m.find.FindStringIndex(string(text))
	if found == nil {
		return row
	}
	from := len([]rune(string(text)[:found[0]]))
	to := from + len([]rune(string(text)[found[0]:found[1]]))
	replace := []rune(m.replace)
	spare := to - from - len(replace)
	if spare < 0 {
		return row
	}
	start := from
	if m.right {
		start += spare
	}
	for i := from; i < to; i++ {
		row[i].Char = ' '
		if i >= start && i < start+len(replace) {
			row[i].Char = replace[i-start]
		}
	}
	return row
}

// tellBackground answers the program's question for the background's colour, as
// a terminal does.
func tellBackground(screen *terminal.Terminal, background backdrop) error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if bytes.Contains(screen.Written(), []byte("\x1b]11;?")) {
			return screen.Type(background.answer())
		}
	}
	return errors.New("the program has not asked for the background's colour")
}
