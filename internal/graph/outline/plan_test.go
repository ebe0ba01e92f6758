package outline

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// parse reads an outline of lines such as "  text ^uid", indented by two blanks a level.
func parse(text string) []Block {
	type level struct{ list *[]Block }
	var top []Block
	levels := []level{{&top}}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		content := strings.TrimLeft(line, " ")
		depth := (len(line) - len(content)) / 2
		text, uid, _ := strings.Cut(content, " ^")
		if content == "" {
			continue
		}
		b := Block{String: text, UID: uid}
		if rest, ok := strings.CutPrefix(text, "# "); ok {
			b.String, b.Heading = rest, 1
		}
		list := levels[depth].list
		*list = append(*list, b)
		levels = append(levels[:depth+1], level{&(*list)[len(*list)-1].Children})
	}
	return top
}

// say returns a plan in a line for each change.
func say(ops Ops) string {
	var out strings.Builder
	for _, each := range ops.Updates {
		fmt.Fprintf(&out, "update %s", each.UID)
		if each.Text != nil {
			fmt.Fprintf(&out, " %q", *each.Text)
		}
		if each.Heading != nil {
			fmt.Fprintf(&out, " heading %d", *each.Heading)
		}
		if each.View != nil {
			fmt.Fprintf(&out, " view %s", *each.View)
		}
		out.WriteString("\n")
	}
	moves := func(moves []Move) {
		for _, each := range moves {
			place := fmt.Sprint(each.Index)
			if each.Last {
				place = "last"
			}
			fmt.Fprintf(&out, "move %s to %s %s\n", each.UID, cmp.Or(each.Parent, "top"), place)
		}
	}
	for _, each := range ops.Orders {
		if moves(each.Moves); each.Moves == nil {
			fmt.Fprintf(&out, "order %s %s\n", cmp.Or(each.Parent, "top"), strings.Join(each.After, " "))
		}
	}
	for _, each := range ops.Inserts {
		fmt.Fprintf(&out, "insert at %s %d %s\n", cmp.Or(each.Parent, "top"), each.Index, lines(each.Blocks))
	}
	moves(ops.Moves)
	for _, each := range ops.Deletes {
		fmt.Fprintf(&out, "delete %s\n", each)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func lines(blocks []Block) string {
	var texts []string
	for _, b := range blocks {
		text := b.String
		if b.UID != "" {
			text += " ^" + b.UID
		}
		if len(b.Children) > 0 {
			text += " (" + lines(b.Children) + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func TestPlan(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, fixed, want string }{
		"is empty for equal outlines":                       {"a ^1\n  b ^2", "a\n  b", "", ""},
		"is empty for two that are empty":                   {"", "", "", ""},
		"changes a text of which half the words stay":       {"Budget is tight, ask Ada ^1", "Budget is ample, ask Ada", "", `update 1 "Budget is ample, ask Ada"`},
		"changes a task that is done":                       {"{{[[TODO]]}} milk ^1", "{{[[DONE]]}} milk", "", `update 1 "{{[[DONE]]}} milk"`},
		"changes a text without spaces by its characters":   {"月面に着陸する ^1", "月面を歩行する", "", `update 1 "月面を歩行する"`},
		"changes a text of which nothing stays":             {"open ^1", "done", "", `update 1 "done"`},
		"changes a heading alone":                           {"a b ^1", "# a b", "", "update 1 heading 1"},
		"keeps what is below a text that changes":           {"a b ^1\n  c ^2", "a b d\n  c", "", `update 1 "a b d"`},
		"takes the longest common subsequence":              {"a ^1\nb ^2\na ^3\nc ^4", "b\na\nc", "", "delete 1"},
		"takes of equal blocks the one with the same below": {"x ^1\nnotes ^2\n  a ^3", "x\nnotes\n  b\nnotes\n  a", "", "insert at top 1 notes (b)"},
		"adds in runs":                                          {"a ^1\nb ^2", "x\ny\n  z\na\nw\nb", "", "insert at top 0 x, y (z)\ninsert at top 3 w"},
		"puts new texts where the old one was":                  {"a ^1\nb c ^2\nd ^3", "a\nx y\nz\nd", "", "insert at top 1 x y, z\ndelete 2"},
		"moves a unique text to another parent":                 {"a ^1\n  c ^2\nb ^3", "a\nb\n  c", "", "move 2 to 3 last"},
		"moves it below what is new":                            {"a ^1", "x\n  y\n    a\n    z", "", "insert at top 0 x (y ^ 1 (z))\nmove 1 to  1 0"},
		"does not move one of two equal texts":                  {"p ^1\n  a ^2\n  a ^3\nq ^4", "p\nq\n  a\n  a", "", "insert at 4 0 a, a\ndelete 2\ndelete 3"},
		"turns a nest inside out without a circle":              {"a ^1\n  b ^2\n    c ^3", "c\n  b\n    a", "", "move 3 to top 0\nmove 2 to 3 last\nmove 1 to 2 last"},
		"saves what stays from what goes":                       {"goes ^1\n  goes too ^2\n    stays ^3", "stays", "", "move 3 to top 0\ndelete 1"},
		"moves one up among others":                             {"a ^1\nb ^2\nc ^3", "c\na\nb", "", "move 3 to top 0"},
		"moves one down to the end":                             {"a ^1\nb ^2\nc ^3", "b\nc\na", "", "move 1 to top last"},
		"orders all where one goes down, not to the end":        {"a ^1\nb ^2\nc ^3\nd ^4", "b\nc\na\nd", "", "order top 2 3 1 4"},
		"goes by the uids that new gives":                       {"a ^1\na ^2", "b ^2\na ^1", "", `update 2 "b"` + "\nmove 2 to top 0"},
		"gives new blocks the uids that new gives":              {"", "a ^1", "", "insert at top 0 a ^1"},
		"takes a uid but once":                                  {"a ^1", "a ^1\nb ^1", "", "insert at top 1 b"},
		"leaves fixed blocks out":                               {"Tags:: ^1\na ^2\nhidden ^3\n  a ^4", "a", "1 3", ""},
		"adds behind fixed blocks":                              {"Tags:: ^1", "a", "1", "insert at top 1 a"},
		"puts new texts where the old one was among fixed ones": {"Tags:: ^1\nb ^2\nhidden ^3", "a\nc", "1 3", "insert at top 1 a, c\ndelete 2"},
		"moves to the front behind fixed blocks":                {"Tags:: ^1\na ^2\nb ^3", "b\na", "1", "move 3 to top 1"},
		"saves fixed blocks from what goes":                     {"a ^1\ngoes ^2\n  b c ^3\n    hidden ^4", "a", "4", "move 4 to top 1\ndelete 2"},
	} {
		t.Run(name, func(t *testing.T) {
			old, new := parse(tc.old), parse(tc.new)
			fixed := func(uid string) bool { return slices.Contains(strings.Fields(tc.fixed), uid) }
			if got := say(Plan(old, new, fixed)); got != tc.want {
				t.Errorf("the plan is\n%s\nwant\n%s", got, tc.want)
			}
			require.NoError(t, checkPair(old, new, fixed))
		})
	}
	t.Run("changes how children are listed where new says it", func(t *testing.T) {
		old := []Block{{String: "a", UID: "1", ChildrenViewType: "numbered", Collapsed: true}, {String: "b", UID: "2", ChildrenViewType: "document"}, {String: "c", UID: "3"}}
		new := []Block{{String: "a", ChildrenViewType: "bullet"}, {String: "b"}, {String: "c", ChildrenViewType: "bullet", TextAlign: "center"}}
		if got := say(Plan(old, new, nil)); got != "update 1 view bullet" {
			t.Errorf("the plan is\n%s", got)
		}
	})
}

// A block whose text says nothing of which one it was is the one at its place.
func TestPlan_byPlace(t *testing.T) {
	for name, tc := range map[string]struct{ old, new, fixed, want string }{
		"between two blocks that stay":                  {"a ^1\nopen ^2\nb ^3", "a\ndone\nb", "", `update 2 "done"`},
		"at the beginning":                              {"open ^1\nb ^2", "done\nb", "", `update 1 "done"`},
		"at the end":                                    {"a ^1\nopen ^2", "a\ndone", "", `update 2 "done"`},
		"below a block that stays":                      {"a ^1\n  open ^2", "a\n  done", "", `update 2 "done"`},
		"below one that is found by its place":          {"open ^1\n  low ^2", "done\n  high", "", "update 1 \"done\"\nupdate 2 \"high\""},
		"with what is below it":                         {"open ^1\n  a ^2", "done\n  a\n  b", "", "update 1 \"done\"\ninsert at 1 1 b"},
		"with another heading":                          {"a ^1\nopen ^2", "a\n# done", "", `update 2 "done" heading 1`},
		"of a table":                                    {"a ^1\n{{[[table]]}} ^2\n  open ^3\n    low ^4", "a\n{{[[table]]}}\n  open\n    high", "", `update 4 "high"`},
		"of an embed":                                   {"{{[[embed]]: ((abcdefghi))}} ^1\nb ^2", "none\nb", "", `update 1 "none"`},
		"of several, one by one":                        {"a ^1\nopen ^2\nlow ^3\nb ^4", "a\ndone\nhigh\nb", "", "update 2 \"done\"\nupdate 3 \"high\""},
		"in each gap by itself":                         {"open ^1\na ^2\nlow ^3", "done\na\nhigh", "", "update 1 \"done\"\nupdate 3 \"high\""},
		"not where more are new than gone":              {"a ^1\nopen ^2\nb ^3", "a\ndone\nhigh\nb", "", "insert at top 1 done, high\ndelete 2"},
		"not where more are gone than new":              {"a ^1\nopen ^2\nlow ^3\nb ^4", "a\ndone\nb", "", "insert at top 1 done\ndelete 2\ndelete 3"},
		"not in another gap":                            {"open ^1\na ^2", "a\ndone", "", "insert at top 2 done\ndelete 1"},
		"not below another parent":                      {"a ^1\n  open ^2\nb ^3", "a\nb\n  done", "", "insert at 3 0 done\ndelete 2"},
		"not of one that moved":                         {"a ^1\nopen ^2\nb ^3", "a\ndone\nb\n  open", "", "insert at top 1 done\nmove 2 to 3 last"},
		"not of one that shares its words with another": {"one two ^1\nlow ^2", "high\none two three", "", "update 1 \"one two three\"\ninsert at top 0 high\ndelete 2"},
		"past one that comes from elsewhere":            {"a ^1\n  x ^2\nopen ^3", "a\nx\ndone", "", "update 3 \"done\"\nmove 2 to top 1"},
		"past one that goes elsewhere":                  {"a ^1\nx ^2\nopen ^3", "a\n  x\ndone", "", "update 3 \"done\"\nmove 2 to 1 last"},
		"past fixed blocks":                             {"Tags:: ^1\nopen ^2\nhidden ^3\nb ^4", "done\nb", "1 3", `update 2 "done"`},
		"not of a fixed block":                          {"a ^1\nhidden ^2\nb ^3", "a\ndone\nb", "2", "insert at top 1 done"},
	} {
		t.Run(name, func(t *testing.T) {
			old, new := parse(tc.old), parse(tc.new)
			fixed := func(uid string) bool { return slices.Contains(strings.Fields(tc.fixed), uid) }
			if got := say(Plan(old, new, fixed)); got != tc.want {
				t.Errorf("the plan is\n%s\nwant\n%s", got, tc.want)
			}
			require.NoError(t, checkPair(old, new, fixed))
		})
	}
}

// long makes a list of n blocks, and one with some of them changed, moved, added and
// deleted.
func long(n, changes int, text func(i int) string) (old, new []Block) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(changes)))
	for i := range n {
		old = append(old, Block{String: text(i), UID: fmt.Sprintf("uid%06d", i)})
	}
	new = withoutUIDs(old)
	for i := range changes {
		at := r.IntN(len(new))
		switch i % 4 {
		case 0:
			new[at].String += " changed"
		case 1:
			new = slices.Insert(new, at, Block{String: fmt.Sprintf("new text %d", i)})
		case 2:
			new = slices.Delete(new, at, at+1)
		case 3:
			b := new[at]
			new = slices.Delete(new, at, at+1)
			new = slices.Insert(new, r.IntN(len(new)), b)
		}
	}
	return old, new
}

func sentence(i int) string { return fmt.Sprintf("the text of line %d in a long list", i) }

// Beyond the bounds a plan is right, too.
func TestPlan_ofLongLists(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"of different texts":   sentence,
		"of a few texts":       func(i int) string { return fmt.Sprintf("text %d", i%7) },
		"of one text":          func(int) string { return "" },
		"without common words": func(i int) string { return fmt.Sprintf("%d", i) },
	} {
		t.Run(name, func(t *testing.T) {
			old, new := long(5000, 200, text)
			ops := Plan(old, new, nil)
			made, err := apply(old, ops)
			require.NoError(t, err)
			require.NoError(t, equal(made, new, "the list"))
			kept := 0
			for _, b := range made {
				if b.UID != "" {
					kept++
				}
			}
			if kept < 4800 {
				t.Errorf("%d of 5,000 blocks kept their uids", kept)
			}
		})
	}
	t.Run("that have nothing in common", func(t *testing.T) {
		old, _ := long(5000, 0, sentence)
		_, new := long(5000, 0, func(i int) string { return fmt.Sprintf("entirely %d other words", i) })
		made, err := apply(old, Plan(old, new, nil))
		require.NoError(t, err)
		require.NoError(t, equal(made, new, "the list"))
	})
}

