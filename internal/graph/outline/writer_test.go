package outline

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/testutil/require"
)

func TestDailyNotesAreNamedAsRoamNamesThem(t *testing.T) {
	for uid, title := range map[string]string{
		"03-17-2026": "March 17th, 2026", "01-01-2026": "January 1st, 2026", "02-02-2024": "February 2nd, 2024",
		"12-03-1999": "December 3rd, 1999", "05-11-2026": "May 11th, 2026", "05-12-2026": "May 12th, 2026",
		"05-13-2026": "May 13th, 2026", "08-21-2026": "August 21st, 2026", "08-22-2026": "August 22nd, 2026",
		"08-23-2026": "August 23rd, 2026", "08-31-2026": "August 31st, 2026", "02-29-2024": "February 29th, 2024",
	} {
		day, ok := ParseDailyUID(uid)
		if !ok || DailyTitle(day) != title {
			t.Errorf("%s is %q, %v; want %q", uid, DailyTitle(day), ok, title)
		}
		if got, ok := DailyUIDOf(title); !ok || got != uid {
			t.Errorf("%s has the uid %q, %v", title, got, ok)
		}
	}
	for _, title := range []string{"February 30th, 2026", "March 17st, 2026", "march 17th, 2026", "March 017th, 2026", "March 17th 2026", "03-17-2026", ""} {
		if uid, ok := DailyUIDOf(title); ok {
			t.Errorf("%q is taken for the day %s", title, uid)
		}
	}
	for _, uid := range []string{"3-17-2026", "17-03-2026", "2026-03-17", "03-17-26", "02-30-2026"} {
		if _, ok := ParseDailyUID(uid); ok {
			t.Errorf("%q is taken for a day", uid)
		}
	}
}

func TestBlocksAreCreatedWhereTheyBelong(t *testing.T) {
	for name, c := range map[string]struct {
		at   Location
		page string
		want []string
	}{
		"at the end":                    {Location{ParentUID: "top", Order: Last}, "P", []string{"top", "  one", "  two", "  NEW", "end"}},
		"first":                         {Location{ParentUID: "top", Order: First}, "P", []string{"top", "  NEW", "  one", "  two", "end"}},
		"in between":                    {Location{ParentUID: "top", Order: 1}, "P", []string{"top", "  one", "  NEW", "  two", "end"}},
		"beyond the end":                {Location{ParentUID: "top", Order: 99}, "P", []string{"top", "  one", "  two", "  NEW", "end"}},
		"on a page by title":            {Location{PageTitle: "P", Order: Last}, "P", []string{"top", "  one", "  two", "end", "NEW"}},
		"on a page that is not there":   {Location{PageTitle: "Fresh"}, "Fresh", []string{"NEW"}},
		"on a daily note":               {Location{DailyNote: "03-17-2026"}, "March 17th, 2026", []string{"NEW"}},
		"under a child by its text":     {Location{ParentUID: "top", NestUnder: "one"}, "P", []string{"top", "  one", "    NEW", "  two", "end"}},
		"under a child made for it":     {Location{ParentUID: "top", NestUnder: "three"}, "P", []string{"top", "  one", "  two", "  three", "    NEW", "end"}},
		"not under a grandchild's text": {Location{PageTitle: "P", NestUnder: "one"}, "P", []string{"top", "  one", "  two", "end", "one", "  NEW"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.page("P", "top|top\n  one|one\n  two|two\nend|end")
			n.do(func(w *Writer) error {
				uids, err := w.CreateBlocks(c.at, []Block{{String: "NEW"}})
				if err == nil && (len(uids) != 1 || len(uids[0]) != 9) {
					t.Errorf("uids %q", uids)
				}
				return err
			})
			n.want(c.page, c.want...)
		})
	}
}

func TestABlockToNestUnderMayBeNamedAsItWasRead(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "b|target [[X]]")
	for _, name := range []string{"See ((b))<ref>target [[Gone]]</ref>", "See ((b)) <roam uid=\"x\" refs=\"1\"/>", "See ((b))"} {
		n.do(func(w *Writer) error {
			_, err := w.CreateBlocks(Location{PageTitle: "Q", NestUnder: name}, []Block{{String: "x"}})
			return err
		})
	}
	n.want("Q", "See ((b))", "  x", "  x", "  x")
	if PageByTitle(n.DB(), "Gone") != 0 {
		t.Error("the preview of a reference made a page")
	}
}

