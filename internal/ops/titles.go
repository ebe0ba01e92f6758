package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/graph/search"
)

// nearTitles is how many titles are named where a page is not there.
const nearTitles = 5

// PageFound is a page in a list.
type PageFound struct {
	UID   string `json:"uid"`
	Title string `json:"title"`
	Empty bool   `json:"empty,omitempty"` // whether it has no blocks
}

// Titled returns the uid of the page with a title, or of the only one whose title differs
// from that in case; empty where there is none.
func Titled(pages []PageFound, title string) string {
	var near []string
	for _, page := range pages {
		if page.Title == title {
			return page.UID
		}
		if note.SameTitle(page.Title, title) {
			near = append(near, page.UID)
		}
	}
	if len(near) == 1 {
		return near[0]
	}
	return ""
}

// PagesByPrefix returns the pages whose titles start with a text, case aside, in the order
// of their titles.
func (g Finds) PagesByPrefix(ctx context.Context, prefix string) ([]PageFound, error) {
	return g.pagesLike(ctx, "^"+regexp.QuoteMeta(prefix), func(string) bool { return true })
}

// PagesTitled returns the pages that meet the conditions of a query on titles, in the order
// of their titles.
func (g Finds) PagesTitled(ctx context.Context, q *search.Question) ([]PageFound, error) {
	return g.pagesLike(ctx, q.TitlePattern(), func(title string) bool { return q.Titled(title) && !q.Excluded(title) })
}

// pagesLike returns the pages whose titles match a pattern, case aside, and are meant.
func (g Finds) pagesLike(ctx context.Context, pattern string, meant func(title string) bool) ([]PageFound, error) {
	const ask = `[:find [(pull ?page [[:block/uid :as "uid"] [:node/title :as "title"] [:block/children :as "children" :limit 1]]) ...] :in $ ?start :where [(re-pattern ?start) ?re] [?page :node/title ?title] [(re-find ?re ?title)]]`
	result, err := g.ask(ctx, plainQuery, ask, caseless(pattern))
	if err != nil {
		return nil, err
	}
	var found []struct {
		UID      string            `json:"uid"`
		Title    string            `json:"title"`
		Children []json.RawMessage `json:"children"`
	}
	if err := decodePulled(result, &found); err != nil {
		return nil, err
	}
	pages := []PageFound{}
	for _, page := range found {
		if page.Title == "" || page.UID == "" {
			return nil, invalidNote(errors.New("a page without a title or a uid"))
		}
		if meant(page.Title) {
			pages = append(pages, PageFound{UID: page.UID, Title: page.Title, Empty: len(page.Children) == 0})
		}
	}
	slices.SortFunc(pages, PageFound.compare)
	return pages, nil
}

// Pages returns all pages, in the order of their titles, case aside. Whether they are
// empty is not said.
func (g Finds) Pages(ctx context.Context) ([]PageFound, error) {
	titled, err := g.titled(ctx, `[:find ?title ?uid :where [?page :node/title ?title] [?page :block/uid ?uid]]`)
	if err != nil {
		return nil, err
	}
	var pages []PageFound
	for _, each := range titled {
		pages = append(pages, PageFound{UID: each.UID, Title: each.Title})
	}
	slices.SortFunc(pages, PageFound.compare)
	return pages, nil
}

// compare orders pages by their titles, case aside.
func (p PageFound) compare(other PageFound) int {
	return cmp.Or(cmp.Compare(strings.ToLower(p.Title), strings.ToLower(other.Title)), cmp.Compare(p.Title, other.Title))
}

// titlesLike returns the pages whose titles match a pattern.
func (g Finds) titlesLike(ctx context.Context, pattern string) ([]roamtext.NamedPage, error) {
	return g.titled(ctx, `[:find ?title ?uid :in $ ?pattern :where [(re-pattern ?pattern) ?re] [?page :node/title ?title] [(re-find ?re ?title)] [?page :block/uid ?uid]]`, pattern)
}

// titled runs a query for titles and uids.
func (g Finds) titled(ctx context.Context, query string, inputs ...any) (pages []roamtext.NamedPage, err error) {
	rows, err := listed[[2]string](g.ask(ctx, plainQuery, append([]any{query}, inputs...)...))
	for _, row := range rows {
		pages = append(pages, roamtext.NamedPage{Title: row[0], UID: row[1]})
	}
	return pages, err
}

// NearTitles returns the pages whose titles are the likest to one that is not
// there: the same but for case and signs, with the same words, or with the same
// start.
func (g Finds) NearTitles(ctx context.Context, title string) ([]PageFound, error) {
	words := tellingWords(title)
	if len(words) == 0 {
		return nil, nil
	}
	var patterns []string
	for _, word := range words[:min(len(words), maxWords)] {
		if runes := []rune(word); len(runes) > 4 { // its start, for another spelling
			word = string(runes[:3])
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
		if points := likeness(title, page.Title); points > 0 {
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

// likeness rates how like two titles are, from 0 to 1000, which is the same but for
// case and signs. What is hardly alike is 0.
func likeness(title, other string) int {
	if strings.Join(lettersIn(title), "") == strings.Join(lettersIn(other), "") {
		return 1000
	}
	words, others := tellingWords(title), tellingWords(other)
	points := 0
	for _, word := range words {
		best := 0
		for _, each := range others {
			best = max(best, alike(word, each))
		}
		points += best
	}
	if points /= max(len(words), len(others), 1); points > 333 {
		return points
	}
	return 0
}

// alike rates two words by the pairs of letters that they share, from 0 to 900. Less
// than half of them is nothing.
func alike(a, b string) int {
	if a == b {
		return 900
	}
	pairs := func(word string) (list []string) {
		runes := []rune(word)
		for i := range len(runes) - 1 {
			list = append(list, string(runes[i:i+2]))
		}
		return list
	}
	first, second := pairs(a), pairs(b)
	all, shared := len(first)+len(second), 0
	for _, pair := range first {
		if at := slices.Index(second, pair); at >= 0 {
			second = slices.Delete(second, at, at+1)
			shared += 2
		}
	}
	if 2*shared < all {
		return 0
	}
	return 800 * shared / max(all, 1)
}

// tellingWords returns the words of a title that have more than three letters; all
// where none has.
func tellingWords(title string) []string {
	words := lettersIn(title)
	isShort := func(word string) bool { return len(word) <= 3 }
	if long := slices.DeleteFunc(slices.Clone(words), isShort); len(long) > 0 {
		return long
	}
	return words
}

// lettersIn returns the words of a title in lower case, without signs.
func lettersIn(title string) []string {
	return strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
