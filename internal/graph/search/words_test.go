package search

import (
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// keys returns the keys of all notes that a query finds, best first.
func keys(t testing.TB, x *WordIndex, query string) []string {
	t.Helper()
	q, err := ParseWordQuery(query)
	require.NoError(t, err)
	found, err := x.Search(t.Context(), q, 0, 1_000_000)
	require.NoError(t, err)
	list := []string{}
	for _, hit := range found.Hits {
		list = append(list, hit.Key)
	}
	if found.Total != len(list) {
		t.Errorf("%s: %d hits, %d are counted", query, len(list), found.Total)
	}
	return list
}

// In each of the tests there are notes a, b, … with one block each.
func TestWords(t *testing.T) {
	for name, tc := range map[string]struct {
		blocks []string
		query  string
		want   string
	}{
		"are found without regard to case and diacritics":    {[]string{"Crème BRÛLÉE", "creme caramel"}, "CREME brulee", "a"},
		"are found in other compatibility forms":             {[]string{"ﬁne ｗｉｄｅ", "fine narrow"}, "fine wide", "a"},
		"are found where ß is written as ss":                 {[]string{"Straße", "strasse"}, "strasse", "a b"},
		"are runs of letters and digits":                     {[]string{"snake_case F-1 C++", "snakecase"}, "snake 1 c", "a"},
		"go on behind a soft hyphen":                         {[]string{"hy\u00adphen"}, "hyphen", "a"},
		"are not those of a reference to a block":            {[]string{"see ((secret123)) here"}, "secret123", ""},
		"are not those of a component":                       {[]string{"{{[[TODO]]}} milk {{word-count}}"}, "todo OR word", ""},
		"are the label of an alias, not its target":          {[]string{"[label]([[Target]])"}, "target", ""},
		"are read through emphasis":                          {[]string{"**un**true"}, "untrue", "a"},
		"of Han are found by each part of a run":             {[]string{"東京都に行く", "京都"}, "京都", "a b"},
		"of one Han character are found in each run":         {[]string{"東京都", "都", "東"}, "都", "a b"},
		"of three Han characters stand side by side":         {[]string{"東京都", "東京 京都"}, "東京都", "a"},
		"of Hangul are found within longer ones":             {[]string{"한국어를"}, "국어", "a"},
		"of narrow Kana are those of wide ones":              {[]string{"ｶﾞｲﾄﾞ"}, "ガイド", "a"},
		"of Kana keep their voicing marks":                   {[]string{"かき"}, "がき", ""},
		"of a mixed run stand side by side":                  {[]string{"iPhone用", "iPhone 12 用"}, "iPhone用", "a"},
		"that end in a star are a beginning":                 {[]string{"kerosene", "kernel", "care"}, "ker*", "a b"},
		"with signs in them stand side by side":              {[]string{"at 12:30", "30 at 12"}, "12:30", "a"},
		"with an unknown field stand side by side":           {[]string{"see https://example.com/a", "example https com"}, "https://example.com", "a"},
		"in quotation marks stand side by side in one block": {[]string{"the moon landing", "landing the moon"}, `"moon landing"`, "a"},
		"in quotation marks may have quotation marks":        {[]string{`say "no" now`}, `"say \"no\" now"`, "a"},
		"in quotation marks have no star":                    {[]string{"kerosene"}, `"ker*"`, ""},
		"in quotation marks may end in the next word":        {[]string{"moon landing"}, `moon-land*`, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			x := NewWordIndex()
			var docs []Doc
			for i, block := range tc.blocks {
				docs = append(docs, Doc{Key: string(rune('a' + i)), Path: string(rune('a' + i)), Blocks: []string{block}})
			}
			x.Apply(docs, nil)
			got := keys(t, x, tc.query)
			slices.Sort(got)
			if strings.Join(got, " ") != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}
