//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/race"
)

// A note of many blocks is restored, and in further rounds the server is killed or the call
// canceled at any of its requests, with a Roam that takes 5 ms for each. Then the same call
// goes on: the note is what it was, with no block twice and none lost. -tags campaign has
// 5,000 blocks and 50 rounds.
func TestARestoreOfManyBlocksThatIsKilledOrCanceledGoesOn(t *testing.T) {
	t.Parallel()
	k := &restoreKills{sharedGraph: newShared(t, nested(restoredBlocks))}
	k.box.Switches().Apply(sandbox.Setting{Name: "latency", Value: "5ms"})
	k.unchecked = true
	k.want = k.tree()
	k.next()
	k.get("Note")
	k.version = k.versions()[0]
	k.must("delete_note", map[string]any{"path": "Note"})
	from, began := k.writes, time.Now()
	k.must("restore_note_version", k.restores())
	requests := k.writes - from
	t.Logf("%d blocks were restored in %v, with %d requests that write", restoredBlocks, time.Since(began).Round(time.Millisecond), requests)
	k.check("after a restore that nobody stopped")
	if most := restoredBlocks/25 + 2; requests > most {
		t.Errorf("it took %d requests that write, more than %d", requests, most)
	}
	rounds := restoreKillRounds
	if race.Enabled {
		rounds = 1
	}
	for round := range rounds {
		k.must("delete_note", map[string]any{"path": "Note"})
		at := 1 + rand.IntN(requests)
		what := fmt.Sprintf("round %d, stopped at request %d of %d", round, at, requests)
		switch moment := killMoment(round % numberOfMoments); moment {
		case atAnyTime:
			k.cancelAt(k.writes + at)
		case beforeItIsSent, afterItIsSent:
			k.killAt(k.writes+at, moment)
			k.next()
		}
		k.must("restore_note_version", k.restores())
		k.check(what)
	}
}

// nested returns the page Note with n blocks, each tenth of them above nine others.
func nested(n int) map[string]any {
	var top []map[string]any
	for i := range n {
		block := map[string]any{"uid": fmt.Sprintf("note%05d", i), "string": fmt.Sprintf("line %d of the note", i)}
		if i%10 == 0 {
			top = append(top, block)
			continue
		}
		above := top[len(top)-1]
		below, _ := above["children"].([]map[string]any)
		above["children"] = append(below, block)
	}
	return map[string]any{"title": "Note", "uid": "notepage1", "children": top}
}

// cancelAt restores the note and cancels the call at a request that writes, counted from the
// start of the test.
func (k *restoreKills) cancelAt(number int) {
	k.t.Helper()
	reached := make(chan struct{})
	k.mu.Lock()
	k.atWrite = func(n int) faultproxy.Fault {
		if n == number {
			close(reached)
		}
		return faultproxy.Fault{}
	}
	k.mu.Unlock()
	k.server.call("restore_note_version", k.restores())
	await.Value(k.t, "the request at which the call is canceled", reached)
	k.server.cancel()
	k.mu.Lock()
	k.atWrite = nil
	k.mu.Unlock()
}

// cancel cancels the last request.
func (p *agentServer) cancel() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = fmt.Fprintf(p.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", p.number)
}
