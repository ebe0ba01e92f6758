package fact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

const linked = `[
	{"title":"P","uid":"p","children":[
		{"string":"mentions ((x1)) and #P","uid":"p1","children":[{"string":"deep","uid":"p11","emojis":[{"emoji":{"native":"👍"},"users":[]}],":ent/emojis":[{":emoji":{":native":"👍"},":users":[]}]}]},
		{"string":"last","uid":"p2"}]},
	{"title":"a [[P]]","uid":"ap","children":[{"string":"on ap","uid":"ap1"}]},
	{"title":"[[P]]","uid":"pp","children":[{"string":"on pp","uid":"pp1"}]},
	{"title":"see ((p11))","uid":"see"},
	{"title":"X","uid":"x","children":[
		{"string":"P:: [[a [[P]]]]","uid":"x1"},
		{"string":"hidden #.rm-hide","uid":"x2","children":[{"string":"((p11)) ((p1))","uid":"x21"}]},
		{"string":"[[see ((p11))]]","uid":"x3"},
		{"string":"nothing","uid":"x4"}]},
	{"title":"Into","uid":"into","children":[{"string":"first","uid":"i1"}]}]`

func TestTrees(t *testing.T) {
	w := newWorld(t, linked)
	w.do("data.page.addShortcut", "p")
	t.Run("of a block are what is below it and all that refers to it, with one call", func(t *testing.T) {
		w.asked()
		got, referrers, err := fact.Trees(t.Context(), w.ask, []string{"p1"})
		require.NoError(t, err)
		expect(t, subset(got, "p1", "p11", "x21"), `{"things":{
			"p1":{"text":"mentions ((x1)) and #P","open":true,"page":"p","parent":"p","right":"p2","children":["p11"]},
			"p11":{"text":"deep","open":true,"page":"p","parent":"p1","children":[],"other":[":ent/emojis"]},
			"x21":{"text":"((p11)) ((p1))","open":true,"page":"x","parent":"x2"}}}`)
		equal(t, "read", sortedKeys(got.Things), "p1", "p11", "see", "x21", "x3")
		equal(t, "referrers", referrers.UIDs(), "see", "x21", "x3")
		r := referrers[1]
		equal(t, "mentions", sortedOf(r.To), "p1", "p11")
		equal(t, "above", r.Above, "hidden #.rm-hide")
		equal(t, "page", []string{r.PageTitle}, "X")
		equal(t, "asked", w.asked(), "data.pull_many", "data.pull_many") // the second for the title
	})
	t.Run("of a block to which nothing refers are read with one call", func(t *testing.T) {
		w.asked()
		got, referrers, err := fact.Trees(t.Context(), w.ask, []string{"x4", "none"})
		require.NoError(t, err)
		expect(t, got, `{"things":{"x4":{"text":"nothing","open":true,"page":"x","parent":"x","order":3,"left":"x3","children":[]},"none":{"gone":true}}}`)
		equal(t, "referrers", referrers.UIDs())
		equal(t, "asked", w.asked(), "data.pull_many")
	})
	t.Run("of a page are its blocks, titles that mention it and their mentions, pages that become part of it, and the shortcuts", func(t *testing.T) {
		got, referrers, err := fact.Trees(t.Context(), w.ask, []string{"p"})
		require.NoError(t, err)
		equal(t, "read", sortedKeys(got.Things), "ap", "p", "p1", "p11", "p2", "pp", "pp1", "see", "x1", "x21", "x3")
		equal(t, "referrers", referrers.UIDs(), "ap", "see", "x1", "x21", "x3")
		equal(t, "children of a page whose title is rewritten", got.Things["ap"].Children, "ap1")
		equal(t, "shortcuts", got.Shortcuts, "p")
	})
}

func TestPages(t *testing.T) {
	w := newWorld(t, linked)
	w.asked()
	got, referrers, err := fact.Pages(t.Context(), w.ask, []string{"p", "none"})
	require.NoError(t, err)
	equal(t, "read", sortedKeys(got.Things), "ap", "none", "p", "p1", "pp", "x1")
	equal(t, "referrers", referrers.UIDs(), "ap", "p1", "pp", "x1")
	equal(t, "children", got.Things["p"].Children, "p1", "p2")
	if !got.Things["none"].Gone || got.Shortcuts != nil {
		t.Errorf("got %s", got.JSON())
	}
	equal(t, "asked", w.asked(), "data.pull_many", "data.pull_many")
}

