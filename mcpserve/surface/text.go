package surface

import (
	"fmt"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// Text is several lines. A line that names a tool which is not offered is left
// out.
type Text []problem.Hint

// Lines makes a Text of lines that name no tool.
func Lines(lines string) Text {
	var text Text
	for _, line := range strings.Split(lines, "\n") {
		hint := problem.Hint{} // an empty line
		if line != "" {
			hint = problem.Say("%s", line)
		}
		text = append(text, hint)
	}
	return text
}

// In returns the text as it reads in a world.
func (t Text) In(world problem.World) string {
	var lines []string
	for _, line := range t {
		if said := world.Say(line); said != "" || line.IsZero() {
			lines = append(lines, said)
		}
	}
	return strings.Join(lines, "\n")
}

// Counted returns a number with its noun: "1 block", "2 blocks".
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// CutBlocks returns the blocks of Roam's markdown from the start that fit into
// max tokens, and says how many do not and how to read them.
func CutBlocks(markdown string, max int, rest string) string {
	if Fits(markdown, max) {
		return markdown
	}
	blocks := outline.RenderedBlocks(markdown)
	note := func(left int) string { return fmt.Sprintf("\n(%d blocks are left out. %s)\n", left, rest) }
	room, kept := max-textsafe.CountTokens(note(len(blocks))), 0
	var text strings.Builder
	for ; kept < len(blocks); kept++ {
		if room -= textsafe.CountTokens(blocks[kept].Source); room < 0 {
			break
		}
		text.WriteString(blocks[kept].Source)
	}
	return text.String() + note(len(blocks)-kept)
}

// CutLines returns the lines from the start that fit into max tokens.
func CutLines(text string, max int, rest string) string {
	if Fits(text, max) {
		return text
	}
	note := "\n(The rest is left out. " + rest + ")\n"
	room := max - textsafe.CountTokens(note)
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if room -= textsafe.CountTokens(line); room < 0 {
			break
		}
		kept.WriteString(line)
	}
	return kept.String() + note
}

const (
	// maxNamedGraphs and maxNamedText bound the graphs that a text names, in number
	// and in bytes.
	maxNamedGraphs = 12
	maxNamedText   = 300
)

// NameGraphs lists nicknames for a sentence: as many as are of use.
func NameGraphs(nicknames []string) string {
	var names []string
	size := 0
	for _, nickname := range nicknames {
		name := textsafe.Quote(nickname)
		if size += len(name); len(names) == maxNamedGraphs || size > maxNamedText && len(names) > 0 {
			break
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(nicknames) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
