package fact_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

// TestMentions compares with the pages that the sandbox makes.
func TestMentions(t *testing.T) {
	w := newWorld(t, `[{"title":"P","uid":"p"}]`)
	w.do("data.block.create", m{"location": m{"parent-uid": "p", "order": "last"}, "block": m{"string": "makes the page of the user"}})
	for i, tc := range []struct {
		text string
		want []string
	}{
		{"nothing", nil},
		{"[[a1]] #b1 #[[c 1]] and #d1.", []string{"a1", "b1", "c 1", "d1."}},
		{"e2:: value #f2", []string{"e2", "f2"}},
		{"[[g3 [[h3]] #i3]]", []string{"g3 [[h3]] #i3", "h3", "i3"}},
		{"{{[[TODO]]}} {{embed: [[j4]]}} {{[[query]]: {and: [[k4]] #l4}}}", []string{"TODO", "j4", "k4", "l4", "query"}},
		{"[x]([[m5]]) ![y](https://z/#n5) `[[no]]` ``` #no ```", []string{"m5"}},
		{"[[November 22nd, 2026]]", []string{"November 22nd, 2026"}},
		{"((none)) [[]] ]] [[", nil},
		{"[[o6]] [[o6]] #o6", []string{"o6"}},
		{"**#p7** __[[q7]]__ a#r7", []string{"p7**", "q7", "r7"}},
	} {
		t.Run(tc.text, func(t *testing.T) {
			equal(t, "mentions", fact.Mentions(tc.text), tc.want...)
			known := titles(t, w)
			w.do("data.block.create", m{"location": m{"parent-uid": "p", "order": "last"}, "block": m{"string": tc.text, "uid": fmt.Sprint("b", i)}})
			made := slices.DeleteFunc(titles(t, w), func(title string) bool { return slices.Contains(known, title) })
			equal(t, "made", made, tc.want...)
		})
	}
	t.Run("several texts", func(t *testing.T) { equal(t, "mentions", fact.Mentions("[[b]]", "#a [[b]]"), "a", "b") })
}

func titles(t *testing.T, w *world) []string {
	t.Helper()
	result, err := w.ask(t.Context(), "q", `[:find [?t ...] :where [_ :node/title ?t]]`)
	require.NoError(t, err)
	var list []string
	require.NoError(t, json.Unmarshal(result, &list))
	return sortedOf(list)
}
