//go:build campaign

package roundtriptest

import (
	"flag"
	"testing"
)

var (
	treesSeed  = flag.Int("roundtrip.seed", 1, "for other trees and texts")
	treesCount = flag.Int("roundtrip.count", 10_000, "how many trees in each profile")
)

func TestManyTreesAreWrittenBackAsTheyWere(t *testing.T) { testTrees(t, *treesSeed, *treesCount) }

func TestManyTextsAreCreatedWithAllTheirCharacters(t *testing.T) {
	testTexts(t, *treesSeed, *treesCount/4)
}

func TestAllPagesOfTheHelpGraphsAreWrittenBackAsTheyWere(t *testing.T) { testHelp(t, 1) }

func TestAllExamplesOfCommonMarkAreThereWithAllTheirCharacters(t *testing.T) { testCommonMark(t, 1) }

func TestManyCopiesOfWhatIsShownHaveTheSameBlocks(t *testing.T) {
	testCopies(t, *treesSeed, *treesCount)
}
