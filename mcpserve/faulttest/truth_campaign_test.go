//go:build campaign

package faulttest

// truthCalls is how many calls of a tool are made with each fault: all.
const truthCalls = 1 << 30

// truthGroups is how many faults a tool meets: all.
const truthGroups = 1 << 30
