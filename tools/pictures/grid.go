package main

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"

	"roam-mcp/internal/testutil/terminal"
)

// grid is what a terminal shows, by row and column. Each cell has a content.
type grid [][]uv.Cell

func gridOf(screen *terminal.Terminal) grid {
	_, rows := screen.Size()
	g := make(grid, rows)
	screen.Cells(func(_, row int, cell uv.Cell) {
		if cell.Content == "" {
			cell.Content = " "
		}
		g[row] = append(g[row], cell)
	})
	return g
}

// mask replaces what differs from one run to the next. The replacement is as long
// as the shortest of what may be found; what is longer leaves space behind it, or
// before it where it ends a line that is aligned at the right. So nothing moves.
// Of a pattern with a group, the group is what is replaced.
type mask struct {
	find    *regexp.Regexp
	replace string
	right   bool
	each    func(row int) string // instead of replace, where rows differ
}

func masks() []mask {
	return []mask{
		{find: regexp.MustCompile(regexp.QuoteMeta(programAt)), replace: shownAt},
		{find: regexp.MustCompile(homeAt + "/"), replace: shownHomeAt + "/"},
		{find: regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`), replace: "http://127.0.0.1:3939/mcp"},
		{find: regexp.MustCompile(`127\.0\.0\.1:\d{5}`), replace: "127.0.0.1:33333"},
		{find: regexp.MustCompile(`…[A-Za-z0-9_-]{4}\b`), replace: "…p0k7"},
		{find: regexp.MustCompile(`checked (?:just now|\d+ s ago), answered in (?:under 1|\d+) ms\. *`), replace: "checked just now, answered in 2 ms."},
		{find: regexp.MustCompile(` in \d+ ms *$`), replace: " in 9 ms"},
		{find: regexp.MustCompile(`get_graph_guidelines on \w+, ((?:under )?[\d.]+ m?s *)`), replace: "3 ms"},
		{find: regexp.MustCompile(`\(session .*, ((?:under )?[\d.]+ m?s *)`), replace: "9 ms"},
		{find: regexp.MustCompile(`\d:\d\d so far, \d:\d\d left`), replace: "0:12 so far, 4:48 left"},
		{find: regexp.MustCompile(`read in (?:under 1|\d+) ms`), replace: "read in 2 ms", right: true},
		{find: regexp.MustCompile(`up \d:\d\d:\d\d`), replace: "up 0:14:07"},
		{find: regexp.MustCompile(`[◓◑◒]`), replace: "◐"},
	}
}

// times are the masks for times of day on a single picture.
func times() []mask {
	return []mask{
		{find: regexp.MustCompile(`\d\d:\d\d:\d\d`), each: func(row int) string { return fmt.Sprintf("14:02:%02d", row+row/3) }},
		{find: regexp.MustCompile(`^ . \d\d:\d\d:\d\d .*? ( +[<\d]+ (?:ms|s))  `), right: true, each: func(row int) string { return fmt.Sprintf("%d ms", 3+row*row%19) }},
		{find: regexp.MustCompile(`ended .* ended (\d\d:\d\d:\d\d)`), replace: "14:01:58"},
		{find: regexp.MustCompile(`\(session .*, (\d\d:\d\d:\d\d), `), replace: "14:02:32"},
		{find: regexp.MustCompile(`^ . (\d\d:\d\d:\d\d) .* ● done`), each: func(row int) string { return fmt.Sprintf("14:02:%02d", 40-row-row/3) }}, // the newest first
	}
}

// masked replaces in each row, in the style of what was there.
func (g grid) masked(by []mask) grid {
	for _, m := range by {
		for row := range g {
			g[row] = m.apply(g[row], row)
		}
	}
	return g
}

func (m mask) apply(row []uv.Cell, at int) []uv.Cell {
	text := textOf(row)
	found := m.find.FindStringSubmatchIndex(string(text))
	if found == nil {
		return row
	}
	if len(found) > 2 {
		found = found[2:]
	}
	from := len([]rune(string(text)[:found[0]]))
	to := from + len([]rune(string(text)[found[0]:found[1]]))
	replace := []rune(m.replace)
	if m.each != nil {
		replace = []rune(m.each(at))
	}
	spare := to - from - len(replace)
	if spare < 0 {
		return row
	}
	start := from
	if m.right {
		start += spare
	}
	style := row[from].Style // a space may have another, which nobody sees
	for i := from; i < to; i++ {
		if text[i] != ' ' {
			style = row[i].Style
		}
	}
	for i := from; i < to; i++ {
		row[i].Content = " "
		if i >= start && i < start+len(replace) {
			row[i].Content = string(replace[i-start])
			if text[i] == ' ' {
				row[i].Style = style
			}
		}
	}
	return row
}

// textOf gives a row's text, a character a cell, so that the places are those of cells.
func textOf(row []uv.Cell) []rune {
	text := make([]rune, len(row))
	for i, cell := range row {
		text[i], _ = utf8.DecodeRuneInString(cell.Content)
	}
	return text
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
