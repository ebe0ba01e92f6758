package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/require"
)

func read(t *testing.T, g *Graph, uid string) note.Node {
	t.Helper()
	n, ok, err := g.ReadNote(t.Context(), uid)
	require.NoError(t, err)
	if !ok {
		t.Fatalf("%s is not there", uid)
	}
	return n
}

// lines returns what is below a node, a line for each block: hidden ones, too.
func lines(n note.Node) string {
	var out strings.Builder
	var add func(nodes []note.Node, depth int)
	add = func(nodes []note.Node, depth int) {
		for _, each := range nodes {
			out.WriteString(strings.Repeat("  ", depth) + each.Text + "\n")
			add(each.Children, depth+1)
		}
	}
	add(n.Children, 0)
	return out.String()
}

// editTimes returns the times of all blocks, by uid.
func editTimes(n note.Node) map[string]int64 {
	times := map[string]int64{}
	var add func(nodes []note.Node)
	add = func(nodes []note.Node) {
		for _, each := range nodes {
			times[each.UID] = each.Edited
			add(each.Children)
		}
	}
	add(n.Children)
	return times
}

func TestRewrite_ofALineInAThousand(t *testing.T) {
	b := newBox(t)
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "%s- This is line %d of the page\n", strings.Repeat("  ", i%3), i)
	}
	uid := b.page("Long", text.String())
	g := b.graph().AllowPartial()
	var before note.Node
	calls := b.counted(func() {
		before = read(t, g, uid)
		want := note.Parse(strings.Replace(text.String(), "line 501 of", "line 501 in", 1)).Blocks
		told, err := g.Rewrite(t.Context(), before, want, nil)
		require.NoError(t, err)
		if told.Updated != 1 || told.Inserted+told.Moved+told.Deleted != 0 {
			t.Errorf("it did %+v", told)
		}
	})
	if len(calls) > 4 || !slices.Contains(calls, "data.block.updateBlocks") {
		t.Errorf("%d calls: %v", len(calls), calls)
	}
	was, is := editTimes(before), editTimes(read(t, g, uid))
	changed := 0
	for uid, at := range was {
		if now, ok := is[uid]; !ok || now != at {
			changed++
		}
	}
	if changed != 1 || len(was) != 1000 || len(is) != 1000 {
		t.Errorf("%d of %d blocks have changed, %d are there", changed, len(was), len(is))
	}
	if updates, _ := b.kept.begun[0].Write.(BlockUpdates); len(updates) != 1 || updates[0].UID != byText(before)["This is line 501 of the page"] {
		t.Errorf("the recorder is told of %+v", b.kept.begun)
	}
}

const oldList = `- Tags:: #list
- milk
- bread
  - of rye and wheat
  - my secret baker #.rm-hide
- tea from the shop
- nobody may see this #.rm-private
  - nor that
- eggs, a dozen of them
`

// rewrites are changes of oldList without the Tags:: line.
func rewrites() map[string]struct{ want, lines string } {
	return map[string]struct{ want, lines string }{
		"changes a text": {"- milk\n- bread\n  - of rye and wheat\n- tea from the market\n- eggs, a dozen of them", `Tags:: #list
milk
bread
  of rye and wheat
  my secret baker #.rm-hide
tea from the market
nobody may see this #.rm-private
  nor that
eggs, a dozen of them
`},
		"adds, moves and deletes": {"- eggs, a dozen of them\n- cheese\n  - of goats\n  - of sheep\n- milk\n  - tea from the shop", `Tags:: #list
eggs, a dozen of them
cheese
  of goats
  of sheep
milk
  tea from the shop
my secret baker #.rm-hide
nobody may see this #.rm-private
  nor that
`},
		"puts what is there below what is new": {"- breakfast\n  - milk\n  - bread\n    - of rye and wheat\n- supper\n  - tea from the shop\n  - eggs, a dozen of them", `Tags:: #list
breakfast
  milk
  bread
    of rye and wheat
    my secret baker #.rm-hide
supper
  tea from the shop
  eggs, a dozen of them
nobody may see this #.rm-private
  nor that
`},
		"empties it": {"", `Tags:: #list
my secret baker #.rm-hide
nobody may see this #.rm-private
  nor that
`},
	}
}

