package main

import (
	"context"
	"os"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

const faultyToken = localapi.TokenPrefix + "FAULTYzzzzzzzzzzzzzzzzzzzzz01"

// faultyStore panics when its path is asked for, which screens do while a key is
// taken and while they are drawn.
type faultyStore struct{ *configstore.Store }

func (faultyStore) Path() string { panic("no path, but " + faultyToken) }

// faultyRoam panics in the background.
type faultyRoam struct{ manage.Roam }

func (faultyRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) {
	panic("no graphs, but " + faultyToken)
}

// runFaulty is the setup program with ports that panic: what a fault of its own
// looks like from outside.
func runFaulty() int {
	a := &app{streams: streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}}
	w, err := a.world()
	if err != nil {
		return report(a.err, err, a.hints)
	}
	ports := setupProgram{a}.ports(w)
	ports.Graphs.Store = faultyStore{w.store()}
	if len(os.Args) > 1 {
		ports.Graphs.Roam = faultyRoam{ports.Graphs.Roam}
	}
	if _, err := tui.Run(context.Background(), ports, tui.Options{Version: version()}); err != nil {
		return report(a.err, err, a.hints)
	}
	return exitDone
}
