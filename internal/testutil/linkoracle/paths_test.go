package linkoracle_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/linkoracle"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// shortest searches breadth first, from one page to another, and returns how many links it
// takes (-1: there is no way), how many ways of that length there are, and the least sum of
// the links of the pages between.
func shortest(g *linkoracle.Graph, neighbors map[string][]string, from, to string) (length, ways, cost int) {
	type found struct{ distance, ways, cost int }
	degree := func(title string) int { return len(g.Out(title)) + len(g.In(title)) }
	seen := map[string]*found{from: {ways: 1}}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := seen[queue[0]]
		if queue[0] == to {
			return at.distance, at.ways, at.cost
		}
		for _, n := range neighbors[queue[0]] {
			cost := at.cost
			if n != to {
				cost += degree(n)
			}
			switch next := seen[n]; {
			case next == nil:
				seen[n] = &found{at.distance + 1, at.ways, cost}
				queue = append(queue, n)
			case next.distance == at.distance+1:
				next.ways, next.cost = min(next.ways+at.ways, 1000), min(next.cost, cost)
			}
		}
	}
	return -1, 0, 0
}

// testPaths asks the profile roam for ways between so many pairs of pages of each graph.
func testPaths(t *testing.T, pairs int) {
	for name, export := range exports() {
		t.Run(name, func(t *testing.T) {
			text := export(t)
			oracle, err := linkoracle.Read(text)
			require.NoError(t, err)
			w := profiletest.NewSuite(t, profiletest.Options{Profile: "roam", Export: text}).World(t)
			a := asked{t, w.Connect(profiletest.Ways()[1]), oracle}
			out, both := map[string][]string{}, map[string][]string{}
			for _, page := range oracle.Pages {
				out[page.Title] = oracle.Out(page.Title)
				list := slices.Concat(out[page.Title], oracle.In(page.Title))
				slices.Sort(list)
				both[page.Title] = slices.Compact(list)
			}
			r := rand.New(rand.NewPCG(28, 2))
			for range pairs {
				from, to := oracle.Pages[r.IntN(len(oracle.Pages))].Title, oracle.Pages[r.IntN(len(oracle.Pages))].Title
				if r.IntN(2) == 0 { // where there may be a way
					from, to = a.linked(r, both), a.linked(r, both)
				}
				if r.IntN(2) == 0 {
					a.compareWays(from, to, "any", 1+r.IntN(4), both)
				} else {
					a.compareWays(from, to, "out", 1+r.IntN(4), out)
				}
			}
		})
	}
}

// linked returns a page that has links.
func (a asked) linked(r *rand.Rand, neighbors map[string][]string) string {
	for {
		if title := a.oracle.Pages[r.IntN(len(a.oracle.Pages))].Title; len(neighbors[title]) > 0 {
			return title
		}
	}
}

func (a asked) compareWays(from, to, direction string, limit int, neighbors map[string][]string) {
	a.t.Helper()
	var got struct {
		Length *int
		Ways   []struct {
			Pages []string
			Steps []struct{ As, UID, Markdown string }
		}
		Note string
	}
	a.call(&got, "find_path", map[string]any{"from": a.id(from), "to": a.id(to), "direction": direction, "limit": limit})
	length, ways, cost := shortest(a.oracle, neighbors, from, to)
	if length < 0 {
		if got.Length != nil || len(got.Ways) > 0 || !strings.HasPrefix(got.Note, "No links lead from") {
			a.t.Errorf("%q to %q, %s: %v, and there is no way", from, to, direction, got)
		}
		return
	}
	if got.Length == nil || *got.Length != length || len(got.Ways) != min(ways, limit) {
		a.t.Errorf("%q to %q, %s: %v, not %d ways of length %d", from, to, direction, got, min(ways, limit), length)
		return
	}
	seen := map[string]bool{}
	for i, way := range got.Ways {
		if way.Pages[0] != from || way.Pages[length] != to || len(way.Pages) != length+1 || len(way.Steps) != length || seen[strings.Join(way.Pages, "\n")] {
			a.t.Errorf("%q to %q, %s: way %d is %v", from, to, direction, i, way)
			continue
		}
		seen[strings.Join(way.Pages, "\n")] = true
		sum := 0
		for at, step := range way.Steps {
			source, target := way.Pages[at], way.Pages[at+1]
			if at > 0 {
				sum += len(a.oracle.Out(source)) + len(a.oracle.In(source))
			}
			if step.As == "in" {
				source, target = target, source
			}
			if a.oracle.Weights[source][target] == 0 || direction == "out" && step.As != "out" {
				a.t.Errorf("%q to %q, %s: no link leads from %q to %q", from, to, direction, source, target)
			}
			if step.UID == "" || !strings.Contains(step.Markdown, `<roam uid="`+step.UID) {
				a.t.Errorf("%q to %q, %s: the link from %q to %q has no block: %v", from, to, direction, source, target, step)
			}
		}
		if i == 0 && sum != cost {
			a.t.Errorf("%q to %q, %s: the first way leads past %d links, and there is one past %d", from, to, direction, sum, cost)
		}
	}
}