func isTags(n note.Node) bool {
	name, _, _ := note.SplitProperty(n.Text)
	return name == "Tags"
}

func TestRewrite(t *testing.T) {
	for _, build := range []string{"", "no-batch"} {
		var settings []string
		if build != "" {
			settings = append(settings, build)
		}
		b := newBox(t, settings...)
		for name, tc := range rewrites() {
			t.Run(strings.TrimSpace(name+" "+build), func(t *testing.T) {
				b.t = t
				uid := b.page(name, oldList)
				before := read(t, b.graph(), uid)
				told, err := b.graph().Rewrite(t.Context(), before, note.Parse(tc.want).Blocks, isTags)
				require.NoError(t, err)
				after := read(t, b.graph(), uid)
				if got := lines(after); got != tc.lines {
					t.Errorf("there is\n%swant\n%s", got, tc.lines)
				}
				if again, err := b.graph().Rewrite(t.Context(), after, note.Parse(tc.want).Blocks, isTags); err != nil || again.Updated+again.Inserted+again.Moved+again.Deleted > 0 {
					t.Errorf("again it does %+v after %+v, %v", again, told, err)
				}
				was, is := byText(before), byText(after)
				for text, uid := range was {
					if now, ok := is[text]; ok && now != uid {
						t.Errorf("%q has another uid", text)
					}
				}
			})
		}
	}
}

// byText returns uids of blocks by their texts.
func byText(n note.Node) map[string]string {
	uids := map[string]string{}
	for _, each := range n.Children {
		uids[each.Text] = each.UID
		maps.Copy(uids, byText(each))
	}
	return uids
}

func TestRewrite_tells(t *testing.T) {
	b := newBox(t)
	uid := b.page("Referred", "- first of these\n- goes away\n  - goes with it\n- moves up\n- stays")
	at := byText(read(t, b.graph(), uid))
	other := b.page("Refers", "- see (("+at["goes with it"]+"))\n- see (("+at["stays"]+"))\n- secret (("+at["goes with it"]+")) #.rm-hide\n- #.rm-private\n  - (("+at["goes away"]+"))")
	referring := read(t, b.graph(), other).Children[0].UID
	fresh := read(t, b.graph(), uid)
	told, err := b.graph().Rewrite(t.Context(), fresh, note.Parse("- moves up\n- first of those\n- stays").Blocks, nil)
	require.NoError(t, err)
	t.Run("of what referred to blocks that went", func(t *testing.T) {
		if len(told.Referred) != 1 || told.Referred[0].UID != referring || told.Referred[0].Page != "Refers" || told.Deleted != 2 {
			t.Errorf("it told %+v, want %s", told, referring)
		}
	})
	t.Run("the recorder of each write", func(t *testing.T) {
		var places []string
		for _, write := range b.kept.begun {
			if write.Caller != b {
				t.Errorf("the caller of %s is %v", write.Action, write.Caller)
			}
			places = append(places, write.Write.Footprint().Places...)
			if _, deletes := write.Write.(Removals); deletes != (write.Before != nil) || deletes && write.Before.Things[at["goes with it"]].Text != "goes with it" {
				t.Errorf("before %s there is %+v", write.Action, write.Before)
			}
		}
		for _, text := range []string{"first of these", "moves up", "goes away"} {
			if !slices.Contains(places, at[text]) {
				t.Errorf("it is not told of %s", text)
			}
		}
	})
}

