//go:build campaign

package mcpserve

// faultyWrites is how many writes meet faults in a campaign.
const faultyWrites = 2000
