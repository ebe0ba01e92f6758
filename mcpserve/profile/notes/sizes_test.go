//go:build !campaign

package notes_test

// longBlocks is how many blocks of 250 characters a long note has in everyday tests.
const longBlocks = 402
