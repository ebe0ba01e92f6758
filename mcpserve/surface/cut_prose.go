package surface

import (
	"sort"
	"strings"
)

// FitProse returns the text of a reply in the style Prose, which has f.Max tokens at most:
// with as many of its parts as fit, or else with the lines from its start that fit, or the
// characters of the first one.
func FitProse(reply Reply, f Frame) string {
	if Fits(reply.Text, f.Max) {
		return reply.Text
	}
	if reply.Shorter != nil {
		if kept := longest(reply.Parts, func(n int) bool { return Fits(reply.Shorter(n), f.Max) }); kept > 0 {
			return reply.Shorter(kept)
		}
	}
	rest := "\n\nThe rest is left out: " + askForLess
	if !f.Tool.Effects.ReadOnly { // what was to be done is done
		rest = "\n\nThe rest of this answer is left out."
	}
	fits := func(text string) bool { return Fits(text+TextCut+rest, f.Max) }
	lines := strings.SplitAfter(reply.Text, "\n")
	text := strings.Join(lines[:longest(len(lines), func(n int) bool { return fits(strings.Join(lines[:n], "")) })], "")
	if text == "" {
		characters := []rune(lines[0])
		text = string(characters[:longest(len(characters), func(n int) bool { return fits(string(characters[:n])) })])
	}
	return strings.TrimSpace(text) + TextCut + rest
}

// longest returns the greatest number of things, all at most, that fit.
func longest(all int, fits func(n int) bool) int {
	return sort.Search(all, func(n int) bool { return !fits(n + 1) })
}
