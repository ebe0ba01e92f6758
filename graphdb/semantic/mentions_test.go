package semantic

import (
	"context"
	"errors"
	"strings"
	"testing"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
)

// titled is a graph of pages, some of which are referred to.
func titled(t testing.TB) *graphdb.DB {
	g := newGraph(t)
	for _, title := range []string{
		"Oven", "Oven Fund", "[[Oven Fund]] meeting", "Sourdough starter", "Ana", "C++", "The", "2026", "TODO", "roam/templates",
		"November 18th, 2026", "Crème brûlée", "東京", "Go", "rye", "Self-raising flour", ".rm-hide",
	} {
		g.page(title)
	}
	g.page("Log", "[[Ana]] one", "[[Ana]] two", "[[rye]] three")
	return g.DB()
}

func TestATextNamesPages(t *testing.T) {
	db := titled(t)
	for name, test := range map[string]struct{ text, want string }{
		"one by its title":                     {"Money for the Oven Fund came in", "Oven Fund"},
		"the longest title only":               {"at the Oven Fund meeting", "[[Oven Fund]] meeting"},
		"a short one where it stands alone":    {"the Oven Fund pays for the oven", "Oven Fund, Oven"},
		"without regard to case and accents":   {"a CREME BRULEE please", "Crème brûlée"},
		"in the plural":                        {"two sourdough starters", "Sourdough starter"},
		"often referred to before seldom":      {"the rye of Ana", "Ana, rye"},
		"with a symbol that belongs to it":     {"C++ and c++", "C++"},
		"but not without the symbol":           {"vitamin C", ""},
		"not a common word":                    {"The bread", ""},
		"a number last":                        {"Ana in 2026", "Ana, 2026"},
		"a date":                               {"on November 18th, 2026 then", "November 18th, 2026"},
		"not what is a link already":           {"[[Oven Fund]] #Ana [the fund]([[Oven Fund]]) Ana::", ""},
		"not in code, components or addresses": {"`Ana` {{Ana}} https://example.com/Ana [Ana](https://example.com)", ""},
		"not within a word":                    {"Anatomy of an ovenproof dish", ""},
		"not over the end of a sentence":       {"into the oven. Fund it", "Oven"},
		"not over a link":                      {"oven [[Ana]] fund", "Oven"},
		"with a hyphen":                        {"self raising flour, or self-raising flour", "Self-raising flour"},
		"not what Roam itself uses":            {"TODO roam/templates .rm-hide", ""},
		"in a script without spaces":           {"明日は東京へ", "東京"},
		"nothing in nothing":                   {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := Mentions(t.Context(), db, test.text, 20)
			if err != nil {
				t.Fatal(err)
			}
			var titles []string
			for _, m := range found {
				titles = append(titles, m.Title)
			}
			if got := strings.Join(titles, ", "); got != test.want {
				t.Errorf("%q names %s, want %s", test.text, got, test.want)
			}
		})
	}
}

func TestAMentionSaysWhereItStands(t *testing.T) {
	db := titled(t)
	found, err := Mentions(t.Context(), db, "Über ovens, and an Oven", 1)
	want := Mention{Page: outline.PageByTitle(db, "Oven"), Title: "Oven", Text: "ovens", Start: 6, End: 11, Count: 2}
	if err != nil || len(found) != 1 || found[0] != want {
		t.Errorf("%+v, %v; want %+v", found, err, want)
	}
	if found, err := Mentions(t.Context(), db, "Oven", 0); err != nil || len(found) != 0 {
		t.Errorf("with a limit of none: %v, %v", found, err)
	}
}

func TestACancelledContextEndsTheLookForMentions(t *testing.T) {
	g := newGraph(t)
	for i := range 1100 {
		g.page(strings.Repeat("x", i+1))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Mentions(ctx, g.DB(), "x", 20); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzMentions takes any text and any title, and says of each mention where it
// truly stands.
func FuzzMentions(f *testing.F) {
	f.Add("the Oven Fund meeting, `code`", "[[Oven Fund]] meeting")
	f.Add("明日は東京へ İ ﬁ", "東京")
	f.Fuzz(func(t *testing.T, text, title string) {
		if title == "" || len(title) > 200 || len(text) > 2000 {
			return
		}
		s := newScan(text)
		s.look(1, title)
		for _, m := range s.best(graphdb.NewConn(graphdb.RoamSchema()).DB(), 20) {
			if m.Start < 0 || m.End > len(text) || text[m.Start:m.End] != m.Text || m.Count < 1 {
				t.Fatalf("%+v in %q", m, text)
			}
		}
	})
}
