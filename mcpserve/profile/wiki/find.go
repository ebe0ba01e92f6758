package wiki

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/ops"
	"roam-mcp/mcpserve/surface"
)

// The property lines that are not content: they hold what stands above it.
const (
	propTags  = note.TagsName
	propTitle = "Title"
)

// indexNote is the last part of the path of the note that stands for its folder.
const indexNote = "/index"

// found is a note as a read of Roam shows it.
type found struct {
	whole note.Node // hidden blocks included
	node  note.Node // visible blocks only
	path  string
	title string // for people: of the line Title::, else the last part of the path, or a day
	tags  note.Tags
}

// newFound returns a page that was read as a note.
func newFound(whole note.Node) found {
	f := found{whole: whole, node: whole.Visible(), path: pathOf(pageOf(whole)), tags: note.TagsOf(whole)}
	f.title = f.titleLine()
	if f.title == "" {
		f.title = plainTitle(whole.Title)
	}
	return f
}

// plainTitle returns the title for people of a note without a line Title::.
func plainTitle(pageTitle string) string {
	if note.KindOfTitle(pageTitle) == note.Daily {
		return pageTitle
	}
	return strings.TrimSpace(lastPart(pageTitle))
}

// titleLine returns the value of the line Title::, empty where there is none.
func (f found) titleLine() string {
	texts := make([]string, len(f.node.Children))
	for i := range texts {
		texts[i] = f.node.Children[i].Text
	}
	at := slices.Index(note.Held(texts, propTitle), propTitle)
	if at < 0 {
		return ""
	}
	_, value, _ := note.SplitProperty(texts[at])
	return value
}

// exists reports whether the page is a note: it has something to show, and is no page of
// Roam's.
func (f found) exists() bool { return isNote(f.whole) }

// isNote reports whether a page is a note of the wiki.
func isNote(page note.Node) bool {
	return page.IsPage() && page.Exists() && note.KindOfTitle(page.Title) != note.System
}

// content returns the text of the note. Line n of a note is line n of it, from 1.
func (f found) content() string { return note.Content(f.node, propTags, propTitle) }

// find reads the note at a path: that of the page which the path names
// (note.Name.Resolve), or else the note index in that folder. The error of one that is not
// there says where it was moved to, or names the notes that may have been meant.
func find(ctx context.Context, c surface.Call, path string) (found, error) {
	f, ok, err := findPage(ctx, c, path)
	if err != nil || ok && f.exists() {
		return f, err
	}
	if page, err := lastAt(ctx, c, path); err == nil && isNote(page) {
		return found{}, moved(path, pathOf(pageOf(page)))
	}
	return found{}, notThere(ctx, c, path)
}

// lastAt returns the page that had a path last, as the versions say, as it is now. Of one
// that has gone it returns the uid alone, and nothing where none is known.
func lastAt(ctx context.Context, c surface.Call, path string) (note.Node, error) {
	uid, ok, err := c.Versions().PageOf(ctx, titleAt(c, path))
	if reference := note.ParseName(path, c.Now()).Reference(); err == nil && !ok && reference != "" {
		var list []versions.Version
		list, err = c.Versions().List(ctx, reference, 1)
		uid, ok = reference, len(list) > 0
	}
	if err != nil || !ok {
		return note.Node{}, err
	}
	page, _, err := c.Graph().ReadNote(ctx, uid)
	page.UID = uid
	return page, err
}

// notThere returns the error of a path without a note, with what is near.
func notThere(ctx context.Context, c surface.Call, path string) error {
	near, err := nearPaths(ctx, c, path)
	return cmp.Or[error](err, missing(path, near))
}

// findPage reads the note at a path as find does, or else the page with that title which
// has nothing to show. It reports false where there is neither.
func findPage(ctx context.Context, c surface.Call, path string) (f found, ok bool, err error) {
	title := titlePrinted(path)
	if title != "" { // no other page can be meant
		exact, there, err := c.Graph().ReadNoteTitled(ctx, title)
		if err != nil || there && isNote(exact) {
			return newFound(exact), there, err
		}
	}
	folder := strings.Trim(strings.TrimSpace(path), "/")
	names := []note.Name{note.ParseName(path, c.Now()), note.ParseName(folder, c.Now()), note.ParseName(folder+indexNote, c.Now())}
	pages, err := c.Graph().PagesNamed(ctx, names...)
	if err != nil {
		return found{}, false, err
	}
	var uids []string
	for i, name := range names {
		uid, among := name.Resolve(pages, pathOf)
		if i == 0 && len(among) > 0 {
			return found{}, false, ops.Several(name, among)
		}
		if uid != "" {
			uids = append(uids, uid)
		}
	}
	read, err := c.Graph().ReadNotes(ctx, uids)
	if err != nil {
		return found{}, false, err
	}
	for _, uid := range uids {
		if n, there := read[uid]; there && isNote(n) {
			return newFound(n), true, nil
		}
	}
	for _, uid := range uids[:min(len(uids), 1)] {
		if n, there := read[uid]; there && n.IsPage() {
			return newFound(n), true, nil
		}
	}
	return found{}, false, nil
}

// nearPaths returns the paths of notes that one which is not there may have meant.
func nearPaths(ctx context.Context, c surface.Call, path string) ([]string, error) {
	pages, err := c.Graph().NearTitles(ctx, titleAt(c, path))
	if err != nil || len(pages) == 0 {
		return nil, err
	}
	var uids, paths []string
	for _, page := range pages {
		uids = append(uids, page.UID)
	}
	read, err := c.Graph().ReadNotes(ctx, uids)
	for _, uid := range uids {
		if n, ok := read[uid]; ok && isNote(n) {
			paths = append(paths, pathOf(pageOf(n)))
		}
	}
	return paths, err
}
