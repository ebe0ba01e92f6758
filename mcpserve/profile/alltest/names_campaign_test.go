//go:build campaign

package alltest

import (
	"flag"
	"testing"
)

var titlesSeed = flag.Uint64("titles-seed", 2, "for 3,000 other titles")

func TestThreeThousandHardTitles(t *testing.T) { testHardTitles(t, *titlesSeed, 3000, 250) }
