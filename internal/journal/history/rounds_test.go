//go:build !campaign

package history

// How often everyday tests kill a process and cut the power.
const (
	killRounds = 3
	powerCuts  = 12
)
