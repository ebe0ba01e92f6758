//go:build !campaign

package mcpserve

// truthCalls is how many calls of a tool are made of each belief that is false.
const truthCalls = 1
