//go:build !campaign

package main

import "testing"

// killRounds is how often the sandbox is killed in the everyday tests.
const killRounds = 3

// serverKillRounds is how often a server is killed in the everyday tests.
const serverKillRounds = 9

// writesTogether is how many writes each of the servers makes that share a journal.
const writesTogether = 5

// agentRounds is how often agents change a note at the same time in the everyday tests.
const agentRounds = 6

// How often a restore is killed or canceled in the everyday tests, and of how many blocks.
const (
	restoreKillRounds = 3
	restoredBlocks    = 300
)

// undoKillRounds is how often a server is killed, and then undos of what it wrote in the everyday tests.
const undoKillRounds = 3

// undoSettles reports whether undo settles itself what killed programs left open. It waits up to
// 10 seconds for that; in the everyday tests another program, whose clock is ahead, has done it.
const undoSettles = false

// callsAtOnce is how many calls are made at once from shells in the everyday tests.
const callsAtOnce = 20

// shellProgram returns the program that shells call.
func shellProgram(t testing.TB) string { return programPath(t, "roam-mcp") }
