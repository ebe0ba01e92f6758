package review

import (
	"slices"

	"roam-mcp/internal/graph/fact"
)

// path returns where a thing is: the title of its page and the texts above it; of a
// page its title. What is not known is an ellipsis.
func (w *whole) path(uid string, now map[string]fact.Fact) []string {
	f := w.fact(uid)
	if f.Title != "" {
		return []string{clean(f.Title)}
	}
	path := w.above(f, w.after, w.before, now)
	for i := range path {
		path[i] = cut(clean(path[i]), longestPart)
	}
	const most = 5
	if len(path) > most {
		path = slices.Concat(path[:2], []string{"…"}, path[len(path)-2:])
	}
	return path
}

// above returns what a block is below, as far as the facts say: the page's title, and
// the texts above the block.
func (w *whole) above(f fact.Fact, sources ...map[string]fact.Fact) (path []string) {
	page := f.Page
	for range deepest {
		if f.Parent == "" {
			break
		}
		parent, known := find(f.Parent, sources)
		switch {
		case !known && f.Parent == page:
		case !known:
			path = append(path, "…")
		case parent.Title != "":
			path = append(path, parent.Title)
		default:
			path = append(path, parent.Text)
		}
		if !known || parent.Title != "" {
			if known {
				page = ""
			}
			break
		}
		f = parent
	}
	if page != "" {
		if title := w.pageTitle(page, sources); title != "" {
			path = append(path, title)
		} else if len(path) == 0 {
			path = append(path, "(("+page+"))")
		}
	}
	slices.Reverse(path)
	return path
}

// pageTitle returns the title of a page, or "" where nothing tells it.
func (w *whole) pageTitle(uid string, sources []map[string]fact.Fact) string {
	if f, known := find(uid, sources); known && f.Title != "" {
		return f.Title
	}
	if title := w.titles[uid]; title != "" {
		return title
	}
	for _, f := range sources[len(sources)-1] { // what was just read tells it of blocks
		if f.Page == uid && f.PageTitle != "" {
			return f.PageTitle
		}
	}
	return ""
}

func find(uid string, sources []map[string]fact.Fact) (fact.Fact, bool) {
	for _, things := range sources {
		if f, known := things[uid]; known && !f.Gone {
			return f, true
		}
	}
	return fact.Fact{}, false
}
