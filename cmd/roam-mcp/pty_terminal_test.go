//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

// The keys are in the terminal before the program has drawn, or read, anything.
func TestKeysPressedBeforeTheFirstFrameArrive(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox")
	p.presses("/", "n", "o", "t", "e")
	if written := p.terminal.Written(); bytes.Contains(written, []byte("roam-mcp")) {
		t.Skip("the program has drawn before the keys were there, so this run shows nothing")
	}
	p.sees("notebook", "keep the filter")
	p.presses(terminal.Enter, terminal.Enter)
	p.sees("Connect notebook", "Nickname")
	p.presses(terminal.ControlC)
	p.leaves(0)
}

func TestQuittingLeavesNothingBehind(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox")
	p.sees("demo", "q quit")
	p.presses("q")
	p.leaves(0)
	p.leftTheTerminalClean()
	if screen := p.terminal.Screen(); screen != "" {
		t.Errorf("the screen still holds\n%s", screen)
	}
}

// A window that is closed hangs up on its programs.
func TestAProgramThatIsHungUpOnEndsInGoodOrder(t *testing.T) {
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("these tests were started with hang-ups ignored, and so is the program")
	}
	home := t.TempDir()
	command := roamMCP(t, home, "--sandbox")
	p := inTerminal(t, home, 80, 24, command)
	p.sees("demo", "q quit")
	require.NoError(t, command.Process.Signal(syscall.SIGHUP))
	p.leaves(130)
	p.leftTheTerminalClean()
}

// TestSuspendingAndComingBack runs the program under a shell with job control,
// since a program without one can't be stopped.
func TestSuspendingAndComingBack(t *testing.T) {
	home := t.TempDir()
	shell := exec.Command("/bin/sh", "-c", `set -m; "$0" --sandbox; echo "now stopped"; read line; fg >/dev/null; echo "code=$?"`, programPath(t, "roam-mcp"))
	shell.Env = environmentOf(home)
	p := inTerminal(t, home, 80, 24, shell)
	p.sees("demo", "notebook")
	p.presses("/", "n", "o", "t")
	p.sees("/ not_")
	p.presses("\x1a")
	p.sees("now stopped")
	if screen := p.terminal.Screen(); strings.Contains(screen, "notebook") {
		t.Errorf("the screen of the program is still there:\n%s", screen)
	}
	p.leftTheTerminalClean()
	p.presses(terminal.Enter)
	p.sees("/ not_", "notebook")
	p.presses(terminal.Enter, "q")
	p.sees("code=0")
	p.leftTheTerminalClean()
}

// TestAStormOfSizesLosesNothing drags the window while a filter is on.
func TestAStormOfSizesLosesNothing(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox")
	p.sees("demo", "notebook")
	p.presses("/", "e", terminal.Enter, terminal.Down)
	p.sees("/ e", "▌ notebook")
	for i := range 60 {
		require.NoError(t, p.terminal.Resize(50+i*4, 12+i))
	}
	require.NoError(t, p.terminal.Resize(59, 15))
	p.sees("60x16 at least; this is 59x15.")
	for _, size := range [][2]int{{300, 80}, {60, 16}, {80, 24}} {
		require.NoError(t, p.terminal.Resize(size[0], size[1]))
		p.sees("/ e", "▌ notebook", "esc show all")
	}
	p.presses("q")
	p.leaves(0)
	p.leftTheTerminalClean()
}

// TestTheTerminalGetsWhatItCanShow looks at the bytes: colours, and signs beyond
// ASCII.
func TestTheTerminalGetsWhatItCanShow(t *testing.T) {
	colour := regexp.MustCompile(`\x1b\[(?:\d+;)*(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)[;m]`)
	many := regexp.MustCompile(`\x1b\[(?:\d+;)*[34]8;[25];`)
	for name, test := range map[string]struct {
		environment          []string
		colours, many, signs bool
	}{
		"true colour":        {[]string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}, true, true, true},
		"sixteen colours":    {[]string{"TERM=xterm-16color", "LANG=C.UTF-8"}, true, false, true},
		"NO_COLOR":           {[]string{"TERM=xterm-256color", "LANG=C.UTF-8", "NO_COLOR=1"}, false, false, true},
		"the Linux console":  {[]string{"TERM=linux", "LANG=C.UTF-8"}, true, false, false},
		"no locale at all":   {[]string{"TERM=xterm-256color", "LANG=C", "LC_ALL=C"}, true, true, false},
		"neither of the two": {[]string{"TERM=linux", "LANG=C", "LC_ALL=C", "NO_COLOR=1"}, false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			command := roamMCP(t, home, "--sandbox")
			command.Env = append(command.Env, test.environment...)
			p := inTerminal(t, home, 80, 24, command)
			p.sees("demo", "notebook", "q quit")
			p.presses("q")
			p.leaves(0)
			written := p.terminal.Written()
			if got := colour.Match(written); got != test.colours {
				t.Errorf("colours: %v, want %v", got, test.colours)
			}
			if got := many.Match(written); got != test.many {
				t.Errorf("colours beyond sixteen: %v, want %v", got, test.many)
			}
			if got := strings.ContainsFunc(string(written), func(r rune) bool { return r > '~' }); got != test.signs {
				t.Errorf("signs beyond ASCII: %v, want %v", got, test.signs)
			}
		})
	}
}
