//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/require"
)

// The server is killed while it writes: at any time, between the record of a write and
// its request, and between the request and the record of its outcome. Another program
// finds out what became of what was open. No write is in the graph without its intent,
// and none is called done or not done that is not. -tags campaign makes more rounds.
func TestKillingServersLeavesAJournalThatIsRight(t *testing.T) {
	k := &serverKills{states: map[history.State]int{}}
	var pages []map[string]any
	for k.round = range serverKillRounds {
		pages = append(pages, k.pages()...)
	}
	k.sharedGraph = newShared(t, pages...)
	for k.round = range serverKillRounds {
		k.run(killMoment(k.round % numberOfMoments))
		if t.Failed() {
			t.Fatalf("after round %d, killed %s", k.round, killMoment(k.round%numberOfMoments))
		}
	}
	t.Logf("%d kills, %d writes, %d reached Roam, %d were open; states %v", serverKillRounds, k.tried, k.writes, k.open, k.states)
}

// killMoment is when a server is killed.
type killMoment int

const (
	atAnyTime killMoment = iota
	beforeItIsSent
	afterItIsSent
	numberOfMoments = 3
)

func (m killMoment) String() string {
	return []string{"at any time", "before a write is sent", "after a write was sent"}[m]
}

// serverKills are rounds of a server that is killed.
type serverKills struct {
	*sharedGraph
	round       int
	last        int64 // number of the newest call of earlier rounds
	tried, open int
	states      map[history.State]int // of the changes, once settled
}

// triedWrite is a write that is asked for.
type triedWrite struct {
	tool    string
	args    map[string]any
	key     string // is in the request of no other write
	applied func(graphNow) bool
	answer  <-chan toolAnswer
}

// name returns a uid or text of this round, of 9 characters.
func (k *serverKills) name(letter string) string { return fmt.Sprintf("%s%08d", letter, k.round) }

// pages returns what the writes of the round are made to.
func (k *serverKills) pages() []map[string]any {
	return []map[string]any{
		onPage("Round "+k.name("p"), k.name("p"), [2]string{k.name("u"), "old"}, [2]string{k.name("d"), "to be deleted"},
			[2]string{k.name("m"), "to be moved ((" + k.name("d") + "))"}, [2]string{k.name("b"), "old"}, [2]string{k.name("c"), "old"}),
		onPage("Other "+k.name("o"), k.name("o"), [2]string{k.name("x"), "stays"}),
	}
}

// writesOfRound returns the writes of the round, in any order.
func (k *serverKills) writesOfRound() []triedWrite {
	page, other, u, d, m, b, c := k.name("p"), k.name("o"), k.name("u"), k.name("d"), k.name("m"), k.name("b"), k.name("c")
	text := func(uid, want string) func(graphNow) bool {
		return func(g graphNow) bool { return g.texts[uid] == want }
	}
	made := "made in " + k.name("n")
	writes := []triedWrite{
		{tool: "create_block", args: map[string]any{"parentUid": page, "markdown": "- " + made}, key: made, applied: func(g graphNow) bool { return g.numberOf(made) == 1 }},
		{tool: "update_block", args: map[string]any{"uid": u, "string": "new"}, key: u, applied: text(u, "new")},
		{tool: "delete_block", args: map[string]any{"uid": d}, key: d, applied: func(g graphNow) bool { _, there := g.texts[d]; return !there }},
		{tool: "move_block", args: map[string]any{"uid": m, "parentUid": other, "order": "first"}, key: m, applied: func(g graphNow) bool { return g.parents[m] == other }},
		{tool: "update_blocks", args: map[string]any{"updates": []any{map[string]any{"uid": b, "string": "new"}, map[string]any{"uid": c, "heading": 2}}}, key: b, applied: text(b, "new")},
		{tool: "update_page", args: map[string]any{"uid": other, "title": "Renamed " + k.name("t")}, key: k.name("t"), applied: func(g graphNow) bool { return g.titles[other] == "Renamed "+k.name("t") }},
	}
	rand.Shuffle(len(writes), func(i, j int) { writes[i], writes[j] = writes[j], writes[i] })
	return writes
}

func (k *serverKills) run(moment killMoment) {
	writes := k.write(moment)
	k.everyWriteWasRecorded()
	k.settle()
	k.check(writes)
}

