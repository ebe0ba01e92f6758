package roundtriptest

import (
	"fmt"
	"strings"
	"testing"
)

// testCopies reads pages and creates others of what is shown: they have the same blocks. What
// the profiles roam and outline show is Roam's text without escapes, so that their pages hold
// only what Markdown has one reading of.
func testCopies(t *testing.T, first, count int) {
	for n, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			holds := func(t testing.TB, trees []tree) []string { return copied(t, profile, trees) }
			cut := cut(lesserTexts)
			for from := 0; from < count && !t.Failed(); from += batch {
				trees := make([]tree, min(batch, count-from))
				for i := range trees {
					m := newMaker(first + 1<<21 + (from+i)*len(profiles) + n)
					if trees[i] = m.tree(); profile == "roam" || profile == "outline" {
						trees[i], cut = m.said(4, 3), simpler
					}
				}
				report(t, trees, holds(t, trees), cut, holds)
			}
		})
	}
}

// copied says of each tree how the blocks differ that are created of what is shown of it.
func copied(t testing.TB, profile string, trees []tree) []string {
	t.Helper()
	w := newWorld(t, profile, export(trees))
	way := creations()[indexOf(profile)]
	wrong := make([]string, len(trees))
	for i := range trees {
		if strings.Contains(trees[i].String(), "ref>") || strings.Contains(trees[i].String(), "<roam") {
			continue // a new block has no marks of its own
		}
		if profile == "outline" && strings.Contains(trees[i].String(), "::") {
			continue // properties are shown without bullets (docs/profiles/outline.md)
		}
		if profile == "outline" && strings.Contains(trees[i].String(), `\n`) {
			continue // further lines are indented there, so that nobody takes them for blocks
		}
		page := w.page(pageUID(i))
		content, err := w.content(page)
		if err != nil {
			wrong[i] = "read: " + err.Error()
			continue
		}
		if strings.TrimFunc(content, isStructure) == "" {
			continue // nothing may be created of it
		}
		made, err := way.run(w, i, content)
		if err != nil {
			wrong[i] = fmt.Sprintf("copied: %v\n     sent %q", err, content)
		} else if got, want := lines(made), lines(page.Children); got != want {
			wrong[i] = fmt.Sprintf("copied: %s\n     sent %q", firstDifference(got, want), content)
		}
	}
	return wrong
}

// indexOf returns the place of the first creation of a profile.
func indexOf(profile string) int {
	for i, way := range creations() {
		if way.profile == profile {
			return i
		}
	}
	return -1
}

// content returns what a profile shows of a page, as it takes it for another.
func (w *world) content(page stored) (string, error) {
	w.T.Helper()
	var shown struct{ Text, Markdown string }
	switch w.profile {
	case "roam":
		r, err := w.call("get_page", arguments{"uid": page.UID})
		if err != nil {
			return "", err
		}
		r.Decode(w.T, &shown)
		_, blocks, _ := strings.Cut(shown.Markdown, "/>\n\n")
		return blocks, nil
	case "outline":
		r, err := w.call("get_page_content", arguments{"page_name": page.UID})
		if err != nil {
			return "", err
		}
		r.Decode(w.T, &shown)
		return shown.Text, nil
	}
	note, err := w.note(page)
	return note.content, err
}

// lines shows texts, headings and places.
func lines(blocks []stored) string {
	var out strings.Builder
	var write func(blocks []stored, depth int)
	write = func(blocks []stored, depth int) {
		for _, b := range blocks {
			fmt.Fprintf(&out, "%s h%d %q\n", strings.Repeat("  ", depth), b.Heading, b.Text)
			write(b.Children, depth+1)
		}
	}
	write(blocks, 0)
	return ownLines.ReplaceAllString(out.String(), "")
}
