package graph

import (
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
)

// spelling finds the page whose title is spelled the most like a name: by the pairs of
// letters that they share, without regard to case, blanks and hyphens (Dice's
// coefficient).
type spelling struct {
	pages  []mirror.Page
	plain  [][]rune
	having map[pair][]int32 // the pages that have a pair, once for each time that they have it
}

type pair [2]rune

// newSpelling indexes pages by the spelling of their titles.
func newSpelling(pages []mirror.Page) *spelling {
	s := &spelling{pages: pages, plain: make([][]rune, len(pages)), having: map[pair][]int32{}}
	for i, each := range pages {
		s.plain[i] = plainName(each.Title)
		for _, p := range pairs(s.plain[i]) {
			s.having[p] = append(s.having[p], int32(i))
		}
	}
	return s
}

// plainName returns the letters of a name that are compared.
func plainName(name string) []rune { return []rune(strings.ReplaceAll(note.Key(name), "-", "")) }

// pairs returns the pairs of letters that stand beside each other.
func pairs(name []rune) []pair {
	var list []pair
	for i := 1; i < len(name); i++ {
		list = append(list, pair{name[i-1], name[i]})
	}
	return list
}

// likest returns the page whose title is the likest to a name, and how like they are, from
// 0 to 1: the first of several, and none where there is nothing like it.
func (s *spelling) likest(name string) (best mirror.Page, score float64) {
	plain := plainName(name)
	shared := map[int32]int{}
	times := map[pair]int{}
	for _, p := range pairs(plain) {
		times[p]++
	}
	for p, n := range times {
		seen := map[int32]int{} // how often a page has p so far
		for _, i := range s.having[p] {
			if seen[i]++; seen[i] <= n { // a pair counts as often as both have it
				shared[i]++
			}
		}
	}
	first := int32(-1)
	for i, n := range shared {
		// Twice the shared pairs by all pairs; a name has one pair less than letters.
		rated := 2 * float64(n) / float64(len(plain)+len(s.plain[i])-2)
		if rated > score || rated == score && i < first {
			first, score = i, rated
		}
	}
	if first < 0 {
		return mirror.Page{}, 0
	}
	return s.pages[first], score
}
