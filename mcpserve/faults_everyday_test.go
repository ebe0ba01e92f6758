//go:build !campaign

package mcpserve

// faultyWrites is how many writes meet faults in the everyday tests.
const faultyWrites = 120
