package main

import "github.com/charmbracelet/x/term"

// enableEchoInput is the console mode that shows what is typed.
const enableEchoInput = 0x4

// withoutEcho takes the echo out of a console's mode; lines stay lines.
func withoutEcho(state *term.State) { state.Mode &^= enableEchoInput }
