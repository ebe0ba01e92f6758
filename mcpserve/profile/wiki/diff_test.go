package wiki

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/testutil/require"
)

func TestPatchAppliesWhatADiffSays(t *testing.T) { testRandomDiffs(t, 30) }

// testRandomDiffs compares random notes with what random edits make of them, and has the
// program patch apply the differences.
func testRandomDiffs(t *testing.T, notes int) {
	program, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("patch is not here")
	}
	r := rand.New(rand.NewPCG(4, 4))
	folder := t.TempDir()
	for i := range notes {
		page := note.Node{UID: "page00001", Title: "Projects/Apollo", Children: randomBlocks(r, 0)}
		edited := page
		edited.Children = randomlyEdited(r, page.Children)
		before, after := newFound(page), newFound(edited)
		d := differenceOf(before, after)
		was, is := lined(before.content()), lined(after.content())
		if d.added-d.removed != strings.Count(is, "\n")-strings.Count(was, "\n") {
			t.Errorf("%d: %d lines added and %d removed, of\n%s", i, d.added, d.removed, d.unified)
		}
		if was == is {
			if d.unified != "" || d.added+d.removed != 0 {
				t.Errorf("%d: equal contents differ by %s", i, d.unified)
			}
			continue
		}
		old, patched := filepath.Join(folder, "old.md"), filepath.Join(folder, "new.md")
		require.NoError(t, os.WriteFile(old, []byte(was), 0o600))
		command := exec.Command(program, "--silent", "--force", "--output", patched, old)
		command.Stdin = strings.NewReader(d.unified)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%d: patch: %v: %s\n%s", i, err, out, d.unified)
		}
		got, err := os.ReadFile(patched)
		require.NoError(t, err)
		if string(got) != is {
			t.Fatalf("%d: patch made\n%s\nof\n%s\nby\n%s", i, got, was, d.unified)
		}
	}
}

// texts are those of random blocks: some are lines of a diff themselves.
func texts() []string {
	return []string{
		"alpha", "beta", "gamma", "delta", "Tags:: #a #b", "Title:: Other", "- minus", "+ plus", "-", "--- a/x.md", "+++ b/x.md", "@@ -1,2 +3,4 @@", "\\ No newline at end of file",
		"two\nlines", "", " ", "```\ncode\n- in it\n```", "[[Ada]] and #tag", "((abcdefghi))", "ünïcode 漢字", "a\rb", "{{[[TODO]]}} do", "# no heading",
	}
}

func randomBlocks(r *rand.Rand, depth int) []note.Node {
	var blocks []note.Node
	for range r.IntN(6 - 2*depth) {
		blocks = append(blocks, randomBlock(r, depth))
	}
	return blocks
}

func randomBlock(r *rand.Rand, depth int) note.Node {
	n := note.Node{UID: "uid", Text: texts()[r.IntN(len(texts()))], Heading: max(0, r.IntN(8)-4)}
	if depth < 2 {
		n.Children = randomBlocks(r, depth+1)
	}
	return n
}

func randomlyEdited(r *rand.Rand, blocks []note.Node) []note.Node {
	edited := slices.Clone(blocks)
	for range r.IntN(4) {
		at := r.IntN(len(edited) + 1)
		switch {
		case at == len(edited) || r.IntN(2) == 0:
			edited = slices.Insert(edited, at, randomBlock(r, 0))
		case r.IntN(2) == 0:
			edited = slices.Delete(edited, at, at+1)
		default:
			edited[at].Children = randomlyEdited(r, edited[at].Children)
		}
	}
	return edited
}

func TestADifference(t *testing.T) {
	state := func(title string, texts ...string) found {
		page := note.Node{UID: "page00001", Title: title}
		for _, text := range texts {
			page.Children = append(page.Children, note.Node{Text: text})
		}
		return newFound(page)
	}
	for name, tc := range map[string]struct {
		before, after found
		head, unified string
	}{
		"a line that changed": {
			state("a/b", "one", "two"), state("a/b", "one", "zwei"),
			"+1 additions, -1 deletions\n\n", "--- a/a/b.md\n+++ b/a/b.md\n@@ -1,3 +1,3 @@\n one\n \n-two\n+zwei\n",
		},
		"title and tags alone": {
			state("a/b", "Tags:: #x", "one"), state("a/b", "Title:: Bee", "one"),
			"Title: b → Bee\nTags: x → none\n\n+0 additions, -0 deletions\n\n", "",
		},
		"a move": {
			state("a/b", "one"), state("c", "one", "two"),
			"Title: b → c\n\n+2 additions, -0 deletions\n\n", "--- a/a/b.md\n+++ b/c.md\n@@ -1 +1,3 @@\n one\n+\n+two\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := differenceOf(tc.before, tc.after)
			if d.same() || d.head() != tc.head || d.unified != tc.unified {
				t.Errorf("got %q and\n%s", d.head(), d.unified)
			}
		})
	}
	if d := differenceOf(state("a", "x"), state("a", "x")); !d.same() {
		t.Errorf("equal states differ: %+v", d)
	}
}
