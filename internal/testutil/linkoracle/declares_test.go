package linkoracle

import (
	"math/rand/v2"
	"testing"

	"roam-mcp/internal/graph/note"
)

// Two readers of a line that declares tags, written apart, read the same.
func TestALineDeclaresTagsAsTheProductSays(t *testing.T) {
	pieces := []string{"[[Ada]]", "#Bees", "#a/b", "#x-y", "#[[Mem [[Bees]]]]", "#.rm-g", "((block0001))", "{{[[TODO]]}}", "`[[x]] #Ada`", "https://e.com/a#Ada", "Ünder", "3", "word", " ", ", ", " and ", "\n", "[a label]([[x]])", "{{embed: [[x]]}}", ",", "[[embed]]", "$$x$$", "k:: v", "[[.rm-hide]]", "**b**", "**", "^^", "#", "[[", "]]"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		s := "Tags:: "
		for range 1 + r.IntN(5) {
			s += pieces[r.IntN(len(pieces))]
		}
		if a, b := note.DeclaresTags(s), declaresTags(s); a != b {
			t.Errorf("%q declares tags: %v, and to the oracle %v", s, a, b)
		}
	}
}
