//go:build campaign

package undotest

// rebuildSequences is how many sequences of writes are taken back in a campaign.
func rebuildSequences() int { return 10_000 }

const (
	// rebuildWrites is how many writes a sequence has at most.
	rebuildWrites = 120
	// rebuildAtOnce lets some sequences have agents that do not wait for each other.
	rebuildAtOnce = true
)
