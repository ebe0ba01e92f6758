package main

import (
	"context"

	"github.com/rogpeppe/go-internal/testscript"

	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
)

// scriptRoamKey finds the Roam of a script among its values.
type scriptRoamKey struct{}

// scriptRoam is the Roam that a script runs in this process, for faults that no switch of the
// sandbox has.
type scriptRoam struct{ *faultroam.Roam }

func scriptRoamOf(ts *testscript.TestScript) *scriptRoam {
	return ts.Value(scriptRoamKey{}).(*scriptRoam)
}

func (r *scriptRoam) end() error {
	if r.Roam == nil {
		return nil
	}
	err := r.Close(context.Background())
	r.Roam = nil
	return err
}

// faultCommands are the commands of scripts for such a Roam.
//
//	roam-starts GRAPH…   starts one in the script's home, with new graphs; none: the samples
//	roam-ends            ends it
//	fault SETTING…       turns all faults and switches off, and these on
func faultCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"roam-starts": func(ts *testscript.TestScript, _ bool, args []string) {
			options := sandbox.Options{Home: ts.Getenv("HOME"), Policy: desk.Allow}
			for _, text := range args {
				made, err := sandbox.ParseNewGraph(text)
				ts.Check(err)
				options.New = append(options.New, made)
			}
			roam, err := faultroam.Start(context.Background(), options)
			ts.Check(err)
			scriptRoamOf(ts).Roam = roam
		},
		"roam-ends": func(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(scriptRoamOf(ts).end()) },
		"fault": func(ts *testscript.TestScript, _ bool, args []string) {
			roam := scriptRoamOf(ts)
			roam.Clear()
			ts.Check(roam.Turn(args...))
		},
	}
}
