package wiki

import (
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/testutil/hardtitles"
	"roam-mcp/internal/textsafe"
)

func TestPathOf(t *testing.T) {
	for title, want := range map[string]string{
		"Projects/Apollo": "Projects/Apollo", "January 15th, 2024": "daily/2024-01-15", "daily/2024-01-15": "[[daily/2024-01-15]]", "daily/2024-02-30": "daily/2024-02-30",
		"Today": "Today", "2024-01-15": "2024-01-15", "a/": "a/", "../a": "../a", " a": "[[ a]]", "[[a]]": "[[[[a]]]]", "[[a]] b": "[[a]] b", "#a": "#a", "((a))": "[[((a))]]",
		"a\u200bb": "((uid))", " ]] a": "((uid))", "👩\u200d🚀": "👩\u200d🚀", "#/app/home": "[[#/app/home]]", "a | b": "a | b",
	} {
		if got := pathOf(note.Page{UID: "uid", Title: title}); got != want {
			t.Errorf("the path of %q is %q, not %q", title, got, want)
		}
	}
}

func TestEachPathNamesItsPage(t *testing.T) {
	now := time.Date(2024, time.January, 16, 12, 0, 0, 0, time.UTC)
	var pages []note.Page
	for _, p := range hardtitles.Make(3, 400, now) {
		pages = append(pages, note.Page(p))
	}
	seen := map[string]bool{}
	for _, p := range pages {
		path := pathOf(p)
		uid, _ := note.ParseName(path, now).Resolve(pages, pathOf)
		if uid != p.UID || seen[path] || textsafe.Name(path) != path {
			t.Errorf("%q at %q is %s, not %s; printed twice: %t", p.Title, path, uid, p.UID, seen[path])
		}
		if title := titlePrinted(path); title != "" && title != p.Title {
			t.Errorf("%q at %q is read as %q", p.Title, path, title)
		}
		seen[path] = true
	}
}
