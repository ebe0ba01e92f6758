//go:build campaign

package probe

import (
	"testing"

	"roam-mcp/internal/observed"
)

func TestEachFindingAloneIsTold(t *testing.T) {
	for _, b := range observed.Beliefs() {
		for _, found := range playable(b) {
			alone(t, b, found)
		}
	}
}

func TestManyRandomFindingsAreTold(t *testing.T) {
	const sets = 300
	for seed := range uint64(sets) {
		tryFindings(t, 1000+seed)
	}
}

func TestManyKilledProbesAreCleanedAfter(t *testing.T) {
	const kills = 300
	b := newBench(t)
	b.probe(t, nil)
	before := b.export(t)
	for i := range kills {
		if left := b.killAndClean(t, int32(1+i), i%2 == 0, func() {}); len(left) > 0 || b.export(t) != before {
			t.Fatalf("killed at call %d: left %v", 1+i, left)
		}
	}
}
