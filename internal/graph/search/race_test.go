package search

import (
	"testing"

	"roam-mcp/internal/testutil/race"
)

// runsAlone skips a test under the race detector that is long, and in which nothing runs beside.
func runsAlone(t *testing.T) {
	t.Helper()
	if race.Enabled {
		t.Skip("nothing runs beside")
	}
}
