//go:build !campaign

package faulttest

const (
	// faultyWrites is how many writes meet faults in the everyday tests.
	faultyWrites = 120
	// mostLeftOpen is of how many lost replies one may be left open. Few are
	// lost here, and chance alone makes a tenth of them at times.
	mostLeftOpen = 2
	// faultyNotes is how many writes of notes meet faults in the everyday tests, of each profile.
	faultyNotes = 30
	// mostNotesOpen is of how many of them one may be left open.
	mostNotesOpen = 3
)

// seedOf returns the seed of a run: the one that was named, else the same each time, so that a
// change is what makes a test fail.
func seedOf(named uint64) uint64 { return max(named, 1) }
