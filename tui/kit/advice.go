package kit

import (
	"strings"

	"roam-mcp/internal/problem"
)

const (
	// commandMark stands around a command in a text. No text of others has it: Sanitize
	// drops it.
	commandMark = "\x1e"
	// commandIndent stands before a command on its line.
	commandIndent = "  "
)

// Advice returns a hint as a text of which Wrap makes lines, with each command on one of its
// own. Only the words around the commands are cleaned: what is not seen in a command is an
// escape of its shell.
func Advice(lines []problem.Line) string {
	parts := make([]string, len(lines))
	for i, line := range lines {
		if parts[i] = Sanitize(line.Text); line.Command {
			parts[i] = commandMark + line.Text + commandMark
		}
	}
	return strings.Join(parts, " ")
}

// Around returns a text with f done to all that is no command in it.
func Around(text string, f func(string) string) string {
	parts := strings.Split(text, commandMark)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = f(parts[i])
	}
	return strings.Join(parts, commandMark)
}

// Unmarked returns a line that Wrap has made, as it is printed.
func Unmarked(line string) string { return strings.ReplaceAll(line, commandMark, "") }

// Unwrapped returns such a text as lines that nothing breaks, for files, pipes and terminals
// that break lines by themselves.
func Unwrapped(text string) string {
	const unbroken = 1 << 30
	return Unmarked(strings.Join(Wrap(text, unbroken), "\n"))
}