func TestATitleIsWrittenWithoutWhatReadingAdded(t *testing.T) {
	const read = "On ((b))<ref>x</ref> <roam uid=\"x\" refs=\"1\"/>"
	for name, write := range map[string]func(*Writer) error{
		"a new page": func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: read}); return err },
		"a rename": func(w *Writer) error {
			uid, err := w.CreatePage(NewPage{Title: "Old"})
			if err != nil {
				return err
			}
			title := read
			return w.UpdatePage(uid, PageUpdate{Title: &title}, false)
		},
		"a location": func(w *Writer) error {
			_, err := w.CreateBlocks(Location{PageTitle: read}, []Block{{String: "x"}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.do(write)
			if PageByTitle(n.DB(), "On ((b))") == 0 || n.DB().Count(graphdb.NodeTitle) != 1 {
				t.Errorf("titles: %v", slices.Collect(maps.Values(maps.Collect(n.DB().Entities(graphdb.NodeTitle)))))
			}
			err := n.try(func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: read}); return err })
			wantError(t, err, CodeAlreadyExists, "already exists")
		})
	}
}

func TestADailyNoteHasTheUidOfItsDayByEveryRoute(t *testing.T) {
	for name, write := range map[string]func(*Writer) error{
		"a page": func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: "March 17th, 2026"}); return err },
		"a mention": func(w *Writer) error {
			_, err := w.CreateBlocks(Location{PageTitle: "P"}, []Block{{String: "[[March 17th, 2026]]"}})
			return err
		},
		"a location": func(w *Writer) error {
			_, err := w.CreateBlocks(Location{DailyNote: "03-17-2026"}, []Block{{String: "x"}})
			return err
		},
		"a title too": func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: "on [[March 17th, 2026]]"}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.do(write)
			day := ByUID(n.DB(), "03-17-2026")
			at, ok := n.DB().Int(day, graphdb.LogID)
			if PageByTitle(n.DB(), "March 17th, 2026") != day || !ok || time.UnixMilli(at).UTC().Format(time.DateOnly) != "2026-03-17" {
				t.Errorf("entity %d, log id %d", day, at)
			}
		})
	}
}

func TestWritingAMentionMakesItsPages(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|[[X [[Y]]]] #z ((b)) ((gone)) `[[code]]`\nb|text")
	if got := n.refsOf("a"); !slices.Equal(got, []string{"X [[Y]]", "Y", "text", "z"}) {
		t.Errorf("references %q", got)
	}
	text := "now #z and ((a))"
	n.do(func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{String: &text}) })
	if got := n.refsOf("a"); !slices.Equal(got, []string{text, "z"}) {
		t.Errorf("references %q", got)
	}
	if PageByTitle(n.DB(), "Y") == 0 || PageByTitle(n.DB(), "code") != 0 {
		t.Error("a page stays once made, and code makes none")
	}
}

func TestUpdateChangesOnlyWhatIsGiven(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|text")
	db := n.DB()
	created, _ := db.Int(ByUID(db, "a"), graphdb.CreateTime)
	heading, open, align, view, block := 2, false, "right", ":numbered", "horizontal-outline"
	n.do(func(w *Writer) error {
		return w.UpdateBlock("a", BlockUpdate{Heading: &heading, Open: &open, TextAlign: &align, ChildrenViewType: &view, BlockViewType: &block})
	})
	want := Block{String: "text", UID: "a", Heading: 2, Collapsed: true, TextAlign: "right", ChildrenViewType: "numbered", BlockViewType: "horizontal-outline"}
	if got := ReadBlock(n.DB(), ByUID(n.DB(), "a")); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v", got)
	}
	after, _ := n.DB().Int(ByUID(n.DB(), "a"), graphdb.CreateTime)
	edited, _ := n.DB().Int(ByUID(n.DB(), "a"), graphdb.EditTime)
	if after != created || edited != n.now.UnixMilli() {
		t.Errorf("created %d, then %d; edited %d", created, after, edited)
	}
	none, text := 0, "((a))<ref>x</ref> - *b* <roam uid=\"a\"/>"
	n.do(func(w *Writer) error { return w.UpdateBlock("a", BlockUpdate{Heading: &none, String: &text}) })
	if got := ReadBlock(n.DB(), ByUID(n.DB(), "a")); got.Heading != 0 || got.String != "((a)) - *b*" || n.DB().Has(ByUID(n.DB(), "a"), graphdb.BlockHeading) {
		t.Errorf("got %+v", got)
	}
}

