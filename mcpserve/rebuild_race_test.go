//go:build !campaign && race

package mcpserve_test

// The race detector makes each sequence several times slower, and learns nothing more
// from the rest of them.
const (
	rebuildSequences = 15
	rebuildWrites    = 12
	rebuildAtOnce    = false
)
