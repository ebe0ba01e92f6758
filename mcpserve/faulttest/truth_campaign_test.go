//go:build campaign

package faulttest

// truthCalls is how many calls of a tool are made of each belief that is false: all.
const truthCalls = 1 << 30

// truthGroups is how many groups of beliefs are false for a tool: all.
const truthGroups = 1 << 30
