package note_test

import (
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/graphtest"
)

func demo(t testing.TB) *graphdb.DB {
	t.Helper()
	return graphtest.FromJSON(t, demograph.JSON)
}

func byUID(t testing.TB, db *graphdb.DB, uid string) note.Node {
	t.Helper()
	n, ok := note.FromDB(db, outline.ByUID(db, uid))
	if !ok {
		t.Fatalf("%s is not there", uid)
	}
	return n
}

func TestContentOfTheDemoGraph(t *testing.T) {
	db := demo(t)
	for uid, want := range map[string]string{
		"apollo001": "- Goal: land on the moon, see [[Saturn V]]\n  - Budget is tight, ask [[Ada]]\n- [ ] Write to [[Grace]]\n" +
			"- See ((sv0000001))<ref>The F-1 engine burns kerosene</ref> for the engine",
		"saturnv01":  "The F-1 engine burns kerosene\n\nBuilt by [[Ada]] and [[Grace]]",
		"ada000001":  "Met at the [[Projects/Apollo]] review\n\nLikes #tea",
		"grace0001":  "Compilers #computing",
		"gloss0001":  "[[Saturn V]]: a rocket\n\n[[Ada]]: an engineer",
		"shop00001":  "[ ] milk\n\n[x] tea",
		"01-15-2024": "- Review of [[Projects/Apollo]] with [[Grace]] #meeting\n- [[Notes]]\n  - call the bank",
		"orphan001":  "nobody links here",
		"gemini001":  "Forerunner of [[Projects/Apollo]]",
		"guide0001":  "Use ISO dates",
		"stub00009":  "",
		"da0000003":  "call the bank",
	} {
		t.Run(uid, func(t *testing.T) {
			n := byUID(t, db, uid)
			if got := note.Content(n, note.TagsName); got != want {
				t.Errorf("got %q\nwant %q", got, want)
			}
			checkReadsBack(t, n)
		})
	}
}

func TestADailyNoteWithoutItsSectionOfNotesIsAParagraph(t *testing.T) {
	day := byUID(t, demo(t), "01-15-2024")
	day.Children = day.Children[:2]
	if got, want := note.Content(day), "Review of [[Projects/Apollo]] with [[Grace]] #meeting"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinesOfTheDemoGraph(t *testing.T) {
	db := demo(t)
	for _, tc := range []struct {
		uid, title string
		line       int
	}{
		{"01-15-2024", "Projects/Apollo", 1}, {"ada000001", "Projects/Apollo", 1}, {"gemini001", "Projects/Apollo", 1},
		{"apollo001", "Ada", 2}, {"saturnv01", "Ada", 3}, {"gloss0001", "Ada", 3},
	} {
		lines := strings.Split(note.Content(byUID(t, db, tc.uid), note.TagsName), "\n")
		if at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "[["+tc.title+"]]") }); at+1 != tc.line {
			t.Errorf("%s mentions %s in line %d, want %d", tc.uid, tc.title, at+1, tc.line)
		}
	}
}

// checkReadsBack checks that the content of a node is read as its visible blocks.
func checkReadsBack(t testing.TB, n note.Node) {
	t.Helper()
	content := note.Content(n)
	got := note.Parse(content)
	if want := trees(n.Visible().Outline()); got.Tags != nil || trees(got.Blocks) != want {
		t.Errorf("%q is read back as\n%s\nwant\n%s", content, trees(got.Blocks), want)
	}
}
