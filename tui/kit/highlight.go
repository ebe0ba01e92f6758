package kit

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// FindFolded gives the part of a text that holds the folded filter, in bytes and at
// the borders of characters as a person counts them; 0, 0 for none.
func FindFolded(text, filter string, fold func(string) string) (from, to int) {
	if filter == "" {
		return 0, 0
	}
	var folded strings.Builder
	var starts, ends []int // of the character that each folded byte came from
	for at := 0; at < len(text); {
		cluster, _ := ansi.FirstGraphemeCluster(text[at:], ansi.GraphemeWidth)
		if cluster == "" {
			break
		}
		// A space alone would be trimmed.
		key := cluster
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

// FitMarked cuts a text to the width and fills it up with spaces, with the bytes
// from one to another in a style of their own.
func (g Glyphs) FitMarked(text string, width, from, to int, style, marked lipgloss.Style) string {
	fitted := g.Fit(text, width)
	if from >= to {
		return style.Render(fitted)
	}
	// Where the text was cut, nothing behind the cut is marked.
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
