//go:build !campaign

package mcpserve

// truthTries is how many calls of a tool are made of each belief that is false.
const truthTries = 1
