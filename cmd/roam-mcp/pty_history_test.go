//go:build unix

package main

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/terminal"
)

// writes has a client's server write, and returns the reply.
func (r *standIn) writes(session *mcp.ClientSession, tool string, arguments map[string]any) string {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(r, err)
	text, err := json.Marshal(result.Content)
	require.NoError(r, err)
	if result.IsError {
		r.Fatalf("%s: %s", tool, text)
	}
	return string(text)
}

// The history is live over all servers: what a server writes that a client has started
// is on the screen of another process within a second, with its difference. On a busy
// machine it may take longer, so the time is told and not tested.
func TestTheHistoryShowsAtOnceWhatAServerOfAClientWrites(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home, "--approve", "allow")
	roam.command("connect", "demo", "--nickname", "Work")
	p := sitDownAt(t, home)
	p.sees("Work", "● connected")
	p.presses("h")
	p.sees("Nothing is recorded yet.", "So far nothing is kept.")

	session := roam.serving()
	seen := func(since time.Time, texts ...string) {
		t.Helper()
		p.sees(texts...)
		t.Logf("%v after the call: %s", time.Since(since).Round(time.Millisecond), strings.Join(texts, ", "))
	}
	reply := roam.writes(session, "create_page", map[string]any{"title": "Live page", "markdown": "- as it was"})
	seen(time.Now(), "1 call", "create_page", "● done", "+ as it was", "as it was left")
	uids := regexp.MustCompile(`\W([\w-]{9})\\+"`).FindAllStringSubmatch(reply, -1)
	if uids == nil {
		t.Fatalf("there is no uid in %s", reply)
	}
	other := roam.serving()
	roam.writes(other, "update_block", map[string]any{"uid": uids[len(uids)-1][1], "string": "as it became"})
	seen(time.Now(), "update_block", "- as it was", "+ as it became", "as it was left")
	p.presses(terminal.Down, terminal.Enter)
	p.sees("Change 1", "below it changed since")
	roam.dies()
	p.sees("Roam can't be asked")
	p.presses(terminal.Escape)
	p.sees("All that agents have written", "update_block")
	p.presses(terminal.Escape)
	p.sees("Your graphs")
	p.presses("q")
	p.leaves(0)
}

// A person takes back on the screen what an agent wrote, and does it again.
func TestAPersonUndoesAndRedoesOnTheHistory(t *testing.T) {
	home := t.TempDir()
	roam := startRoam(t, home, "--approve", "allow")
	roam.command("connect", "demo", "--nickname", "Work")
	session := roam.serving()
	page := func() string { return roam.writes(session, "get_page", map[string]any{"title": "Undo page"}) }
	reply := roam.writes(session, "create_page", map[string]any{"title": "Undo page", "markdown": "- as it was"})
	uids := regexp.MustCompile(`\W([\w-]{9})\\+"`).FindAllStringSubmatch(reply, -1)
	if uids == nil {
		t.Fatalf("there is no uid in %s", reply)
	}
	has := func(text string) {
		t.Helper()
		if is := page(); !strings.Contains(is, text) {
			t.Fatalf("the page is %s, want %q in it", is, text)
		}
	}
	roam.writes(session, "update_block", map[string]any{"uid": uids[len(uids)-1][1], "string": "as it became"})

	p := sitDownAt(t, home)
	p.sees("Work", "● connected")
	p.presses("h")
	p.sees("update_block", "+ as it became")
	p.presses("u")
	p.sees("Undo 2", "1 change to be undone")
	has("as it became")
	p.presses("y")
	p.sees("1 change of Work undone")
	has("as it was")
	p.sees("undone by 3")
	p.presses("r")
	p.sees("Redo 2", "1 change to be redone")
	p.presses("y")
	p.sees("1 change of Work redone")
	has("as it became")
	p.presses(terminal.Escape)
	p.sees("esc back")
	p.presses(terminal.Escape)
	p.sees("Your graphs")
	p.presses("q")
	p.leaves(0)
}
