package undotest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
)

// personSequences is how many sequences a person writes into in every run.
const personSequences = 12

// TestUndoKeepsWhatAPersonWrote undoes random sequences of writes into which a person writes,
// nine times of ten at what was just touched: no text of the person is lost, and nothing is
// changed where the undo says that it is left.
func TestUndoKeepsWhatAPersonWrote(t *testing.T) {
	count := sequences(personSequences)
	wrote, left, undone := 0, 0, 0
	for i := range count {
		plan := planOf(*undoSeed+uint64(i), rebuildWrites)
		plan.steps, plan.concurrent = false, false
		run := func(t *testing.T, plan rebuildPlan) (problems, calls []string) {
			problems, p := personRun(t, plan)
			wrote, left, undone = wrote+len(p.texts), left+p.left, undone+p.undone
			return problems, p.world.calls
		}
		problems, calls := run(t, plan)
		if len(problems) > 0 {
			plan, problems, calls = shrunkBy(t, run, plan, problems, calls)
			t.Errorf("seed %d: after\n  %s\n%s", plan.seed, strings.Join(calls, "\n  "), strings.Join(problems, "\n"))
		}
	}
	if count >= personSequences && (wrote < count/2 || undone < count/2) {
		t.Errorf("%d texts of the person and %d changes that were undone are too few", wrote, undone)
	}
	t.Logf("%d texts of the person, %d changes undone, %d things left", wrote, undone, left)
}

// person writes to a graph past the servers.
type person struct {
	*rand.Rand
	world *rebuildWorld
	texts map[string]string // uids of the blocks and pages that have them
	uids  []string          // of the newest call of an agent

	left, undone int
}

// edit does something to what an agent has just touched, or to something else.
func (p *person) edit() {
	p.world.advance()
	c := p.world.choice(p.Uint64())
	uid := ""
	if len(p.uids) > 0 && p.IntN(10) > 0 {
		uid = p.uids[p.IntN(len(p.uids))]
	} else if len(c.blocks) > 0 {
		uid = c.blocks[p.IntN(len(c.blocks))].uid
	}
	text := fmt.Sprintf("mine%d", len(p.texts))
	switch p.IntN(4) {
	case 0:
		text += " ((" + uid + "))"
	case 1:
		if len(c.pages) > 0 {
			text += " [[" + c.pages[p.IntN(len(c.pages))].text + "]]"
		}
	}
	var err error
	switch p.IntN(8) {
	case 0, 1, 2:
		_, err = p.world.ask(p.world.ctx, "data.block.update", fields{"block": fields{"uid": uid, "string": text}})
	case 3, 4, 5:
		parent := uid
		uid = fmt.Sprintf("person%03d", len(p.texts))
		_, err = p.world.ask(p.world.ctx, "data.block.create", fields{"location": fields{"parent-uid": parent, "order": "last"}, "block": fields{"string": text, "uid": uid}})
	case 6:
		text = strings.Fields(text)[0]
		_, err = p.world.ask(p.world.ctx, "data.page.update", fields{"page": fields{"uid": uid, "title": text}})
	case 7:
		if len(c.blocks) > 0 {
			_, _ = p.world.ask(p.world.ctx, "data.block.move", fields{"block": fields{"uid": uid}, "location": fields{"parent-uid": c.blocks[p.IntN(len(c.blocks))].uid, "order": 0}})
		}
		return
	}
	if err == nil {
		p.texts[strings.Fields(text)[0]] = uid
		p.world.calls = append(p.world.calls, fmt.Sprintf("the person writes %q at %s", text, uid))
	}
}

// sees notes what the newest call has touched.
func (p *person) sees() {
	calls := p.world.recorded()
	if len(calls) == 0 {
		return
	}
	record, _, err := p.world.reader.Record(p.world.ctx, calls[0])
	require.NoError(p.world.t, err)
	p.uids = nil
	for _, c := range record.Changes {
		for _, touch := range c.Touches {
			p.uids = append(p.uids, touch.UID)
		}
	}
}

// there returns which of the person's texts are in a graph, where they were written.
func (p *person) there(g rebuild.Graph) map[string]bool {
	there := map[string]bool{}
	for text, uid := range p.texts {
		if n := g.Nodes[uid]; n != nil && strings.Contains(n.Attrs[":block/string"]+n.Attrs[":node/title"]+" ", text) {
			there[text] = true
		}
	}
	return there
}

