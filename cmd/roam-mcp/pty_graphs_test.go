//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

// twoGraphs is a home where demo is connected as Work and notebook as Lab.
func twoGraphs(t *testing.T) (home string, roam *standIn) {
	t.Helper()
	home = t.TempDir()
	roam = startRoam(t, home, "--approve", "allow")
	roam.command("connect", "demo", "--nickname", "Work")
	roam.command("connect", "notebook", "--nickname", "Lab", "--access", "read-only")
	return home, roam
}

func TestMarkedGraphsAreConnectedOneAfterAnother(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home, "--approve", "allow")
	p := sitDownAt(t, home)
	p.sees("demo", "notebook", "not connected")
	roam.switches("exchange=deny")
	p.presses("g", " ", " ", terminal.Enter)
	p.sees("Connect 2 graphs", "Roam asks you about one graph after another", "Nickname of demo")
	p.presses(terminal.Enter)
	p.sees("Connect 2 graphs: 1 of 2", "Rejected in Roam", "tab skip to the next graph")
	roam.switches("exchange=read-append")
	p.presses(terminal.Tab)
	p.sees("1 of 2 graphs connected", "✗ rejected in Roam", "▲ read + append, less than asked")
	p.hasSaved("Notebook", "read-append")
	p.presses("a")
	p.sees("Connect 1 graph", "Nickname of demo")
	roam.switches("exchange=allow")
	p.presses(terminal.Enter)
	p.sees("1 of 1 graph connected", "● full access")
	p.presses(terminal.Escape)
	p.sees("Your graphs", "Notebook", "Demo")
	if graphs := p.savedGraphs(); len(graphs) != 2 {
		t.Errorf("saved is %v", withoutTokens(graphs))
	}
}

// serving starts a real server at the home, as an MCP client does.
func (r *standIn) serving() *mcp.ClientSession {
	r.Helper()
	command := roamMCP(r.T, r.home, "serve")
	client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	require.NoError(r, err)
	r.Cleanup(func() { _ = session.Close() })
	return session
}

// offers reports whether an agent can read the guidelines of a graph; the reason
// why not is an error.
func offers(session *mcp.ClientSession, nickname string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get_graph_guidelines", Arguments: map[string]string{"graph": nickname}})
	if err != nil {
		return err
	}
	if result.IsError {
		text, _ := json.Marshal(result.Content)
		return errors.New(string(text))
	}
	return nil
}

func TestAServerThatRunsSeesAGraphDisabledAndEnabled(t *testing.T) {
	home, roam := twoGraphs(t)
	session := roam.serving()
	roam.until("the server offers Work", func() error { return offers(session, "Work") })
	p := sitDownAt(t, home)
	p.sees("Work", "● connected", "? menu")
	p.presses("D")
	p.sees("Work is disabled: agents can't reach it until you enable it.", "– disabled")
	roam.until("the server no longer offers Work", func() error {
		if err := offers(session, "Work"); err == nil {
			return errors.New("it still does")
		}
		return nil
	})
	p.presses("D")
	p.sees("Work is enabled: servers that run offer it at once.")
	roam.until("the server offers Work again", func() error { return offers(session, "Work") })
}

// The keys come in one piece, as they do from somebody who is in a hurry.
func TestAChangeMadeJustBeforeQuittingIsInTheFile(t *testing.T) {
	home, _ := twoGraphs(t)
	for _, disabled := range []bool{true, false, true} {
		p := sitDownAt(t, home)
		p.sees("Work", "Lab", "● connected")
		p.presses("Dq")
		p.leaves(0)
		if is := p.savedGraphs()[0]["disabled"] == true; is != disabled {
			t.Errorf("disabled in the file is %v, want %v", is, disabled)
		}
	}
	p := sitDownAt(t, home)
	p.sees("Work", "Lab")
	p.presses("Sq")
	p.leaves(0)
	sitDownAt(t, home).sees("NICKNAME ↓")
}

// hasRevokedToken puts a token into the file that Roam does not know, which is what
// a revoked one is.
func (p *person) hasRevokedToken() {
	p.Helper()
	data, err := os.ReadFile(p.config)
	require.NoError(p, err)
	token, _ := p.savedGraphs()[0]["token"].(string)
	unknown := localapi.TokenPrefix + strings.Repeat("r", localapi.TokenLength-len(localapi.TokenPrefix))
	require.NoError(p, os.WriteFile(p.config, []byte(strings.Replace(string(data), token, unknown, 1)), 0o600))
}

func TestARevokedTokenIsSeenAndTheGraphIsAuthorizedAgain(t *testing.T) {
	home, _ := twoGraphs(t)
	p := sitDownAt(t, home)
	p.sees("Work", "● connected")
	p.presses(terminal.Enter)
	p.sees("● connected", "Guidelines for agents", "read in")
	p.hasRevokedToken()
	p.sees("✗ token revoked", "was revoked in Roam. r asks for a new one.")
	p.presses("r")
	p.sees("Re-authorize Work", "full", "enter ask Roam")
	p.presses(terminal.Down, terminal.Enter)
	p.sees("Saved as “Work” in ~/.roam-mcp.json.")
	p.presses(terminal.Escape)
	p.sees("Your graphs", "read + append", "● connected")
	graphs := p.savedGraphs()
	if len(graphs) != 2 || graphs[0]["nickname"] != "Work" || graphs[0]["accessLevel"] != "read-append" || graphs[0]["lastKnownTokenStatus"] != "active" {
		t.Errorf("saved is %v", withoutTokens(graphs))
	}
}
