package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"roam-mcp/graphdb/unlinked"
	"roam-mcp/internal/rawjson"
)

// nearTitles is how many titles are named where a page is not there.
const nearTitles = 5

// PageFound is a page in a list.
type PageFound struct {
	UID   string `json:"uid"`
	Title string `json:"title"`
	Empty bool   `json:"empty,omitempty"` // whether it has no blocks
}

// PagesByPrefix returns the pages whose titles start with a text, case aside, and
// hold all words of a query, in the order of their titles.
func (g *Graph) PagesByPrefix(ctx context.Context, prefix, query string) ([]PageFound, error) {
	const ask = `[:find [(pull ?page [:block/uid :node/title (limit :block/children 1)]) ...] :in $ ?start :where [(re-pattern ?start) ?re] [?page :node/title ?title] [(re-find ?re ?title)]]`
	result, err := g.ask(ctx, plainQuery, ask, caseless("^"+regexp.QuoteMeta(prefix)))
	if err != nil {
		return nil, err
	}
	pages := []PageFound{}
	for _, each := range rawjson.Elements(result) {
		var page PageFound
		missing := func(word string) bool { return !strings.Contains(strings.ToLower(page.Title), word) }
		if json.Unmarshal(each, &page) != nil || slices.ContainsFunc(searchWords(query), missing) {
			continue
		}
		page.Empty = rawjson.Parse(each).Get("children") == nil
		pages = append(pages, page)
	}
	slices.SortFunc(pages, func(a, b PageFound) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), cmp.Compare(a.Title, b.Title))
	})
	return pages, nil
}

// titlesLike returns the pages whose titles match a pattern.
func (g *Graph) titlesLike(ctx context.Context, pattern string) ([]unlinked.Page, error) {
	result, err := g.ask(ctx, plainQuery, `[:find ?title ?uid :in $ ?pattern :where [(re-pattern ?pattern) ?re] [?page :node/title ?title] [(re-find ?re ?title)] [?page :block/uid ?uid]]`, pattern)
	if err != nil {
		return nil, err
	}
	var pages []unlinked.Page
	for _, row := range rawjson.Elements(result) {
		var pair [2]string
		if json.Unmarshal(row, &pair) == nil {
			pages = append(pages, unlinked.Page{Title: pair[0], UID: pair[1]})
		}
	}
	return pages, nil
}

// NearTitles returns the pages whose titles are the likest to one that is not
// there: the same but for case and signs, with the same words, or with the same
// start.
func (g *Graph) NearTitles(ctx context.Context, title string) ([]PageFound, error) {
	words := lettersIn(title)
	if len(words) == 0 {
		return nil, nil
	}
	var patterns []string
	for _, word := range words[:min(len(words), maxWords)] {
		if len(word) < 3 && len(words) > 1 { // it stands in too many
			continue
		}
		if runes := []rune(word); len(runes) > 4 { // its start, for another ending
			word = string(runes[:max(4, len(runes)-3)])
		}
		patterns = append(patterns, word)
	}
	pages, err := g.titlesLike(ctx, anyOf(patterns))
	if err != nil {
		return nil, err
	}
	type rated struct {
		PageFound
		points int
	}
	var near []rated
	for _, page := range pages {
		if points := likeness(words, page.Title); points > 0 {
			near = append(near, rated{PageFound{UID: page.UID, Title: page.Title}, points})
		}
	}
	slices.SortFunc(near, func(a, b rated) int {
		return cmp.Or(cmp.Compare(b.points, a.points), cmp.Compare(len(a.Title), len(b.Title)), cmp.Compare(a.Title, b.Title))
	})
	found := []PageFound{}
	for _, each := range near[:min(len(near), nearTitles)] {
		found = append(found, each.PageFound)
	}
	return found, nil
}

// likeness rates how like a title is to the words of another: 0 is not at all.
func likeness(words []string, title string) int {
	other := lettersIn(title)
	if strings.Join(words, "") == strings.Join(other, "") {
		return 1000
	}
	points := 0
	for _, word := range words {
		best := 0
		for _, each := range other {
			switch {
			case each == word:
				best = 10
			case len(word) >= 3 && len(each) >= 3 && (strings.HasPrefix(each, word) || strings.HasPrefix(word, each)):
				best = max(best, 6)
			case commonStart(word, each) >= 4:
				best = max(best, 4)
			}
		}
		points += best
	}
	return 10 * points / max(len(words), len(other))
}

func commonStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// lettersIn returns the words of a title in lower case, without signs.
func lettersIn(title string) []string {
	return strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
