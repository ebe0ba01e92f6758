package kit

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// FindFolded returns the byte range of the first part of text that folds to
// something with filter in it, grown to whole grapheme clusters, or 0, 0. filter is
// folded already.
func FindFolded(text, filter string, fold func(string) string) (from, to int) {
	if filter == "" {
		return 0, 0
	}
	var folded strings.Builder
	var starts, ends []int // of the cluster that each folded byte came from
	for at := 0; at < len(text); {
		cluster, _ := ansi.FirstGraphemeCluster(text[at:], ansi.GraphemeWidth)
		if cluster == "" {
			break
		}
		key := cluster // a space would be trimmed by fold
		if strings.TrimSpace(cluster) != "" {
			key = fold(cluster)
		}
		for range len(key) {
			starts, ends = append(starts, at), append(ends, at+len(cluster))
		}
		folded.WriteString(key)
		at += len(cluster)
	}
	i := strings.Index(folded.String(), filter)
	if i < 0 {
		return 0, 0
	}
	return starts[i], ends[i+len(filter)-1]
}

// Found returns a text in one style, and what FindFolded finds in it in another.
func Found(text, filter string, fold func(string) string, style, found lipgloss.Style) string {
	from, to := FindFolded(text, filter, fold)
	if from == to {
		return style.Render(text)
	}
	out := found.Render(text[from:to])
	if from > 0 {
		out = style.Render(text[:from]) + out
	}
	if to < len(text) {
		out += style.Render(text[to:])
	}
	return out
}
