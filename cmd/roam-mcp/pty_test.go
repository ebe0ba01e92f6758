//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/terminal"
)

func TestFromStartToASavedTokenInUnderADozenKeys(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox")
	p.sees("demo", "notebook")
	p.connectsDemo()
	p.hasSaved("Demo", "full")
	if p.keys >= 12 {
		t.Errorf("it took %d keys", p.keys)
	}
	p.presses(terminal.Escape)
	p.sees("Your graphs", "connected")
	p.presses("q")
	p.leaves(0)
}

// Somebody without Roam tries the sandbox, blocks a graph there by mistake, unblocks it,
// and goes back, all within one run.
func TestAKeyLeadsToTheSandboxAndBack(t *testing.T) {
	p := sitDown(t, 100, 30)
	p.sees("Roam ○  ›  graph ○", "b try the sandbox")
	p.presses("b")
	p.sees("You are in the sandbox now.", "demo", "notebook")
	p.presses(terminal.Enter)
	p.sees("enter ask Roam")
	p.presses(terminal.Enter)
	p.sees("Waiting for you in Roam", "! never")
	p.presses("!")
	p.sees("Blocked in Roam", "u unblock and ask again")
	p.presses("u")
	p.sees("Waiting for you in Roam", "a allow")
	p.presses("a")
	p.sees("Demo is connected", "enter connect a client")
	p.hasSaved("Demo", "full")
	p.presses(terminal.Escape)
	p.sees("Your graphs", "connected")
	p.presses("b")
	p.sees("You are out of the sandbox", "Roam ○  ›  graph ○")
	p.presses("q")
	p.leaves(0)
}

func TestADenialThenAskingAgainAndBeingGranted(t *testing.T) {
	p := sitDown(t, 160, 50, "--sandbox")
	p.sees("demo", "notebook")
	p.presses(terminal.Enter)
	p.sees("Nickname")
	p.presses(terminal.Enter)
	p.sees("Waiting for you in Roam", "n deny")
	p.presses("n")
	p.sees("Rejected in Roam", "ask again")
	if saved := p.savedGraphs(); saved != nil {
		t.Fatalf("a denial saved %v", withoutTokens(saved))
	}
	p.presses("a")
	p.sees("Waiting for you in Roam", "l allow read only")
	p.presses("l")
	p.sees("read only", "Saved")
	p.hasSaved("Demo", "read-only")
	if p.keys >= 12 {
		t.Errorf("it took %d keys", p.keys)
	}
	p.presses(terminal.Escape)
	p.sees("Your graphs")
	p.presses("q")
	p.leaves(0)
}

func TestControlCTwiceLeavesAtOnce(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox")
	p.sees("demo")
	// At once, so that both are keys: one that comes after the terminal was
	// restored is a signal, with which the kernel drops output not read yet.
	p.presses(terminal.ControlC + terminal.ControlC)
	if _, err := p.terminal.Wait(patience); err != nil {
		t.Fatal(err)
	}
	p.leftTheTerminalClean()
}

// leftTheTerminalClean looks at what a program has left behind: what it turned on
// is off again, and the line of the cursor is empty.
func (p *person) leftTheTerminalClean() {
	p.Helper()
	written := string(p.terminal.Written())
	for _, mode := range []struct{ name, on, off string }{
		{"the alternate screen", "\x1b[?1049h", "\x1b[?1049l"}, {"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
		{"the hidden cursor", "\x1b[?25l", "\x1b[?25h"}, {"the mouse", "\x1b[?1002h", "\x1b[?1002l"},
	} {
		if strings.LastIndex(written, mode.on) > strings.LastIndex(written, mode.off) {
			p.Errorf("%s is still on", mode.name)
		}
	}
	lines := strings.Split(p.terminal.Screen(), "\n")
	if row := p.terminal.Row(); row < len(lines) && lines[row] != "" {
		p.Errorf("the line of the cursor holds %q", lines[row])
	}
}

func TestTheSetupProgramNamesCommandsWhereItCannotDraw(t *testing.T) {
	for name, test := range map[string]struct{ environment, arguments, want string }{
		"as its output goes elsewhere":             {"TERM=xterm", "> out", "standard output is not a terminal"},
		"as the terminal can't draw":               {"TERM=dumb", "", "TERM is dumb"},
		"as somebody uses a screen reader":         {"ACCESSIBLE=1", "", "ACCESSIBLE is set"},
		"with the configuration that it was given": {"ACCESSIBLE=1", "--config mine.json", "mine.json graphs"},
		"with the sandbox":                         {"ACCESSIBLE=1", "--sandbox", "roam-mcp --sandbox graphs"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			command := exec.Command("/bin/sh", "-c", `"$0" `+test.arguments, programPath(t, "roam-mcp"))
			command.Dir, command.Env = home, append(environmentOf(home), test.environment)
			p := inTerminal(t, home, 160, 40, command)
			p.sees(test.want, "connect GRAPH", "install CLIENT", "doctor", "history", "roam-mcp --help")
			p.leaves(2)
			out, _ := os.ReadFile(filepath.Join(home, "out")) // is there in one case alone
			if len(out) > 0 || strings.Contains(string(p.terminal.Written()), "\x1b") {
				t.Errorf("it wrote a command to the terminal, or %q", out)
			}
		})
	}
}

func TestARunningSandboxIsUsedByTheNextProgram(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox")
	p.sees("demo")
	out, err := roamMCP(t, p.home, "--sandbox", "graphs").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "demo") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestConnectAsksInTheTerminalWhereItHostsTheSandbox(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox", "connect", "demo", "--nickname", "Mine")
	p.sees("demo", "allow")
	p.presses("a", terminal.Enter)
	p.sees("Connected demo as Mine with full access")
	p.leaves(0)
	p.hasSaved("Mine", "full")
}

func TestControlCDuringAWaitExitsWith130AndSavesNothing(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox", "connect", "demo")
	p.sees("demo", "allow")
	p.presses(terminal.ControlC)
	p.leaves(130)
	if saved := p.savedGraphs(); saved != nil {
		t.Errorf("saved is %v", withoutTokens(saved))
	}
}

func TestControlCAtAQuestionExitsWith130AndChangesNothing(t *testing.T) {
	p := sitDown(t, 80, 24, "--sandbox", "connect", "demo", "--nickname", "Mine")
	p.sees("demo", "allow")
	p.presses("a", terminal.Enter)
	p.leaves(0)
	asked := inTerminal(t, p.home, 80, 24, roamMCP(t, p.home, "--sandbox", "remove", "Mine"))
	asked.sees("forget its token?")
	asked.presses(terminal.ControlC)
	asked.leaves(130)
	asked.hasSaved("Mine", "full")
}
