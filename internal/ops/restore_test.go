package ops

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/require"
)

// whole returns an outline with the looks spelled out that a block has by itself.
func whole(blocks []outline.Block) []outline.Block {
	out := slices.Clone(blocks)
	for i := range out {
		out[i].ChildrenViewType, out[i].TextAlign = cmp.Or(out[i].ChildrenViewType, "bullet"), cmp.Or(out[i].TextAlign, "left")
		out[i].Children = whole(out[i].Children)
	}
	return out
}

// What a page was, it is again: with the uids of its blocks and all their looks, and with
// the blocks that are hidden by now.
func TestRestore_ofRandomOutlines(t *testing.T) {
	for _, settings := range [][]string{nil, {"no-batch"}} {
		b := newBox(t, settings...)
		for seed := range 10 {
			r := outlines{rand.New(rand.NewPCG(uint64(seed), 7))}
			uid := b.page(fmt.Sprintf("Page %d", seed), "")
			_, err := b.graph().Rewrite(t.Context(), read(t, b.graph(), uid), r.outline(4, 3, false), nil)
			require.NoError(t, err)
			was := read(t, b.graph(), uid)
			changed := r.changed(slices.Concat(was.Outline(), r.outline(2, 2, true)))
			if r.IntN(4) == 0 {
				changed = r.outline(4, 3, true)
			}
			_, err = b.graph().Rewrite(t.Context(), was, changed, nil)
			require.NoError(t, err)
			fresh := read(t, b.graph(), uid)
			for _, child := range was.Children {
				if !slices.ContainsFunc(fresh.Children, func(n note.Node) bool { return n.UID == child.UID }) {
					continue
				}
				b.do("data.block.update", map[string]any{"block": map[string]any{"uid": child.UID, "open": false, "text-align": "center"}})
			}
			fresh = read(t, b.graph(), uid)
			told, err := b.graph().Restore(t.Context(), fresh, was.Outline(), nil)
			require.NoError(t, err)
			after := read(t, b.graph(), uid)
			if got, want := whole(after.Visible().Outline()), whole(was.Outline()); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %v: there is\n%+v\nwant\n%+v\nafter %+v", seed, settings, got, want, told)
			}
			if was, is := hiddenIn(fresh), hiddenIn(after); !reflect.DeepEqual(was, is) {
				t.Fatalf("seed %d: hidden is %v, was %v", seed, is, was)
			}
			if again, err := b.graph().Restore(t.Context(), after, was.Outline(), nil); err != nil || again.Updated+again.Inserted+again.Moved+again.Deleted > 0 {
				t.Fatalf("seed %d: again it does %+v, %v", seed, again, err)
			}
		}
	}
}

func TestRestore(t *testing.T) {
	b := newBox(t)
	t.Run("leaves a block alone that stands on another page by now", func(t *testing.T) {
		uid, other := b.page("Here", "- stays\n- moves away\n  - with this"), b.page("There", "- other")
		was := read(t, b.graph(), uid)
		moved := byText(was)["moves away"]
		b.do("data.block.move", map[string]any{"location": map[string]any{"parent-uid": other, "order": "last"}, "block": map[string]any{"uid": moved}})
		told, err := b.graph().Restore(t.Context(), read(t, b.graph(), uid), was.Outline(), nil)
		require.NoError(t, err)
		here, there := read(t, b.graph(), uid), read(t, b.graph(), other)
		if told.Elsewhere != 2 || lines(here) != lines(was) || byText(here)["moves away"] == moved || byText(there)["moves away"] != moved {
			t.Errorf("it told %+v; here is\n%s there is\n%s", told, lines(here), lines(there))
		}
	})
	for _, setting := range []string{"uids=refused", "uids=refused,no-batch"} {
		t.Run("makes each block once where Roam has "+setting, func(t *testing.T) {
			b := newBox(t, strings.Split(setting, ",")...)
			uid := b.page("Gone", "- one\n  - two\n    - three\n- four\n- five")
			was := read(t, b.graph(), uid)
			_, err := b.graph().Rewrite(t.Context(), was, nil, nil)
			require.NoError(t, err)
			for range 2 { // the same call once more adds nothing
				g := b.graph()
				_, err = g.Restore(t.Context(), read(t, b.graph(), uid), was.Outline(), nil)
				require.NoError(t, err)
				if after := read(t, b.graph(), uid); indented(after) != indented(was) {
					t.Errorf("there is\n%s, want\n%s", indented(after), indented(was))
				}
				if notes := strings.Join(g.Notes(), " "); !strings.Contains(notes, "uid") {
					t.Errorf("it says %q of the uids", notes)
				}
			}
		})
	}
	t.Run("makes each block that has gone with its uid", func(t *testing.T) {
		uid := b.page("Gone", "- one\n  - two\n- three")
		was := read(t, b.graph(), uid)
		_, err := b.graph().Rewrite(t.Context(), was, nil, nil)
		require.NoError(t, err)
		empty := read(t, b.graph(), uid)
		calls := b.counted(func() { _, err = b.graph().Restore(t.Context(), empty, was.Outline(), nil) })
		require.NoError(t, err)
		if after := read(t, b.graph(), uid); !reflect.DeepEqual(byText(after), byText(was)) {
			t.Errorf("there is %v, want %v", byText(after), byText(was))
		}
		if fmt.Sprint(calls) != "[q q batchActions q]" {
			t.Errorf("it calls %v", calls)
		}
	})
}

// indented returns the texts below a note, indented, without uids.
func indented(n note.Node) string {
	var out strings.Builder
	var walk func(n note.Node, depth int)
	walk = func(n note.Node, depth int) {
		for _, child := range n.Children {
			out.WriteString(strings.Repeat("  ", depth) + child.Text + "\n")
			walk(child, depth+1)
		}
	}
	walk(n, 0)
	return out.String()
}
