//go:build campaign

package transport_test

import (
	"flag"
	"testing"
)

var (
	idsSeed  = flag.Uint64("ids.seed", 1, "for other ids")
	idsCount = flag.Int("ids.count", 10_000, "how many ids")
)

func TestTenThousandIDsComeBackAsTheyCame(t *testing.T) { testIDs(t, *idsSeed, *idsCount) }
