package wiki

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/mcpserve/surface"
)

// maxLive is how many pages that link to one are read live. Of a page that more link to,
// they are read in the mirror.
const maxLive = 200

// linker is a note that links to a page.
type linker struct {
	path, title string
	count       int   // mentions of the page, and of blocks on it
	lines       []int // of its content, with a mention; each once
	updated     int64 // ms since 1970
}

// linkers returns the notes that link to a page, most links first, then by the bytes of
// their paths. Lines of tags are no links, and the page's own ones do not count.
func linkers(ctx context.Context, c surface.Call, pageUID string) ([]linker, error) {
	b, err := readBacklinks(ctx, c, ops.PageRef{UID: pageUID})
	return b.links, err
}

// backlinks are what links to a page.
type backlinks struct {
	links  []linker
	tagged int   // notes that declare the page as a tag
	of     found // the page; nothing where no page refers to it
}

// readBacklinks reads what links to a page.
func readBacklinks(ctx context.Context, c surface.Call, of ops.PageRef) (backlinks, error) {
	uid, pages, err := c.Graph().PagesLinking(ctx, of)
	if err != nil || uid == "" {
		return backlinks{}, err
	}
	read, err := readPages(ctx, c, uid, pages)
	if err != nil {
		return backlinks{}, err
	}
	b := backlinks{of: newFound(read[uid])}
	for _, page := range pages {
		n, ok := read[page]
		if !ok || !isNote(n) {
			continue
		}
		f := newFound(n)
		if l := f.linksTo(uid); l.count > 0 {
			b.links = append(b.links, l)
		}
		if f.declares(uid) {
			b.tagged++
		}
	}
	slices.SortFunc(b.links, func(x, y linker) int { return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.path, y.path)) })
	return b, nil
}

// readPages reads a page and those that link to it: live, or in the mirror where they are
// many.
func readPages(ctx context.Context, c surface.Call, uid string, linking []string) (map[string]note.Node, error) {
	if len(linking) < maxLive {
		return c.Graph().ReadNotes(ctx, append([]string{uid}, linking...))
	}
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return nil, err
	}
	read := make(map[string]note.Node, len(linking)+1)
	for _, each := range append([]string{uid}, linking...) {
		if n, ok := view.Note(each); ok {
			read[each] = n
		}
	}
	return read, nil
}

// linksTo counts the links of a note to a page.
func (f found) linksTo(pageUID string) linker {
	l := linker{path: f.path, title: f.title, updated: f.node.UpdatedAt()}
	begin := f.rendering().Lines()
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
