package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/charmbracelet/x/term"

	"roam-mcp/localapi"
	"roam-mcp/tui"
	"roam-mcp/tui/plain"
)

// accessible reports whether the environment asks for programs that suit screen
// readers.
func accessible() bool { return os.Getenv("ACCESSIBLE") != "" }

// runPlain is the setup program as line prompts.
func (a *app) runPlain(ctx context.Context, w world, ports tui.Ports, options tui.Options) error {
	lines := plain.Options{Options: options, Terminal: isTerminal(a.in)}
	if lines.Terminal {
		lines.HideInput = func() (func(), error) { return hideInput(a.in) }
	}
	return plain.Run(ctx, plain.Ports{Ports: ports, Files: files(w)}, lines)
}

// files are those that a program in this world uses.
func files(w world) []plain.File {
	all := []plain.File{
		{Path: w.config, What: "The connected graphs with their tokens, readable by you only"},
		{Path: filepath.Join(w.home, localapi.PortFileName), What: "Roam's port, written by Roam"},
		{Path: filepath.Join(w.home, officialName), What: "The official tools' graphs; read by import, never changed"},
		{Path: rescueFolder(), What: "Granted tokens that could not be saved; import takes them over"},
	}
	if w.sandbox {
		all = append(all, plain.File{Path: w.home, What: "The sandbox's world: its graphs and the files above"})
	}
	return all
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
