//go:build unix

package main

import (
	"strings"
	"testing"

	"roam-mcp/internal/testutil/terminal"
	"roam-mcp/localapi"
)

// plainly sits down where the environment asks for programs that suit screen
// readers.
func plainly(t *testing.T) *person {
	t.Helper()
	t.Setenv("ACCESSIBLE", "1")
	return sitDown(t, 80, 200, "--sandbox")
}

// answers waits for a question, by its last words, and answers it.
func (p *person) answers(question, answer string) {
	p.Helper()
	p.sees(question)
	p.presses(answer, terminal.Enter)
}

// drawsNothing wants no command to the terminal in all that was written.
func (p *person) drawsNothing() {
	p.Helper()
	if strings.Contains(string(p.terminal.Written()), "\x1b") {
		p.Error("a plain program wrote an escape sequence")
	}
}

func TestAPersonWithAScreenReaderConnectsAGraph(t *testing.T) {
	p := plainly(t)
	p.answers("What to do (default: 21, help):", "connect")
	p.answers("Which graph to connect (default: 4, back):", "1")
	p.answers("Nickname (default: Demo):", "")
	p.answers("Access (default: 1, full):", "")
	p.answers("Shown in Roam (default:", "Ada at home")
	p.sees(`Roam (sandbox): “Ada at home” asks for full access to demo (hosted).`, "5 minutes left.")
	p.answers("Answer (default: deny):", "lower")
	p.sees("Connected with less than asked.", `Saved as “Demo” in`)
	p.hasSaved("Demo", "read-only")
	p.presses("quit", terminal.Enter)
	p.leaves(0)
	p.drawsNothing()
}

func TestATokenTypedInTheTerminalIsNotShown(t *testing.T) {
	p := plainly(t)
	p.presses("connect", terminal.Enter, "demo", terminal.Enter, terminal.Enter, terminal.Enter, terminal.Enter)
	p.answers("Answer (default: deny):", "deny")
	p.answers("How to go on (default: 4, back):", "token")
	p.sees("Paste one here; it is not shown.", "Token (default: none, back):")
	typed := localapi.TokenPrefix + strings.Repeat("x", localapi.TokenLength-len(localapi.TokenPrefix))
	p.presses(typed, terminal.Enter)
	p.sees("state: failed", "How to go on (default: 3, back):") // that it is checked may be over before it is told
	if strings.Contains(string(p.terminal.Written()), typed) {
		t.Error("the terminal has shown the token")
	}
	// What is typed later is shown again.
	p.presses("back", terminal.Enter, "files", terminal.Enter)
	p.sees("back", "files", "Port file: ")
	p.presses("quit", terminal.Enter)
	p.leaves(0)
	p.drawsNothing()
}

func TestControlCDuringAPlainWaitExitsWith130AndDropsTheRequest(t *testing.T) {
	p := plainly(t)
	p.presses("connect", terminal.Enter, "demo", terminal.Enter, terminal.Enter, terminal.Enter, terminal.Enter)
	p.sees("Answer (default: deny):")
	p.presses(terminal.ControlC)
	p.leaves(130)
	p.sees("Interrupted.")
	if saved := p.savedGraphs(); saved != nil {
		t.Errorf("saved is %v", withoutTokens(saved))
	}
}

func TestTheEndOfTheTerminalsInputEndsThePlainProgram(t *testing.T) {
	p := plainly(t)
	p.sees("What to do")
	p.presses("\x04")
	p.leaves(2)
	p.sees("The input ended at the question")
}
