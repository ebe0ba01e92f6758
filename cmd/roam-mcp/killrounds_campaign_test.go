//go:build campaign

package main

import "testing"

// killRounds is how often the sandbox is killed in a campaign.
const killRounds = 50

// serverKillRounds is how often a server is killed in a campaign.
const serverKillRounds = 2000

// writesTogether is how many writes each of the servers makes that share a journal.
const writesTogether = 120

// agentRounds is how often agents change a note at the same time in a campaign.
const agentRounds = 500

// How often a restore is killed or canceled in a campaign, and of how many blocks.
const (
	restoreKillRounds = 50
	restoredBlocks    = 5000
)

// undoKillRounds is how often a server is killed, and then undos of what it wrote in a campaign.
const undoKillRounds = 500

// undoSettles reports whether undo settles itself what killed programs left open. It waits up to
// 10 seconds for that; in the everyday tests another program, whose clock is ahead, has done it.
const undoSettles = true

// callsAtOnce is how many calls are made at once from shells in a campaign.
const callsAtOnce = 100

// shellProgram returns the program that shells call, as a user has it.
func shellProgram(t testing.TB) string { return buildProgram(t) }
