package undotest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui/historyview"
)

// modelBlock is a block as the model has it.
type modelBlock struct {
	text    string
	heading int
	parent  string
}

// modelChange is what one call of an agent has done. Of what was removed left has nothing, and
// was nothing of what was made.
type modelChange struct {
	call      int64
	agent     int
	was, left map[string]modelBlock
	order     []string // uids, parents first
	undone    bool
}

// undoModel is a graph and who has changed it. Its rules are those of JOURNAL.md, Undo,
// written apart from the program: for texts, headings, creations and deletions of blocks that
// nothing refers to.
type undoModel struct {
	blocks  map[string]modelBlock // pages are not among them, and are always there
	changes []*modelChange        // the oldest first
}

func isModelPage(uid string) bool { return strings.HasPrefix(uid, "page") }

func (m *undoModel) there(uid string) bool {
	_, ok := m.blocks[uid]
	return ok || isModelPage(uid)
}

func (m *undoModel) below(uid string) (uids []string) {
	for each, b := range m.blocks {
		if b.parent == uid {
			uids = append(uids, each)
			uids = append(uids, m.below(each)...)
		}
	}
	return uids
}

// undo takes changes back that were not taken back yet, the newest first. It returns what stays as
// it is: the number of the call, and the uid.
func (m *undoModel) undo(meant func(*modelChange) bool) (left []string) {
	for _, c := range slices.Backward(m.changes) {
		if c.undone || !meant(c) {
			continue
		}
		c.undone = true
		stays := func(uid string) { left = append(left, fmt.Sprintf("%d %s", c.call, uid)) }
		for _, uid := range slices.Backward(c.order) { // what was made, from below
			made, isMade := c.left[uid]
			_, had := c.was[uid]
			now, there := m.blocks[uid]
			if !isMade || had || !there {
				continue
			}
			if now.text != made.text || now.heading != made.heading || len(m.below(uid)) > 0 {
				stays(uid)
				continue
			}
			delete(m.blocks, uid)
		}
		for _, uid := range c.order {
			was, had := c.was[uid]
			after, has := c.left[uid]
			now, there := m.blocks[uid]
			switch {
			case !had:
			case !has && there: // it is back, as it was or otherwise
				if now.text != was.text {
					stays(uid)
				}
			case !has && !m.there(was.parent):
				stays(uid)
			case !has:
				m.blocks[uid] = was
			case !there:
				stays(uid)
			default:
				if now.text != was.text && now.text != after.text && was.text != after.text {
					stays(uid)
				} else if was.text != after.text {
					now.text = was.text
				}
				if now.heading != was.heading && now.heading != after.heading && was.heading != after.heading {
					stays(uid)
				} else if was.heading != after.heading {
					now.heading = was.heading
				}
				m.blocks[uid] = now
			}
		}
	}
	return left
}

// modelRun is a world, the model of it, and what is done to both.
type modelRun struct {
	*rand.Rand
	*rebuildWorld
	model undoModel
	view  *historyview.View
	n     int
}

// TestUndoIsWhatTheModelSays has agents and a person write to a few pages, and undoes what the
// agents did by agent, session, span and number, in any order: the graph is what the model says,
// and so is what is left.
func TestUndoIsWhatTheModelSays(t *testing.T) {
	count := sequences(6)
	left, undos := 0, 0
	for i := range count {
		t.Run(strconv.FormatUint(*undoSeed+uint64(i), 10), func(t *testing.T) {
			r := newModelRun(t, *undoSeed+uint64(i))
			defer r.close()
			for range 12 + r.IntN(20) {
				r.step()
			}
			r.closeServers()
			r.view = historyview.New(historyview.Options{Journal: r.journal(), Store: r.store, Roam: r.roamClient()})
			defer r.view.Close()
			for range 8 {
				left += r.undoSome()
				undos++
			}
			left += r.take("all of it", historyview.Undo{Query: historyview.Query{Since: "1"}}, func(*modelChange) bool { return true })
		})
	}
	if left == 0 && count > 1 {
		t.Errorf("of %d undos none leaves anything", undos)
	}
	t.Logf("%d undos, %d things left", undos, left)
}

func newModelRun(t *testing.T, seed uint64) *modelRun {
	t.Helper()
	plan := rebuildPlan{profiles: []string{"roam", "roam"}, agents: []int{0, 0, 1}}
	r := &modelRun{Rand: rand.New(rand.NewPCG(seed, 29)), rebuildWorld: newRebuildWorld(t, plan), model: undoModel{blocks: map[string]modelBlock{}}}
	for i := range 2 {
		page := fmt.Sprintf("page%05d", i)
		r.must("data.page.create", fields{"page": fields{"title": "Model " + strconv.Itoa(i), "uid": page}})
		for range 4 {
			r.create(page)
		}
	}
	return r
}

