package outline

import (
	"strings"

	"roam-mcp/internal/lazyregexp"
)

// startMark is what a block begins with that is no text of its own.
var startMark = lazyregexp.New(`^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+`)

// WithStarts returns a markdown text in which the start of each block is what change makes
// of it: its first line, behind the bullet or the number. Code and tables stay as they are.
// change must not begin another block.
func WithStarts(markdown string, change func(start string) string) string {
	p := &parser{lines: markdownLines(markdown)}
	p.read()
	lines := append([]string{}, p.lines...)
	for _, it := range p.items {
		if it.fence || it.table {
			continue
		}
		line := lines[it.from]
		at := len(line) - len(strings.TrimLeft(line, " \t"))
		if m := startMark.FindString(line); m != "" && it.bullet {
			at = len(m)
		}
		lines[it.from] = line[:at] + change(line[at:])
	}
	return strings.Join(lines, "\n")
}
