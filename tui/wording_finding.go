package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// Unbroken is a width in which no line is broken.
const Unbroken = 10_000

// subjectWidth is how wide the first column of findings is.
const subjectWidth = 20

// FindingLines returns a finding in lines: its sign, what was looked at and what was found, and
// below that why it matters and what to do.
func FindingLines(f doctor.Finding, world problem.World, g kit.Glyphs, width int) []string {
	sign := map[doctor.Level]string{
		doctor.OK: g.Marked, doctor.Note: g.Dot, doctor.Warning: g.Warning, doctor.Failed: g.Failed, doctor.Skipped: g.None,
	}[f.Level]
	head := fmt.Sprintf("%s %-*s ", sign, subjectWidth-1, kit.Sanitize(f.Subject))
	lines := kit.Hang(head, kit.Wrap(kit.Sanitize(f.Found), width-ansi.StringWidth(head)))
	if !f.Well() || f.Level == doctor.Note && !f.Todo.IsZero() {
		for _, text := range []string{kit.Sanitize(f.Why), kit.Advice(world.Lines(f.Todo))} {
			if text != "" {
				lines = append(lines, kit.Indent(kit.Wrap(text, width-subjectWidth-2), subjectWidth+2)...)
			}
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(kit.Unmarked(line), " ")
	}
	return lines
}
