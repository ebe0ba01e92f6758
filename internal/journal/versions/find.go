package versions

import (
	"context"
	"fmt"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/problem"
)

// named is how many versions an error names.
const named = 5

// List returns the newest versions of a page, newest first, as many as limit; none where
// versions are off. The code of its errors is that of the journal.
func (b *Store) List(ctx context.Context, page string, limit int) ([]Version, error) {
	if _, off := b.off(ctx); off || page == "" {
		return nil, nil
	}
	found, err := b.options.Journal.Versions(ctx, history.VersionFilter{Graph: b.options.Graph, Page: page, Limit: limit})
	var list []Version
	for _, v := range found {
		list = append(list, shown(v))
	}
	return list, err
}

// digits matches what may be the beginning of an ID.
var digits = lazyregexp.New(`^[0-9a-f]{4,40}$`)

// Find returns the version of a page whose ID begins with id, in upper or lower case, and
// the page as it was, as Kept has it. What is hidden on the page now, as Saw was told, is
// not in it. CodeVersionNotFound, also of fewer than 4 digits, and CodeVersionAmbiguous
// name the five newest; other codes are those of the journal.
func (b *Store) Find(ctx context.Context, page, id string) (Version, note.Node, error) {
	if _, off := b.off(ctx); off || page == "" {
		return Version{}, note.Node{}, notFound(id, nil)
	}
	var found []history.Version
	var err error
	if id = strings.ToLower(strings.TrimSpace(id)); digits.MatchString(id) {
		found, err = b.options.Journal.Versions(ctx, history.VersionFilter{Graph: b.options.Graph, Page: page, Prefix: id, Limit: 2, Trees: true})
	}
	if err != nil {
		return Version{}, note.Node{}, err
	}
	if len(found) != 1 {
		newest, err := b.List(ctx, page, named)
		if err != nil {
			return Version{}, note.Node{}, err
		}
		failed := notFound(id, newest)
		if len(found) > 1 {
			failed.Code, failed.Message = CodeVersionAmbiguous, "Several versions begin with "+id+"."+newestOf(newest)
		}
		return Version{}, note.Node{}, failed
	}
	b.mu.Lock()
	hidden := b.hidden[page]
	b.mu.Unlock()
	n, err := decode(found[0].Tree, page, found[0].Title, hidden)
	if err != nil {
		return Version{}, note.Node{}, fmt.Errorf("version %s: %w", found[0].ID, err)
	}
	return shown(found[0]), n, nil
}

func notFound(id string, newest []Version) *problem.Error {
	return &problem.Error{Code: CodeVersionNotFound, Message: "There is no version " + quoted(id) + "." + newestOf(newest), Retry: problem.RetryNever}
}

// quoted returns what was asked for as it stands in a message.
func quoted(id string) string {
	if digits.MatchString(id) {
		return id
	}
	return "of that number, which has 4 to 40 digits of 0 to 9 and a to f"
}

// newestOf says which versions are the newest; empty where there is none.
func newestOf(versions []Version) string {
	if len(versions) == 0 {
		return ""
	}
	var names []string
	for _, v := range versions {
		names = append(names, fmt.Sprintf("%s (%s)", v.Short(), v.At.UTC().Format(time.RFC3339)))
	}
	return " The newest: " + strings.Join(names, ", ") + "."
}

// PageOf returns the page that had a title last, as the versions say, and whether there
// is one. The code of its errors is that of the journal.
func (b *Store) PageOf(ctx context.Context, title string) (page string, ok bool, err error) {
	if _, off := b.off(ctx); off || title == "" {
		return "", false, nil
	}
	found, err := b.options.Journal.Versions(ctx, history.VersionFilter{Graph: b.options.Graph, Title: title, Limit: 1})
	if err != nil || len(found) == 0 {
		return "", false, err
	}
	return found[0].Page, true, nil
}