// create makes a block as a person does, and returns its uid.
func (r *modelRun) create(parent string) string {
	r.n++
	uid := fmt.Sprintf("block%04d", r.n)
	r.must("data.block.create", fields{"location": fields{"parent-uid": parent, "order": "last"}, "block": fields{"uid": uid, "string": r.text()}})
	r.model.blocks[uid] = modelBlock{text: r.last(), parent: parent}
	return uid
}

func (r *modelRun) text() string { r.n++; return r.last() }
func (r *modelRun) last() string { return fmt.Sprintf("text %d", r.n) }

// any returns the uid of a block, most likely of one that was made or changed lately; "": there
// is none.
func (r *modelRun) any() string {
	if n := len(r.model.changes); n > 0 && r.IntN(3) > 0 {
		c := r.model.changes[n-1-r.IntN(min(n, 4))]
		if uid := c.order[r.IntN(len(c.order))]; r.model.there(uid) {
			return uid
		}
	}
	all := slices.Sorted(maps.Keys(r.model.blocks))
	if len(all) == 0 {
		return ""
	}
	return all[r.IntN(len(all))]
}

// step has an agent or a person write something.
func (r *modelRun) step() {
	r.advance()
	uid := r.any()
	if uid == "" || r.IntN(8) == 0 {
		uid = fmt.Sprintf("page%05d", r.IntN(2))
	}
	if r.IntN(4) == 0 {
		r.person(uid)
		return
	}
	agent := r.IntN(len(r.agents))
	change := &modelChange{agent: agent, was: map[string]modelBlock{}, left: map[string]modelBlock{}, order: []string{uid}}
	was := r.model.blocks[uid]
	kind := r.IntN(7)
	switch {
	case kind < 3 && !isModelPage(uid):
		change.was[uid] = was
		args := fields{"uid": uid}
		if kind != 1 {
			was.text = r.text()
			args["string"] = was.text
		}
		if kind != 0 {
			was.heading = 1 + (was.heading+r.IntN(2))%3
			args["heading"] = was.heading
		}
		change.left[uid] = was
		r.call(change, "update_block", args)
	case kind == 3 && !isModelPage(uid):
		below := r.model.below(uid)
		for len(change.order) <= len(below) { // parents first
			for _, each := range below {
				if slices.Contains(change.order, r.model.blocks[each].parent) && !slices.Contains(change.order, each) {
					change.order = append(change.order, each)
				}
			}
		}
		for _, each := range change.order {
			change.was[each] = r.model.blocks[each]
		}
		r.call(change, "delete_block", fields{"uid": uid})
	default:
		top, child := modelBlock{text: r.text(), parent: uid}, modelBlock{text: r.text()}
		reply := r.call(nil, "create_block", fields{"parentUid": uid, "markdown": "- " + top.text + "\n  - " + child.text})
		var made struct{ UIDs []string }
		require.NoError(r.t, json.Unmarshal([]byte(reply), &made))
		change.order = made.UIDs
		if len(made.UIDs) == 1 { // of which the child is found
			var rows [][1]string
			require.NoError(r.t, json.Unmarshal(r.must("q", `[:find ?u :in $ ?p :where [?e :block/uid ?p] [?e :block/children ?c] [?c :block/uid ?u]]`, made.UIDs[0]), &rows))
			change.order = append(change.order, rows[0][0])
		}
		child.parent = change.order[0]
		change.left[change.order[0]], change.left[change.order[1]] = top, child
		r.done(change)
	}
}

