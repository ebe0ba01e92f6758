// Package tui is the setup program: a full-screen terminal program that lists
// graphs, asks Roam for tokens, and shows how clients connect.
//
// It promises that nothing blocks, that every state of an exchange has a screen,
// that a granted token is saved or the person is told, and that no token is ever
// drawn. It knows ports alone: no HTTP and no file is touched from here, and
// everything it does is also a plain command.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"roam-mcp/problem"

	tea "charm.land/bubbletea/v2"
)

// Options say where the program runs and what it tells of itself.
type Options struct {
	// Input and Output are the terminal; nil means standard input and output. The
	// caller of Run has made sure that they are one.
	Input  io.Reader
	Output io.Writer
	// Environ is the environment that describes the terminal, in the form of
	// os.Environ; nil means the program's own.
	Environ []string
	// Sandbox is set if the Roam of this run is the embedded one.
	Sandbox bool
	// World is where hints are read: with the flags that make commands work on the
	// configuration of this run.
	World problem.World
	// Version is the program's, shown in the help.
	Version string
	// Description is what Roam's approval dialog shows unless the person changes it,
	// such as "roam-mcp on this Mac".
	Description string
}

// Run shows the setup program until the person quits or ctx ends, and always restores
// the terminal. If it is ended from outside while a granted token is not saved, the
// token is rescued to a file, which the error names.
func Run(ctx context.Context, ports Ports, options Options) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	options = options.withDefaults()
	root := newRoot(inner, ports, options)
	guarded := &guard{model: root, cancel: cancel}
	program := tea.NewProgram(guarded,
		tea.WithInput(options.Input),
		tea.WithOutput(options.Output),
		tea.WithEnvironment(options.Environ),
		// The caller of Run turns signals into the end of ctx.
		tea.WithoutSignalHandler(),
	)
	// With a context of its own the program would be killed, and its terminal closed
	// under whoever still reads from it.
	leave := context.AfterFunc(inner, program.Quit)
	_, err := program.Run()
	leave()
	cancel()
	if crash := guarded.crashed(); crash != nil {
		return root.crashError(crash)
	}
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), root.rescueUnsaved())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("run the setup program: %w", err), root.rescueUnsaved())
	}
	return root.rescueLateGrant()
}

func (o Options) withDefaults() Options {
	if o.Input == nil {
		o.Input = os.Stdin
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Description == "" {
		o.Description = "roam-mcp"
	}
	return o
}

// rescueTimeout bounds reading the configuration on the way out.
const rescueTimeout = 3 * time.Second

// rescueLateGrant rescues a token that was granted while a person quit, unless that
// person has agreed to lose it.
func (r *root) rescueLateGrant() error {
	if _, agreed := r.unsavedToken(); agreed {
		return nil
	}
	return r.rescueUnsaved()
}

// rescueUnsaved writes a granted token to a file of its own, unless it is in the
// configuration by now.
func (r *root) rescueUnsaved() error {
	for _, s := range r.stack {
		if s, ok := s.(tokenHolder); ok {
			s.endExchange()
		}
	}
	entry, unsaved := r.unsavedToken()
	if !unsaved || r.env.ports.Rescue == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), rescueTimeout)
	defer cancel()
	if config, err := r.env.ports.Store.Load(ctx); err == nil {
		if saved, ok := config.FindGraph(entry.Graph()); ok && saved.Token == entry.Token {
			return nil
		}
	}
	path, err := r.env.ports.Rescue(entry)
	if err != nil {
		return fmt.Errorf("the token that Roam granted for %s could not be saved: %w", entry.Name, err)
	}
	return &problem.Error{
		Code:    problem.CodeFailed,
		Message: fmt.Sprintf("The token that Roam granted for %s was not in the configuration yet; it is kept in %s.", entry.Name, path),
		Hint:    problem.Say("This takes it over: %s", problem.Run("import", path)),
	}
}
