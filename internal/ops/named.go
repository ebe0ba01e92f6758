package ops

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// DetailCandidates is the detail of an error of a name that says which titles may be
// meant.
const DetailCandidates = "candidates"

const (
	// maxFolded bounds the length of a title that is looked for in any case, in bytes.
	maxFolded = 4 << 10
	// maxCandidates is how many titles an error names.
	maxCandidates = 5
)

// namedQuery asks for the pages whose title matches a pattern, or that have one of some
// uids.
const namedQuery = `[:find ?title ?uid :in $ ?pattern [?u ...] :where [(re-pattern ?pattern) ?re] ` +
	`(or-join [?page ?re ?u] (and [?page :node/title ?t] [(re-find ?re ?t)]) [?page :block/uid ?u]) ` +
	`[?page :node/title ?title] [?page :block/uid ?uid]]`

// PagesNamed returns the pages that names may mean, for note.Name.Resolve, in one query.
func (g Finds) PagesNamed(ctx context.Context, names ...note.Name) ([]note.Page, error) {
	var patterns, uids []string
	for _, name := range names {
		uids = append(uids, name.UIDs()...)
		for _, title := range name.Titles() {
			pattern := regexp.QuoteMeta(title)
			if len(title) <= maxFolded {
				pattern = note.TitlePattern(title)
			}
			if !slices.Contains(patterns, pattern) {
				patterns = append(patterns, pattern)
			}
		}
	}
	titled, err := g.titled(ctx, namedQuery, caseless("^(?:"+strings.Join(patterns, "|")+")$"), uids)
	if err != nil {
		return nil, err
	}
	var pages []note.Page
	for _, each := range titled {
		pages = append(pages, note.Page{UID: each.UID, Title: each.Title})
	}
	slices.SortFunc(pages, func(a, b note.Page) int { return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.UID, b.UID)) })
	return pages, nil
}

// UIDNamed returns the uid that a name means (note.Name.Resolve), in one query; empty
// where there is none. It may be that of a block, or of nothing.
func (g Finds) UIDNamed(ctx context.Context, name note.Name, printed func(note.Page) string) (string, error) {
	pages, err := g.PagesNamed(ctx, name)
	if err != nil {
		return "", err
	}
	uid, among := name.Resolve(pages, printed)
	if len(among) > 0 {
		return "", Several(name, among)
	}
	return uid, nil
}

// Several is the error of a name that several pages have alike.
func Several(name note.Name, among []note.Page) *problem.Error {
	titles := make([]string, len(among))
	for i, p := range among {
		titles[i] = p.Title
	}
	return AnyOf(name.UIDs()[0], titles)
}

// AnyOf is the error of a name that may be any of some titles.
func AnyOf(name string, titles []string) *problem.Error {
	titles = titles[:min(len(titles), maxCandidates)]
	quoted := make([]string, len(titles))
	for i, title := range titles {
		quoted[i] = textsafe.Quote(title)
	}
	return &problem.Error{
		Code: localapi.CodeNotFound, Message: fmt.Sprintf("%s names several pages: %s.", textsafe.Quote(name), strings.Join(quoted, ", ")), Retry: problem.RetryNever,
		Hint: problem.Say("Give the title of one of them exactly, or its uid."), Details: []problem.Detail{{Name: DetailCandidates, Value: slices.Clip(titles)}},
	}
}

// looksLikeUID is what Roam makes as uids of pages and blocks, and of daily notes.
var looksLikeUID = lazyregexp.New(`^(?:[A-Za-z0-9_-]{9}|\d\d-\d\d-\d{4})$`)

// LooksLikeUID reports whether a text has the form of the uids that Roam makes, and is no
// word for a day.
func LooksLikeUID(text string) bool {
	return looksLikeUID.MatchString(text) && !strings.EqualFold(text, "yesterday")
}
