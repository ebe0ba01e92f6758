//go:build campaign

package shown_test

import (
	"flag"
	"testing"

	"roam-mcp/mcpserve"
)

var (
	shownSeed  = flag.Uint64("shown.seed", 1, "the first of the histories")
	shownCount = flag.Int("shown.count", 20_000, "how many histories")
	longCount  = flag.Int("long.count", 120, "how many long notes")
	longMost   = flag.Int("long.most", 20_000, "how many blocks the longest of them has")
)

func TestWhatIsWrittenInManyHistoriesIsAsTheModelHasIt(t *testing.T) {
	testHistories(t, *shownSeed, *shownCount)
}

func TestAChangedLineOfManyLongNotesIsOneChangedBlock(t *testing.T) {
	testLongNotes(t, *longCount, *longMost, mcpserve.SmallestReply, 4000, 18_000, 100_000)
}
