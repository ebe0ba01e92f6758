package problem

import "strings"

// Line is a part of a hint as a person reads it.
type Line struct {
	Text string
	// Command reports that the text is a command. It stands on a line of its own and is
	// printed as it is, neither wrapped nor cut: whatever is not seen in it is an escape of
	// the World's shell already.
	Command bool
}

// Lines returns a hint for a person: each command on a line of its own, behind the clause
// that it stands in. Where it stands within the clause, "this" takes its place.
func (w World) Lines(h Hint) []Line {
	var lines []Line
	for _, s := range h.sentences {
		parts, ok := w.sentence(s)
		if !ok {
			continue
		}
		var clause []Line
		for i, part := range parts {
			if !part.Command && i+1 < len(parts) && !parts[i+1].Command { // one text with the next
				parts[i+1].Text = part.Text + parts[i+1].Text
				continue
			}
			for !part.Command {
				at := clauseEnd(part.Text)
				if at < 0 {
					break
				}
				lines = appendClause(lines, append(clause, Line{Text: part.Text[:at]}))
				clause, part.Text = nil, part.Text[at:]
			}
			clause = append(clause, part)
		}
		lines = appendClause(lines, clause)
	}
	return lines
}

// clauseEnd returns where the first sentence of a text ends, -1 for nowhere before the end
// of the text.
func clauseEnd(text string) int {
	for i := range len(text) - 1 {
		if strings.IndexByte(".?!", text[i]) >= 0 && text[i+1] == ' ' {
			return i + 2
		}
	}
	return -1
}

// appendClause appends a clause: its text, and behind it its commands.
func appendClause(lines, clause []Line) []Line {
	var commands []Line
	before, between := "", ""
	for _, part := range clause {
		switch {
		case part.Command:
			commands = append(commands, part)
		case len(commands) == 0:
			before += part.Text
		default:
			between += part.Text
		}
	}
	text := before
	switch {
	case len(commands) == 0:
	case strings.Trim(strings.ReplaceAll(between, " or ", ""), " .,?") == "": // they end it
		text = strings.TrimRight(before, " ,:") + ":"
	default:
		text = ""
		for _, part := range clause {
			if part.Command {
				part.Text = "this"
			}
			text += part.Text
		}
		text = Sentence(strings.TrimSpace(text))
		text = strings.TrimRight(text, ".:") + ":"
	}
	if text = strings.TrimSpace(text); text != "" && text != ":" {
		if last := len(lines) - 1; last >= 0 && !lines[last].Command {
			lines[last].Text += " " + text
		} else {
			lines = append(lines, Line{Text: text})
		}
	}
	return append(lines, commands...)
}