func TestMovingTakesTheSubtreeAlong(t *testing.T) {
	for name, c := range map[string]struct {
		at   Location
		p, q []string
	}{
		"to another page":         {Location{PageTitle: "Q", Order: First}, []string{"b", "c"}, []string{"a", "  a1", "    a2", "q"}},
		"to the end of its own":   {Location{PageTitle: "P", Order: Last}, []string{"b", "c", "a", "  a1", "    a2"}, []string{"q"}},
		"one down":                {Location{PageTitle: "P", Order: 1}, []string{"b", "a", "  a1", "    a2", "c"}, []string{"q"}},
		"under a sibling":         {Location{ParentUID: "b"}, []string{"b", "  a", "    a1", "      a2", "c"}, []string{"q"}},
		"under a block elsewhere": {Location{ParentUID: "q"}, []string{"b", "c"}, []string{"q", "  a", "    a1", "      a2"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.page("P", "a|a\n  a1|a1\n    a2|a2\nb|b\nc|c")
			n.page("Q", "q|q")
			n.do(func(w *Writer) error { return w.MoveBlock("a", c.at) })
			n.want("P", c.p...)
			n.want("Q", c.q...)
		})
	}
}

func TestAPageKeepsWhenAndByWhomItWasEdited(t *testing.T) {
	text, title := "new", "R"
	for name, c := range map[string]struct {
		write  func(*Writer) error
		edited []string // pages
	}{
		"a new page": {func(w *Writer) error { _, err := w.CreatePage(NewPage{Title: "N"}); return err }, []string{"N"}},
		"a new block": {func(w *Writer) error {
			_, err := w.CreateBlocks(Location{ParentUID: "a"}, []Block{{String: "x"}})
			return err
		}, []string{"P"}},
		"an update":       {func(w *Writer) error { return w.UpdateBlock("a1", BlockUpdate{String: &text}) }, []string{"P"}},
		"a move":          {func(w *Writer) error { return w.MoveBlock("a", Location{ParentUID: "q"}) }, []string{"P", "Q"}},
		"a new order":     {func(w *Writer) error { return w.ReorderBlocks("a", []string{"a2", "a1"}) }, []string{"P"}},
		"a deleted block": {func(w *Writer) error { _, err := w.DeleteBlock("a1"); return err }, []string{"P"}},
		"a rename": {func(w *Writer) error {
			return w.UpdatePage(w.tx.String(PageByTitle(w.tx, "Q"), graphdb.BlockUID), PageUpdate{Title: &title}, false)
		}, []string{"P", "R"}}, // P mentions it
	} {
		t.Run(name, func(t *testing.T) {
			n := newNotebook(t)
			n.page("Q", "q|q")
			n.page("P", "a|a [[Q]]\n  a1|a1\n  a2|a2")
			n.do(c.write)
			var edited []string
			for page, at := range n.DB().Entities(graphdb.PageEditTime) {
				if at.Int() == n.now.UnixMilli() && n.DB().String(n.DB().Ref(page, graphdb.PageEditUser), graphdb.UserUID) == "me" {
					edited = append(edited, TextOf(n.DB(), page))
				}
			}
			if slices.Sort(edited); !slices.Equal(edited, c.edited) {
				t.Errorf("edited: %q, want %q", edited, c.edited)
			}
		})
	}
}

