//go:build campaign

package mcpserve

const (
	// faultyWrites is how many writes meet faults in a campaign.
	faultyWrites = 2000
	// mostLeftOpen is of how many lost replies one may be left open.
	mostLeftOpen = 10
)
