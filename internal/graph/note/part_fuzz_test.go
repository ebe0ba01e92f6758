package note_test

import (
	"slices"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// FuzzPart sends any text in the place of any part of a note: nothing of it panics, and no
// block that was not shown is changed or lost.
func FuzzPart(f *testing.F) {
	f.Add("- one\n  - two three\n- four", 3, 15, "- one\n  - two"+mark)
	f.Add("one\n\ntwo", 1, 6, "ne\n\ntw")
	f.Add("- a\n  - b\n    - c", 8, 17, "- c\n- b")
	f.Fuzz(func(t *testing.T, content string, from, to int, sent string) {
		n := note.Node{UID: "p", Title: "P", Children: nodesWith(note.Parse(content).Blocks)}
		number(&n, 0)
		r := note.Render(n)
		if from < 0 || to < from || to > len(r.Text) {
			return
		}
		p := r.Part(from, to, mark)
		parsed, left, ok := p.Parse(sent)
		if !ok {
			return
		}
		view := viewOf(n, p)
		for _, uid := range left {
			view.Unseen[uid] = true
		}
		want, conflicts := outline.Difference(view, parsed.Blocks).Apply(view.Blocks, 0)
		if len(conflicts) > 0 {
			t.Fatalf("nobody changed anything, and %v are conflicts", conflicts)
		}
		there := map[string]string{}
		var walk func(blocks []outline.Block, visit func(b outline.Block))
		walk = func(blocks []outline.Block, visit func(b outline.Block)) {
			for _, b := range blocks {
				visit(b)
				walk(b.Children, visit)
			}
		}
		walk(want, func(b outline.Block) { there[b.UID] = b.String })
		walk(view.Blocks, func(b outline.Block) {
			if text, is := there[b.UID]; !slices.Contains(p.Shown, b.UID) && (!is || text != b.String) {
				t.Errorf("%q (%s) was not shown, and is %q", b.String, b.UID, text)
			}
		})
	})
}

func nodesWith(blocks []outline.Block) []note.Node {
	var list []note.Node
	for _, b := range blocks {
		list = append(list, note.Node{Text: b.String, Heading: b.Heading, Children: nodesWith(b.Children)})
	}
	return list
}
