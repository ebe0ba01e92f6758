package roundtriptest

import (
	"flag"
	"slices"
	"strings"
	"testing"
)

// check says of each tree what is wrong with it; empty: nothing is.
type check func(t testing.TB, trees []tree) []string

// mostPrinted is how many failures of a profile or tool are printed.
const mostPrinted = 4

var mostShrunk = flag.Int("roundtrip.shrink", 2, "how many failures of a profile or tool are shrunk, which takes seconds")

// cut returns lesser texts than one, those with the most taken away first.
type cut func(text string) []string

// report shrinks what failed, and prints each case once, as a Go literal.
func report(t *testing.T, trees []tree, wrong []string, cut cut, check check) {
	t.Helper()
	var failed []int
	for i, each := range wrong {
		if each != "" {
			failed = append(failed, i)
		}
	}
	if len(failed) == 0 {
		return
	}
	t.Errorf("%d of %d trees fail", len(failed), len(trees))
	printed := map[string]bool{}
	for n, i := range failed {
		if len(printed) == mostPrinted {
			break
		}
		least, why := trees[i], wrong[i]
		if n < *mostShrunk {
			least, why = shrunk(t, least, why, cut, check)
		}
		if literal := least.String(); !printed[literal] {
			printed[literal] = true
			t.Errorf("seed %d: %s\n     %s", i, literal, why)
		}
	}
}

// shrunk returns a tree that fails too and of which nothing can be taken away, and why.
func shrunk(t *testing.T, failing tree, why string, cut cut, check check) (tree, string) {
	t.Helper()
	kind := kindOf(why)
	for smaller := true; smaller; {
		smaller = false
		for candidates := range slices.Chunk(lesser(failing, cut), 24) {
			var wrong []string
			t.Run("shrinks", func(t *testing.T) { wrong = check(t, candidates) })
			i := slices.IndexFunc(wrong, func(w string) bool { return w != "" && kindOf(w) == kind })
			if smaller = i >= 0; smaller {
				failing, why = candidates[i], wrong[i]
				break
			}
		}
	}
	return failing, why
}

// lesser returns trees with something taken away, those with the most first.
func lesser(of tree, cut cut) []tree {
	var list []tree
	for i := range of { // a block, with all below it or without
		list = append(list, slices.Delete(of.clone(), i, i+1), slices.Concat(of[:i].clone(), of[i].Below.clone(), of[i+1:].clone()))
		if len(of[i].Below) > 0 {
			less := of.clone()
			less[i].Below = nil
			list = append(list, less)
		}
	}
	for i, b := range of {
		change := func(text string, heading int) {
			less := of.clone()
			less[i].Text, less[i].Heading = text, heading
			list = append(list, less)
		}
		for _, below := range lesser(b.Below, cut) {
			less := of.clone()
			less[i].Below = below
			list = append(list, less)
		}
		if b.Heading > 0 {
			change(b.Text, 0)
		}
		for _, text := range cut(b.Text) {
			change(text, b.Heading)
		}
	}
	return slices.DeleteFunc(list, func(t tree) bool { return len(t) == 0 || t.String() == of.String() })
}

// lesserTexts returns texts without a half, a line, a character.
func lesserTexts(text string) []string {
	var list []string
	lines, runes := strings.Split(text, "\n"), []rune(text)
	if half := len(runes) / 2; half > 0 {
		list = append(list, string(runes[half:]), string(runes[:half]))
	}
	for i := range lines {
		if len(lines) > 1 {
			list = append(list, strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n"))
		}
	}
	if len(runes) <= 60 {
		for i := range runes {
			list = append(list, string(slices.Delete(slices.Clone(runes), i, i+1)))
		}
	}
	return list
}

// kindOf returns what a failure is about, which stays while it is shrunk.
func kindOf(why string) string {
	kind, _, _ := strings.Cut(why, ":")
	if strings.Contains(why, " refuses: ") {
		kind += " refuses"
	}
	return kind
}
