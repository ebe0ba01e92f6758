package actions

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

func TestAQueryMatches(t *testing.T) {
	n := bakery(t)
	for name, test := range map[string]struct{ query, want string }{
		"what mentions a page, and what is below or on it":  {"{and: [[Rye]]}", "b1 b2 b3 <About [[Rye]]> r1 p2"},
		"what mentions a block":                             {"{and: ((b1))}", "b5"},
		"pages that meet on one path":                       {"{and: [[Rye]] [[Water]]}", "b2 b3"},
		"the page something is on":                          {"{and: [[Bread]] [[Water]]}", "b2 b3 b4"},
		"a tag as a page":                                   {"{and: #Water}", "b2 b3 b4 d1"},
		"one of several":                                    {"{or: [[DONE]] ((b1))}", "b5 p2"},
		"all but some":                                      {"{and: [[Water]] {not: [[Rye]]}}", "b4 d1"},
		"clauses side by side":                              {"{and: [[Water]]} {not: {or: [[Rye]] [[TODO]]}}", "b4"},
		"everything but":                                    {"{and: [[Bread]] {not: {or: [[Rye]] [[Water]]}}}", "b5"},
		"a text":                                            {"{and: {search: LOAF}}", "b1"},
		"words anywhere in a block":                         {"{or: {search: loaf rye} {search: grain}}", "b1 r1"},
		"a text is the block's own":                         {"{and: [[Rye]] {search: salt}}", "b3"},
		"days that are on, mentioned or titles":             {"{between: [[November 10th, 2026]] [[November 12th, 2026]]}", "<November 10th, 2026> d1 d2 p1 p2"},
		"days the wrong way round":                          {"{between: [[November 12th, 2026]] [[November 10th, 2026]]}", "<November 10th, 2026> d1 d2 p1 p2"},
		"today":                                             {"{between: [[today]] [[Today]]}", "<November 18th, 2026> e1"},
		"the week until today":                              {"{and: [[TODO]] {between: [[last week]] [[today]]}}", "e1"},
		"the month until today":                             {"{and: [[TODO]] {between: [[last month]] [[tomorrow]]}}", "d1 e1"},
		"no day":                                            {"{between: [[next week]] [[next month]]}", ""},
		"all daily notes":                                   {"{and: [[TODO]] {daily-notes:}}", "d1 e1"},
		"what is not about days":                            {"{and: [[Rye]] {not: {daily notes: }}}", "b1 b2 b3 <About [[Rye]]> r1"},
		"the blocks that someone wrote":                     {"{and: {created-by: [[Ben]]} {not: [[TODO]]}}", "d2 p1 p2"},
		"a person in plain letters":                         {"{edited by: Ben}", "d1 d2 e1 p1 p2"},
		"a person who wrote nothing":                        {"{by: [[Cleo]]}", ""},
		"a page that is not there":                          {"{or: [[Nowhere]] [[DONE]]}", "p2"},
		"a block that is not there":                         {"{and: ((nowhere))}", ""},
		"a whole component":                                 {`{{[[query]]: "My tasks" {and: [[TODO]]}}}`, "d1 e1"},
		"a component with text around it, in the old style": {"look: {{query: {and: {or: [[DONE]]}}}} there", "p2"},
		"a search with a link in it":                        {"{and: {search: buy [[water]]}}", "d1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := n.find(test.query, roamQueryOptions{Ascending: true}); got != test.want {
				t.Errorf("%s gives %q, want %q", test.query, got, test.want)
			}
		})
	}
}

func TestABlockWasEditedByWhoeverCameLast(t *testing.T) {
	n := bakery(t)
	n.as("Ben", func(w *outline.Writer) error {
		text := "plain and edited #Water"
		return w.UpdateBlock("b4", outline.BlockUpdate{String: &text})
	})
	for query, want := range map[string]string{
		"{and: [[Bread]] {edited-by: [[Ben]]}}":                      "b4",
		"{and: [[Bread]] {created-by: [[Ben]]}}":                     "",
		"{and: [[Bread]] {by: [[Ben]]}}":                             "b4",
		"{and: [[Bread]] {by: [[Ana]]}}":                             "b1 b2 b3 b4 b5",
		"{and: [[Bread]] {edited-by: [[Ana]]} {not: {search: see}}}": "b1 b2 b3",
	} {
		if got := n.find(query, roamQueryOptions{Ascending: true}); got != want {
			t.Errorf("%s gives %q, want %q", query, got, want)
		}
	}
}

