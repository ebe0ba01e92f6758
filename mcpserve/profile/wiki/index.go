package wiki

import (
	"iter"
	"strings"
	"sync"

	"roam-mcp/graphdb/note"
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

// pages are those of a mirror.View.
type pages interface {
	Pages() iter.Seq[mirror.Page]
	Note(uid string) (note.Node, bool)
	Revision() mirror.Revision
	ChangedSince(r mirror.Revision) (uids []string, ok bool)
}

// changedSince returns the uids of the pages that may be other notes than in the View with
// a revision. Where that is not known, anew is true, and they are all that may be notes.
func changedSince(view pages, r mirror.Revision) (uids []string, anew bool) {
	if uids, ok := view.ChangedSince(r); ok {
		return uids, false
	}
	for page := range view.Pages() {
		if page.Exists && page.Kind != note.System {
			uids = append(uids, page.UID)
		}
	}
	return uids, true
}

// everyNote returns all notes of a graph, in no order.
func everyNote(view *mirror.View) []listed {
	x := view.Kept("wiki", func() any { return &index{} }).(*index)
	x.mu.Lock()
	defer x.mu.Unlock()
	changed, anew := changedSince(view, x.at)
	if anew {
		x.notes = map[string]listed{}
	}
	for _, uid := range changed {
		delete(x.notes, uid)
		if n, ok := view.Note(uid); ok && isNote(n) {
			f := newFound(n)
			x.notes[uid] = listed{uid, f.path, f.title, tagList(f.tags), n.UpdatedAt()}
		}
	}
	if anew || len(changed) > 0 { // an older View does not set it back
		x.at = view.Revision()
	}
	all := make([]listed, 0, len(x.notes))
	for _, each := range x.notes {
		all = append(all, each)
	}
	return all
}

// parts returns the parts of a path. A title such as https://example.org, which has a
// part that is empty, is in no folder, and neither is one that stands in brackets.
func parts(path string) []string {
	if note.BareTitle(path) != path {
		return []string{path}
	}
	list := strings.Split(path, "/")
	for _, each := range list {
		if strings.TrimSpace(each) == "" {
			return []string{path}
		}
	}
	return list
}
