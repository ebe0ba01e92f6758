package ops

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// TestPreview asks what writes would do: nothing is sent, and nothing is recorded.
func TestPreview(t *testing.T) {
	removal := func(thing Thing, uids ...string) func(context.Context, *Graph) (Preview, error) {
		return func(ctx context.Context, g *Graph) (Preview, error) { return g.PreviewRemoval(ctx, thing, uids) }
	}
	update := func(u PageUpdate) func(context.Context, *Graph) (Preview, error) {
		return func(ctx context.Context, g *Graph) (Preview, error) { return g.PreviewUpdate(ctx, u) }
	}
	const guidelines = `[{"title":"roam/agent guidelines","uid":"rules0001","children":[{"string":"Be brief","uid":"rule00001"}]},` +
		`{"title":"[[Bread]]","uid":"page00004","children":[{"string":"goes with it","uid":"same00001"}]},`
	for name, tc := range map[string]struct {
		preview func(context.Context, *Graph) (Preview, error)
		calls   []string
		want    Impact
		was     string // begins so
		code    problem.Code
	}{
		"of a block counts what is hidden apart": {removal(Block, "bake00001"), []string{"data.pull_many", "q"},
			Impact{BlocksGone: 2, HiddenGone: 2, Rewritten: 3, Undoable: NotUndoable}, "- Bake", ""},
		"of a block below a hidden one has a number alone": {removal(Block, "hidden004"), []string{"data.pull_many", "q"}, Impact{HiddenGone: 1, Undoable: NotUndoable}, "", ""},
		"of blocks counts one that is named twice once":    {removal(Block, "flour0001", "water0001", "flour0001", "nowhere01"), []string{"data.pull_many", "q"}, Impact{BlocksGone: 2, Rewritten: 4, Undoable: NotUndoable}, "- Flour", ""},
		"of a page counts titles, and what goes with it": {removal(Page, "page00001"), []string{"data.pull_many", "data.pull_many", "data.pull_many", "q"},
			Impact{BlocksGone: 4, HiddenGone: 4, Rewritten: 3, PagesRewritten: 1, Undoable: NotUndoable}, "- # Bread", ""},
		"of a rename counts what mentions the page": {update(PageUpdate{UID: "page00001", Title: "Loaf"}), []string{"q", "data.pull_many", "data.pull_many", "q"}, Impact{Rewritten: 2, PagesRewritten: 2, Undoable: NotUndoable}, "Bread", ""},
		"of a merge moves the blocks":               {update(PageUpdate{UID: "page00002", Title: "Bread", Merge: true}), []string{"q", "data.pull_many", "data.pull_many"}, Impact{Undoable: NotUndoable}, "Notes", ""},
		"of a look has no effect":                   {update(PageUpdate{UID: "page00002", ViewType: "numbered"}), []string{"q", "data.pull_many"}, Impact{Undoable: NotUndoable}, "Notes", ""},

		"refuses what is not there":                     {removal(Block, "nowhere01"), []string{"data.pull_many"}, Impact{}, "", localapi.CodeNotFound},
		"refuses a page that is not there":              {update(PageUpdate{UID: "nowhere01", Title: "x"}), []string{"q", "data.pull_many"}, Impact{}, "", localapi.CodeNotFound},
		"refuses a page as a block":                     {removal(Block, "page00001"), []string{"data.pull_many", "data.pull_many", "data.pull_many"}, Impact{}, "", localapi.CodeNotFound},
		"refuses a title that is taken":                 {update(PageUpdate{UID: "page00002", Title: "Bread"}), []string{"q", "data.pull_many", "q"}, Impact{}, "", localapi.CodeAlreadyExists},
		"refuses what touches the guidelines, unasked":  {removal(Block, "rule00001"), []string{"data.pull_many", "q", "q", "q"}, Impact{}, "", CodeGuidelinesProtected},
		"refuses a title of the guidelines, as a write": {update(PageUpdate{UID: "page00002", Title: "agent guidelines"}), nil, Impact{}, "", CodeGuidelinesProtected},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoxOf(t, guidelines+removable[1:])
			var got Preview
			var err error
			calls := b.counted(func() { got, err = tc.preview(t.Context(), b.graph()) })
			if problem.CodeOf(err) != tc.code {
				t.Fatalf("the error is %v", err)
			}
			if !reflect.DeepEqual(got.Impact, tc.want) || !strings.HasPrefix(got.Was, tc.was) || (tc.was == "") != (got.Was == "") {
				t.Errorf("it tells %+v, want %+v", got, tc.want)
			}
			if len(b.kept.begun) > 0 || slices.ContainsFunc(calls, func(call string) bool { return strings.Contains(call, "delete") || strings.Contains(call, "update") }) {
				t.Errorf("it calls %v, and records %v", calls, b.kept.begun)
			}
			if tc.code == "" && !slices.Equal(calls, tc.calls) {
				t.Errorf("it calls %v, want %v", calls, tc.calls)
			}
		})
	}
}

// TestImpactOfWrites sums up what several writes did.
func TestImpactOfWrites(t *testing.T) {
	b := newBoxOf(t, removable)
	g := b.graph()
	if got := g.Impact(); got != nil {
		t.Errorf("without a write it is %+v", got)
	}
	_, err := g.Remove(t.Context(), Block, "flour0001")
	require.NoError(t, err)
	_, err = g.Remove(t.Context(), Page, "page00002")
	require.NoError(t, err)
	want := Impact{BlocksGone: 2, HiddenGone: 3, Rewritten: 1, Undoable: NotUndoable} // two of those that were rewritten went
	if got := g.Impact(); got == nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("it is %+v", got)
	}
}
