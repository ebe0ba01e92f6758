//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
)

// serversTogether returns how many servers share a journal.
func serversTogether() int {
	if race.Enabled { // each takes a second to start
		return 4
	}
	return 8
}

// Servers write to one graph with one journal, to blocks of their own and to one
// that all of them change, while two programs watch the journal. Every write of the graph
// is in the journal once, the journal calls nothing done that is not, and each record of
// the common block begins where the one before ended. What can't be had is refused so that
// the agent can send it again. -tags campaign makes more writes.
func TestServersShareAJournal(t *testing.T) {
	shared := [2]string{"common001", "at first"}
	blocks := [][2]string{shared}
	for server := range serversTogether() {
		blocks = append(blocks, [2]string{ownBlock(server), "at first"})
		for n := range writesTogether {
			blocks = append(blocks, [2]string{doomedBlock(server, n), "to be deleted"})
		}
	}
	s := newShared(t, onPage("Shared", "shared001", blocks...))
	ctx, stop := context.WithCancel(t.Context())
	var viewers, servers sync.WaitGroup
	var seen [2]atomic.Int64
	for viewer := range seen {
		viewers.Go(func() { s.watch(ctx, &seen[viewer]) })
	}
	agents := make([]*togetherAgent, serversTogether())
	for i := range agents {
		agents[i] = &togetherAgent{shared: s, number: i, server: s.serve(fmt.Sprintf("agent-%d", i)), done: map[string]string{}}
	}
	for _, agent := range agents {
		servers.Go(agent.run)
	}
	servers.Wait()
	for _, agent := range agents {
		agent.server.close()
	}
	s.everyWriteWasRecorded()
	records := s.allRecords()
	s.checkTogether(agents, records)
	s.checkCommon(records, shared)
	await.Condition(t, "the watchers to see all calls", func() bool {
		return seen[0].Load() == int64(len(records)) && seen[1].Load() == int64(len(records))
	})
	stop()
	viewers.Wait()
	again := 0
	for _, agent := range agents {
		again += agent.again
	}
	t.Logf("%d servers wrote %d times; %d calls were sent again", serversTogether(), s.writes, again)
}

func ownBlock(server int) string       { return fmt.Sprintf("own%06d", server) }
func doomedBlock(server, n int) string { return fmt.Sprintf("d%03dn%04d", server, n) }
func togetherKey(server, n int) string { return fmt.Sprintf("by %d, the write %d.", server, n) }

// togetherAgent makes one write after the other, and sends again what it may.
type togetherAgent struct {
	shared *sharedGraph
	number int
	server *agentServer
	done   map[string]string // tools by the keys of writes that it was told are done
	own    string            // text of its own block
	again  int
}

func (a *togetherAgent) run() {
	t := a.shared.t
	for n := range writesTogether {
		key := togetherKey(a.number, n)
		tool, args := a.write(n, key)
		end := time.Now().Add(patience)
		for {
			answer := <-a.server.call(tool, args)
			if answer.ok {
				break
			}
			var failed struct {
				Error struct {
					Code      string `json:"code"`
					Retryable bool   `json:"retryable"`
				} `json:"error"`
			}
			// What a refusal tells counts as shown, so that the same call can be made again.
			again := json.Unmarshal([]byte(answer.text), &failed) == nil && (failed.Error.Retryable || failed.Error.Code == "CHANGED_SINCE_READ")
			if !again || time.Now().After(end) {
				t.Errorf("agent %d can't %s: %s", a.number, tool, answer.text)
				return
			}
			a.again++
		}
		if tool == "delete_block" {
			key = doomedBlock(a.number, n)
		}
		a.done[key] = tool
	}
}

// write returns one of several kinds of writes, whose text is its key.
func (a *togetherAgent) write(n int, key string) (tool string, args map[string]any) {
	change := func(uid string) map[string]any { return map[string]any{"uid": uid, "string": key} }
	switch kind := rand.IntN(5); {
	case n == 0 || kind == 0:
		return "update_block", change("common001")
	case kind == 1:
		a.own = key
		return "update_block", change(ownBlock(a.number))
	case kind == 2:
		a.own = key
		return "update_blocks", map[string]any{"updates": []any{change("common001"), change(ownBlock(a.number))}}
	case kind == 3:
		return "delete_block", map[string]any{"uid": doomedBlock(a.number, n)}
	}
	return "create_block", map[string]any{"parentUid": "shared001", "markdown": key}
}

