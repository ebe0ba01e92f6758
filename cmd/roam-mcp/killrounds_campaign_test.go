//go:build campaign

package main

// killRounds is how often the sandbox is killed in a campaign.
const killRounds = 50