func TestMerging(t *testing.T) {
	w := newWorld(t, linked)
	w.do("data.page.addShortcut", "into")
	w.do("data.page.addShortcut", "p")
	got, referrers, err := fact.Merging(t.Context(), w.ask, "p", "Into")
	require.NoError(t, err)
	equal(t, "read", sortedKeys(got.Things), "ap", "into", "p", "p1", "p2", "pp", "x1")
	equal(t, "referrers", referrers.UIDs(), "ap", "p1", "pp", "x1")
	equal(t, "shortcuts", got.Shortcuts, "into", "p")
	expect(t, subset(got, "into", "p2"), `{"things":{
		"into":{"title":"Into","page":"into","children":["i1"],"shortcut":0},
		"p2":{"text":"last","open":true,"page":"p","parent":"p","order":1,"left":"p1"}}}`)
	_, at := w.do("data.page.update", m{"page": m{"uid": "p", "title": "Into"}, "merge-pages": true})
	after, implied, err := fact.Again(t.Context(), w.ask, got, at, at)
	require.NoError(t, err)
	equal(t, "implied", implied)
	expect(t, subset(after, "p", "p1", "p2", "ap", "x1", "into"), `{"things":{
		"p":{"gone":true},
		"p1":{"text":"mentions ((x1)) and #Into","open":true,"page":"into","parent":"into","order":1,"left":"i1","right":"p2","children":["p11"]},
		"p2":{"text":"last","open":true,"page":"into","parent":"into","order":2,"left":"p1","children":[]},
		"ap":{"title":"a [[Into]]","page":"ap","children":["ap1"]},
		"x1":{"text":"Into:: [[a [[Into]]]]","open":true,"page":"x","parent":"x","right":"x2","children":[]},
		"into":{"title":"Into","page":"into","children":["i1","p1","p2"],"shortcut":0}}}`)
	equal(t, "shortcuts after", after.Shortcuts, "into")
}

func TestMerging_isPagesWhereNoOtherPageHasTheTitle(t *testing.T) {
	w := newWorld(t, linked)
	want, _, err := fact.Pages(t.Context(), w.ask, []string{"p"})
	require.NoError(t, err)
	for _, title := range []string{"None", "P"} {
		got, _, err := fact.Merging(t.Context(), w.ask, "p", title)
		require.NoError(t, err)
		expect(t, got, string(tidy(want).JSON()))
	}
}

func TestAgain(t *testing.T) {
	w := newWorld(t, linked)
	before, _, err := fact.Trees(t.Context(), w.ask, []string{"p11"})
	require.NoError(t, err)
	w.do("data.block.update", m{"block": m{"uid": "p11", "string": "#((x4))"}})
	w.do("data.block.update", m{"block": m{"uid": "x4", "string": "made"}})
	_, at := w.do("data.block.delete", m{"block": m{"uid": "x4"}})
	t.Run("reads what is there still, and pages that rewritten texts have made", func(t *testing.T) {
		got, implied, err := fact.Again(t.Context(), w.ask, before, at, at)
		require.NoError(t, err)
		if len(implied) != 1 || got.Things[implied[0]].Title != "made" || got.Things["p11"].Text != "#made" {
			t.Errorf("got %s, implied %v", got.JSON(), implied)
		}
	})
	t.Run("reads where the blocks of pages went that became part of others", func(t *testing.T) {
		w.do("data.page.create", m{"page": m{"title": "a P"}})
		before, _, err := fact.Trees(t.Context(), w.ask, []string{"p"})
		require.NoError(t, err)
		_, at := w.do("data.page.delete", m{"page": m{"uid": "p"}})
		got, _, err := fact.Again(t.Context(), w.ask, before, at, at)
		require.NoError(t, err)
		if !got.Things["ap"].Gone || !got.Things["pp1"].Gone || got.Things["ap1"].Parent == "" || got.Things["ap1"].Parent == "ap" {
			t.Errorf("got %s", got.JSON())
		}
	})
	t.Run("reads pages that came to be while texts were rewritten, and that none mentions", func(t *testing.T) {
		w := newWorld(t, linked)
		w.do("data.page.create", m{"page": m{"title": "Beta of [[a [[P]]]]"}})
		w.do("data.block.update", m{"block": m{"uid": "i1", "string": "[[Beta of [[a [[P]]]]]] and [[a [[P]]]]"}})
		before, _, err := fact.Pages(t.Context(), w.ask, []string{"p"})
		require.NoError(t, err)
		_, at := w.do("data.page.update", m{"page": m{"uid": "p", "title": "P2"}})
		got, implied, err := fact.Again(t.Context(), w.ask, before, at, at)
		require.NoError(t, err)
		var made []string
		for _, uid := range implied {
			made = append(made, got.Things[uid].Title)
		}
		equal(t, "implied", sortedOf(made), "P", "a [[P]]")
	})
	t.Run("reads pages that texts have made which went themselves a moment later", func(t *testing.T) {
		w := newWorld(t, linked)
		w.do("data.block.update", m{"block": m{"uid": "i1", "string": "#((x4))"}})
		w.do("data.block.update", m{"block": m{"uid": "x4", "string": "made"}})
		before, _, err := fact.Trees(t.Context(), w.ask, []string{"x4", "i1"})
		require.NoError(t, err)
		_, at := w.do("data.block.deleteBlocks", m{"uids": []string{"x4", "i1"}})
		got, implied, err := fact.Again(t.Context(), w.ask, before, at, at)
		require.NoError(t, err)
		if len(implied) != 1 || got.Things[implied[0]].Title != "made" {
			t.Errorf("got %s, implied %v", got.JSON(), implied)
		}
	})
}

