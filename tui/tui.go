// Package tui is the setup program: a full-screen terminal program that lists
// graphs, asks Roam for tokens, and shows how clients connect.
//
// It promises that nothing blocks, that every state of an exchange has a screen,
// that a granted token is saved or the person is told, and that no token is ever
// drawn. It knows ports alone: no HTTP and no file is touched from here, and
// everything it does is also a plain command.
//
// The files wording*.go make its sentences from values: how a graph, a token exchange
// and an import stand, and what a form asks for. The commands say the same sentences, each
// in its own way.
package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
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
	// Theme is the background that the colours are for; kit.UnknownBackground asks the
	// terminal and the environment.
	Theme kit.Background
	// Sandbox is set if the Roam of this run is the embedded one.
	Sandbox bool
	// World is where hints are read: with the flags that make commands work on the
	// configuration of this run.
	World problem.World
	// Version is the program's, shown with the files.
	Version string
	// Description is what Roam's approval dialog shows unless the person changes it,
	// such as "roam-mcp on this Mac".
	Description string
	// Switched is set if the caller of Run starts the program again because Run returned
	// EnterSandbox or LeaveSandbox.
	Switched bool
	// SortedBy is the column that the list of graphs is sorted by at first, as Ports.KeepSort
	// was given it; "" or one that is not known: as in the configuration.
	SortedBy string
	// HistoryFolder is where the journal of writes is; "" where there is none.
	HistoryFolder string
	// Todo is what is to be done about this program itself, a sentence that is shown at the
	// start; "": nothing.
	Todo string
}

// Next is what a person wants once the program has ended.
type Next uint8

// Next of a program that was quit, and of one that is to start again in another world.
const (
	Quit         Next = iota
	EnterSandbox      // start again with the embedded Roam
	LeaveSandbox      // start again with the person's own Roam
)

// Run shows the setup program until the person quits or ctx ends, and always restores
// the terminal. A token that is granted as the program ends is kept all the same; the
// error says where, if not in the configuration. Without an error it returns what the
// person wants next.
func Run(ctx context.Context, ports Ports, options Options) (Next, error) {
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
		return Quit, root.crashError(crash)
	}
	root.keepSort()
	if ctx.Err() != nil {
		return Quit, errors.Join(ctx.Err(), root.finish())
	}
	if err != nil {
		return Quit, errors.Join(fmt.Errorf("run the setup program: %w", err), root.finish())
	}
	if root.unsaved() {
		return root.next, nil // the person has agreed to lose it
	}
	if err := root.finish(); err != nil {
		return Quit, err
	}
	return root.next, nil
}

// Wording returns what the sentences of this run depend on. desk is set if the
// sandbox's approval desk has a panel in it.
func (o Options) Wording(config func() string, desk bool) Wording {
	return Wording{
		World: o.World, Sandbox: o.Sandbox, Desk: desk, Version: o.Version,
		Config: config, Home: kit.Getenv(o.Environ, "HOME"), HistoryFolder: o.HistoryFolder,
	}
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
	o.Description = cmp.Or(o.Description, "roam-mcp")
	return o
}

// keepSort has the order of the list kept for the next run, if the person has changed it.
func (r *root) keepSort() {
	list, ok := r.stack[0].(*graphList)
	if keep := r.env.ports.KeepSort; ok && keep != nil && list.order != sortedBy(r.env.options.SortedBy) {
		keep(strings.ToLower(list.order.column()))
	}
}

// finish keeps the tokens that are granted and not saved yet. Its error says where
// they are.
func (r *root) finish() error {
	var failures []error
	for _, s := range r.stack {
		if s, ok := s.(tokenHolder); ok {
			failures = append(failures, s.finish(context.Background()))
		}
	}
	return errors.Join(failures...)
}
