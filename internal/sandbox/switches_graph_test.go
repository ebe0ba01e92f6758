package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/internal/testutil/require"
)

// query runs a query with inputs.
func (c *caller) query(query string, inputs ...any) (string, error) {
	reply, err := c.client.Call(c.t.Context(), c.graph, c.token, "data.q", append([]any{query}, inputs...)...)
	return string(reply.Result), err
}

// editTimes returns the times of all that has one, by uid.
func (c *caller) editTimes() map[string]int64 {
	c.t.Helper()
	found, err := c.query(`[:find ?u ?t :where [?e :edit/time ?t] [?e :block/uid ?u]]`)
	require.NoError(c.t, err)
	return byUID(c.t, found)
}

// ids returns the entity ids of pages and blocks, by uid.
func (c *caller) ids() map[string]int64 {
	c.t.Helper()
	found, err := c.query(`[:find ?u ?e :where [?e :block/uid ?u]]`)
	require.NoError(c.t, err)
	return byUID(c.t, found)
}

func byUID(t *testing.T, rows string) map[string]int64 {
	t.Helper()
	var pairs [][2]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(rows), &pairs))
	numbers := map[string]int64{}
	for _, pair := range pairs {
		var uid string
		var n int64
		require.NoError(t, errors.Join(json.Unmarshal(pair[0], &uid), json.Unmarshal(pair[1], &n)))
		numbers[uid] = n
	}
	return numbers
}

func TestSwitchNoMoveStamp(t *testing.T) {
	s := start(t, Options{Policy: desk.Allow})
	c := callerOf(t, s, small)
	moves := []struct{ action, argument string }{
		{"data.block.move", `{"block": {"uid": "blk-child"}, "location": {"parent-uid": "page-wate", "order": 0}}`},
		{"data.block.move", `{"block": {"uid": "blk-child"}, "location": {"parent-uid": "blk-flour", "order": 0}}`},
		{"data.block.reorderBlocks", `{"location": {"parent-uid": "page-brea"}, "blocks": ["blk-see-1", "blk-flour", "blk-priva"]}`},
		{"data.block.reorderBlocks", `{"location": {"parent-uid": "page-brea"}, "blocks": ["blk-flour", "blk-see-1", "blk-priva"]}`},
	}
	before, trees := c.editTimes(), map[string]bool{}
	for _, setting := range []string{"no-move-stamp", "no-move-stamp=off"} {
		turn(t, s, setting)
		for _, m := range moves {
			c.do(m.action, m.argument)
			trees[c.do("data.ai.getPage", `{"title": "Bread"}`)] = true
			if stamped := !maps.Equal(c.editTimes(), before); stamped != strings.HasSuffix(setting, "=off") {
				t.Errorf("%s: %s stamped: %v", setting, m.argument, stamped)
			}
		}
	}
	if len(trees) < 3 {
		t.Errorf("the page was %d ways", len(trees))
	}
	turn(t, s, "no-move-stamp")
	c.do("data.block.update", `{"block": {"uid": "blk-see-1", "string": "changed"}}`)
	if at := c.editTimes()["blk-see-1"]; at != clock().UnixMilli() {
		t.Errorf("a change of the text has the time %d", at)
	}
}

