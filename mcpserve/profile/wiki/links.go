package wiki

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"roam-mcp/graphdb/note"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mirror"
)

// maxLive is how many pages that link to one are read live. Of a page that more link to,
// they are read in the mirror.
const maxLive = 200

// linker is a note that links to a page.
type linker struct {
	path, title, uid string
	count            int   // mentions of the page, and of blocks on it
	lines            []int // of its content, with a mention; each once
	updated          int64 // ms since 1970
}

// linkers returns the notes that link to a page, most links first, then by path. Lines of
// tags are no links, and the page's own ones do not count.
func linkers(ctx context.Context, c surface.Call, pageUID string) ([]linker, error) {
	list, _, err := linking(ctx, c, pageUID)
	return list, err
}

// linking returns what linkers does, and how many notes have the page as a tag that they
// declare.
func linking(ctx context.Context, c surface.Call, pageUID string) (list []linker, tagged int, err error) {
	pages, err := pagesLinking(ctx, c, pageUID)
	for _, page := range pages {
		if !isNote(page) {
			continue
		}
		f := newFound(page)
		if l := f.linksTo(pageUID); l.count > 0 {
			list = append(list, l)
		}
		if f.declares(pageUID) {
			tagged++
		}
	}
	slices.SortFunc(list, func(a, b linker) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(strings.ToLower(a.path), strings.ToLower(b.path)), cmp.Compare(a.path, b.path))
	})
	return list, tagged, err
}

// pagesLinking reads the pages with a block that refers to a page, or to a block on it.
func pagesLinking(ctx context.Context, c surface.Call, pageUID string) ([]note.Node, error) {
	uids, err := c.Graph().PagesLinking(ctx, pageUID)
	if err != nil || len(uids) == 0 {
		return nil, err
	}
	var pages []note.Node
	if len(uids) > maxLive {
		view, err := c.Mirror(ctx, mirror.Texts)
		if err != nil {
			return nil, err
		}
		for _, uid := range uids {
			if n, ok := view.Note(uid); ok {
				pages = append(pages, n)
			}
		}
		return pages, nil
	}
	read, err := c.Graph().ReadNotes(ctx, uids)
	for _, uid := range uids {
		if n, ok := read[uid]; ok {
			pages = append(pages, n)
		}
	}
	return pages, err
}

// linksTo counts the links of a note to a page.
func (f found) linksTo(pageUID string) linker {
	l := linker{path: f.path, title: f.title, uid: f.node.UID, updated: f.node.UpdatedAt()}
	begin := note.Lines(f.node, propTags, propTitle)
	var walk func(nodes []note.Node)
	walk = func(nodes []note.Node) {
		for i := range nodes {
			n := &nodes[i]
			if first, shown := begin[n.UID]; shown {
				for _, at := range mentionsOn(n, pageUID) {
					l.count++
					if line := first + at; !slices.Contains(l.lines, line) {
						l.lines = append(l.lines, line)
					}
				}
			}
			walk(n.Children)
		}
	}
	walk(f.node.Children)
	slices.Sort(l.lines)
	return l
}

// mentionsOn returns the line of each mention of a page, or of a block on it, in the text
// of a block, from 0.
func mentionsOn(n *note.Node, pageUID string) []int {
	titles, blocks := map[string]bool{}, map[string]bool{}
	for _, ref := range n.Refs {
		switch {
		case ref.UID == pageUID:
			titles[ref.Title] = true
		case ref.PageUID == pageUID && !ref.Hidden:
			blocks[ref.UID] = true
		}
	}
	if len(titles)+len(blocks) == 0 {
		return nil
	}
	count := func(text string) (count int) {
		for _, m := range note.Mentions(text) {
			switch m.Kind {
			case note.Link, note.Tag:
				if titles[m.Title] {
					count++
				}
			case note.Block:
				if blocks[m.UID] {
					count++
				}
			case note.Component, note.Attribute:
			}
		}
		return count
	}
	all := count(n.Text)
	var at []int
	for i, line := range strings.Split(n.Text, "\n") {
		for range count(line) {
			at = append(at, i)
		}
	}
	if len(at) != all { // a line alone reads otherwise, such as one of code
		at = make([]int, all)
	}
	return at
}

// declares reports whether a note declares a page as its tag.
func (f found) declares(pageUID string) bool {
	for _, child := range f.node.Children {
		if !note.Read(child.Text, true).Reserved {
			continue
		}
		if slices.ContainsFunc(child.Refs, func(r note.Ref) bool { return r.UID == pageUID }) {
			return true
		}
	}
	return false
}
