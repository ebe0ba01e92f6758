//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
)

// The server is killed while it writes, a person writes then, and the undo of what it wrote is
// killed, too, before and after requests of its own, until one ends. Nothing of the person's is
// lost, or called the agent's, and all else is as it was. -tags campaign makes more rounds.
func TestKillingServersAndUndosLosesNothing(t *testing.T) {
	k := &undoKills{serverKills: &serverKills{states: map[history.State]int{}}}
	var pages []map[string]any
	for k.round = range undoKillRounds {
		pages = append(pages, k.pages()...)
	}
	k.sharedGraph = newShared(t, pages...)
	for k.round = range undoKillRounds {
		if k.run(killMoment(k.round % numberOfMoments)); k.round%100 == 99 {
			t.Logf("%d rounds, %d undos killed", k.round+1, k.killed)
		}
		if t.Failed() {
			t.Fatalf("after round %d, killed %s; undo says %s", k.round, killMoment(k.round%numberOfMoments), k.said)
		}
	}
	k.everyWriteWasRecorded()
	t.Logf("%d servers and %d undos were killed; a person wrote %d times", undoKillRounds, k.killed, k.wrote)
}

// undoKills are rounds of a server and undos that are killed.
type undoKills struct {
	*serverKills
	killed, wrote int
	said          string // by the undo that was not killed
}

// personEdit is what a person has written: a text, of a block that may be new.
type personEdit struct{ uid, text, parent string }

func (k *undoKills) run(moment killMoment) {
	k.t.Helper()
	page, other := k.name("p"), k.name("o")
	before := k.graph(page, other)
	newest := int64(0)
	if records := k.records(history.Filter{Limit: 1}); len(records) > 0 {
		newest = records[0].Call.ID
	}
	k.write(moment)
	edit := k.person(k.graph(page, other))
	for k.undoIsKilled(newest) {
		k.killed++
	}
	now := k.graph(page, other)
	for uid, text := range before.texts {
		switch {
		case uid == edit.uid:
		case now.texts[uid] != text:
			k.t.Errorf("%s was %q and is %q", uid, text, now.texts[uid])
		case now.parents[uid] != before.parents[uid]:
			k.t.Errorf("%s was below %s and is below %s", uid, before.parents[uid], now.parents[uid])
		}
	}
	for uid, text := range now.texts {
		if _, was := before.texts[uid]; !was && uid != edit.uid {
			k.t.Errorf("%s with %q is still there", uid, text)
		}
	}
	for uid, title := range before.titles {
		if now.titles[uid] != title {
			k.t.Errorf("page %s was %q and is %q", uid, title, now.titles[uid])
		}
	}
	if edit.uid != "" && now.texts[edit.uid] != edit.text {
		k.t.Errorf("the person wrote %q at %s, and there is %q", edit.text, edit.uid, now.texts[edit.uid])
	}
	k.nothingIsTheAgents(newest, edit)
}

// person writes at something that the server may have touched.
func (k *undoKills) person(now graphNow) (edit personEdit) {
	k.t.Helper()
	edit.text = "mine " + k.name("z")
	switch rand.IntN(5) {
	case 0:
		edit.uid = k.name("u")
	case 1:
		for uid, text := range now.texts {
			if strings.HasPrefix(text, "made in") {
				edit.uid = uid
			}
		}
	case 2:
		edit.uid = k.name("b")
	case 3:
		edit.uid, edit.parent = k.name("z"), k.name("m")
	}
	if edit.uid == "" {
		return personEdit{}
	}
	k.wrote++
	action, args := "data.block.update", map[string]any{"block": map[string]any{"uid": edit.uid, "string": edit.text}}
	if edit.parent != "" {
		action, args = "data.block.create", map[string]any{"location": map[string]any{"parent-uid": edit.parent, "order": "last"}, "block": map[string]any{"uid": edit.uid, "string": edit.text}}
	}
	_, err := k.Send(k.t.Context(), action, args)
	require.NoError(k.t, err)
	return edit
}

// undoIsKilled undoes what the server wrote, and reports whether that was killed. Three times of
// four it is, if it writes as often as that.
func (k *undoKills) undoIsKilled(newest int64) bool {
	k.t.Helper()
	if !undoSettles {
		k.settle()
	}
	undo := exec.Command(programPath(k.t, "roam-mcp"), "undo", "--since", strconv.FormatInt(newest+1, 10), "--yes")
	undo.Env = append(environmentOf(k.home), "ROAM_MCP_CONFIG=")
	var said syncbuffer.Buffer
	undo.Stdout, undo.Stderr = &said, &said
	k.mu.Lock() // before it, no write of the process is seen
	require.NoError(k.t, undo.Start())
	doomed := k.writes + 1 + rand.IntN(6)
	reached := rand.IntN(2) == 0
	if rand.IntN(4) > 0 {
		k.atWrite = func(number int) faultproxy.Fault {
			if number < doomed {
				return faultproxy.Fault{}
			}
			_ = undo.Process.Kill()
			if !reached || number > doomed {
				return faultproxy.Fault{Kind: faultproxy.ResetBefore}
			}
			return faultproxy.Fault{}
		}
	}
	k.mu.Unlock()
	err := undo.Wait()
	k.said = fmt.Sprint(err, "\n", said.String())
	k.proxy.Close() // what it has sent is there
	k.listen()
	k.mu.Lock()
	k.atWrite = nil
	k.mu.Unlock()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.ExitCode() == -1:
		return true
	case errors.As(err, &exit) && exit.ExitCode() == 9:
		return false
	}
	k.t.Fatalf("round %d: %v\n%s", k.round, err, k.said)
	return false
}

// nothingIsTheAgents checks that nothing that the person wrote counts as written by somebody else.
func (k *undoKills) nothingIsTheAgents(newest int64, edit personEdit) {
	k.t.Helper()
	if edit.uid == "" {
		return
	}
	for _, record := range k.records(history.Filter{After: newest, Limit: 1000}) {
		for _, change := range record.Changes {
			if strings.Contains(string(change.After), edit.text) && !strings.Contains(string(change.Before), edit.text) && edit.parent == "" {
				k.t.Errorf("%d.%d (%s) is said to have left the person's text: %s", change.Call, change.Seq, record.Call.Tool, change.After)
			}
		}
	}
}
