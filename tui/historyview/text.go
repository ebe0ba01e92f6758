package historyview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/kit"
)

// The widest columns of a list, in cells.
const (
	widestSummary = 60
	widestName    = 24
)

// CallLines returns calls as lines in columns.
func CallLines(glyphs kit.Glyphs, lines []review.Line) []string {
	rows := make([][]string, len(lines))
	for i, line := range lines {
		rows[i] = []string{
			strconv.FormatInt(line.Number, 10), line.Time, line.Agent, line.Graph, line.Tool, line.Summary, markSign(glyphs, line.Result.Mark) + " " + line.Result.Words,
		}
	}
	name := kit.Column{Max: widestName}
	return kit.NewTable(kit.Column{Right: true}, kit.Column{}, name, name, name, kit.Column{Max: widestSummary}, kit.Column{}).Lines(glyphs, rows)
}

// SumLines says of each agent in one line what its calls did together; none for calls that changed
// nothing.
func SumLines(glyphs kit.Glyphs, sums []history.Sum) (lines []string) {
	for _, s := range sums {
		var said []string
		say := func(n int, what, did string) {
			if n > 0 {
				said = append(said, kit.Plural(n, what)+did)
			}
		}
		say(s.Written, "block", " written")
		say(s.Changed, "block", " changed")
		gone := []string{}
		if s.BlocksGone > 0 {
			gone = append(gone, kit.Plural(s.BlocksGone, "block"))
		}
		if s.PagesGone > 0 {
			gone = append(gone, kit.Plural(s.PagesGone, "page"))
		}
		if len(gone) > 0 {
			said = append(said, strings.Join(gone, " and ")+" gone")
		}
		say(s.Rewritten, "text", " rewritten")
		if len(said) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s, %s", glyphs.Cut(kit.Sanitize(s.Agent), widestName), kit.Plural(s.Calls, "call"), strings.Join(said, ", ")))
		}
	}
	return lines
}

// SessionLine says in one line whose sessions they are, since when, and with how many changes.
// Those of a shell, each of one call, are told together.
func SessionLine(glyphs kit.Glyphs, sessions []history.Session, now time.Time) string {
	all := together(sessions)
	said := make([]string, len(all))
	for i, s := range all {
		opened := s.Opened.In(now.Location())
		layout := "15:04"
		if opened.Format(time.DateOnly) != now.Format(time.DateOnly) {
			layout = time.DateOnly + " 15:04"
		}
		numbers := fmt.Sprintf("s%d", s.ID)
		if s.first != s.ID {
			numbers = fmt.Sprintf("s%d to s%d", s.first, s.ID)
		}
		said[i] = fmt.Sprintf("%s  %s, since %s, %s", numbers, glyphs.Cut(kit.Sanitize(s.Agent), widestName), opened.Format(layout), kit.Plural(s.Calls, "change"))
	}
	return strings.Join(said, "     ")
}

// sessionsTogether are sessions that are told as one.
type sessionsTogether struct {
	history.Session
	first int64 // ID of the oldest
}

// together puts the sessions of a shell together, by agent. The newest ones stand first.
func together(sessions []history.Session) (all []sessionsTogether) {
	for _, s := range sessions {
		at := slices.IndexFunc(all, func(other sessionsTogether) bool {
			return s.Client == history.ClientShell && other.Client == s.Client && other.Agent == s.Agent
		})
		if at < 0 {
			all = append(all, sessionsTogether{s, s.ID})
			continue
		}
		all[at].Calls += s.Calls
		all[at].first, all[at].ID = min(all[at].first, s.ID), max(all[at].ID, s.ID)
		if s.Opened.Before(all[at].Opened) {
			all[at].Opened = s.Opened
		}
	}
	return all
}

// markSign returns the sign that stands before the words of a result.
func markSign(glyphs kit.Glyphs, mark review.Mark) string {
	switch mark {
	case review.Done:
		return glyphs.Marked
	case review.Failed:
		return glyphs.Failed
	case review.Running:
		return glyphs.Busy
	case review.Unsure:
		return "~"
	case review.NoMark:
	}
	return glyphs.Dot
}

// diffWidth is how wide a difference is set, apart from its texts.
const diffWidth = 76

// DiffText returns what a call has changed, in lines.
func DiffText(glyphs kit.Glyphs, d review.Diff) string {
	var out strings.Builder
	for i, line := range d.Head {
		if i > 0 {
			line = "     " + line
		}
		fmt.Fprintln(&out, line)
	}
	if d.Says != "" {
		fmt.Fprintf(&out, "     it says: \"%s\"\n", d.Says)
	}
	for i, s := range d.Sections {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeSection(&out, s)
	}
	for _, line := range d.Foot {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	return glyphs.Transliterate(out.String())
}

func writeSection(out *strings.Builder, s review.Section) {
	head := strings.Join(s.Path, " > ")
	if s.UID != "" {
		uid := "((" + kit.Sanitize(s.UID) + "))"
		head += strings.Repeat(" ", max(diffWidth-ansi.StringWidth(head)-ansi.StringWidth(uid), 2)) + uid
	}
	if head != "" {
		fmt.Fprintf(out, "  %s\n", head)
	}
	for _, line := range s.Lines {
		fmt.Fprintf(out, "  %s\n", strings.TrimRight(lineSign(line.Kind)+" "+line.Text, " "))
	}
	if s.Now != "" {
		fmt.Fprintf(out, "  now: %s\n", s.Now)
	}
}

func lineSign(kind review.Kind) string {
	switch kind {
	case review.Removed:
		return "-"
	case review.Added:
		return "+"
	case review.Note:
		return "~"
	case review.Context:
	}
	return " "
}