// watch reads what is new in the journal whenever it has changed, and counts the calls.
func (s *sharedGraph) watch(ctx context.Context, seen *atomic.Int64) {
	journal := s.reads(history.KindSetup)
	filter := history.Filter{OldestFirst: true, Limit: 1000}
	for range journal.Watch(ctx) {
		page, err := journal.Calls(context.WithoutCancel(ctx), filter)
		if err != nil {
			s.t.Errorf("a watcher can't read: %v", err)
			return
		}
		for _, call := range page.Calls {
			if call.ID <= filter.After {
				s.t.Errorf("call %d comes after %d", call.ID, filter.After)
			}
			filter.After = call.ID
		}
		seen.Add(int64(len(page.Calls)))
	}
}

// allRecords returns all calls, oldest first.
func (s *sharedGraph) allRecords() []history.Record {
	return s.records(history.Filter{OldestFirst: true, Limit: 100_000})
}

// checkTogether compares the journal with the graph, and with what the agents were told.
func (s *sharedGraph) checkTogether(agents []*togetherAgent, records []history.Record) {
	now, changes, refused, doneOf := s.graph("shared001"), 0, 0, map[string]int{}
	told := map[string]string{}
	for _, agent := range agents {
		maps.Copy(told, agent.done)
		if own := now.texts[ownBlock(agent.number)]; agent.own != "" && own != agent.own {
			s.t.Errorf("the block of agent %d is %q, want %q", agent.number, own, agent.own)
		}
	}
	for _, record := range records {
		for _, change := range record.Changes {
			changes++
			if change.State == history.StateRefused && change.Code == string(localapi.CodeRateLimited) { // so the agent has sent it again
				refused++
				continue
			}
			if change.State != history.StateDone {
				s.t.Errorf("%s of call %d is %s: %s %s", change.Action, record.Call.ID, change.State, change.Code, change.Evidence)
			}
			for key := range told {
				if strings.Contains(string(change.Request), key) {
					doneOf[key]++
				}
			}
		}
	}
	for key, tool := range told {
		if doneOf[key] != 1 {
			s.t.Errorf("%s %q is %d times in the journal", tool, key, doneOf[key])
		}
		if _, there := now.texts[key]; tool == "delete_block" && there || tool == "create_block" && now.numberOf(key) != 1 {
			s.t.Errorf("%s %q was not done", tool, key)
		}
	}
	if s.writes != changes || changes != len(told)+refused {
		s.t.Errorf("%d writes were sent, %d are recorded, %d of them as refused; %d were told to be done", s.writes, changes, refused, len(told))
	}
}

// checkCommon checks that each change of the common block begins with what the one before
// has left.
func (s *sharedGraph) checkCommon(records []history.Record, common [2]string) {
	var changes []history.ChangeRecord
	for _, record := range records {
		for _, change := range record.Changes {
			changed := slices.ContainsFunc(change.Touches, func(touch fact.Touch) bool { return touch.UID == common[0] && touch.Role == fact.RoleTarget })
			if changed && change.State == history.StateDone {
				changes = append(changes, change)
			}
		}
	}
	slices.SortFunc(changes, func(a, b history.ChangeRecord) int { return int(a.ID - b.ID) })
	was := common[1]
	for _, change := range changes {
		before, err := fact.Parse(change.Before)
		require.NoError(s.t, err)
		after, err := fact.Parse(change.After)
		require.NoError(s.t, err)
		if got := before.Things[common[0]].Text; got != was {
			s.t.Errorf("before change %d.%d it is %q, want %q", change.Call, change.Seq, got, was)
		}
		if after.Things[common[0]].Text == was {
			s.t.Errorf("change %d.%d left it as it was", change.Call, change.Seq)
		}
		was = after.Things[common[0]].Text
	}
	if now := s.graph("shared001").texts[common[0]]; now != was {
		s.t.Errorf("it is %q, and was left as %q", now, was)
	}
}