func personRun(t *testing.T, plan rebuildPlan) (problems []string, p *person) {
	t.Helper()
	w := newRebuildWorld(t, plan)
	defer w.close()
	p = &person{Rand: rand.New(rand.NewPCG(plan.seed, 27)), world: w, texts: map[string]string{}}
	for _, op := range plan.ops {
		w.do(op)
		p.sees()
		if p.IntN(2) == 0 {
			p.edit()
		}
	}
	w.closeServers()
	before := w.undoable()
	made := w.recorded()
	if len(made) == 0 {
		return nil, p
	}
	result := w.undo(made, "undo")
	p.left, p.undone = len(result.Left), result.Changes
	after := w.undoable()
	there := p.there(after)
	for text := range p.there(before) {
		if !there[text] {
			problems = append(problems, fmt.Sprintf("the person's text %s is lost", text))
		}
	}
	again := w.undo(made, "undo")
	if again.Steps > 0 {
		problems = append(problems, fmt.Sprintf("a second undo has %d steps", again.Steps))
	}
	for _, line := range rebuild.Differences(w.undoable(), after) {
		problems = append(problems, "after a second undo: "+line)
	}
	return problems, p
}

// TestUndoPutsBlocksBesideTheirNeighbours undoes changes of a list into which a person has written
// since.
func TestUndoPutsBlocksBesideTheirNeighbours(t *testing.T) {
	for name, call := range map[string]step{
		"a deletion": {"delete_block", fields{"uid": "list00002"}},
		"a move":     {"move_block", fields{"uid": "list00002", "parentUid": "beta00001", "order": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
			defer w.close()
			w.must("data.page.create", fields{"page": fields{"title": "List", "uid": "list00000"}})
			create := func(uid string, order any) {
				w.must("data.block.create", fields{"location": fields{"parent-uid": "list00000", "order": order}, "block": fields{"uid": uid, "string": uid}})
			}
			for _, uid := range []string{"list00001", "list00002", "list00003"} {
				create(uid, "last")
			}
			w.advance()
			result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: call.name, Arguments: call.args})
			require.NoError(t, err)
			if result.IsError {
				t.Fatal(result.Content[0])
			}
			create("mine00001", 0)
			create("mine00002", 0)
			w.closeServers()
			if undone := w.undo(w.recorded(), "undo"); len(undone.Left) > 0 {
				t.Errorf("it leaves %+v", undone.Left)
			}
			g, err := rebuild.Read(w.ctx, w.ask)
			require.NoError(t, err)
			if got := strings.Join(g.Nodes["list00000"].Children, " "); got != "mine00002 mine00001 list00001 list00002 list00003" {
				t.Errorf("the list is %s", got)
			}
		})
	}
}

// meddled is a way to the graph on which a person writes right before a call of Roam.
type meddled struct {
	worldCaller
	calls *atomic.Int64
	at    int64
	write func()
}

// Send implements ops.Caller.
func (m meddled) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	if m.calls.Add(1) == m.at {
		m.write()
	}
	return m.worldCaller.Send(ctx, action, args...)
}

// Look implements ops.Caller.
func (m meddled) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return m.Send(ctx, action, args...)
}

