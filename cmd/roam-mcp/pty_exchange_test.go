//go:build unix

package main

import (
	"errors"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/terminal"
)

// asksForDemo goes from the list through the form of the first graph, which is demo.
func (p *person) asksForDemo() {
	p.Helper()
	p.sees("demo", "not connected")
	p.presses(terminal.Enter)
	p.sees("Nickname", "Shown in Roam")
	p.presses(terminal.Enter)
}

// connectsDemo asks for the demo graph, and allows it in the sandbox that this program hosts.
func (p *person) connectsDemo() {
	p.Helper()
	p.asksForDemo()
	p.sees("Waiting for you in Roam", "a allow")
	p.presses("a")
	p.sees("Saved")
}

// hasSavedNothing wants no graph in the configuration.
func (p *person) hasSavedNothing() {
	p.Helper()
	if saved := p.savedGraphs(); len(saved) > 0 {
		p.Fatalf("saved is %v", withoutTokens(saved))
	}
}

// ending is a way in which an exchange ends, and what a person does then.
type ending struct {
	roam  []string // flags of the sandbox
	sees  []string
	level string // saved; empty for nothing
	then  []string
	after []string
}

func endings() map[string]ending {
	return map[string]ending{
		"granted": {
			roam: []string{"--approve", "allow"}, level: "full",
			sees: []string{"Demo is connected", "Saved as “Demo” in ~/.roam-mcp.json", "enter connect a client"},
			then: []string{terminal.Escape}, after: []string{"Your graphs", "● connected"},
		},
		"granted less than asked": {
			roam: []string{"--switch", "exchange=read-append"}, level: "read-append",
			sees: []string{"Connected with less than asked", "You asked for full access, Roam granted read + append.", "Saved as “Demo”"},
			then: []string{terminal.Escape}, after: []string{"Your graphs", "read + append"},
		},
		"rejected, then less is asked for": {
			roam: []string{"--approve", "deny"},
			sees: []string{"Rejected in Roam", "Nothing was saved.", "l ask for less (read + append)"},
			then: []string{"l"}, after: []string{"Rejected in Roam", "l ask for less (read only)"},
		},
		"blocked": {
			roam: []string{"--approve", "never"},
			sees: []string{"Blocked in Roam", "Settings > Graph > Local API", "v enter a token by hand"},
			then: []string{terminal.Escape}, after: []string{"○ "},
		},
		"an answer without a token": {
			roam: []string{"--switch", "exchange=no-token"},
			sees: []string{"This did not work", "sent no usable token", "i details"},
			then: []string{"i", "y"}, after: []string{"code INVALID_REPLY", "the details"},
		},
	}
}

func TestEveryWayInWhichAnExchangeEnds(t *testing.T) {
	for name, test := range endings() {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			startRoam(t, home, test.roam...)
			p := sitDownAt(t, home)
			p.asksForDemo()
			p.sees(test.sees...)
			p.presses(test.then...)
			p.sees(test.after...)
			if test.level == "" {
				p.hasSavedNothing()
			} else {
				p.hasSaved("Demo", test.level)
			}
			p.presses(terminal.ControlC)
			p.leaves(0)
		})
	}
}

func TestEscDropsTheRequestInRoamToo(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home)
	p := sitDownAt(t, home)
	p.asksForDemo()
	p.sees("Waiting for you in Roam", "so far,", "left")
	roam.until("the request is open in Roam", func() error { return roam.pending("demo") })
	p.presses(terminal.Escape)
	p.sees("Cancelled", "The request was dropped. Nothing was saved.")
	roam.until("the request is gone from Roam", func() error {
		switch err := roam.pending("demo"); err {
		case nil:
			return errors.New("it is still open")
		case errNotOpen:
			return nil
		default:
			return err
		}
	})
	p.presses(terminal.Escape)
	p.sees("graph ○", "demo  ")
	p.hasSavedNothing()
}

func TestRoamThatDiesInTheMiddleOfAWaitIsAskedAgainOnceItIsBackOnAnotherPort(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home)
	before := portOf(t, home)
	p := sitDownAt(t, home)
	p.asksForDemo()
	p.sees("Waiting for you in Roam")
	roam.until("the request is open in Roam", func() error { return roam.pending("demo") })
	roam.dies()
	p.sees("Roam Desktop can't be reached", "This goes on by itself when Roam answers.")
	holdPort(t, before) // so that the next one can't have the same
	startRoam(t, home, "--approve", "allow")
	if after := portOf(t, home); after == before {
		t.Fatalf("the second sandbox listens on %d again", after)
	}
	p.sees("Saved as “Demo”")
	p.hasSaved("Demo", "full")
	p.presses(terminal.Escape)
	p.sees("Your graphs", "● connected")
}

func TestATokenMadeByHandIsCheckedAndSaved(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	roam := startRoam(t, home, "--approve", "allow")
	// The token is made with another configuration, as a person makes one in Roam.
	made := elsewhere + "/" + configName
	roam.command("--config", made, "connect", "demo", "--access", "read-append")
	token, _ := (&person{T: t, config: made}).savedGraphs()[0]["token"].(string)
	roam.switches("exchange=never")

	p := sitDownAt(t, home)
	p.asksForDemo()
	p.sees("Blocked in Roam")
	p.presses("v")
	p.sees("Paste it here; it is not shown.")
	p.presses("\x1b[200~" + token[:40] + "\x1b[201~")
	p.sees("it may have been cut")
	p.presses(terminal.Enter)
	p.sees("this one has 40")
	p.presses(terminal.ControlU, "\x1b[200~  "+localapi.TokenPrefix+"\n\x1b[201~", terminal.ControlU)
	p.presses("\x1b[200~  " + token + " \x1b[201~")
	p.presses(terminal.Enter)
	p.sees("Saved as “Demo”", "The token gives read + append access.")
	p.hasSaved("Demo", "read-append")
}

func TestATokenTypedForACommandIsNotShown(t *testing.T) {
	home := t.TempDir()
	startRoam(t, home, "--approve", "allow")
	p := sitDownAt(t, home, "connect", "demo", "--token-stdin")
	p.sees("Paste the token; it is not shown.")
	typed := localapi.TokenPrefix + strings.Repeat("x", localapi.TokenLength-len(localapi.TokenPrefix))
	p.presses(typed, terminal.Enter)
	p.sees("does not know this token")
	p.leaves(1)
	if strings.Contains(string(p.terminal.Written()), typed) {
		t.Error("the terminal has shown the token")
	}
}
