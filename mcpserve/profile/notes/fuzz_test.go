package notes

import (
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/outline"
)

// What a note shows of any content is read back to the same note.
func FuzzQuickNote(f *testing.F) {
	for _, content := range []string{"Buy stamps\nblue ones", "- a\n  b\n  - c", "# A\n- [ ] b\n\nc", "```\na\n```\nb", "---\ntags: [a]\n---\nb", "Color:: red\nx", "((abc))<ref>x</ref>", "a #.rm-hide\nb", "[[Notes]]", "- \n  - a"} {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content string) {
		shown := func(block outline.Block) (string, entry) {
			n := quickOf(block.String)
			n.Heading, n.Children = block.Heading, nodesOf(block.Children)
			e := newEntry(n, time.UTC)
			return e.content(), e
		}
		first, e := shown(quickBlock(content))
		if !e.exists() || strings.ContainsAny(content, "\r\x00") {
			return
		}
		second, _ := shown(quickBlock(first))
		if third, _ := shown(quickBlock(second)); third != second {
			t.Errorf("%q is shown as %q, then %q, then %q", content, first, second, third)
		}
	})
}

func FuzzReminder(f *testing.F) {
	for _, value := range []string{"[[January 20th, 2024]] 14:00", "2024-01-20", "2024-01-20T14:00:00Z", "[[January 20th, 2024]] 2 pm", "soon"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		e := newEntry(pageOf("A", lines("Reminder:: "+value)...), time.UTC)
		if at, ok := e.reminder(); ok && (at.Year() < 0 || at.Year() > 9999) {
			t.Errorf("%q is %v", value, at)
		}
		if len(e.long(e.content())) == 0 {
			t.Error("it is not shown")
		}
	})
}
