//go:build !campaign

package main

// killRounds is how often the sandbox is killed in the everyday tests.
const killRounds = 3
