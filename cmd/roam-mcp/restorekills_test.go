//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

// The server is killed before and after each request of a restore. Then the note is what
// it was, what it was to become, or something between that the next server's history has
// as its newest version; and restored again it is what it was to become, with the uids of
// its blocks.
func TestKillingServersWhileTheyRestoreANote(t *testing.T) {
	for name, tc := range map[string]struct {
		tool string
		args map[string]any
	}{
		"a note that was changed": {"update_note", map[string]any{"path": "Note", "tags": []string{"new"}, "content": "- three, a bit longer than before\n- six is new\n- one\n  - five\n"}},
		"a note that has gone":    {"delete_note", map[string]any{"path": "Note"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &restoreKills{sharedGraph: newShared(t, onPage("Note", "note00001", [2]string{"one000001", "one"}, [2]string{"two000001", "two"},
				[2]string{"three0001", "three, a bit longer"}, [2]string{"four00001", "four"}, [2]string{"five00001", "five"}))}
			k.want = k.tree()
			k.next()
			k.get("Note")
			k.version = k.versions()[0]
			change := func() {
				k.must("get_note", map[string]any{"path": "Note"}) // what is replaced is read first
				k.must(tc.tool, tc.args)
			}
			change()
			from := k.writes
			k.must("restore_note_version", k.restores())
			requests := k.writes - from
			k.check("after a restore that nobody killed")
			if race.Enabled { // each server takes a second to start
				requests = min(requests, 2)
			}
			for n := 1; n <= requests; n++ {
				for _, moment := range []killMoment{beforeItIsSent, afterItIsSent} {
					change()
					before := k.tree()
					k.killAt(k.writes+n, moment)
					what := fmt.Sprintf("killed %v: request %d of %d", moment, n, requests)
					k.next()
					if now := k.tree(); now != before && now != k.want {
						k.isNamed(what)
					}
					k.must("restore_note_version", k.restores())
					k.check(what)
				}
			}
			k.everyWriteWasRecorded()
		})
	}
}

// restoreKills are restores of a note by servers that are killed.
type restoreKills struct {
	*sharedGraph
	server  *agentServer
	version string // that is restored
	want    string // the note as that
}

func (k *restoreKills) next() { k.server = k.serve("claude", "--profile", "wiki") }

func (k *restoreKills) restores() map[string]any {
	return map[string]any{"path": "Note", "version": k.version}
}

// must calls a tool and returns what it answers.
func (k *restoreKills) must(tool string, args map[string]any) string {
	k.t.Helper()
	answer := await.Value(k.t, "an answer", k.server.call(tool, args))
	if !answer.ok {
		k.t.Fatalf("%s: %s", tool, answer.text)
	}
	return answer.text
}

// get returns the content of a note.
func (k *restoreKills) get(path string) string {
	_, content, _ := strings.Cut(k.must("get_note", map[string]any{"path": path}), "\n---\n")
	return content
}

// versions returns those of the note, newest first.
func (k *restoreKills) versions() (ids []string) {
	k.t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^- ([0-9a-f]{7}) `).FindAllStringSubmatch(k.must("get_note_history", map[string]any{"path": "Note"}), -1) {
		ids = append(ids, match[1])
	}
	if len(ids) == 0 {
		k.t.Fatal("there are no versions")
	}
	return ids
}

// killAt restores the note and kills the server at a request that writes, counted from the
// start of the test.
func (k *restoreKills) killAt(number int, moment killMoment) {
	died := make(chan struct{})
	k.mu.Lock()
	k.atWrite = func(n int) faultproxy.Fault {
		if n != number {
			return faultproxy.Fault{}
		}
		k.server.kill()
		close(died)
		if moment == beforeItIsSent {
			return faultproxy.Fault{Kind: faultproxy.ResetBefore}
		}
		return faultproxy.Fault{}
	}
	k.mu.Unlock()
	answer := k.server.call("restore_note_version", k.restores())
	await.Value(k.t, "the death of the server", died)
	<-answer
	k.proxy.Close() // what the dead server has sent is there
	k.listen()
	k.mu.Lock()
	k.atWrite = nil
	k.mu.Unlock()
}

// isNamed checks that the note as it is now is the newest version in its history.
func (k *restoreKills) isNamed(what string) {
	k.t.Helper()
	if k.tree() == "" { // the page is there, and has nothing yet
		return
	}
	content := k.get("Note")
	_, newest, _ := strings.Cut(k.must("get_note_version", map[string]any{"path": "Note", "version": k.versions()[0]}), "\n---\n")
	if newest != content {
		k.t.Errorf("%s: the newest version is\n%s\nand the note\n%s", what, newest, content)
	}
}

// check checks that the note is what was to be restored.
func (k *restoreKills) check(what string) {
	k.t.Helper()
	if now := k.tree(); now != k.want {
		k.t.Fatalf("%s: the note is\n%s\nnot\n%s", what, now, k.want)
	}
}

// tree returns what is below the page of the note, a line for each block.
func (k *restoreKills) tree() string {
	k.t.Helper()
	type block struct {
		UID, String string
		Order       int
		Children    []block
	}
	reply, err := k.Send(k.t.Context(), "q", `[:find [(pull ?e [:block/uid :block/string :block/order {:block/children ...}]) ...] :where [?e :node/title "Note"]]`)
	require.NoError(k.t, err)
	var pages []block
	require.NoError(k.t, json.Unmarshal(reply.Result, &pages))
	var out strings.Builder
	var add func(blocks []block, indent string)
	add = func(blocks []block, indent string) {
		for order := range blocks {
			for _, b := range blocks {
				if b.Order == order {
					fmt.Fprintf(&out, "%s%s %s\n", indent, b.UID, b.String)
					add(b.Children, indent+"  ")
				}
			}
		}
	}
	for _, page := range pages {
		add(page.Children, "")
	}
	return out.String()
}
