//go:build campaign

package mirror

import (
	"flag"
	"testing"
)

var editSeed = flag.Uint64("edit-seed", 1, "another seed, other edits")

// TestTwoThousandEdits asks after each of 2,000 edits by another client, on graphs of all
// kinds, and compares the answers with those of a fresh load.
func TestTwoThousandEdits(t *testing.T) {
	for name, s := range allSeries() {
		t.Run(name, func(t *testing.T) { s.run(t, 2000, *editSeed) })
	}
}
