package roamtext

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func pagesOf(titles ...string) []NamedPage {
	pages := make([]NamedPage, len(titles))
	for i, title := range titles {
		pages[i] = NamedPage{title, fmt.Sprintf("uid-%d", i)}
	}
	return pages
}

// named are the titles found in one text, with the words of the text where these
// differ: "Title=words".
func named(t *testing.T, text string, titles []string, skip ...string) string {
	t.Helper()
	found, err := FindMentions(t.Context(), pagesOf(titles...), []Passage{{"b", text}}, skip...)
	require.NoError(t, err)
	var out []string
	for _, m := range found {
		each := m.Page.Title
		if m.Text != each {
			each += "=" + m.Text
		}
		if m.Count > 1 {
			each += fmt.Sprintf("×%d", m.Count)
		}
		if text[m.Start:m.End] != m.Text {
			t.Errorf("%q does not stand at %d to %d of %q", m.Text, m.Start, m.End, text)
		}
		out = append(out, each)
	}
	return strings.Join(out, ", ")
}

func TestFindMentions(t *testing.T) {
	titles := []string{
		"Oven", "Oven Fund", "[[Oven Fund]] meeting", "Sourdough starter", "Ana", "C++", "Node", "Node.js", "The", "To do", "2026", "TODO", "roam/templates", ".rm-hide",
		"November 18th, 2026", "Crème brûlée", "東京", "東", "Go", "Self-raising flour", "AT&T", "Straße", "ΣΊΣΥΦΟΣ", "Bob's bakery", "New York", "York Times Company", "rye  bread", "カタカナ", "Why rye?", "Bread", "bread",
	}
	for name, test := range map[string]struct{ text, want string }{
		"one by its title":                          {"Money for the Oven Fund came in", "Oven Fund"},
		"the longer of two titles":                  {"at the Oven Fund meeting", "[[Oven Fund]] meeting=Oven Fund meeting"},
		"the longer though it begins later":         {"the New York Times Company", "York Times Company"},
		"the short one where it stands alone":       {"the Oven Fund pays the oven", "Oven Fund, Oven=oven"},
		"each page once, with its number":           {"oven, Oven and OVEN", "Oven=oven×3"},
		"without regard to case":                    {"NODE.JS", "Node.js=NODE.JS"},
		"in scripts with case beyond ASCII":         {"the σίσυφος in the STRAẞE", "ΣΊΣΥΦΟΣ=σίσυφος, Straße=STRAẞE"},
		"however an accent is written":              {"a cre\u0300me bru\u0302le\u0301e please", "Crème brûlée=cre\u0300me bru\u0302le\u0301e"},
		"but not without its accents":               {"a creme brulee", ""},
		"over a line break or a hyphen":             {"New\nYork or New-York", "New York=New\nYork×2"},
		"with a hyphen that the text lacks":         {"self raising flour", "Self-raising flour=self raising flour"},
		"with two spaces in the title":              {"rye bread", "rye  bread=rye bread"},
		"with either apostrophe":                    {"at Bob’s bakery", "Bob's bakery=Bob’s bakery"},
		"in the possessive":                         {"Ana's dough", "Ana"},
		"with signs that belong to it":              {"C++ of AT&T", "C++, AT&T"},
		"not without the signs":                     {"vitamin C, AT and T", ""},
		"with a question mark":                      {"Why rye? she asked, why rye", "Why rye?"},
		"spelt alike before another spelling":       {"bread", "bread"},
		"a date":                                    {"on November 18th, 2026 then", "November 18th, 2026"},
		"in bold, italics and highlights":           {"**Oven** __Ana__ ^^Node^^", "Oven, Ana, Node"},
		"in a script without spaces":                {"明日は東京へ", "東京"},
		"in one beside another script":              {"東京タワーとカタカナ", "東京, カタカナ"},
		"not common words or numbers":               {"The to do of 2026", ""},
		"not short words":                           {"go Go GO", ""},
		"not what Roam itself uses":                 {"TODO roam/templates .rm-hide", ""},
		"not a part of a word":                      {"Anatomy ovenproof snodes", ""},
		"not a part of a name, address or variable": {"anode node.txt ana@example.com x@ana my_oven oven_size c:\\oven\\x", ""},
		"not over the end of a sentence":            {"into the oven. Fund it", "Oven=oven"},
		"not over a link":                           {"oven [[Ana]] fund", "Oven=oven"},
		"not what the block links already":          {"[[Oven Fund]] and the Oven Fund, #Ana for Ana, #[[New York]] in New York", ""},
		"nor under another case":                    {"[[oven]] and Oven", ""},
		"nor what an alias links":                   {"[here]([[Oven]]) in the oven, and [Ana](https://x.test) by Ana", "Ana"},
		"nor what stands inside a link":             {"[[[[Oven Fund]] meeting]] about the Oven Fund", ""},
		"nor an attribute":                          {"Oven:: hot oven", ""},
		"a short title not inside a linked long":    {"[[Oven Fund]]: the Oven Fund", ""},
		"not in code":                               {"`Ana` ```clojure\nAna\n``` and Ana", "Ana"},
		"but in code that is not closed":            {"```\nAna", "Ana"},
		"not in components and references":          {"{{[[query]]: {and: [[Ana]]}}} {{Oven: x {{Node}} }} ((Ana)) oven", "Oven=oven"},
		"not in addresses and formulas":             {"https://ana.test/oven#Node www.oven.test mailto:ana@x $$Oven + Ana$$", ""},
		"not in images":                             {"![Ana](https://x.test/Oven.png)", ""},
		"beside brackets that are not closed":       {"[[Ana and ((oven and {{Node and `Oven Fund", "Ana, Oven=oven, Node, Oven Fund"},
		"nothing in nothing":                        {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := named(t, test.text, titles); got != test.want {
				t.Errorf("%q names %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestFindMentionsSkipsTitles(t *testing.T) {
	if got := named(t, "the oven fund of Ana", []string{"Oven Fund", "Oven", "Ana"}, "Oven Fund"); got != "Ana" {
		t.Error(got)
	}
}

func TestFindMentionsLeavesOutLongAndBrokenTitles(t *testing.T) {
	long, many := strings.Repeat("x", maxTitle+1), strings.Repeat("ab cd ", 15)
	if got := named(t, long+" "+many+" \xff fine", []string{long, many, "", " ", "?!", "\xff fine", "fine"}); got != "fine" {
		t.Error(got)
	}
}

func TestFindMentionsKeepsTheOrderOfTheText(t *testing.T) {
	blocks := []Passage{{"a", "oven and Ana"}, {"b", "nothing"}, {"c", "Ana, then the Oven Fund"}}
	pages := pagesOf("Ana", "Oven", "Oven Fund", "Ana")
	found, err := FindMentions(t.Context(), pages, blocks)
	require.NoError(t, err)
	var got []string
	for _, m := range found {
		got = append(got, fmt.Sprintf("%s:%s@%d", blocks[m.Block].UID, m.Page.Title, m.Start))
	}
	if want := "a:Oven@0 a:Ana@9 c:Ana@0 c:Oven Fund@14"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	best := BestMentions(found, 2)
	if len(best) != 2 || best[0].Page.Title != "Ana" || best[0].Block != 0 || best[1].Page.Title != "Oven Fund" {
		t.Errorf("the best are %+v", best)
	}
	if len(BestMentions(found, 4)) != 4 || len(BestMentions(found, 0)) != 0 || len(BestMentions(nil, 3)) != 0 {
		t.Error("BestMentions keeps another number")
	}
}

func TestFindMentionsEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindMentions(ctx, pagesOf("Ana"), []Passage{{"a", "Ana"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