func TestResultsStandInTheOrderAskedFor(t *testing.T) {
	n := bakery(t)
	n.as("Ana", func(w *outline.Writer) error {
		text := "A loaf of [[Rye]], again"
		return w.UpdateBlock("b1", outline.BlockUpdate{String: &text})
	})
	for name, test := range map[string]struct {
		query string
		o     roamQueryOptions
		want  string
	}{
		"newest first":                       {"{and: [[Water]]}", roamQueryOptions{}, "d1 b4 b3 b2"},
		"last edited first":                  {"{and: [[Rye]] [[Bread]]}", roamQueryOptions{Sort: outline.SortEdited}, "b1 b3 b2"},
		"by day, what has none last":         {"{or: [[TODO]] ((b1))}", roamQueryOptions{Sort: outline.SortDailyNote}, "e1 d1 b5"},
		"by day, earliest first":             {"{or: [[TODO]] ((b1))}", roamQueryOptions{Sort: outline.SortDailyNote, Ascending: true}, "d1 e1 b5"},
		"a window":                           {"{and: [[Water]]}", roamQueryOptions{Offset: 1, Limit: 2}, "b4 b3"},
		"a window before the start":          {"{and: [[Water]]}", roamQueryOptions{Offset: -5, Limit: 1}, "d1"},
		"a window beyond the end":            {"{and: [[Water]]}", roamQueryOptions{Offset: 9}, ""},
		"a window without an end":            {"{and: [[Water]]}", roamQueryOptions{Offset: 1, Limit: math.MaxInt}, "b4 b3 b2"},
		"by page, the one edited last first": {"{or: [[Water]] [[TODO]] [[DONE]]}", roamQueryOptions{GroupByPage: true}, "b4 b3 b2 p2 e1 d1"},
		"by page, where a result was edited": {"{or: [[Rye]] [[TODO]]}", roamQueryOptions{GroupByPage: true}, "b3 b2 b1 p2 e1 d1 r1 <About [[Rye]]>"},
		"by title":                           {"{or: [[Water]] [[DONE]]}", roamQueryOptions{GroupByPage: true, SortPages: pagesTitle, Ascending: true}, "b2 b3 b4 d1 p2"},
		"by the age of pages":                {"{or: [[Water]] [[DONE]]}", roamQueryOptions{GroupByPage: true, SortPages: pagesCreated, Ascending: true}, "b2 b3 b4 d1 p2"},
		"by the day of pages":                {"{or: [[Water]] [[TODO]]}", roamQueryOptions{GroupByPage: true, SortPages: pagesDaily}, "e1 d1 b4 b3 b2"},
		"parents stand for what is below":    {"{and: [[Rye]]}", roamQueryOptions{NestUnderParent: true, Ascending: true}, "b1 <About [[Rye]]> p2"},
		"without the query's own block":      {"{and: [[Water]]}", roamQueryOptions{Except: outline.ByUID(n.DB(), "d1")}, "b4 b3 b2"},
		"filtered by a page":                 {"{and: [[Water]]}", roamQueryOptions{Includes: []graphdb.EID{outline.PageByTitle(n.DB(), "TODO")}}, "d1"},
		"filtered by the page they are on":   {"{and: [[Water]]}", roamQueryOptions{Removes: []graphdb.EID{outline.PageByTitle(n.DB(), "Bread")}}, "d1"},
		"filtered by a page that is not":     {"{and: [[Water]]}", roamQueryOptions{Removes: []graphdb.EID{0}}, "d1 b4 b3 b2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := n.find(test.query, test.o); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnknownOrdersAreRefused(t *testing.T) {
	n := bakery(t)
	query, err := parseRoamQuery("{and: [[Rye]]}")
	require.NoError(t, err)
	for _, o := range []roamQueryOptions{{Sort: "size"}, {GroupByPage: true, SortPages: "size"}} {
		if _, err := query.Run(t.Context(), n.DB(), o); err == nil || !strings.Contains(err.Error(), "size") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestACancelledContextEndsAQuery(t *testing.T) {
	n := bakery(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	query, err := parseRoamQuery("{and: {search: rye}}")
	require.NoError(t, err)
	if _, err := query.Run(ctx, n.DB(), roamQueryOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAMonthAgoStaysWithinTheMonth(t *testing.T) {
	for today, want := range map[string]string{"2026-03-31": "2026-02-28", "2024-03-31": "2024-02-29", "2026-01-15": "2025-12-15"} {
		now, err := time.Parse(time.DateOnly, today)
		require.NoError(t, err)
		d, _ := relativeDay("last month")
		if got := d.on(now).Format(time.DateOnly); got != want {
			t.Errorf("a month before %s is %s, want %s", today, got, want)
		}
	}
}

func TestSavedSettingsAreApplied(t *testing.T) {
	n := bakery(t)
	n.page("Ana", "Board", `q1 {{[[query]]: {and: [[Water]]}}}`)
	props := `{"query": {"sort": "edited-date", "sortOrder": "asc", "nestUnderParent": true, "filters": {"removes": ["TODO"]}}, "other": 1}`
	n.as("Ana", func(w *outline.Writer) error {
		return w.UpdateBlock("q1", outline.BlockUpdate{Props: &props})
	})
	o := roamQueryOptions{}
	block := outline.ByUID(n.DB(), "q1")
	savedSettings(n.DB(), block).Apply(n.DB(), &o)
	if got := n.find(n.DB().String(block, graphdb.BlockString), o); got != "b2 b4 q1" {
		t.Errorf("got %q", got)
	}
	if got := savedSettings(n.DB(), outline.ByUID(n.DB(), "b1")); got.Sort != "" || got.ShowPaths != nil {
		t.Errorf("a block without settings has %+v", got)
	}
}

// The help graph has queries that people wrote; it lies beside the project.
func TestQueriesOfTheHelpGraphCanBeRun(t *testing.T) {
	export := strings.NewReader(helpgraph.Read(t, "help.json"))
	n := newNotebook(t)
	n.as("Ana", func(w *outline.Writer) error {
		_, err := w.ImportJSON(t.Context(), export, outline.ImportOptions{})
		return err
	})
	queries, unreadable := 0, 0
	for e, text := range n.DB().Entities(graphdb.BlockString) {
		if _, ok := roamtext.FindComponent(text.Text(), "query"); !ok {
			continue
		}
		queries++
		query, err := parseRoamQuery(text.Text())
		if err != nil {
			unreadable++
			t.Logf("%s: %v", n.DB().String(e, graphdb.BlockUID), err)
			continue
		}
		if _, err := query.Run(t.Context(), n.DB(), roamQueryOptions{Now: n.now, Except: e}); err != nil {
			t.Error(err)
		}
	}
	// One asks for days by two words of a template's own, which are no days.
	if queries != 7 || unreadable != 1 {
		t.Errorf("%d queries, %d of them unreadable", queries, unreadable)
	}
}
