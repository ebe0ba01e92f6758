package wiki

import (
	"testing"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// block returns a block with others below it.
func block(text string, children ...outline.Block) outline.Block {
	return outline.Block{String: text, Children: children}
}

func TestANewNoteKeepsAllOfItsContent(t *testing.T) {
	for name, tc := range map[string]struct{ content, title, tags, want string }{
		"puts title and tags in front":              {"one", "Title:: T", "Tags:: #a", "- Title:: T\n- Tags:: #a\n- one"},
		"leaves what stands below a line of tags":   {"- Tags:: #b\n  - why\n- one", "", "Tags:: #a", "- Tags:: #a\n- Tags:: #b\n  - why\n- one"},
		"leaves what stands below a line of titles": {"- Title:: B\n  - why\n- one", "Title:: T", "", "- Title:: T\n- Title:: B\n  - why\n- one"},
		"says a title that a line would take":       {"- Title:: B\n  - why", "", "", "- Title:: Page\n- Title:: B\n  - why"},
		"leaves a sentence about tags":              {"Tags:: see [[x]]\n\none", "", "", "- Tags:: see [[x]]\n- one"},
		"takes the first title and leaves others":   {"Title:: A\n\nTitle:: B\n\none", "Title:: A", "", "- Title:: A\n- Title:: B\n- one"},
		"leaves a title of several lines":           {"Title:: A\nand so on", "", "", "- Title:: A\n  and so on"},
		"has a line where there is nothing":         {"", "", "", "- Title:: Page"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.Bullets(draftOf(note.Parse(tc.content), "", note.Node{}).under(tc.title, tc.tags, "Page")); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func TestContentThatIsSentBackAsItIsShownSetsNothing(t *testing.T) {
	text := func(text string, below ...note.Node) note.Node { return note.Node{Text: text, Children: below} }
	page := text("", text("Title:: T"), text("Tags:: #a", text("why")), text("Tags:: see [[x]]"), text("one"), text("Title:: of a book"))
	const content = "- Tags:: #a\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"
	if d := draftOf(note.Parse(content), "", page); d.title != "" || d.tagged || markdown.Bullets(d.blocks) != content {
		t.Errorf("it sets the title %q and tags %q, and\n%s", d.title, d.tags, markdown.Bullets(d.blocks))
	}
}

func TestATitleOfTheContentThatIsNotTheNotesStays(t *testing.T) {
	for name, tc := range map[string]struct{ content, sent, title, want string }{
		"in front matter":                      {"---\ntitle: F\n---\none", "T", "T", "- title:: F\n- one"},
		"in a line":                            {"Title:: F\n\none", "T", "T", "- Title:: F\n- one"},
		"in two places, after the note's":      {"---\ntitle: F\n---\nTitle:: G", "T", "T", "- title:: F\n- Title:: G"},
		"unless it is the same":                {"---\ntitle: T\n---\none", " T ", "T", "- one"},
		"unless no title was sent with it":     {"---\ntitle: F\n---\none", " ", "F", "- one"},
		"and one that is code is no title":     {"`Title:: F`", "T", "T", "- `Title:: F`"},
		"and one of several lines is no title": {"Title:: F\nG", "T", "T", "- Title:: F\n  G"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := draftOf(note.Parse(tc.content), tc.sent, note.Node{}); d.title != tc.title || markdown.Bullets(d.blocks) != tc.want {
				t.Errorf("the title is %q, and the content\n%s", d.title, markdown.Bullets(d.blocks))
			}
		})
	}
}

func TestAChangeKeepsWhatItIsNotAbout(t *testing.T) {
	is := func(text string) *string { return &text }
	page := []outline.Block{{UID: "titled", String: "Title:: T"}, block("Tags:: #a", block("why")), block("Tags:: see [[x]]"), block("one"), block("Title:: of a book")}
	sent := append([]outline.Block{block("title:: F")}, page[1:]...)
	for name, tc := range map[string]struct {
		page   []outline.Block
		change change
		want   string
	}{
		"tags":                                  {page, change{tags: is("Tags:: #b")}, "- Title:: T\n- Tags:: #b\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"},
		"no tags":                               {page, change{tags: is("")}, "- Title:: T\n- Tags::\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"},
		"another title":                         {page, change{title: is("Title:: U")}, "- Title:: U\n- Tags:: #a\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"},
		"the title that a path has":             {page, change{title: is("")}, "- Title:: Page\n- Tags:: #a\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"},
		"a title of new content":                {sent, change{title: is("Title:: U")}, "- Title:: U\n- title:: F\n- Tags:: #a\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"},
		"a title of new content, with no other": {sent, change{title: is("")}, "- Title:: Page\n- title:: F\n- Tags:: #a\n  - why\n- Tags:: see [[x]]\n- one\n- Title:: of a book"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.Bullets(tc.change.of(tc.page, "Page", func(b outline.Block) bool { return len(b.Children) > 0 })); got != tc.want {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}
