package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/testutil/require"
)

func TestSnippet(t *testing.T) {
	long := strings.Repeat("before ", 40) + "the moon landing " + strings.Repeat("after ", 40)
	for name, tc := range map[string]struct {
		blocks []string
		query  string
		want   string
	}{
		"marks each match":                           {[]string{"moon, Moon and moons"}, "moon", "**moon**, **Moon** and moons"},
		"marks a phrase as one":                      {[]string{"the moon landing"}, `"moon landing"`, "the **moon landing**"},
		"marks words that begin so":                  {[]string{"a kernel of kerosene"}, "ker*", "a **kernel** of **kerosene**"},
		"marks words with the same stem":             {[]string{"two engines"}, "engine", "two **engines**"},
		"marks parts of runs without spaces":         {[]string{"東京都に行く"}, "京都", "東**京都**に行く"},
		"marks a run of three characters as one":     {[]string{"東京都に行く"}, "東京都", "**東京都**に行く"},
		"marks nothing that is excluded":             {[]string{"moon and sun"}, "moon -star", "**moon** and sun"},
		"marks nothing that is looked for in titles": {[]string{"moon and sun"}, "title:moon sun", "moon and **sun**"},
		"is of the block with the most words":        {[]string{"moon moon moon", "sun", "moon and sun"}, "moon sun", "**moon** and **sun**"},
		"is of the block with the rarer word":        {[]string{"moon", "sun"}, "moon sun", "**sun**"},
		"is of the first of equal blocks":            {[]string{"one moon", "two moon"}, "moon", "one **moon**"},
		"is the beginning where there is no word":    {[]string{" ", "{{[[TODO]]}}", "here", "there"}, "-nothing", "here"},
		"is one line, as Roam shows it":              {[]string{"a  **bold**\n[[moon]] ((abcdefghi)) #tag"}, "moon", "a bold **moon** #tag"},
		"is cut at words around the first match": {[]string{long}, "moon",
			"..." + strings.TrimSpace(strings.Repeat("before ", 7)) + " the **moon** landing " + strings.TrimSpace(strings.Repeat("after ", 15)) + "..."},
		"of nothing is nothing": {nil, "-nothing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := indexed([]Doc{{Key: "a", Title: "moon", Blocks: tc.blocks}, {Key: "b", Blocks: []string{"moon"}}})
			q, err := ParseWordQuery(tc.query)
			require.NoError(t, err)
			found, err := x.Search(t.Context(), q, 0, 10)
			require.NoError(t, err)
			if got := found.Snippet(tc.blocks); got != tc.want {
				t.Errorf("it is  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// A snippet has at most 160 characters of the text, and a match is whole.
func TestSnippetsAreShort(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 500) + " moon " + strings.Repeat("y", 500), strings.Repeat("moon ", 200), strings.Repeat("字", 400) + "moon", "moon" + strings.Repeat("é", 400)} {
		x := indexed([]Doc{{Key: "a", Blocks: []string{text}}})
		q, err := ParseWordQuery("moon OR x* OR 字字 OR moon*")
		require.NoError(t, err)
		found, err := x.Search(t.Context(), q, 0, 1)
		require.NoError(t, err)
		got := found.Snippet([]string{text})
		bare := strings.Trim(strings.ReplaceAll(got, "**", ""), ".")
		if n := utf8.RuneCountInString(bare); n > snippetSize || n == 0 || !utf8.ValidString(got) || !strings.Contains(text, bare) {
			t.Errorf("%d characters: %q", n, got)
		}
	}
}
