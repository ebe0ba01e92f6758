//go:build !campaign

package undotest

import "roam-mcp/internal/testutil/race"

// rebuildSequences is how many sequences of writes are taken back.
func rebuildSequences() int {
	if race.Enabled {
		return 5
	}
	return 200
}

const (
	// rebuildWrites is how many writes a sequence has at most.
	rebuildWrites = 12
	// rebuildAtOnce is left to the campaign: who comes first then is chance.
	rebuildAtOnce = false
)
