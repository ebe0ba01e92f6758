//go:build campaign

package alltest

import (
	"flag"
	"testing"
)

var (
	textsSeed  = flag.Uint64("texts.seed", 1, "for other texts")
	textsCount = flag.Int("texts.count", 500, "how many texts in each profile")
)

func TestManyTextsAreSeenAndWrittenBackByteForByte(t *testing.T) {
	testTexts(t, *textsSeed, *textsCount)
}
