//go:build !campaign

package faulttest

// truthCalls is how many calls of a tool are made of each belief that is false.
const truthCalls = 1

// truthGroups is how many groups of beliefs are false for a tool.
const truthGroups = 12
