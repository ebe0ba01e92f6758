//go:build campaign

package notes_test

// longBlocks is how many blocks of 250 characters a long note has in a campaign: more than
// 1,000,000 in all.
const longBlocks = 4_020