func FuzzPlan(f *testing.F) {
	f.Add("a ^1\n  b ^2", "b\n  a", "")
	f.Add("a ^1\n  b ^2\n    c ^3", "c\n  b\n    a", "2")
	f.Add("Tags:: ^1\na b ^2\nhidden ^3", "a c\n# a", "1 3")
	f.Fuzz(func(t *testing.T, old, new, fixed string) {
		before := numbered(old)
		if err := checkPair(before, withoutUIDs(numbered(new)), func(uid string) bool { return slices.Contains(strings.Fields(fixed), uid) }); err != nil {
			t.Error(err)
		}
	})
}

// numbered reads an outline out of any text; its blocks have numbers as uids.
func numbered(text string) []Block {
	var top []Block
	levels := []*[]Block{&top}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		content := strings.TrimLeft(line, " ")
		depth := min(len(line)-len(content), len(levels)-1)
		n++
		*levels[depth] = append(*levels[depth], Block{String: content, UID: fmt.Sprint(n), Heading: strings.Count(content, "#") % 4})
		list := *levels[depth]
		levels = append(levels[:depth+1], &list[len(list)-1].Children)
	}
	return top
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		one, oneChanged := long(n, 1, sentence)
		some, someChanged := long(n, n/20, sentence)
		_, other := long(n, 0, func(i int) string { return fmt.Sprintf("entirely %d other words", i) })
		for name, pair := range map[string][2][]Block{"oneChange": {one, oneChanged}, "aTwentieth": {some, someChanged}, "nothingInCommon": {some, other}} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Plan(pair[0], pair[1], nil)
				}
			})
		}
	}
}
