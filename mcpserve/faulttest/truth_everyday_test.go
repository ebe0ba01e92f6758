//go:build !campaign

package faulttest

// truthCalls is how many calls of a tool are made with each fault.
const truthCalls = 1

// truthGroups is how many faults a tool meets.
const truthGroups = 12
