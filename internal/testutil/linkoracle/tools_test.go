package linkoracle_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roam-mcp/internal/testutil/linkoracle"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// asked is the profile graph as a client sees it, beside the oracle.
type asked struct {
	t      *testing.T
	client *profiletest.Client
	oracle *linkoracle.Graph
}

func TestTheToolsOfTheProfileGraphAnswerAsTheOracleDoes(t *testing.T) {
	for name, export := range exports() {
		t.Run(name, func(t *testing.T) {
			text := export(t)
			oracle, err := linkoracle.Read(text)
			require.NoError(t, err)
			w := profiletest.NewSuite(t, profiletest.Options{Profile: "graph", Export: text}).World(t)
			a := asked{t, w.Connect(profiletest.Ways()[1]), oracle}
			a.compareHubs()
			a.comparePaths()
			a.compareNeighbors()
		})
	}
}

// call decodes the answer to a call into a value.
func (a asked) call(into any, tool string, arguments map[string]any) {
	a.t.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(a.t, err)
	a.client.CallAtOnce(a.t.Context(), tool, string(text)).Decode(a.t, into)
}

// id names a page as a client does: by its uid, or by its title.
func (a asked) id(title string) string {
	for _, page := range a.oracle.Pages {
		if page.Title == title && page.UID != "" {
			return page.UID
		}
	}
	return "[[" + title + "]]"
}

func (a asked) compareHubs() {
	a.t.Helper()
	ranks := a.oracle.PageRank()
	for metric, score := range map[string]func(string) float64{
		"in_degree":  func(title string) float64 { return float64(len(a.oracle.In(title))) },
		"out_degree": func(title string) float64 { return float64(len(a.oracle.Out(title))) },
		"pagerank":   func(title string) float64 { return math.Round(ranks[title]*1e9) / 1e9 },
	} {
		var got []linkoracle.Hub
		a.call(&got, "get_hubs", map[string]any{"metric": metric, "limit": 50})
		want := a.oracle.Hubs(score)
		want = want[:min(50, len(want))]
		if len(got) != len(want) {
			a.t.Fatalf("%s: %d hubs, not %d", metric, len(got), len(want))
		}
		for i := range want {
			if got[i].Title != want[i].Title || math.Abs(got[i].Score-want[i].Score) > 1e-6 {
				a.t.Errorf("%s: hub %d is %v, not %v", metric, i, got[i], want[i])
			}
		}
	}
}

// comparePaths asks for paths between pages of which there may be one.
func (a asked) comparePaths() {
	a.t.Helper()
	var sources, targets []string
	for _, page := range a.oracle.Pages {
		if len(a.oracle.Out(page.Title)) > 0 {
			sources = append(sources, page.Title)
		}
		if len(a.oracle.In(page.Title)) > 0 {
			targets = append(targets, page.Title)
		}
	}
	r := rand.New(rand.NewPCG(2, 5))
	for range 25 {
		source, target := sources[r.IntN(len(sources))], targets[r.IntN(len(targets))]
		var got *struct {
			Titles []string
			Length int
		}
		a.call(&got, "find_path", map[string]any{"source": a.id(source), "target": a.id(target)})
		want := a.oracle.Path(source, target)
		if (got == nil) != (want == nil) || got != nil && (!slices.Equal(got.Titles, want) || got.Length != len(want)-1) {
			a.t.Errorf("the path from %q to %q is %v, not %q", source, target, got, want)
		}
	}
}

// compareNeighbors asks for the neighbors of the pages that have the most.
func (a asked) compareNeighbors() {
	a.t.Helper()
	for _, hub := range a.oracle.Hubs(func(title string) float64 { return float64(len(a.oracle.In(title)) + len(a.oracle.Out(title))) })[:5] {
		out := a.oracle.Nearest(a.oracle.Out(hub.Title), func(other string) int { return a.oracle.Weights[hub.Title][other] })
		in := a.oracle.Nearest(a.oracle.In(hub.Title), func(other string) int { return a.oracle.Weights[other][hub.Title] })
		both := slices.Concat(out, slices.DeleteFunc(slices.Clone(in), func(title string) bool { return slices.Contains(out, title) }))
		for direction, want := range map[string][]string{"out": out, "in": in, "both": both} {
			var found []struct{ Title string }
			a.call(&found, "get_neighbors", map[string]any{"id": a.id(hub.Title), "direction": direction, "limit": 50})
			var got []string
			for _, each := range found {
				got = append(got, each.Title)
			}
			if want = want[:min(50, len(want))]; !slices.Equal(got, want) {
				a.t.Errorf("%s of %q are %q, not %q", direction, hub.Title, got, want)
			}
		}
		var node struct{ IncomingCount, OutgoingCount int }
		a.call(&node, "get_node", map[string]any{"id": a.id(hub.Title), "depth": 1})
		if got, want := fmt.Sprint(node), fmt.Sprintf("{%d %d}", len(in), len(out)); got != want {
			a.t.Errorf("the counts of %q are %s, not %s", hub.Title, got, want)
		}
	}
}