func TestDeletingABlockPutsItsTextWhereItWasReferredTo(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|alpha [[X]]\n  b|beta ((a))\nc|gamma")
	n.page("Q", "q|see ((a)) and [b](((b)))\nr|{{embed: ((b))}}")
	n.do(func(w *Writer) error {
		if done, err := w.DeleteBlock("a"); !done || err != nil {
			t.Errorf("%v %v", done, err)
		}
		return nil
	})
	n.want("P", "gamma")
	n.want("Q", "see alpha [[X]] and b", "beta alpha [[X]]")
	if ByUID(n.DB(), "b") != 0 {
		t.Error("the subtree is left")
	}
	if got := n.refsOf("q"); !slices.Equal(got, []string{"X"}) {
		t.Errorf("references %q", got)
	}
	n.do(func(w *Writer) error {
		if done, err := w.DeleteBlock("a"); done || err != nil {
			t.Errorf("a second time: %v %v", done, err)
		}
		return nil
	})
}

func TestBlocksThatReferToEachOtherCanBeDeleted(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "top|x\n  a|a ((b)) ((b))\n  b|b ((a)) ((a))\nc|((a))")
	n.do(func(w *Writer) error { _, err := w.DeleteBlock("top"); return err })
	if got := n.outline("P"); !strings.HasPrefix(got, "a b a") {
		t.Errorf("left: %.80s", got)
	}
}

func TestRenamingAPageRewritesItsMentionsEverywhere(t *testing.T) {
	n := newNotebook(t)
	n.page("Old", "o|own")
	n.page("P", "a|[[Old]] #Old #[[Old]]\nb|Old:: x\nc|`[[Old]]` [[Old]]\nd|[[about [[Old]]]]\ne|[[Older]]")
	uid, title := n.uidOf("Old"), "New name"
	n.do(func(w *Writer) error { return w.UpdatePage(uid, PageUpdate{Title: &title}, false) })
	n.want("P", "[[New name]] #[[New name]] #[[New name]]", "New name:: x", "`[[Old]]` [[New name]]", "[[about [[New name]]]]", "[[Older]]")
	n.want("New name", "own")
	if PageByTitle(n.DB(), "Old") != 0 || PageByTitle(n.DB(), "about [[Old]]") != 0 || n.uidOf("New name") != uid {
		t.Error("the old page is left")
	}
}

func TestMergingPagesLeavesOne(t *testing.T) {
	n := newNotebook(t)
	n.page("From", "f|from\n  g|below")
	n.page("Into", "i|into")
	n.page("P", "a|[[From]] [[Into]] ((pageuid))")
	uid, title := n.uidOf("From"), "Into"
	err := n.try(func(w *Writer) error { return w.UpdatePage(uid, PageUpdate{Title: &title}, false) })
	wantError(t, err, CodeAlreadyExists, "already exists")
	n.do(func(w *Writer) error { return w.UpdatePage(uid, PageUpdate{Title: &title}, true) })
	n.want("Into", "into", "from", "  below")
	n.want("P", "[[Into]] [[Into]] ((pageuid))")
	if PageByTitle(n.DB(), "From") != 0 || ByUID(n.DB(), uid) != 0 {
		t.Error("the merged page is left")
	}
}

func TestDeletingAPageUnlinksItsMentions(t *testing.T) {
	n := newNotebook(t)
	n.page("Gone", "g|text of it\n  h|[[Gone]] self")
	n.page("P", "a|[[Gone]] #Gone [[on [[Gone]]]] ((g))\nb|Gone:: x")
	n.page("on Gone", "z|here already")
	uid := n.uidOf("Gone")
	n.do(func(w *Writer) error { _, err := w.DeletePage(uid); return err })
	n.want("P", "Gone Gone [[on Gone]] text of it", "Gone: x")
	n.want("on Gone", "here already")
	if ByUID(n.DB(), uid) != 0 || ByUID(n.DB(), "g") != 0 || PageByTitle(n.DB(), "on [[Gone]]") != 0 {
		t.Error("something of the page is left")
	}
}

