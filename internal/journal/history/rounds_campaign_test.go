//go:build campaign

package history

// How often a campaign kills a process and cuts the power.
const (
	killRounds = 300
	powerCuts  = 5000
)
