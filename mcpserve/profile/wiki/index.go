package wiki

import (
	"context"
	"iter"
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
)

// listed is what a note is listed by.
type listed struct {
	uid, path, title string
	tags             string // as a line shows them
	updated          int64  // ms since 1970
}

// pages are those of a mirror.View.
type pages interface {
	Pages() iter.Seq[mirror.Page]
	Note(uid string) (note.Node, bool)
}

// changedPages returns the uids of the pages that may be other notes than before a change, which
// where that is not known are all that may be notes.
func changedPages(view pages, change mirror.Change) []string {
	if !change.Anew {
		return change.Pages
	}
	var uids []string
	for page := range view.Pages() {
		if page.Exists && page.Kind != note.System {
			uids = append(uids, page.UID)
		}
	}
	return uids
}

// everyNote returns all notes of a graph, in no order. They are kept with the mirror of the
// graph, and are not to be changed.
func everyNote(ctx context.Context, view *mirror.View) ([]listed, error) {
	return mirror.Derived[[]listed]{Name: "wiki", Update: relisted, Size: listSize}.Of(ctx, view)
}

// relisted returns notes as they are after a change.
func relisted(_ context.Context, before []listed, view *mirror.View, change mirror.Change) ([]listed, error) {
	if change.Empty() {
		return before, nil
	}
	uids := changedPages(view, change)
	gone := make(map[string]bool, len(uids))
	for _, uid := range uids {
		gone[uid] = true
	}
	all := make([]listed, 0, len(before)+len(uids))
	for _, l := range before {
		if !gone[l.uid] {
			all = append(all, l)
		}
	}
	for _, uid := range uids {
		if n, ok := view.Note(uid); ok && isNote(n) {
			f := newFound(n)
			all = append(all, listed{uid, f.path, f.title, tagList(f.tags), n.UpdatedAt()})
		}
	}
	return all, nil
}

// listSize returns about how many bytes notes take.
func listSize(all []listed) int64 {
	const perNote = 72
	size := perNote * cap(all)
	for _, l := range all {
		size += len(l.path) + len(l.title) + len(l.tags)
	}
	return int64(size)
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
