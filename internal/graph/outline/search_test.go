package outline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/graphdb"
)

func (n *notebook) texts(list []graphdb.EID) []string {
	var out []string
	for _, e := range list {
		out = append(out, TextOf(n.DB(), e))
	}
	return out
}

func TestSearchRanksTitlesBeforeBlocksAndWholeQueriesBeforeWords(t *testing.T) {
	n := newNotebook(t)
	n.page("Garden plan", "a|plan of a GARDEN\nb|the garden plan is here\nc|garden only\nd|garden plan #.rm-hide\n  e|garden plan below")
	n.page("My garden plan 2", "x|nothing")
	n.page("Plan: garden", "y|nothing")
	for name, c := range map[string]struct {
		options SearchOptions
		total   int
		want    []string
	}{
		"everything":     {SearchOptions{Query: " garden PLAN ", Limit: 10}, 5, []string{"Garden plan", "My garden plan 2", "Plan: garden", "the garden plan is here", "plan of a GARDEN"}},
		"pages":          {SearchOptions{Query: "garden plan", Scope: ScopePages, Limit: 10}, 3, []string{"Garden plan", "My garden plan 2", "Plan: garden"}},
		"blocks":         {SearchOptions{Query: "garden plan", Scope: ScopeBlocks, Limit: 10}, 2, []string{"the garden plan is here", "plan of a GARDEN"}},
		"a window":       {SearchOptions{Query: "garden plan", Offset: 1, Limit: 2}, 5, []string{"My garden plan 2", "Plan: garden"}},
		"beyond the end": {SearchOptions{Query: "garden plan", Offset: 9, Limit: 2}, 5, nil},
		"no limit given": {SearchOptions{Query: "garden plan"}, 5, nil},
		"no hit":         {SearchOptions{Query: "zebra", Limit: 10}, 0, nil},
		"nothing asked":  {SearchOptions{Query: "  ", Limit: 10}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Search(t.Context(), n.DB(), c.options)
			if err != nil || got.Total != c.total || !slices.Equal(n.texts(got.Hits), c.want) {
				t.Errorf("%d hits, %q, %v; want %d, %q", got.Total, n.texts(got.Hits), err, c.total, c.want)
			}
		})
	}
	_, err := Search(t.Context(), n.DB(), SearchOptions{Query: "x", Scope: "galaxies"})
	wantError(t, err, CodeInvalid, "galaxies")
}

func TestSearchStopsWhenItsContextEnds(t *testing.T) {
	n := newNotebook(t)
	n.do(func(w *Writer) error {
		_, err := w.CreateBlocks(Location{PageTitle: "P"}, make([]Block, 1100))
		return err
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, n.DB(), SearchOptions{Query: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func backlinkGraph(t *testing.T) (*notebook, graphdb.EID) {
	n := newNotebook(t)
	n.page("T", "own|x")
	for i := range 3 {
		n.page(fmt.Sprintf("March %dth, 2026", 9-i), fmt.Sprintf("b%d|%d [[T]]\n  k%d|child %d", i, i, i, i))
	}
	n.page("Hidden", "h|3 [[T]] #.rm-hide")
	n.page("on [[T]]", "")
	text := "0 [[T]]"
	n.do(func(w *Writer) error { return w.UpdateBlock("b0", BlockUpdate{String: &text}) })
	return n, PageByTitle(n.DB(), "T")
}

func TestBacklinksAreSortedAndPaged(t *testing.T) {
	n, target := backlinkGraph(t)
	for name, c := range map[string]struct {
		options BacklinkOptions
		want    string
		total   int
		next    int
	}{
		"newest first":           {BacklinkOptions{Limit: 20}, "on [[T]]|2 [[T]]|1 [[T]]|0 [[T]]", 5, 0},
		"oldest first":           {BacklinkOptions{Limit: 20, Ascending: true}, "0 [[T]]|1 [[T]]|2 [[T]]|on [[T]]", 5, 0},
		"by edit":                {BacklinkOptions{Limit: 20, Sort: SortEdited}, "0 [[T]]|on [[T]]|2 [[T]]|1 [[T]]", 5, 0},
		"by day":                 {BacklinkOptions{Limit: 20, Sort: SortDailyNote}, "0 [[T]]|1 [[T]]|2 [[T]]|on [[T]]", 5, 0},
		"by day, ascending":      {BacklinkOptions{Limit: 20, Sort: SortDailyNote, Ascending: true}, "2 [[T]]|1 [[T]]|0 [[T]]|on [[T]]", 5, 0},
		"a page with a hidden":   {BacklinkOptions{Limit: 2}, "on [[T]]", 5, 2},
		"the next":               {BacklinkOptions{Limit: 2, Offset: 2}, "2 [[T]]|1 [[T]]", 5, 4},
		"the last":               {BacklinkOptions{Limit: 2, Offset: 4}, "0 [[T]]", 5, 0},
		"beyond the end":         {BacklinkOptions{Limit: 2, Offset: 40}, "", 5, 0},
		"below the start":        {BacklinkOptions{Limit: 1, Offset: -5}, "on [[T]]", 5, 1},
		"limit 0 says no more":   {BacklinkOptions{Limit: 0}, "", 5, 0},
		"search in the block":    {BacklinkOptions{Limit: 20, Search: "2 [["}, "2 [[T]]", 1, 0},
		"search in its children": {BacklinkOptions{Limit: 20, Search: "CHILD 1"}, "1 [[T]]", 1, 0},
		"search in its page":     {BacklinkOptions{Limit: 20, Search: "march 8th"}, "1 [[T]]", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FindBacklinks(t.Context(), n.DB(), target, c.options)
			if text := strings.Join(n.texts(got.Results), "|"); err != nil || text != c.want || got.Total != c.total || got.NextOffset != c.next || (got.Note != "") != (c.next > 0) {
				t.Errorf("%+v %q %v", got, text, err)
			}
		})
	}
	_, err := FindBacklinks(t.Context(), n.DB(), target, BacklinkOptions{Sort: "colour"})
	wantError(t, err, CodeInvalid, "colour")
}

func TestBacklinksOfOneMomentGoByEntity(t *testing.T) {
	n := newNotebook(t)
	n.page("T", "")
	n.page("P", "a|a [[T]]\nb|b [[T]]\nc|c [[T]]")
	for ascending, want := range map[bool]string{true: "a [[T]] b [[T]] c [[T]]", false: "c [[T]] b [[T]] a [[T]]"} {
		got, err := FindBacklinks(t.Context(), n.DB(), PageByTitle(n.DB(), "T"), BacklinkOptions{Limit: 9, Ascending: ascending})
		if text := strings.Join(n.texts(got.Results), " "); err != nil || text != want {
			t.Errorf("%q %v", text, err)
		}
	}
}
