package review

import (
	"cmp"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
)

// GoneMarkdown returns what a call deleted, as a list that can be pasted into Roam: each page as a
// line with its title and its blocks below it, each block with all below it. With a uid in only it
// is that page or block alone. It is empty where nothing was deleted, or its text is not kept.
func GoneMarkdown(r history.Record, only string) string {
	w := wholeOf(r)
	below := map[string][]string{}
	var tops []string
	for _, uid := range w.uids {
		f, known := w.before[uid]
		switch {
		case !known || !w.gone(uid):
		case uid == only, only == "" && !w.gone(f.Parent):
			tops = append(tops, uid)
		}
		if known && w.gone(uid) && f.Parent != "" {
			below[f.Parent] = append(below[f.Parent], uid)
		}
	}
	byOrder := func(a, b string) int {
		x, y := w.before[a], w.before[b]
		return cmp.Or(cmp.Compare(x.Parent, y.Parent), cmp.Compare(x.Order, y.Order), cmp.Compare(a, b))
	}
	var out strings.Builder
	var write func(uid string, level int)
	write = func(uid string, level int) {
		writeItem(&out, w.before[uid], level)
		children := below[uid]
		delete(below, uid) // facts that lead in a circle end here
		slices.SortFunc(children, byOrder)
		for _, child := range children {
			write(child, level+1)
		}
	}
	slices.SortFunc(tops, byOrder)
	for _, uid := range tops {
		write(uid, 0)
	}
	return out.String()
}

// writeItem writes a page or block as an item of a list.
func writeItem(out *strings.Builder, f fact.Fact, level int) {
	indent := strings.Repeat("    ", level)
	text := f.Text
	if f.IsPage() {
		text = "[[" + f.Title + "]]"
	} else if f.Heading > 0 {
		text = strings.Repeat("#", f.Heading) + " " + text
	}
	out.WriteString(indent + "- " + strings.ReplaceAll(text, "\n", "\n"+indent+"  ") + "\n")
}
