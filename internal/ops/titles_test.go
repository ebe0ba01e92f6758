package ops

import (
	"slices"
	"testing"
)

func TestTitlesThatAreNearComeFirst(t *testing.T) {
	for asked, tc := range map[string]struct{ near, far []string }{ // the nearest first
		"daily note":                  {[]string{"Daily Notes", "Daily agenda"}, []string{"The Information"}},
		"Block Refrence":              {[]string{"Block References", "Block Embed"}, []string{"Video"}},
		"roam agent-guideline":        {[]string{"roam/agent guidelines"}, []string{"Bread"}},
		"the best queries of the day": {[]string{"Best queries"}, []string{"The Hustle", "Of Mice"}},
		"MEETING":                     {[]string{"Meeting", "Meetings"}, []string{"Greeting cards for all"}},
		"日本":                          {[]string{"日本", "日本語"}, []string{"本"}},
		"Ärger":                       {[]string{"ärger"}, []string{"Größe"}},
	} {
		points := func(title string) int { return likeness(asked, title) }
		if !slices.IsSortedFunc(tc.near, func(a, b string) int { return points(b) - points(a) }) {
			t.Errorf("%s: the order of %q is another", asked, tc.near)
		}
		for _, title := range tc.near {
			if points(title) == 0 {
				t.Errorf("%s is not near %s", title, asked)
			}
		}
		for _, title := range tc.far {
			if n := points(title); n > 0 {
				t.Errorf("%s is near %s, by %d", title, asked, n)
			}
		}
	}
}

func TestABlockIsRankedForWordsInItAndAboveIt(t *testing.T) {
	block := FoundBlock{Text: "Embed a block, see ((kanban-99))", Path: []string{"Features", "How to drag"}}
	for query, want := range map[string]int{
		"": 0, "embed a": 0, "block EMBED": 1, "embed drag": 2, "features block": 2, // found
		"drag": -1, "kanban": -1, "embed nowhere": -1, // not found
	} {
		b := block
		found := b.ranked(query, searchWords(query))
		if found != (want >= 0) || found && b.rank != want {
			t.Errorf("%q: %t, %d; want %d", query, found, b.rank, want)
		}
	}
}
