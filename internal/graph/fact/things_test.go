package fact_test

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/testutil/require"
)

const small = `[
	{"title":"Page","uid":"page","children":[
		{"string":"one","uid":"b1","heading":2,"text-align":"center","open":false,"children":[
			{"string":"below #.rm-hide","uid":"b11"},{"string":"","uid":"b12"}]},
		{"string":"two [[Other]]","uid":"b2","children-view-type":"numbered"},
		{"string":"three","uid":"b3"}]},
	{"title":"Other","uid":"other"}]`

func TestThings(t *testing.T) {
	w := newWorld(t, small)
	w.do("data.block.update", m{"block": m{"uid": "b3", "block-view-type": "side", "props": m{"a": m{"b/c": 1, "http://x": "y"}}}})
	w.do("data.page.addShortcut", "page")
	want := `{"things":{
		"page":{"title":"Page","page":"page","children":["b1","b2","b3"],"shortcut":0},
		"b11":{"text":"below #.rm-hide","open":true,"page":"page","parent":"b1","right":"b12","children":[]},
		"b12":{"open":true,"page":"page","parent":"b1","order":1,"left":"b11","children":[]},
		"b1":{"text":"one","heading":2,"open":false,"align":"center","page":"page","parent":"page","right":"b2","children":["b11","b12"]},
		"b2":{"text":"two [[Other]]","open":true,"childrenView":"numbered","page":"page","parent":"page","order":1,"left":"b1","right":"b3","children":[]},
		"b3":{"text":"three","open":true,"blockView":"side","props":{":a":{":b/c":1,"http://x":"y"}},"page":"page","parent":"page","order":2,"left":"b2","children":[]},
		"none":{"gone":true}}}`
	uids := []string{"page", "b1", "b11", "b12", "b2", "b3", "none"}
	t.Run("are read whole, hidden ones too, at once", func(t *testing.T) {
		w.asked()
		got, err := fact.Things(t.Context(), w.ask, uids)
		require.NoError(t, err)
		expect(t, got, want)
		equal(t, "asked", w.asked(), "data.pull_many")
	})
	t.Run("are read with two calls where they are many", func(t *testing.T) {
		all := uids
		gone := ""
		for i := range 30 {
			uid := fmt.Sprint("gone", i)
			all = append(all, uid)
			gone += fmt.Sprintf(`%q:{"gone":true},`, uid)
		}
		w.asked()
		got, err := fact.Things(t.Context(), w.ask, all)
		require.NoError(t, err)
		expect(t, got, strings.Replace(want, `{"things":{`, `{"things":{`+gone, 1))
		equal(t, "asked", w.asked(), "data.pull_many", "data.pull_many")
	})
	t.Run("come with their times and their editor", func(t *testing.T) {
		_, at := w.do("data.block.update", m{"block": m{"uid": "b11", "string": "now"}})
		got, err := fact.Things(t.Context(), w.ask, []string{"b11"})
		require.NoError(t, err)
		if f := got.Things["b11"]; f.Edited != at || f.Editor == "" || f.EditorName == "" {
			t.Errorf("got %+v", f)
		}
	})
}

func TestShortcuts(t *testing.T) {
	w := newWorld(t, small)
	got, err := fact.Shortcuts(t.Context(), w.ask)
	require.NoError(t, err)
	expect(t, got, `{"shortcuts":[]}`)
	w.do("data.page.addShortcut", "page")
	w.do("data.page.addShortcut", "other", 0)
	got, err = fact.Shortcuts(t.Context(), w.ask)
	require.NoError(t, err)
	expect(t, got, `{"shortcuts":["other","page"]}`)
}
