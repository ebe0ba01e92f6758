//go:build !windows && campaign

package main

// lieStride is of how many states one is looked at.
const lieStride = 1
