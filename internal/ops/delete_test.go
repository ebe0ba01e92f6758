package ops

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// removable is a block and a page with hidden blocks, and what refers to them.
const removable = `[{"title":"Bread","uid":"page00001","children":[
	{"string":"Bake **bread** ((water0001))","uid":"bake00001","children":[
		{"string":"Flour, see [[Bread]]","uid":"flour0001"},
		{"string":"my secret #.rm-hide","uid":"hidden001","children":[{"string":"below it ((flour0001))","uid":"hidden002"}]}]},
	{"string":"Water","uid":"water0001"},
	{"string":"nothing to see #.rm-private","uid":"hidden003","children":[{"string":"under a hidden one","uid":"hidden004"}]}]},
	{"title":"Notes","uid":"page00002","children":[
	{"string":"see ((flour0001)) and ((flour0001)) of [[Bread]]","uid":"notes0001"},
	{"string":"not for all ((flour0001)) #.rm-hide","uid":"hidden005"},
	{"string":"#.rm-private","uid":"hidden006","children":[{"string":"((bake00001)) ((hidden001))","uid":"hidden007"}]}]},
	{"title":"Only [[Bread]]","uid":"page00003"}]`

func TestRemovals(t *testing.T) {
	tree := []string{"bake00001", "flour0001", "hidden001", "hidden002"}
	referring := []string{"notes0001", "hidden005", "hidden007"}
	for name, tc := range map[string]struct {
		remove func(*testing.T, *Graph) (told string)
		calls  []string
		before []string // uids of facts that there are at least
		want   string
	}{
		"Remove reads all that goes, once": {
			func(t *testing.T, g *Graph) string {
				removed, err := g.Remove(t.Context(), Block, "bake00001")
				require.NoError(t, err)
				return string(removed.Counts().JSON())
			},
			[]string{"data.pull_many", "q" /* what is protected */, "data.block.delete"}, slices.Concat(tree, referring),
			`{"descendants":1,"references":4,"was":"- Bake **bread** ((water0001)) <roam uid=\"bake00001\"/>\n  - Flour, see [[Bread]] <roam uid=\"flour0001\"/>\n","referredBy":[{"uid":"notes0001","page":"Notes"}]}`,
		},
		"RemoveBlocks reads all that goes, once": {
			func(t *testing.T, g *Graph) string {
				report, err := g.RemoveBlocks(t.Context(), []string{"flour0001", "water0001", "flour0001", "nowhere01", "hidden004"})
				require.NoError(t, err)
				var told []string
				for _, part := range report.Parts {
					told = append(told, string(part.Get("references")))
				}
				return strings.Join(told, " ")
			},
			[]string{"data.pull_many", "q", "data.block.deleteBlocks"}, slices.Concat([]string{"flour0001", "water0001", "bake00001", "hidden002", "nowhere01", "hidden004"}, referring[:2]), `3 1 3  `,
		},
		"Remove of a page reads what becomes of its links": {
			func(t *testing.T, g *Graph) string {
				removed, err := g.Remove(t.Context(), Page, "page00001")
				require.NoError(t, err)
				return strings.Join(removed.Descendants, " ")
			},
			[]string{"data.pull_many", "data.pull_many", "q", "data.page.delete"}, slices.Concat(tree, referring, []string{"page00001", "page00003", "water0001", "hidden003", "hidden004"}), "bake00001 flour0001 water0001",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoxOf(t, removable)
			var told string
			calls := b.counted(func() { told = tc.remove(t, b.graph()) })
			if told != tc.want {
				t.Errorf("it tells %s, want %s", told, tc.want)
			}
			if !slices.Equal(calls, tc.calls) {
				t.Errorf("it calls %v", calls)
			}
			before := b.kept.begun[0].Before
			if before == nil {
				t.Fatal("the recorder is told nothing of what was there")
			}
			for _, uid := range tc.before {
				if _, ok := before.Things[uid]; !ok {
					t.Errorf("%s is not in %v", uid, slices.Sorted(maps.Keys(before.Things)))
				}
			}
		})
	}
}
