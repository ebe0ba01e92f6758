package ops

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// outlines makes outlines, of texts that markdown can say and of some that it can't.
type outlines struct{ *rand.Rand }

func (r outlines) text(hidden bool) string {
	words := []string{"tea", "of", "milk", "[[Ada]]", "#engine", "1.", "**b**", "x\ny", "`code`", "-", "*", "", "a::"}
	text := fmt.Sprint("w", r.IntN(20))
	for range r.IntN(4) {
		text += " " + words[r.IntN(len(words))]
	}
	if r.IntN(12) == 0 {
		text = "- " + text
	}
	if hidden && r.IntN(6) == 0 {
		text += " #.rm-hide"
	}
	return text
}

func (r outlines) outline(most, depth int, hidden bool) []outline.Block {
	var list []outline.Block
	for range 1 + r.IntN(most) {
		b := outline.Block{String: r.text(hidden)}
		if r.IntN(6) == 0 {
			b.Heading = r.IntN(4)
		}
		if r.IntN(9) == 0 {
			b.ChildrenViewType = "document"
		}
		if depth > 1 && r.IntN(2) == 0 {
			b.Children = r.outline(most, depth-1, hidden)
		}
		list = append(list, b)
	}
	return list
}

// changed returns an outline with some blocks changed, left out, doubled or put below
// the one before.
func (r outlines) changed(blocks []outline.Block) []outline.Block {
	var list []outline.Block
	for _, b := range blocks {
		b.Children, b.UID = r.changed(b.Children), ""
		switch r.IntN(12) {
		case 0:
			b.String += " changed"
		case 1:
			continue
		case 2:
			list = append(list, outline.Block{String: r.text(false), Children: r.outline(2, 2, false)})
		case 3:
			if len(list) > 0 {
				last := &list[len(list)-1]
				last.Children = append(last.Children, b)
				continue
			}
		case 4:
			list = append([]outline.Block{b}, list...)
			continue
		}
		list = append(list, b)
	}
	return list
}

// bare returns an outline without uids, and with what new leaves open as it is there.
func bare(blocks []outline.Block) []outline.Block {
	var list []outline.Block
	for _, b := range blocks {
		list = append(list, outline.Block{String: b.String, Heading: b.Heading, Children: bare(b.Children)})
	}
	return list
}

// hiddenIn returns the texts of the hidden blocks that no hidden block is above, with all
// below them.
func hiddenIn(n note.Node) map[string]int {
	found := map[string]int{}
	for _, child := range n.Children {
		if child.Hidden {
			found[child.UID+child.Text+"\n"+lines(child)]++
			continue
		}
		for text, times := range hiddenIn(child) {
			found[text] += times
		}
	}
	return found
}

func TestRewrite_ofRandomOutlines(t *testing.T) { testRandomOutlines(t, 10) }

func testRandomOutlines(t *testing.T, pairs int) {
	for _, settings := range [][]string{nil, {"no-batch"}} {
		var b *box
		for seed := range pairs {
			if seed%100 == 0 { // Roam takes 1,500 writes a minute
				b = newBox(t, settings...)
			}
			if err := b.rewriteRandom(outlines{rand.New(rand.NewPCG(uint64(seed), 6))}, fmt.Sprintf("Page %d", seed)); err != nil {
				t.Fatalf("seed %d, %v: %v", seed, settings, err)
			}
		}
	}
}

// rewriteRandom makes a page, rewrites it, and says what is not as it has to be.
func (b *box) rewriteRandom(r outlines, title string) error {
	uid := b.page(title, "")
	if _, err := b.graph().Rewrite(b.t.Context(), read(b.t, b.graph(), uid), r.outline(4, 3, true), nil); err != nil {
		return err
	}
	fresh := read(b.t, b.graph(), uid)
	want := r.changed(fresh.Visible().Outline())
	if r.IntN(4) == 0 {
		want = r.outline(4, 3, false)
	}
	told, err := b.graph().Rewrite(b.t.Context(), fresh, want, nil)
	if err != nil {
		return err
	}
	after := read(b.t, b.graph(), uid)
	if got := after.Visible().Outline(); !reflect.DeepEqual(bare(got), bare(want)) {
		return fmt.Errorf("there is\n%s\nwant\n%+v", lines(after.Visible()), want)
	}
	if was, is := hiddenIn(fresh), hiddenIn(after); !reflect.DeepEqual(was, is) {
		return fmt.Errorf("hidden is %v, was %v", is, was)
	}
	if was, is := count(fresh.Children), count(after.Children); is != was+told.Inserted-told.Deleted {
		return fmt.Errorf("there are %d blocks, were %d: %+v", is, was, told)
	}
	return nil
}

func count(nodes []note.Node) int {
	n := len(nodes)
	for i := range nodes {
		n += count(nodes[i].Children)
	}
	return n
}
