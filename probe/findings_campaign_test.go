//go:build campaign

package probe

import (
	"fmt"
	"strings"
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

func TestManyProbesOfWhatAProbeFoundFindTheSame(t *testing.T) { findTheSame(t, 50) }

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

func TestManyKilledProbesLeaveWhatAPersonWrote(t *testing.T) {
	const kills = 100
	b := newBench(t)
	for i := range kills {
		wrote := fmt.Sprintf("my own words %d", i)
		left := b.killAndClean(t, int32(6+3*i), i%2 == 0, func() {
			pages := b.ownPages(t)
			b.write(t, "data.block.create", object{"location": at(pages[i%len(pages)], 0), "block": object{"string": wrote}})
		})
		if len(left) == 0 || !strings.Contains(b.export(t), wrote) {
			t.Fatalf("killed at call %d: left %v", 6+3*i, left)
		}
		for _, page := range b.ownPages(t) { // the person removes it
			b.write(t, "data.page.delete", object{"page": object{"uid": page}})
		}
		if left, _, err := Clean(t.Context(), b.options); err != nil || len(left) > 0 {
			t.Fatalf("left %v, %v", left, err)
		}
	}
}