// TestRandomEditsKeepTheGraphWhole walks through long chains of operations and
// checks every derived attribute on the way.
func TestRandomEditsKeepTheGraphWhole(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n := newNotebook(t)
		n.page("P0", "s|start")
		for range 150 {
			err := n.try(func(w *Writer) error { return randomEdit(n.DB(), w, rng) })
			if err != nil && !strings.Contains(err.Error(), "exist") && !strings.Contains(err.Error(), "under itself") {
				t.Fatal(err)
			}
		}
		checkWhole(t, n.DB())
	}
}

func randomEdit(db *graphdb.DB, w *Writer, rng *rand.Rand) error {
	pick := func(a graphdb.Attr) string {
		var uids []string
		for e := range db.Entities(a) {
			uids = append(uids, db.String(e, graphdb.BlockUID))
		}
		if len(uids) == 0 {
			return "none"
		}
		return uids[rng.IntN(len(uids))]
	}
	title := fmt.Sprintf("P%d", rng.IntN(5))
	texts := []string{"[[%s]]", "#%s and", "%s:: v", "[[on [[%s]]]]", "[[[[%s]]]]", "plain %s", "{{embed: [[%s]]}} x"}
	text := fmt.Sprintf(texts[rng.IntN(len(texts))], title) + " ((" + pick(graphdb.BlockString) + "))"
	switch rng.IntN(10) {
	case 0:
		_, err := w.DeleteBlock(pick(graphdb.BlockString))
		return err
	case 1:
		_, err := w.DeletePage(pick(graphdb.NodeTitle))
		return err
	case 2:
		return w.UpdatePage(pick(graphdb.NodeTitle), PageUpdate{Title: &title}, rng.IntN(2) == 0)
	case 3, 4:
		return w.MoveBlock(pick(graphdb.BlockString), Location{ParentUID: pick([]graphdb.Attr{graphdb.BlockString, graphdb.NodeTitle}[rng.IntN(2)]), Order: Order(rng.IntN(4) - 1)})
	case 5:
		return w.UpdateBlock(pick(graphdb.BlockString), BlockUpdate{String: &text})
	}
	_, err := w.CreateBlocks(Location{PageTitle: title, Order: Order(rng.IntN(4) - 1)}, []Block{{String: text, Children: []Block{{String: "below " + text}}}})
	return err
}

func TestPagesCountTheirWords(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|one two\n  b|three\nc|[[four five]]  six\nseven")
	n.page("Q", "d|eight")
	for _, step := range []struct {
		name  string
		write func(*Writer) error
		p, q  int64
	}{
		{"made", func(*Writer) error { return nil }, 7, 1},
		{"changed", func(w *Writer) error { return w.UpdateBlock("b", BlockUpdate{String: new("a b c")}) }, 9, 1},
		{"moved", func(w *Writer) error { return w.MoveBlock("a", Location{PageTitle: "Q"}) }, 4, 6},
		{"deleted", func(w *Writer) error { return second(w.DeleteBlock("b")) }, 4, 3},
		{"merged", func(w *Writer) error { return w.UpdatePage(w.uidOf("Q"), PageUpdate{Title: new("P")}, true) }, 7, 0},
	} {
		n.do(step.write)
		for title, want := range map[string]int64{"P": step.p, "Q": step.q} {
			if got, _ := n.DB().Int(PageByTitle(n.DB(), title), graphdb.PageWords); got != want {
				t.Errorf("%s: %s has %d words, want %d", step.name, title, got, want)
			}
		}
	}
	if got := PageByTitle(n.DB(), "four five"); n.DB().Has(got, graphdb.PageWords) {
		t.Error("a page that is only mentioned has a count")
	}
}

func TestAPageWithoutACountIsCountedWhole(t *testing.T) {
	n := newNotebook(t)
	n.page("P", "a|one two")
	_, err := n.Transact(t.Context(), func(tx *graphdb.Tx) error { return tx.RetractAttr(PageByTitle(tx, "P"), graphdb.PageWords) })
	require.NoError(t, err)
	n.do(func(w *Writer) error {
		return second(w.CreateBlocks(Location{PageTitle: "P"}, []Block{{String: "three"}}))
	})
	if got, _ := n.DB().Int(PageByTitle(n.DB(), "P"), graphdb.PageWords); got != 3 {
		t.Errorf("%d words", got)
	}
}
