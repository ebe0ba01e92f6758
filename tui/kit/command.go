package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Command breaks a command to copy into lines at its arguments. Each line but the last
// ends with the backslash that lets a POSIX shell read on, so that what is selected on the
// screen can be pasted, and the later ones are indented. The value of a flag is not parted
// from it. An argument that is wider than a line is broken where the line ends, so that it
// can be seen, though not be pasted.
func Command(command string, width int) []string {
	const indent = "  "
	room := max(width-2, 1) // for the backslash
	var lines []string
	line := ""
	for _, argument := range joinFlags(arguments(command)) {
		switch {
		case line == "":
			line = argument
		case ansi.StringWidth(line)+1+ansi.StringWidth(argument) > room:
			lines = append(lines, line+` \`)
			line = indent + argument
		default:
			line += " " + argument
		}
	}
	return strings.Split(ansi.Hardwrap(strings.Join(append(lines, line), "\n"), max(width, 1), true), "\n")
}

// arguments splits a command at its spaces, but for those in quotes or behind a
// backslash, and leaves the quotes where they are.
func arguments(command string) []string {
	var out []string
	var argument strings.Builder
	var quote rune
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == ' ':
			if argument.Len() > 0 {
				out = append(out, argument.String())
				argument.Reset()
			}
			continue
		}
		argument.WriteRune(r)
	}
	if argument.Len() > 0 {
		out = append(out, argument.String())
	}
	return out
}

// joinFlags joins each flag to the argument behind it, which may be its value.
func joinFlags(arguments []string) []string {
	var out []string
	for _, argument := range arguments {
		last := len(out) - 1
		if last > 0 && strings.HasPrefix(out[last], "-") && out[last] != "--" && !strings.Contains(out[last], " ") && !strings.HasPrefix(argument, "-") {
			out[last] += " " + argument
			continue
		}
		out = append(out, argument)
	}
	return out
}