// call has the change made, and notes it.
func (r *modelRun) call(change *modelChange, tool string, args fields) string {
	r.t.Helper()
	agent := 0
	if change != nil {
		agent = change.agent
	} else {
		agent = r.creator()
	}
	result, err := r.agents[agent].CallTool(r.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(r.t, err)
	text := result.Content[0].(*mcp.TextContent).Text
	if strings.Contains(text, "CHANGED_SINCE_READ") { // by the person
		return ""
	}
	if result.IsError {
		r.t.Fatalf("%s %v: %s", tool, args, text)
	}
	if change != nil {
		r.done(change)
	}
	return text
}

// creator is the agent that makes the next block.
func (r *modelRun) creator() int { return r.n % len(r.agents) }

func (r *modelRun) done(change *modelChange) {
	change.call = r.newest()
	for uid := range change.was {
		delete(r.model.blocks, uid)
	}
	maps.Copy(r.model.blocks, change.left)
	if len(change.was) == 0 {
		change.agent = r.creator()
	}
	r.model.changes = append(r.model.changes, change)
	r.calls = append(r.calls, fmt.Sprintf("%d: agent %d, %v, was %v, left %v", change.call, change.agent, change.order, change.was, change.left))
}

// person has a person write at a page or block.
func (r *modelRun) person(uid string) {
	b := r.model.blocks[uid]
	switch kind := r.IntN(5); {
	case kind < 2 && !isModelPage(uid):
		b.text = r.text()
		r.must("data.block.update", fields{"block": fields{"uid": uid, "string": b.text}})
		r.model.blocks[uid] = b
		r.calls = append(r.calls, fmt.Sprintf("the person writes %q at %s", b.text, uid))
	case kind == 2 && !isModelPage(uid):
		r.must("data.block.delete", fields{"block": fields{"uid": uid}})
		for _, each := range append(r.model.below(uid), uid) {
			delete(r.model.blocks, each)
		}
		r.calls = append(r.calls, "the person deletes "+uid)
	default:
		r.calls = append(r.calls, fmt.Sprintf("the person adds %s below %s", r.create(uid), uid))
	}
}

// undoSome undoes some of what the agents did.
func (r *modelRun) undoSome() (left int) {
	oldest, newest := r.model.changes[0].call, r.model.changes[len(r.model.changes)-1].call
	from := oldest + r.Int64N(newest-oldest+1)
	to := min(newest, from+r.Int64N(8))
	agent := r.IntN(len(r.agents))
	ranged := func(text string) historyview.Undo {
		span, err := historyview.ParseRange(text)
		require.NoError(r.t, err)
		return historyview.Undo{Range: &span}
	}
	switch r.IntN(5) {
	case 0:
		record, _, err := r.reader.Record(r.ctx, from)
		require.NoError(r.t, err)
		session := fmt.Sprintf("s%d", record.Call.Session)
		return r.take("the session "+session, ranged(session), func(c *modelChange) bool {
			record, _, err := r.reader.Record(r.ctx, c.call)
			require.NoError(r.t, err)
			return fmt.Sprintf("s%d", record.Call.Session) == session
		})
	case 1:
		since := strconv.FormatInt(from, 10)
		return r.take(fmt.Sprintf("agent %d since %d", agent, from), historyview.Undo{Query: historyview.Query{Agent: fmt.Sprintf("agent%d", agent), Since: since}}, func(c *modelChange) bool {
			return c.agent == agent && c.call >= from
		})
	case 2:
		return r.take(fmt.Sprintf("%d..%d", from, to), ranged(fmt.Sprintf("%d..%d", from, to)), func(c *modelChange) bool { return c.call >= from && c.call <= to })
	case 3:
		return r.take(fmt.Sprintf("until %d", from), historyview.Undo{Query: historyview.Query{Until: strconv.FormatInt(from, 10)}}, func(c *modelChange) bool { return c.call <= from })
	}
	return r.take(strconv.FormatInt(from, 10), ranged(strconv.FormatInt(from, 10)), func(c *modelChange) bool { return c.call == from })
}

// take undoes what is wanted, in the world and in the model.
func (r *modelRun) take(what string, wanted historyview.Undo, meant func(*modelChange) bool) int {
	r.t.Helper()
	if !slices.ContainsFunc(r.model.changes, func(c *modelChange) bool { return !c.undone && meant(c) }) {
		return 0
	}
	plans, err := r.view.PlanUndo(r.ctx, wanted)
	if err != nil || len(plans) != 1 {
		r.fail("%s: %d plans, %v", what, len(plans), err)
	}
	result, err := r.view.RunUndo(r.ctx, plans[0], nil)
	require.NoError(r.t, err)
	want := r.model.undo(meant)
	var left []string
	for _, each := range result.Left {
		call, _, _ := strings.Cut(each.Change, ".")
		left = append(left, call+" "+each.UID)
	}
	slices.Sort(left)
	slices.Sort(want)
	if !slices.Equal(left, want) {
		r.fail("undo of %s leaves\n%v, and the model\n%v", what, result.Left, want)
	}
	if got, want := r.present(), r.model.lines(); !slices.Equal(got, want) {
		r.fail("after an undo of %s there is\n%s\nand the model has\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return len(left)
}

func (r *modelRun) fail(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf(format+"\nafter\n%s", append(args, strings.Join(r.calls, "\n"))...)
}

// lines returns the blocks.
func (m *undoModel) lines() (lines []string) {
	for uid, b := range m.blocks {
		lines = append(lines, fmt.Sprintf("%s below %s: %s, heading %d", uid, b.parent, b.text, b.heading))
	}
	slices.Sort(lines)
	return lines
}

// present returns the blocks of the pages of the model that are there.
func (r *modelRun) present() (lines []string) {
	var rows [][4]any
	require.NoError(r.t, json.Unmarshal(r.must("q", `[:find ?u ?s ?h ?pu :where [?p :node/title ?t] [(clojure.string/starts-with? ?t "Model ")] [?e :block/page ?p] [?e :block/uid ?u] [?e :block/string ?s]
		[(get-else $ ?e :block/heading 0) ?h] [?a :block/children ?e] [?a :block/uid ?pu]]`), &rows))
	for _, row := range rows {
		lines = append(lines, fmt.Sprintf("%s below %s: %s, heading %v", row[0], row[3], row[1], cmp.Or(row[2], any(0))))
	}
	slices.Sort(lines)
	return lines
}
