package wiki

import (
	"strings"
	"sync"

	"roam-mcp/mirror"
)

// listed is what a note is listed by.
type listed struct {
	uid, path, title string
	tags             string // as a line shows them
	updated          int64  // ms since 1970
}

// index holds all notes of a graph as lists need them. It is kept with the mirror of the
// graph, and follows it: only pages that have changed are read again.
type index struct {
	mu    sync.Mutex
	at    mirror.Revision
	notes map[string]listed // by uid
}

// everyNote returns all notes of a graph, in no order.
func everyNote(view *mirror.View) []listed {
	x := view.Kept("wiki", func() any { return &index{} }).(*index)
	x.mu.Lock()
	defer x.mu.Unlock()
	changed, known := view.ChangedSince(x.at)
	if !known {
		x.notes = map[string]listed{}
		for page := range view.Pages() {
			if page.Exists {
				changed = append(changed, page.UID)
			}
		}
	}
	for _, uid := range changed {
		delete(x.notes, uid)
		if n, ok := view.Note(uid); ok && isNote(n) {
			f := newFound(n)
			x.notes[uid] = listed{uid, f.path, f.title, tagList(f.tags), n.UpdatedAt()}
		}
	}
	if now := view.Revision(); !known || len(changed) > 0 {
		x.at = now
	}
	all := make([]listed, 0, len(x.notes))
	for _, each := range x.notes {
		all = append(all, each)
	}
	return all
}

// parts returns the parts of a path. A title such as https://example.org, which has a
// part that is empty, is in no folder.
func parts(path string) []string {
	list := strings.Split(path, "/")
	for _, each := range list {
		if strings.TrimSpace(each) == "" {
			return []string{path}
		}
	}
	return list
}
