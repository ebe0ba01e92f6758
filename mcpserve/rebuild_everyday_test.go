//go:build !campaign && !race

package mcpserve_test

const (
	// rebuildSequences is how many sequences of writes are taken back.
	rebuildSequences = 200
	// rebuildWrites is how many writes a sequence has at most.
	rebuildWrites = 12
	// rebuildAtOnce is left to the campaign: who comes first then is chance.
	rebuildAtOnce = false
)
