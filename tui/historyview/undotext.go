package historyview

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/tui/kit"
)

// mostLeft is how many of the things that stay are told one by one.
const mostLeft = 10

// Text says what a plan would do, in lines.
func (p UndoPlan) Text(glyphs kit.Glyphs, now time.Time) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s of %s: %s, %s.\n", kit.Plural(len(p.Records), "call"), kit.Sanitize(p.Name),
		kit.Plural(p.Result.Changes, "change")+" to be "+p.word(), kit.Plural(p.Result.Steps, "step"))
	for i, r := range p.Records {
		if i == mostLeft {
			fmt.Fprintf(&out, "  … and %s more\n", humanize.Comma(int64(len(p.Records)-i)))
			break
		}
		line := review.Lines([]history.Call{r.Call}, func(history.Graph) string { return p.Name }, now)[0]
		fmt.Fprintf(&out, "  %d  %s  %s  %s  %s\n", line.Number, line.Time, line.Agent, line.Tool, glyphs.Cut(line.Summary, widestSummary))
	}
	writeLeft(&out, glyphs, p.Result)
	return glyphs.Transliterate(out.String())
}

// writeLeft says what stays, and why, and what will not be as it was.
func writeLeft(out *strings.Builder, glyphs kit.Glyphs, result undo.Result) {
	for i, left := range result.Left {
		if i == mostLeft {
			fmt.Fprintf(out, "  … and %s more stay as they are\n", humanize.Comma(int64(len(result.Left)-i)))
			break
		}
		fmt.Fprintf(out, "  %s %s\n", glyphs.Warning, LeftText(glyphs, left))
	}
	for i, title := range result.Pages {
		if i == mostLeft {
			fmt.Fprintf(out, "  … and %s\n", kit.Plural(len(result.Pages)-i, "more page"))
			break
		}
		fmt.Fprintf(out, "  the page %q goes along: nothing needs it any more\n", glyphs.Cut(kit.Sanitize(title), widestName))
	}
	for _, lack := range result.Inexact {
		fmt.Fprintf(out, "  ~ %s\n", kit.Sanitize(lack))
	}
}

// LeftText says what stays as it is, and why.
func LeftText(glyphs kit.Glyphs, left undo.Left) string {
	text := left.Change
	if left.UID != "" {
		text += "  ((" + kit.Sanitize(left.UID) + "))"
	}
	if name := fieldName(left.Field); name != "" {
		text += "  " + name
	}
	text += " stays: " + kit.Sanitize(string(left.Why))
	if left.ChangedBy != "" {
		text += ", by " + kit.Sanitize(left.ChangedBy)
	}
	if left.Is != "" && left.Is != left.Left {
		text += fmt.Sprintf(" (was %q, left %q, is %q)", glyphs.Cut(kit.Sanitize(left.Was), widestName), glyphs.Cut(kit.Sanitize(left.Left), widestName), glyphs.Cut(kit.Sanitize(left.Is), widestName))
	}
	return text
}

// Done says what was done, in lines.
func (p UndoPlan) Done(glyphs kit.Glyphs, result undo.Result) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s of %s %s", glyphs.Marked, kit.Plural(result.Changes, "change"), kit.Sanitize(p.Name), p.word())
	if len(result.Left) > 0 {
		fmt.Fprintf(&out, ", %s", kit.Plural(len(result.Left), "thing")+" left as it is")
	}
	out.WriteString(".\n")
	writeLeft(&out, glyphs, result)
	return glyphs.Transliterate(out.String())
}

// word is what happens to the changes.
func (p UndoPlan) word() string {
	if p.redo {
		return "redone"
	}
	return "undone"
}

// UndoJSON is a plan, and what came of it, as --json prints it.
type UndoJSON struct {
	Graph   string      `json:"graph"` // the nickname, or the name where it has none
	Calls   []int64     `json:"calls"`
	Changes int         `json:"changes"`         // that are taken back
	Steps   int         `json:"steps"`           // pages and blocks that are changed, made or removed
	Pages   []string    `json:"pages,omitempty"` // titles of those that go along, since nothing needs them
	Left    []undo.Left `json:"left"`
	Inexact []string    `json:"inexact,omitempty"`
	// Renewed are the uids of blocks that came back with others than they had, by those.
	Renewed map[string]string `json:"renewed,omitempty"`
	Call    int64             `json:"call,omitempty"` // under which it is recorded; absent: nothing was done
}

// JSON returns the plan with a result of it.
func (p UndoPlan) JSON(result undo.Result) UndoJSON {
	left := result.Left
	if left == nil {
		left = []undo.Left{}
	}
	return UndoJSON{p.Name, p.Calls(), result.Changes, result.Steps, result.Pages, left, result.Inexact, result.Renewed, result.Call}
}