func TestRewrite_ofTheGuidelines(t *testing.T) {
	b := newBox(t)
	uid := b.page("roam/agent guidelines", "- be brief\n- be kind")
	fresh := read(t, b.graph(), uid)
	b.kept.begun = nil
	_, err := b.graph().Rewrite(t.Context(), fresh, note.Parse("- be brief\n- be rich").Blocks, nil)
	if problem.CodeOf(err) != CodeGuidelinesProtected || len(b.kept.begun) > 0 {
		t.Errorf("got %v, and %d writes", err, len(b.kept.begun))
	}
}

// What an agent reads and writes back changes what it has changed in it alone.
func TestRewrite_ofContentThatWasRead(t *testing.T) {
	b := newBoxOf(t, demograph.JSON)
	content := func(t *testing.T, uid, old, new string) (Rewritten, []string) {
		t.Helper()
		fresh := read(t, b.graph(), uid)
		want := note.Parse(strings.Replace(note.Content(fresh, "Tags"), old, new, 1)).Blocks
		var told Rewritten
		calls := b.counted(func() {
			var err error
			told, err = b.graph().Rewrite(t.Context(), fresh, want, isTags)
			require.NoError(t, err)
		})
		return told, calls
	}
	for _, uid := range []string{"apollo001", "saturnv01", "ada000001", "01-15-2024", "shop00001", "gloss0001", "stub00003"} {
		t.Run("leaves all of "+uid+" alone", func(t *testing.T) {
			if told, calls := content(t, uid, "", ""); len(calls) > 0 {
				t.Errorf("it called %v: %+v", calls, told)
			}
		})
	}
	t.Run("changes one block of a page", func(t *testing.T) {
		before := editTimes(read(t, b.graph(), "apollo001"))
		told, calls := content(t, "apollo001", "tight", "ample")
		after := editTimes(read(t, b.graph(), "apollo001"))
		if told.Updated != 1 || strings.Join(calls, " ") != "q data.block.updateBlocks" || before["ap0000002"] == after["ap0000002"] {
			t.Errorf("it called %v: %+v", calls, told)
		}
		after["ap0000002"] = before["ap0000002"]
		if !maps.Equal(before, after) {
			t.Errorf("the times are %v, were %v", after, before)
		}
	})
}

// Somebody else may write between the read and the Rewrite.
func TestRewrite_ofAPageThatHasChanged(t *testing.T) {
	for _, settings := range [][]string{nil, {"no-batch"}} {
		b := newBox(t, settings...)
		page := func(t *testing.T, title, meanwhile string) (fresh note.Node) {
			t.Helper()
			b.t = t
			fresh = read(t, b.graph(), b.page(title, "- one two\n- three four\n- five six"))
			b.do("data.block.delete", map[string]any{"block": map[string]any{"uid": byText(fresh)[meanwhile]}})
			return fresh
		}
		t.Run(strings.Join(append(settings, "takes a block that has gone for deleted"), " "), func(t *testing.T) {
			fresh := page(t, "gone", "three four")
			told, err := b.graph().Rewrite(t.Context(), fresh, note.Parse("- one two\n- five six").Blocks, nil)
			if err != nil || told.Deleted != 1 {
				t.Errorf("got %+v, %v", told, err)
			}
		})
		t.Run(strings.Join(append(settings, "says that a block to change has gone"), " "), func(t *testing.T) {
			fresh := page(t, "changed", "three four")
			g := b.graph().AllowPartial()
			_, err := g.Rewrite(t.Context(), fresh, note.Parse("- one three\n- three five\n- new").Blocks, nil)
			failed, _ := problem.As(g.PartialFailure(err))
			if problem.CodeOf(err) != localapi.CodeNotFound || failed.Detail(DetailDone) == nil {
				t.Fatalf("got %v", err)
			}
			if got, want := lines(read(t, b.graph(), fresh.UID)), "one three\nnew\n"; got != want {
				t.Errorf("there is\n%s\nwant\n%s", got, want)
			}
		})
	}
}
