package wiki

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"roam-mcp/mcpserve/surface"
)

// listing is a reply that is a list.
type listing struct {
	head    string // with its line ends
	none    string // instead of entries where there are none
	gap     string // between two entries
	foot    string // behind the last entry of all
	entries []entry
	// rest says how to get what is left out, with the offset to go on from and how much
	// is left; nil: in the words of all lists.
	rest func(next, left int) string
}

// entry is an entry of a list, with its line end.
type entry struct{ section, text string }

// add adds an entry below the heading of its section; empty: none.
func (l *listing) add(section, text string) { l.entries = append(l.entries, entry{section, text}) }

// reply returns as many entries of the list, from the one that the argument offset
// names.
func (l *listing) reply(c surface.Call, most int) surface.Reply {
	first := min(c.Args().Number("offset", 0), len(l.entries))
	most = min(most, len(l.entries)-first)
	render := func(kept int) string { return l.render(c, first, kept) }
	return surface.Reply{Text: render(most), Parts: most, Shorter: render}
}

// render returns the list with kept entries from first.
func (l *listing) render(c surface.Call, first, kept int) string {
	var b strings.Builder
	b.WriteString(l.head)
	if len(l.entries) == 0 {
		b.WriteString(l.none)
	}
	section := ""
	for i, each := range l.entries[first : first+kept] {
		if i > 0 {
			b.WriteString(l.gap)
		}
		if each.section != section {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(each.section + "\n")
			section = each.section
		}
		b.WriteString(each.text)
	}
	text := strings.TrimRight(b.String(), "\n")
	next, left := first+kept, len(l.entries)-first-kept
	switch {
	case left == 0:
		return text + l.foot
	case l.rest != nil:
		return text + "\n\n" + l.rest(next, left)
	}
	return text + fmt.Sprintf("\n\nShown %s to %s of %s; call %s with offset %d.", humanize.Comma(int64(first+1)), humanize.Comma(int64(next)), humanize.Comma(int64(len(l.entries))), c.ToolName(), next)
}

// textReply returns a text of many lines below a head, from the line that the argument
// line names.
func textReply(c surface.Call, head, text string) surface.Reply {
	lines := strings.SplitAfter(text, "\n")
	first := min(max(c.Args().Number("line", 1), 1), len(lines)) - 1
	render := func(kept int) string {
		shown := head + strings.TrimSuffix(strings.Join(lines[first:first+kept], ""), "\n")
		if next := first + kept; next < len(lines) {
			shown += fmt.Sprintf("\n\nShown lines %s to %s of %s; call %s with line %d.", humanize.Comma(int64(first+1)), humanize.Comma(int64(next)), humanize.Comma(int64(len(lines))), c.ToolName(), next+1)
		}
		return shown
	}
	most := len(lines) - first
	return surface.Reply{Text: render(most), Parts: most, Shorter: render}
}

// count returns a number of things: 1 note, 2 notes.
func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return humanize.Comma(int64(n)) + " " + of + "s"
}
