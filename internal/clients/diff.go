package clients

import (
	"fmt"
	"slices"
	"strings"
)

// Diff returns what the plan changes in File in the unified format, empty where that is
// nothing or not known before. The home folder is "~" in it. Values that are not of the
// entry of roam-mcp are masked, so that no secret of another server is shown.
func (p Plan) Diff() string {
	if p.Way != ByFile || p.Unchanged {
		return ""
	}
	before, after := lines(p.Before), lines(p.After)
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	foot := 0
	for foot < min(len(before), len(after))-head && before[len(before)-1-foot] == after[len(after)-1-foot] {
		foot++
	}
	const context = 3
	from, below := max(0, head-context), min(foot, context)
	name := Machine{Home: p.home}.short(p.File)
	var text strings.Builder
	fmt.Fprintf(&text, "--- %s\n+++ %s\n", choose(p.New, "/dev/null", name), choose(p.Gone, "/dev/null", name))
	fmt.Fprintf(&text, "@@ -%s +%s @@\n", span(from, len(before)-foot+below-from), span(from, len(after)-foot+below-from))
	mask := p.mask()
	write := func(sign string, list []string) {
		for _, line := range list {
			ended := strings.HasSuffix(line, "\n")
			text.WriteString(sign + clipped(mask(strings.TrimRight(line, "\r\n"))) + "\n")
			if !ended {
				text.WriteString("\\ No newline at end of file\n")
			}
		}
	}
	write(" ", before[from:head])
	write("-", before[head:len(before)-foot])
	write("+", after[head:len(after)-foot])
	write(" ", before[len(before)-foot:len(before)-foot+below])
	return text.String()
}

// clipped shortens a line for a screen: some files are one line.
func clipped(line string) string {
	const most = 400
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + " " + hidden
	}
	return line
}

// lines splits a text behind each line end.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return slices.Collect(strings.Lines(string(text)))
}

// span returns the lines of one side of a hunk.
func span(from, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, count)
}

// hidden stands for what is not shown.
const hidden = "…"

// mask returns what masks the values of a line that the entry does not have. Keys stay,
// and so does what makes up the form.
func (p Plan) mask() func(string) string {
	shown := func(value string) bool {
		return value == "" || value == "true" || value == "false" || value == "null" || slices.Contains(p.shown, value)
	}
	format := p.Client.servers[0].format
	return func(line string) string {
		line = strings.TrimPrefix(line, "\ufeff")
		if format == formatTOML {
			return maskTOML(line, shown)
		}
		return maskJSON(line, true, shown)
	}
}

// maskJSON masks the strings of a line, but keys where it has some, its numbers and its comments.
func maskJSON(line string, hasKeys bool, shown func(string) bool) string {
	var masked strings.Builder
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '"':
			end := stringEnd(line, i)
			literal := line[i:end]
			value := strings.Trim(literal, `"`)
			isKey := hasKeys && strings.HasPrefix(strings.TrimLeft(line[end:], " \t"), ":")
			if isKey || shown(unescaped(value)) {
				masked.WriteString(literal)
			} else {
				masked.WriteString(`"` + hidden + `"`)
			}
			i = end
		case strings.IndexByte("{}[]:, \t", c) >= 0:
			masked.WriteByte(c)
			i++
		case strings.HasPrefix(line[i:], "//") || strings.HasPrefix(line[i:], "/*"):
			return masked.String() + line[i:i+2] + " " + hidden
		default:
			end := i
			for end < len(line) && strings.IndexByte("{}[]:, \t\"", line[end]) < 0 {
				end++
			}
			masked.WriteString(choose(shown(line[i:end]), line[i:end], hidden))
			i = end
		}
	}
	return masked.String()
}

// stringEnd returns where the string ends that begins at a quotation mark.
func stringEnd(line string, at int) int {
	for i := at + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

// unescaped undoes the escapes that paths have.
func unescaped(text string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\/`, `/`).Replace(text)
}

// maskTOML masks the value of a line of TOML. A line without a key is shown only if it is
// blank, a header, a bracket or an element of the entry.
func maskTOML(line string, shown func(string) bool) string {
	rest := strings.TrimSpace(line)
	key, value, ok := strings.Cut(line, "=")
	switch end := strings.LastIndexByte(line, ']'); {
	case strings.HasPrefix(rest, "#"):
		return line[:strings.IndexByte(line, '#')] + "# " + hidden
	case strings.HasPrefix(rest, "[") && end > 0 && !strings.Contains(line[:end], ","):
		return line[:end+1]
	case ok && isKey(strings.TrimSpace(key)):
		return key + "=" + maskJSON(value, false, shown)
	}
	return maskJSON(line, false, shown)
}

// isKey reports whether a text can be a key that a person wrote, rather than a part of a
// value that runs over several lines.
func isKey(text string) bool {
	return text != "" && strings.IndexFunc(strings.Trim(text, `"'`), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.-", r))
	}) < 0
}
