package search

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/testutil/require"
)

func TestParseQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ query, words, ignored, pattern, unlinked string }{
		"function words go while another word remains": {query: "How do I export this?", words: "export", ignored: "how do i this", pattern: "expor"},
		"function words alone count":                   {query: "how do I", words: "how do i"},
		"in quotation marks they count":                {query: `"how to" export`, words: `"how to" export`},
		"OR makes one wanted thing":                    {query: "lost OR forgot OR gone password", words: "lost|forgot|gone password"},
		"OR at the edges joins nothing":                {query: "OR lost OR", words: "lost"},
		"or in lower case is a function word":          {query: "lost or forgot", words: "lost forgot", ignored: "or"},
		"exclusions are not wanted":                    {query: `plan -draft -"old plan"`, words: "plan"},
		"a minus alone is nothing":                     {query: "plan - draft", words: "plan draft"},
		"a mark without its other one quotes the rest": {query: `plan "of the day`, words: `plan "of the day"`},
		"a title without a link":                       {query: `unlinked:"Bread and Butter" flour`, words: "flour", unlinked: "Bread and Butter"},
		"a condition on titles is not wanted":          {query: "title:roam/* x", words: "x"},
		"signs are no words":                           {query: "?! ... plan.", words: "plan"},
		"a word twice counts once":                     {query: "plan plan Plan", words: "plan"},
		"signs of patterns are literal":                {query: `a.b( c\d`, words: `a.b c\d`},
		"pairs of characters":                          {query: "日本語", words: "日本語", pattern: "日本"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q, err := ParseQuestion(c.query)
			require.NoError(t, err)
			if got := strings.Join(q.Words(), " "); got != c.words {
				t.Errorf("words %q, want %q", got, c.words)
			}
			if got := strings.Join(q.Ignored, " "); got != c.ignored || q.Unlinked != c.unlinked {
				t.Errorf("ignored %q, unlinked %q", got, q.Unlinked)
			}
			if !strings.HasPrefix(q.Pattern(nil), c.pattern) {
				t.Errorf("pattern %q", q.Pattern(nil))
			}
		})
	}
	if _, err := ParseQuestion(strings.Repeat("é", MaxQuery+1)); !errors.Is(err, ErrLong) {
		t.Errorf("a long query: %v", err)
	}
}

func FuzzParseQuestion(f *testing.F) {
	for _, query := range []string{`a OR "b c" -d title:e* unlinked:"f"`, `-"`, `title:"`, "日本 OR 語*", "a's", `((abc)) OR -OR`, "\xff*", strings.Repeat("x ", 499)} {
		f.Add(query, "A text of 日本語 with ((abc-def)) and c'est.")
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		q, err := ParseQuestion(query)
		if err != nil {
			if utf8.RuneCountInString(query) <= MaxQuery {
				t.Fatal(err)
			}
			return
		}
		pattern, err := regexp.Compile("(?i)" + q.Pattern(nil))
		require.NoError(t, err)
		_, err = regexp.Compile("(?i)" + q.TitlePattern())
		require.NoError(t, err)
		set := q.Among(QuestionCorpus{Texts: 1})
		set.Add(Text{UID: "a", Text: text})
		set.Above("a", []string{text})
		found := set.Found()
		if len(found.Words) != len(q.Words()) || found.Total+found.Partial != len(found.Results) {
			t.Fatal(fmt.Sprint(found))
		}
		_ = pattern
		if from, to := q.Cut(text, 10); from < 0 || to < from || to > len(text) {
			t.Fatal(from, to)
		}
		q.Titled(text)
		q.Excluded(text)
	})
}
