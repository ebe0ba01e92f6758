//go:build !windows && !campaign

package main

// lieStride is of how many states one is looked at: in a campaign all are.
const lieStride = 17
