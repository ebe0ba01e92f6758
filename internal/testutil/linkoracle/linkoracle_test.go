package linkoracle

import (
	"math"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/demograph"
	"roam-mcp/internal/testutil/require"
)

// The answers were counted by hand.
func TestTheDemoGraphIsAsCountedByHand(t *testing.T) {
	g, err := Read(demograph.JSON)
	require.NoError(t, err)
	if len(g.Pages) != 16 {
		t.Errorf("there are %d pages: %v", len(g.Pages), g.Pages)
	}
	for _, each := range []struct {
		what      string
		got, want []string
	}{
		{"links of Apollo", g.Out("Projects/Apollo"), []string{"Ada", "Grace", "Saturn V"}},
		{"links of the daily note", g.Out("January 15th, 2024"), []string{"Grace", "meeting", "Notes", "Projects/Apollo"}},
		{"links to Apollo", g.In("Projects/Apollo"), []string{"Ada", "January 15th, 2024", "Projects/Gemini"}},
		{"links to what only a hidden block links to", g.In("Orphan"), nil},
		{"a path", g.Path("Projects/Gemini", "Grace"), []string{"Projects/Gemini", "Projects/Apollo", "Grace"}},
		{"another", g.Path("Glossary", "Grace"), []string{"Glossary", "Saturn V", "Grace"}},
		{"none", g.Path("Grace", "Ada"), nil},
		{"itself", g.Path("Ada", "Ada"), []string{"Ada"}},
	} {
		if !slices.Equal(each.got, each.want) {
			t.Errorf("%s: %q, not %q", each.what, each.got, each.want)
		}
	}
	if weight := g.Weights["Projects/Apollo"]["Saturn V"]; weight != 2 {
		t.Errorf("two blocks are %d", weight)
	}
	ranks := g.PageRank()
	hubs := g.Hubs(func(title string) float64 { return ranks[title] })
	for i, want := range []Hub{{"computing", 0.1282}, {"Projects/Apollo", 0.1205}, {"Ada", 0.1179}, {"Grace", 0.1107}} {
		if got := hubs[i]; got.Title != want.Title || math.Abs(got.Score-want.Score) > 0.0001 {
			t.Errorf("hub %d is %v, not %v", i, got, want)
		}
	}
}