func TestSwitchNewIDs(t *testing.T) {
	home := t.TempDir()
	s := start(t, Options{Home: home, Policy: desk.Allow, SemanticSearch: true, Import: []Import{smallGraph}})
	c := callerOf(t, s, small)
	c.do("data.block.update", `{"block": {"uid": "blk-child", "open": true}}`) // which makes the author's page
	first := c.ids()
	differ := func(when string) {
		t.Helper()
		now := c.ids()
		if !slices.Equal(slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(first))) {
			t.Errorf("%s: other uids: %v, %v", when, now, first)
		}
		for uid, e := range now {
			if e == first[uid] {
				t.Errorf("%s: %s is %d still", when, uid, e)
			}
		}
	}
	turn(t, s, "new-ids")
	differ("when the switch is set")
	once := c.ids()
	c.do("data.block.update", `{"block": {"uid": "blk-child", "string": "a crusty child"}}`)
	c.do("data.block.move", `{"block": {"uid": "blk-see-1"}, "location": {"parent-uid": "page-wate", "order": 0}}`)
	c.do("data.undo", "")
	if !maps.Equal(c.ids(), once) {
		t.Error("the ids change by themselves")
	}
	for what, found := range map[string]string{
		"the index of texts": c.do("data.ai.search", `{"query": "crusty"}`),
		"meaning":            c.do("data.ai.semanticSearch", `{"query": "crusty"}`),
		"the page":           c.do("data.ai.getPage", `{"title": "Bread"}`),
	} {
		if !strings.Contains(found, "crusty") || !strings.Contains(found, "blk-child") {
			t.Errorf("%s: %s", what, found)
		}
	}
	page := c.do("data.ai.getPage", `{"title": "Bread"}`)
	stop(t, s)

	s = start(t, Options{Home: home, Policy: desk.Allow})
	c = callerOf(t, s, small)
	if got := c.do("data.ai.getPage", `{"title": "Bread"}`); got != page {
		t.Errorf("after a restart: %s, before: %s", got, page)
	}
	if now := c.ids(); !maps.Equal(now, first) {
		t.Errorf("after a restart without the switch: %v, at first: %v", now, first)
	}
	turn(t, s, "new-ids")
	differ("after a restart")
}

func TestAGraphInMemory(t *testing.T) {
	large := localapi.Graph{Name: "large", Type: localapi.Hosted}
	home := t.TempDir()
	shape := graphtest.Options{Blocks: 500}
	s := start(t, Options{Home: home, Policy: desk.Allow, Import: []Import{smallGraph}, InMemory: []InMemory{{large, graphtest.Datoms(shape)}}})
	c := callerOf(t, s, large)
	uid := graphtest.BlockUID(7)
	c.do("data.block.update", `{"block": {"uid": "`+uid+`", "string": "a crusty child"}}`)
	c.do("data.undo", "")
	first := c.ids()
	turn(t, s, "new-ids")
	if got := c.ids(); len(got) < 600 || len(got) != len(first) || got[uid] == first[uid] {
		t.Errorf("%d ids, %d before; %d was %d", len(got), len(first), got[uid], first[uid])
	}
	if got := c.do("data.ai.search", `{"query": "crusty"}`); !strings.Contains(got, uid) {
		t.Errorf("a search finds %s", got)
	}
	stop(t, s)
	if again := start(t, Options{Home: home, Policy: desk.Allow}); len(again.Graphs()) != 1 {
		t.Errorf("after a restart there are %v", again.Graphs())
	}
}

// While a slow query of a graph runs, no other call of that graph is answered.
func TestSwitchSlowQueries(t *testing.T) {
	large := localapi.Graph{Name: "large", Type: localapi.Hosted}
	s := start(t, Options{Policy: desk.Allow, New: []NewGraph{{Graph: large, Blocks: 2000}}})
	slow, other := callerOf(t, s, large), callerOf(t, s, small)
	turn(t, s, "slow-queries=1h") // more than a minute for this graph
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := slow.client.Call(ctx, large, slow.token, "data.q", "[:find ?e :where [?e :node/title]]")
		ended <- err
	}()
	held, err := s.graphs.find(large)
	require.NoError(t, err)
	await.Condition(t, "the query runs", func() bool {
		free := held.calls.TryAcquire(1)
		if free {
			held.calls.Release(1)
		}
		return !free
	})
	short, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if _, err := slow.client.Call(short, large, slow.token, "graph.name"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("another call of the graph: %v", err)
	}
	if got := other.do("graph.name", ""); got != `"small"` {
		t.Errorf("a call of another graph: %s", got)
	}
	cancel()
	if err := await.Value(t, "the query ends", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("the query: %v", err)
	}
	if got := slow.do("graph.name", ""); got != `"large"` {
		t.Errorf("after the query: %s", got)
	}
}
