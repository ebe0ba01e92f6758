//go:build unix

package main

import (
	"syscall"

	"github.com/charmbracelet/x/term"
)

// withoutEcho takes the echo out of a terminal's state; lines stay lines.
func withoutEcho(state *term.State) { state.Lflag &^= syscall.ECHO }
