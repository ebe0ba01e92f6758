package alltest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// asked is a question of a person, with the pages that answer it.
type asked struct {
	Question string
	Pages    []string
}

// questions returns those about the help graph, and the same in other words.
func questions(t testing.TB) (of []asked, otherWords []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(helpgraph.Path(t, "help.json")), "..", "questions-help.json"))
	if err != nil {
		t.Skipf("the questions are not here: %v", err)
	}
	require.NoError(t, json.Unmarshal(text, &of))
	text, err = os.ReadFile(filepath.Join("..", "..", "..", "internal", "graph", "search", "testdata", "questions-synonyms.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &otherWords))
	if len(of) != len(otherWords) {
		t.Fatalf("%d questions, %d in other words", len(of), len(otherWords))
	}
	return of, otherWords
}

// answerer asks a profile, and reads the titles of pages in its reply, best first.
type answerer struct {
	profile, tool, arguments string
	titles                   func(t testing.TB, r profiletest.Result) []string
	five, first              [2]int // that are reached at least: as a person asks, and in other words
	most                     int    // bytes of a reply
}

var wikiHit = regexp.MustCompile(`(?m)^- \*\*.*\*\* \((.*)\)$`)

func answerers() []answerer {
	return []answerer{
		{profile: "roam", tool: "search", arguments: `{"query":%s}`, five: [2]int{9, 16}, first: [2]int{4, 14}, most: 4096, titles: func(t testing.TB, r profiletest.Result) (titles []string) {
			var reply struct {
				Results []struct {
					Title string
					Path  []string
				}
			}
			r.Decode(t, &reply)
			for _, each := range reply.Results {
				titles = append(titles, append(each.Path, each.Title)[0])
			}
			return titles
		}},
		{profile: "wiki", tool: "search_notes", arguments: `{"query":%s}`, five: [2]int{9, 16}, first: [2]int{5, 13}, most: 4096, titles: func(_ testing.TB, r profiletest.Result) (titles []string) {
			for _, hit := range wikiHit.FindAllStringSubmatch(r.Text(), -1) {
				titles = append(titles, hit[1])
			}
			return titles
		}},
		{profile: "graph", tool: "search", arguments: `{"query":%s,"limit":5}`, five: [2]int{9, 17}, first: [2]int{4, 13}, most: 4096, titles: func(t testing.TB, r profiletest.Result) (titles []string) {
			var nodes []struct{ Title string }
			r.Decode(t, &nodes)
			for _, n := range nodes {
				titles = append(titles, n.Title)
			}
			return titles
		}},
	}
}

// TestQuestionsAreAnswered asks what a person asks of the help graph.
func TestQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	help := helpgraph.Export(t)
	of, otherWords := questions(t)
	for _, a := range answerers() {
		t.Run(a.profile, func(t *testing.T) {
			t.Parallel()
			_, c := profiletest.Connect(t, profiletest.Options{Profile: a.profile, Export: help})
			var five, first [2]int
			most := 0
			for i, q := range of {
				for form, text := range []string{q.Question, otherWords[i]} {
					query, err := json.Marshal(text)
					require.NoError(t, err)
					r := c.Call(a.tool, fmt.Sprintf(a.arguments, query))
					most = max(most, len(strings.Join(r.Texts, "")))
					titles := a.titles(t, r)
					at := slices.IndexFunc(titles[:min(5, len(titles))], func(title string) bool { return slices.Contains(q.Pages, title) })
					if at >= 0 {
						five[form]++
					}
					if at == 0 {
						first[form]++
					}
				}
			}
			t.Logf("%d among the first five, %d first; in other words %d, %d; %d bytes a reply at most", five[0], first[0], five[1], first[1], most)
			for form := range five {
				if five[form] < a.five[form] || first[form] < a.first[form] {
					t.Errorf("form %d: %d among the first five, %d first; at least %d, %d", form, five[form], first[form], a.five[form], a.first[form])
				}
			}
			if most > a.most && a.most > 0 {
				t.Errorf("a reply takes %d bytes; at most %d", most, a.most)
			}
		})
	}
}
