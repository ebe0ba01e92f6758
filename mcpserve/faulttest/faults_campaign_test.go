//go:build campaign

package faulttest

import "time"

const (
	// faultyWrites is how many writes meet faults in a campaign.
	faultyWrites = 2000
	// mostLeftOpen is of how many lost replies one may be left open.
	mostLeftOpen = 6
	// faultyNotes is how many writes of notes meet faults in a campaign, of each profile.
	faultyNotes = 2000
	// mostNotesOpen is of how many of them one may be left open.
	mostNotesOpen = 30
)

// seedOf returns the seed of a run: the one that was named, else another one each time.
func seedOf(named uint64) uint64 {
	if named == 0 {
		return uint64(time.Now().UnixNano())
	}
	return named
}
