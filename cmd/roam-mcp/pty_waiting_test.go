//go:build unix

package main

import (
	"math/rand/v2"
	"os/exec"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

func TestAStormOfSizesWhileRoamIsAskedLosesNothing(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home)
	p := sitDownAt(t, home)
	p.sees("demo", "not connected")
	p.presses(terminal.Enter)
	p.sees("Shown in Roam")
	dice := rand.New(rand.NewPCG(60, 16))
	storm := func(rounds int) {
		t.Helper()
		for range rounds {
			require.NoError(t, p.terminal.Resize(1+dice.IntN(200), 1+dice.IntN(60)))
		}
	}
	storm(40)
	p.resizes(80, 24)
	p.sees("Nickname", "Demo", "Shown in Roam")
	p.resizes(59, 15)
	p.sees("60x16 at least; this is 59x15.")
	p.resizes(60, 16)
	p.sees("Nickname", "Demo")
	p.presses(terminal.Tab, " two", terminal.Enter)
	p.sees("Waiting for you in Roam", "Demo two") // or the storm would come before the keys
	storm(40)
	p.resizes(80, 24)
	p.sees("Waiting for you in Roam", "Demo two", "left")
	roam.until("the request is open in Roam", func() error { return roam.pending("demo") })
	storm(20)
	p.resizes(300, 80)
	p.sees("Waiting for you in Roam", "Demo two", "so far,")
	p.resizes(60, 16)
	p.sees("Waiting for you in Roam", "esc cancel")
	p.presses(terminal.Escape)
	p.sees("Cancelled", "Nothing was saved.")
	p.presses(terminal.ControlC)
	p.leaves(0)
	p.hasSavedNothing()
}

func (p *person) resizes(columns, rows int) {
	p.Helper()
	require.NoError(p, p.terminal.Resize(columns, rows))
}

// A shell with job control starts the program: see TestSuspendingAndComingBack.
func TestARequestGoesOnWhileTheProgramIsSuspended(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home)
	program := roamMCP(t, home)
	shell := exec.Command("/bin/sh", "-c", `set -m; "$0"; echo "now stopped"; read line; fg >/dev/null; echo "code=$?"`, program.Path)
	shell.Env = program.Env
	p := inTerminal(t, home, 80, 24, shell)
	p.asksForDemo()
	p.sees("Waiting for you in Roam")
	roam.until("the request is open in Roam", func() error { return roam.pending("demo") })
	p.presses(terminal.ControlZ)
	p.sees("now stopped")
	roam.until("the request is still open", func() error { return roam.pending("demo") })
	p.presses(terminal.Enter)
	p.sees("Waiting for you in Roam", "so far,")
	p.presses(terminal.ControlC)
	p.sees("Press ctrl+c again to quit.")
	p.presses(terminal.ControlC)
	p.sees("code=0")
}
