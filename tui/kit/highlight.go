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

// FitMarked is Fit with text in one style and its bytes [from, to) in another.
func (g Glyphs) FitMarked(text string, width, from, to int, style, marked lipgloss.Style) string {
	fitted := g.Fit(text, width)
	// What was cut off is not marked.
	kept := 0
	for kept < min(len(fitted), len(text)) && fitted[kept] == text[kept] {
		kept++
	}
	to = min(to, kept)
	if from >= to {
		return style.Render(fitted)
	}
	out := marked.Render(fitted[from:to]) + style.Render(fitted[to:])
	if from > 0 {
		out = style.Render(fitted[:from]) + out
	}
	return out
}
