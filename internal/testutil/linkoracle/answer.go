package linkoracle

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

func (g *Graph) ordered(titles iter.Seq[string]) []string {
	return slices.SortedFunc(titles, g.compare)
}

// compare compares two titles by their places in Pages.
func (g *Graph) compare(a, b string) int { return cmp.Compare(g.place[a], g.place[b]) }

// Nearest orders titles, which are in the order of Pages, by their weight, greatest
// first.
func (g *Graph) Nearest(titles []string, weight func(title string) int) []string {
	slices.SortStableFunc(titles, func(a, b string) int { return cmp.Compare(weight(b), weight(a)) })
	return titles
}

// Path returns the titles of a shortest path, both ends included; nil: there is
// none. It keeps the least path to every page that a step more has reached: what
// begins a least path is a least path.
func (g *Graph) Path(source, target string) []string {
	reached := map[string]bool{source: true}
	paths := map[string][]string{source: {source}}
	for len(paths) > 0 {
		if path, there := paths[target]; there {
			return path
		}
		longer := map[string][]string{}
		for from, path := range paths {
			for to := range g.Weights[from] {
				if reached[to] {
					continue
				}
				candidate := append(slices.Clone(path), to)
				if best, there := longer[to]; !there || slices.CompareFunc(candidate, best, g.compare) < 0 {
					longer[to] = candidate
				}
			}
		}
		for title := range longer {
			reached[title] = true
		}
		paths = longer
	}
	return nil
}

// PageRank returns the ranks of all pages, by title: damping 0.85, uniform start
// and teleport, the rank of pages without links spread evenly, until nothing
// changes by 1e-13.
func (g *Graph) PageRank() map[string]float64 {
	n := float64(len(g.Pages))
	ranks := map[string]float64{}
	for _, page := range g.Pages {
		ranks[page.Title] = 1 / n
	}
	for changed := true; changed; {
		next, lost := map[string]float64{}, 0.0
		for _, page := range g.Pages {
			targets := g.Weights[page.Title]
			if len(targets) == 0 {
				lost += ranks[page.Title]
			}
			for target := range targets {
				next[target] += 0.85 * ranks[page.Title] / float64(len(targets))
			}
		}
		changed = false
		for _, page := range g.Pages {
			next[page.Title] += 0.15/n + 0.85*lost/n
			changed = changed || math.Abs(next[page.Title]-ranks[page.Title]) > 1e-13
		}
		ranks = next
	}
	return ranks
}

// Hub is a page with its score.
type Hub struct {
	Title string
	Score float64
}

// Hubs returns all pages with their scores, greatest first, equal ones in the
// order of Pages.
func (g *Graph) Hubs(score func(title string) float64) []Hub {
	var hubs []Hub
	for _, page := range g.Pages {
		hubs = append(hubs, Hub{page.Title, score(page.Title)})
	}
	slices.SortStableFunc(hubs, func(a, b Hub) int { return cmp.Compare(b.Score, a.Score) })
	return hubs
}