// TestUndoMeetsAPerson has a person write after a step was planned, and before it is looked at for
// the last time.
func TestUndoMeetsAPerson(t *testing.T) {
	update := func(uid string) step {
		return step{"data.block.update", fields{"block": fields{"uid": uid, "string": "mine"}}}
	}
	for name, tc := range map[string]struct {
		agent  step
		person func(made string) step
	}{
		"a text is edited":       {step{"update_block", fields{"uid": "refs00001", "string": "the agent's"}}, func(string) step { return update("refs00001") }},
		"a made block is edited": {step{"create_block", fields{"parentUid": "alpha0001", "markdown": "- made"}}, update},
		"a block comes below another": {step{"create_block", fields{"parentUid": "alpha0001", "markdown": "- made"}}, func(made string) step {
			return step{"data.block.create", fields{"location": fields{"parent-uid": made, "order": 0}, "block": fields{"string": "mine"}}}
		}},
		"a page is renamed": {step{"update_page", fields{"uid": "alpha0001", "title": "the agent's"}}, func(string) step {
			return step{"data.page.update", fields{"page": fields{"uid": "alpha0001", "title": "mine"}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
			defer w.close()
			result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: tc.agent.name, Arguments: tc.agent.args})
			require.NoError(t, err)
			if result.IsError {
				t.Fatal(result.Content[0])
			}
			w.closeServers()
			record, _, err := w.reader.Record(w.ctx, w.recorded()[0])
			require.NoError(t, err)
			made := ""
			for _, touch := range record.Changes[0].Touches {
				if touch.Role == fact.RoleMade {
					made = touch.UID
				}
			}
			var calls atomic.Int64
			looks := int64(2) // calls of Roam: what is planned from, and the look right before the write
			if tc.agent.name == "update_page" {
				looks = 3 // who has the title
			}
			person := tc.person(made)
			undone, err := w.undoBy(meddled{worldCaller{world: w}, &calls, looks, func() { w.must(person.name, person.args) }}, w.recorded(), "undo")
			require.NoError(t, err)
			if len(undone.Left) == 0 {
				t.Error("it leaves nothing")
			}
			for _, left := range undone.Left { // of a page also what mentions it
				if left.Why != undo.Changed {
					t.Errorf("it leaves %+v", left)
				}
			}
			g, err := rebuild.Read(w.ctx, w.ask)
			require.NoError(t, err)
			if !strings.Contains(fmt.Sprint(texts(g)), "mine") {
				t.Errorf("what the person wrote is not among %v", texts(g))
			}
		})
	}
}

// texts returns the texts and titles of a graph.
func texts(g rebuild.Graph) (all []string) {
	for _, n := range g.Nodes {
		all = append(all, n.Attrs[":block/string"]+n.Attrs[":node/title"])
	}
	return all
}

// TestUndoOverAPersonsWord undoes what a person has changed since, where they say so.
func TestUndoOverAPersonsWord(t *testing.T) {
	const made = `[:find ?u :where [?b :block/string "made"] [?b :block/uid ?u]]`
	for name, tc := range map[string]struct {
		call   step
		person step // the uid "" is that of the block that was made
		field  fact.Field
	}{
		"a text":      {step{"update_block", fields{"uid": "look00001", "string": "the agent's"}}, step{"data.block.update", fields{"block": fields{"uid": "look00001", "string": "mine"}}}, fact.Text},
		"a place":     {step{"move_block", fields{"uid": "refs00001", "parentUid": "alpha0001", "order": 0}}, step{"data.block.move", fields{"block": fields{"uid": "refs00001"}, "location": fields{"parent-uid": "bofa00001", "order": 0}}}, fact.Place},
		"a new block": {step{"create_block", fields{"parentUid": "alpha0001", "markdown": "- made"}}, step{"data.block.update", fields{"block": fields{"uid": "", "string": "mine"}}}, fact.Text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newRebuildWorld(t, rebuildPlan{profiles: []string{"roam"}, agents: []int{0}})
			defer w.close()
			before := w.undoable()
			w.advance()
			result, err := w.agents[0].CallTool(w.ctx, &mcp.CallToolParams{Name: tc.call.name, Arguments: tc.call.args})
			require.NoError(t, err)
			if result.IsError {
				t.Fatal(result.Content[0])
			}
			w.closeServers()
			w.advance()
			block := tc.person.args["block"].(fields)
			if block["uid"] == "" {
				var rows [][1]string
				require.NoError(t, json.Unmarshal(w.must("q", made), &rows))
				block["uid"] = rows[0][0]
			}
			w.must(tc.person.name, tc.person.args)
			left := w.planUndo(w.recorded()).Left
			if len(left) != 1 || !left[0].Overwritable() || left[0].UID != block["uid"] || left[0].Field != tc.field {
				t.Fatalf("it leaves %+v", left)
			}
			over := map[undo.Overwritten]bool{{UID: left[0].UID, Field: left[0].Field}: true}
			undone, err := w.undoOver(worldCaller{world: w}, w.recorded(), "undo", over)
			require.NoError(t, err)
			holds(t, "undo", undone.Left, w.undoable(), before)
		})
	}
}