func TestMade(t *testing.T) {
	w := newWorld(t, linked)
	create := func(args m) (uids []string, at int64) {
		result, at := w.do("data.block.fromMarkdown", args)
		var reply struct{ UIDs []string }
		require.NoError(t, json.Unmarshal(result, &reply))
		return reply.UIDs, at
	}
	t.Run("is the tree alone where nothing else came to be", func(t *testing.T) {
		uids, at := create(m{"location": m{"parent-uid": "p", "order": 1}, "markdown-string": "- a\n  - b [[P]]\n- c"})
		w.asked()
		got, made, implied, err := fact.Made(t.Context(), w.ask, uids, nil, at, at)
		require.NoError(t, err)
		if a := got.Things[uids[0]]; len(made) != 3 || len(implied) != 0 || len(got.Things) != 3 || a.Left != "p1" || a.Right != uids[1] || a.Parent != "p" || len(a.Children) != 1 {
			t.Errorf("made %v, implied %v: %s", made, implied, got.JSON())
		}
		equal(t, "asked", w.asked(), "data.pull_many", "data.pull_many")
	})
	t.Run("is also the section, the daily note, and pages that are mentioned, and in their titles", func(t *testing.T) {
		uids, at := create(m{"location": m{"page-title": m{"daily-note-page": "11-22-2026"}, "nest-under-str": "TODOs #x"}, "markdown-string": "- [[new [[newer]] #y]] [[P]]"})
		got, made, implied, err := fact.Made(t.Context(), w.ask, uids, nil, at, at)
		require.NoError(t, err)
		if day := got.Things["11-22-2026"]; len(made) != 3 || !day.Daily || day.Title == "" || got.Things[day.Children[0]].Text != "TODOs #x" {
			t.Errorf("made %v: %s", made, got.JSON())
		}
		var titles []string
		for _, uid := range implied {
			titles = append(titles, got.Things[uid].Title)
		}
		equal(t, "implied", sortedOf(titles), "new [[newer]] #y", "newer", "x", "y")
	})
	t.Run("is not what was made below it later", func(t *testing.T) {
		uids, at := create(m{"location": m{"parent-uid": "p", "order": "last"}, "markdown-string": "mine"})
		create(m{"location": m{"parent-uid": uids[0], "order": "last"}, "markdown-string": "[[theirs]]"})
		got, made, implied, err := fact.Made(t.Context(), w.ask, uids, nil, at, at)
		require.NoError(t, err)
		equal(t, "made", made, uids...)
		equal(t, "implied", implied)
		if len(got.Things) != 2 {
			t.Errorf("got %s", got.JSON())
		}
	})
	t.Run("is gone where somebody has deleted it since", func(t *testing.T) {
		got, made, implied, err := fact.Made(t.Context(), w.ask, []string{"deleted"}, nil, 0, 1)
		require.NoError(t, err)
		equal(t, "made and implied", append(made, implied...))
		expect(t, got, `{"things":{"deleted":{"gone":true}}}`)
	})
	t.Run("is a page, and those that its title mentions", func(t *testing.T) {
		result, at := w.do("data.page.fromMarkdown", m{"page": m{"title": "T [[U]]"}, "markdown-string": "- t"})
		var reply struct{ UID string }
		require.NoError(t, json.Unmarshal(result, &reply))
		got, made, implied, err := fact.Made(t.Context(), w.ask, []string{reply.UID}, []string{"T [[U]]"}, at, at)
		require.NoError(t, err)
		if len(made) != 2 || len(implied) != 1 || got.Things[implied[0]].Title != "U" || got.Things[reply.UID].Page != reply.UID {
			t.Errorf("made %v, implied %v: %s", made, implied, got.JSON())
		}
	})
}

func TestReads_areBounded(t *testing.T) {
	var many strings.Builder
	for i := range fact.MaxThings + 1 {
		fmt.Fprintf(&many, `,{"f-uid":"%d"}`, i)
	}
	for name, answer := range map[string]string{
		"in number": `[` + many.String()[1:] + `]`,
		"in text":   `[{"f-uid":"b","f-string":"` + strings.Repeat("x", fact.MaxText) + `"},{"f-uid":"c","f-title":"x"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			ask := func(context.Context, string, ...any) (json.RawMessage, error) { return json.RawMessage(answer), nil }
			if _, err := fact.Things(t.Context(), ask, []string{"a"}); err != fact.ErrTooLarge {
				t.Errorf("got %v", err)
			}
		})
	}
}
