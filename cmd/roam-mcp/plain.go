package main

import (
	"context"
	"os"

	"github.com/charmbracelet/x/term"

	"roam-mcp/tui"
	"roam-mcp/tui/plain"
)

// runPlain is the setup program as line prompts.
func (a setupProgram) runPlain(ctx context.Context, ports tui.Ports, options tui.Options) error {
	lines := plain.Options{Options: options, Terminal: isTerminal(a.in)}
	if lines.Terminal {
		lines.HideInput = func() (func(), error) { return hideInput(a.in) }
	}
	return plain.Run(ctx, ports, lines)
}

// hideInput stops the terminal from showing what is typed, until show is called.
func hideInput(in *os.File) (show func(), err error) {
	before, err := term.GetState(in.Fd())
	if err != nil {
		return nil, err
	}
	hidden := *before
	withoutEcho(&hidden)
	if err := term.SetState(in.Fd(), &hidden); err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(in.Fd(), before) }, nil // a terminal that is gone shows nothing
}