// write has a server make the writes of the round, which is killed while it does.
func (k *serverKills) write(moment killMoment) []triedWrite {
	k.t.Helper()
	writes := k.writesOfRound()
	server := k.serve("killed")
	died := make(chan struct{})
	k.mu.Lock()
	from, doomed := k.writes, 1+rand.IntN(len(writes))
	if moment != atAnyTime {
		k.atWrite = func(number int) faultproxy.Fault {
			if number != from+doomed {
				return faultproxy.Fault{}
			}
			server.kill()
			close(died)
			if moment == beforeItIsSent {
				return faultproxy.Fault{Kind: faultproxy.ResetBefore}
			}
			return faultproxy.Fault{}
		}
	}
	k.mu.Unlock()
	oneByOne := rand.IntN(2) == 0
	for i := range writes {
		writes[i].answer = server.call(writes[i].tool, writes[i].args)
		if oneByOne && moment != atAnyTime {
			answer := await.Value(k.t, "an answer", writes[i].answer)
			again := make(chan toolAnswer, 1)
			again <- answer
			writes[i].answer = again
		}
	}
	if moment == atAnyTime {
		time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond) // the moment of death, not a wait for something
		server.kill()
	} else {
		await.Value(k.t, "the death of the server", died)
	}
	k.proxy.Close() // what the dead server has sent, and nobody has read, is gone
	k.listen()
	k.mu.Lock()
	k.atWrite = nil
	k.mu.Unlock()
	return writes
}

// settle finds out what became of what is open: another server does in every eighth
// round, and another program in the others, which believes that some time has passed.
func (k *serverKills) settle() {
	k.t.Helper()
	abandoned := func() int {
		list, err := k.journal.Abandoned(k.t.Context(), nil)
		require.NoError(k.t, err)
		return len(list)
	}
	k.open += abandoned()
	if k.round%8 == 5 {
		next := k.serve("next")
		if answer := await.Value(k.t, "an answer", next.call("update_block", map[string]any{"uid": k.name("x"), "string": "the next server"})); !answer.ok {
			k.t.Errorf("the next server can't write: %s", answer.text)
		}
		await.Condition(k.t, "the next server to settle what is open", func() bool { return abandoned() == 0 })
		next.close()
		return
	}
	later := recording.New(recording.Options{Journal: k.reads(history.KindCLI), Now: func() time.Time { return time.Now().Add(time.Minute) }})
	require.NoError(k.t, later.Settle(k.t.Context(), servedGraph, k))
	require.NoError(k.t, later.Close(k.t.Context()))
}

// check compares the journal with the graph.
func (k *serverKills) check(writes []triedWrite) {
	k.t.Helper()
	now := k.graph(k.name("p"), k.name("o"))
	records := k.records(history.Filter{After: k.last, Limit: 100})
	if len(records) > 0 {
		k.last = records[0].Call.ID
	}
	for _, w := range writes {
		k.tried++
		var states []history.State
		for _, record := range records {
			for _, change := range record.Changes {
				if record.Call.Tool == w.tool && strings.Contains(string(change.Request), w.key) {
					states = append(states, change.State)
					k.states[change.State]++
				}
			}
		}
		applied := w.applied(now)
		said := func(problem string) {
			k.t.Helper()
			k.t.Errorf("round %d, %s: %s; in the graph %v, states %v", k.round, w.tool, problem, applied, states)
		}
		answer := <-w.answer
		switch {
		case len(states) > 1:
			said("it is recorded more than once")
		case applied && len(states) == 0:
			said("it is in the graph and has no intent")
		case slices.Contains(states, history.StateOpen):
			said("it is still open")
		case slices.Contains(states, history.StateDone) && !applied:
			said("it is called done")
		case (slices.Contains(states, history.StateNotDone) || slices.Contains(states, history.StateRefused)) && applied:
			said("it is called not done")
		case answer.ok && !slices.Contains(states, history.StateDone):
			said("the agent was told that it is done: " + answer.text)
		case !answer.ok && answer.text != "" && !strings.Contains(answer.text, string(localapi.CodeRateLimited)):
			said("it failed before the server was killed: " + answer.text)
		}
	}
}
