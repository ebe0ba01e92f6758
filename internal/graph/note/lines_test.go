package note_test

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
)

func TestLines(t *testing.T) {
	block := func(text string, children ...note.Node) note.Node {
		return note.Node{UID: text, Text: text, Children: children}
	}
	heading := block("H")
	heading.Heading = 2
	for name, tc := range map[string]struct {
		page note.Node
		want []string // text and line
	}{
		"of paragraphs":        {block("", block("a"), block("b\nstill b"), block("c")), []string{"a 1", "b\nstill b 3", "c 6"}},
		"of bullets":           {block("", block("a", block("b\nstill b", block("c"))), block("d")), []string{"a 1", "b\nstill b 2", "c 4", "d 5"}},
		"below a heading":      {block("", heading, block("a")), []string{"H 1", "a 2"}},
		"without what is kept": {block("", block("Tags:: #x"), block("a"), block("secret #.rm-hide"), block("b", block("c"))), []string{"a 1", "b 2", "c 3"}},
		"of code":              {block("", block("```\na\nb```", block("c")), block("d")), []string{"```\na\nb``` 1", "c 4", "d 5"}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range tc.page.Children {
				tc.page.Children[i].Hidden = strings.Contains(tc.page.Children[i].Text, ".rm-hide")
			}
			content := strings.Split(note.Content(tc.page, note.TagsName), "\n")
			lines := note.Render(tc.page, note.TagsName).Lines()
			if len(lines) != len(tc.want) {
				t.Errorf("got %v", lines)
			}
			for _, want := range tc.want {
				at := strings.LastIndex(want, " ")
				text := want[:at]
				if got := lines[text]; fmt.Sprint(got) != want[at+1:] || !strings.Contains(content[got-1], strings.Split(text, "\n")[0]) {
					t.Errorf("%q is on line %d of %q", text, got, content)
				}
			}
		})
	}
}
