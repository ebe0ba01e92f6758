package surface

import (
	"sort"
)

// FitProse returns the text of a reply in the style Prose, which has f.Max tokens at most:
// with as many of its parts as fit, or else with the characters from its start that do.
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
	text := []rune(reply.Text)
	kept := longest(len(text), func(n int) bool { return Fits(string(text[:n])+TextCut+rest, f.Max) })
	return string(text[:kept]) + TextCut + rest
}

// longest returns the greatest number of things, all at most, that fit.
func longest(all int, fits func(n int) bool) int {
	return sort.Search(all, func(n int) bool { return !fits(n + 1) })
}
