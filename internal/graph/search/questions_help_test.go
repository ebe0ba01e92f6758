package search

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

// corpus is a graph in memory.
type corpus struct {
	sizes map[string]int
	texts []Text
	above map[string][]string
}

type exported struct {
	Title, UID, String string
	Heading            int
	Edited             int64 `json:"edit-time"`
	Children           []exported
}

// helpGraph returns Roam's help graph.
func helpGraph(t testing.TB) corpus {
	t.Helper()
	var pages []exported
	require.NoError(t, json.Unmarshal([]byte(helpgraph.Export(t)), &pages))
	c := corpus{above: map[string][]string{}, sizes: map[string]int{}}
	for _, p := range pages {
		c.texts = append(c.texts, Text{UID: "page " + p.Title, Page: p.Title, Text: p.Title, IsPage: true, Edited: p.Edited})
		c.add(p.Title, []string{p.Title}, p.Children)
	}
	return c
}

func (c *corpus) add(page string, above []string, blocks []exported) {
	for _, b := range blocks {
		if c.above[b.UID] != nil {
			continue
		}
		c.texts = append(c.texts, Text{UID: b.UID, Page: page, Text: b.String, Heading: b.Heading, Edited: b.Edited})
		c.above[b.UID] = above
		c.sizes[page]++
		c.add(page, append(slices.Clone(above), b.String), b.Children)
	}
}

// find ranks as the tools do.
func (c *corpus) find(t testing.TB, query string, without weights) Found {
	t.Helper()
	q, err := ParseQuestion(query)
	require.NoError(t, err)
	set := q.Among(QuestionCorpus{Texts: len(c.texts), Size: func(page string) int { return c.sizes[page] }, without: without})
	for _, text := range c.texts {
		set.Add(text)
	}
	for _, uid := range set.Best(200, 40) {
		set.Above(uid, c.above[uid])
	}
	return set.Found()
}

// question is one of a person, with the pages that answer it.
type question struct {
	Question string
	Pages    []string
}

func questions(t testing.TB) (asked []question, otherWords []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(helpgraph.Path(t, "help.json")), "..", "questions-help.json"))
	if err != nil {
		t.Skipf("the questions are not here: %v", err)
	}
	require.NoError(t, json.Unmarshal(text, &asked))
	text, err = os.ReadFile("testdata/questions-synonyms.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &otherWords))
	if len(otherWords) != len(asked) {
		t.Fatalf("%d questions in other words, and %d", len(otherWords), len(asked))
	}
	return asked, otherWords
}

// place returns at which place a page is among results, from 1; 0: not among the first
// five.
func place(found Found, pages []string) int {
	for i, r := range found.Results[:min(5, len(found.Results))] {
		if slices.Contains(pages, r.Page) {
			return i + 1
		}
	}
	return 0
}

func TestQuestionsAreAnswered(t *testing.T) {
	runsAlone(t)
	t.Parallel()
	help := helpGraph(t)
	asked, other := questions(t)
	for name, without := range map[string]weights{
		"all": {}, "without the page": {page: true}, "without what is above": {above: true}, "without titles": {title: true},
		"without headings": {heading: true}, "without the share": {share: true}, "without rarity": {rarity: true}, "without lengths of pages": {length: true},
	} {
		var five, first [2]int
		for i, q := range asked {
			for j, query := range []string{q.Question, other[i]} {
				switch place(help.find(t, query, without), q.Pages) {
				case 0:
				case 1:
					first[j]++
					five[j]++
				default:
					five[j]++
				}
			}
		}
		t.Logf("%-24s %d among five, %d first; in other words %d, %d", name, five[0], first[0], five[1], first[1])
		if name == "all" && (five[0] < 8 || first[0] < 4 || five[1] < 16 || first[1] < 14) {
			t.Errorf("%d among five, %d first; in other words %d, %d", five[0], first[0], five[1], first[1])
		}
	}
}
