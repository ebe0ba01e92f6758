package undotest

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

var (
	rebuildSeed  = flag.Uint64("rebuild.seed", 1, "first seed of the sequences of writes that are taken back")
	rebuildCount = flag.Int("rebuild.count", rebuildSequences(), "number of sequences")
	rebuildMost  = flag.Int("rebuild.writes", rebuildWrites, "writes of a sequence at most")
)

var rebuiltGraph = localapi.Graph{Name: "rebuilt", Type: localapi.Hosted}

// rebuildPlan is a sequence of writes, and who makes them.
type rebuildPlan struct {
	seed       uint64
	profiles   []string // of the servers
	agents     []int    // the server of each agent
	concurrent bool     // the agents do not wait for each other
	steps      bool     // the graph is compared after each call, and not at the end alone
	ops        []rebuildOp
	switches   []string // of the sandbox
	toolsets   []string // of the servers; nil: the usual ones
}

// planOf makes a plan of up to a number of writes.
func planOf(seed uint64, most int) rebuildPlan {
	random := rand.New(rand.NewPCG(seed, 12))
	plan := rebuildPlan{seed: seed, profiles: []string{"roam"}, agents: []int{0}}
	switch random.IntN(6) {
	case 0:
		plan.agents = []int{0, 0}
	case 1:
		plan.profiles, plan.agents = []string{"roam", "roam"}, []int{0, 1}
	case 2:
		plan.profiles, plan.agents = []string{"roam", "graph", "notes", "outline", "wiki"}, []int{0, 1, 2, 3, 4}
	case 3:
		plan.profiles, plan.agents = []string{"roam", "roam"}, []int{0, 0, 1}
	case 4:
		plan.profiles = []string{[]string{"outline", "wiki"}[random.IntN(2)]}
	}
	plan.concurrent = len(plan.agents) > 1 && random.IntN(2) == 0 && rebuildAtOnce
	plan.steps = !plan.concurrent && random.IntN(3) == 0
	for range 5 + random.IntN(max(1, most-4)) {
		plan.ops = append(plan.ops, rebuildOp{Agent: random.IntN(len(plan.agents)), Kind: random.IntN(1 << 16), Seed: random.Uint64()})
	}
	return plan
}

// TestRebuild takes graphs back to what they were before sequences of random writes, from
// the journal alone.
func TestRebuild(t *testing.T) {
	for i := range *rebuildCount {
		tryPlan(t, rebuildRun, planOf(*rebuildSeed+uint64(i), *rebuildMost))
	}
}

// tryPlan runs a plan in some way, beside others.
func tryPlan(t *testing.T, run func(*testing.T, rebuildPlan) (problems, calls []string), plan rebuildPlan) {
	t.Run(fmt.Sprintf("seed %d", plan.seed), func(t *testing.T) {
		t.Parallel()
		problems, calls := run(t, plan)
		if len(problems) == 0 {
			return
		}
		_, problems, calls = shrunkBy(t, run, plan, problems, calls)
		t.Errorf("after\n  %s\n%s", strings.Join(calls, "\n  "), strings.Join(problems, "\n"))
	})
}

// shrunkBy leaves out what a plan fails without where it is run in some way.
func shrunkBy(t *testing.T, run func(*testing.T, rebuildPlan) (problems, calls []string), plan rebuildPlan, problems, calls []string) (rebuildPlan, []string, []string) {
	for size := len(plan.ops) / 2; size > 0; {
		smaller := false
		for at := 0; at+size <= len(plan.ops); {
			less := plan
			less.ops = slices.Delete(slices.Clone(plan.ops), at, at+size)
			if found, made := run(t, less); len(found) > 0 {
				plan, problems, calls, smaller = less, found, made, true
				continue
			}
			at += size
		}
		if size == 1 && !smaller {
			break
		}
		size = max(1, size/2)
	}
	return plan, problems, calls
}

// rebuildWorld is a sandbox and servers over it that share a journal.
type rebuildWorld struct {
	t       testing.TB
	ctx     context.Context
	folder  string // of the journal
	reader  *history.Journal
	store   *configstore.Store
	ports   localapi.PortFile
	client  *localapi.Client
	token   localapi.Token
	servers []*mcpserve.Server
	agents  []*mcp.ClientSession
	kinds   [][]rebuildKind // by agent
	closing []func()

	mu     sync.Mutex
	offset time.Duration
	still  time.Time // zero: the time goes on by itself
	calls  []string
}

// Now is the time of all.
func (w *rebuildWorld) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.still.IsZero() {
		return time.Now().Add(w.offset)
	}
	return w.still.Add(w.offset)
}

func (w *rebuildWorld) advance() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.offset += time.Second
}

// ask asks Roam past the servers.
func (w *rebuildWorld) ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	reply, err := w.client.Call(ctx, rebuiltGraph, w.token, action, args...)
	return reply.Result, err
}

func (w *rebuildWorld) must(action string, args ...any) json.RawMessage {
	w.t.Helper()
	result, err := w.ask(w.ctx, action, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", action, err)
	}
	return result
}

func newRebuildWorld(t testing.TB, plan rebuildPlan) *rebuildWorld {
	t.Helper()
	home, err := os.MkdirTemp("", "rebuild")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	w := &rebuildWorld{t: t, ctx: ctx, folder: journaltest.Folder(t, filepath.Join(home, "history"))}
	if !plan.concurrent {
		w.still = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	}
	w.closing = append(w.closing, func() { stop(); _ = os.RemoveAll(home) })
	none := func(func(graphdb.Datom, error) bool) {}
	box, err := faultroam.Start(ctx, sandbox.Options{Home: home, Policy: desk.Allow, Now: w.Now, InMemory: []sandbox.InMemory{{Graph: rebuiltGraph, Datoms: none}}})
	require.NoError(t, err)
	w.ports = localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}
	w.client = w.roamClient()
	w.closing = append(w.closing, func() { w.client.CloseIdleConnections(); require.NoError(t, box.Close(context.Background())) })
	grant, err := box.Desk().RequestAccess(ctx, desk.Access{Graph: rebuiltGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)
	w.token = grant.Token
	w.reader = w.journal()
	w.closing = append(w.closing, func() { require.NoError(t, w.reader.Close(context.Background())) })
	w.store = configstore.New(filepath.Join(home, "roam-mcp.json"))
	require.NoError(t, w.store.Save(ctx, configstore.Entry{Name: rebuiltGraph.Name, Type: rebuiltGraph.Type, Token: w.token, Nickname: "rebuilt", AccessLevel: localapi.Full, History: configstore.On}))
	for _, profile := range plan.profiles {
		server, err := mcpserve.New(ctx, mcpserve.Options{
			Store: w.store, Roam: w.client, Profile: profile, Toolsets: plan.toolsets, Version: "test", Now: w.Now, RescueFolder: filepath.Join(home, "rescued"),
			Journal: w.journal(),
		})
		require.NoError(t, err)
		w.servers = append(w.servers, server)
	}
	for i, on := range plan.agents {
		toServer, toClient := mcp.NewInMemoryTransports()
		_, err := w.servers[on].Connect(ctx, toServer)
		require.NoError(t, err)
		session, err := mcp.NewClient(&mcp.Implementation{Name: fmt.Sprintf("agent%d", i), Version: "1"}, nil).Connect(ctx, toClient, nil)
		require.NoError(t, err)
		w.agents, w.kinds = append(w.agents, session), append(w.kinds, rebuildKinds(plan.profiles[on]))
	}
	w.fill()
	require.NoError(t, box.Turn(plan.switches...))
	return w
}

// roamClient returns a way to the sandbox of its own.
func (w *rebuildWorld) roamClient() *localapi.Client {
	return localapi.New(localapi.Options{PortFile: w.ports})
}

// journal returns the journal as another process has it.
func (w *rebuildWorld) journal() *history.Journal {
	return history.New(history.Options{Folder: w.folder, Kind: history.KindStdio, Program: "test", Now: w.Now})
}

// fill makes a graph to write to.
func (w *rebuildWorld) fill() {
	pages := []struct{ title, uid, markdown string }{
		{"Alpha", "alpha0001", "- one [[Beta]]\n  - below one #Gamma\n    - deep\n  - below two\n- two\n- three #[[Two words]]"},
		{"Beta", "beta00001", "- Gamma:: value\n- {{embed: [[Alpha]]}}"},
		{"a [[Alpha]]", "aalpha001", "- on a nested page"},
		{"Beta of [[a [[Alpha]]]]", "bofa00001", "- [[Beta of [[a [[Alpha]]]]]]"},
	}
	for _, page := range pages {
		w.must("data.page.create", fields{"page": fields{"title": page.title, "uid": page.uid}})
	}
	for _, page := range pages {
		w.must("data.block.fromMarkdown", fields{"location": fields{"parent-uid": page.uid}, "markdown-string": page.markdown})
	}
	w.must("data.block.create", fields{"location": fields{"parent-uid": "beta00001", "order": "last"}, "block": fields{
		"uid": "look00001", "string": "looks", "heading": 2, "open": false, "text-align": "center", "children-view-type": "numbered", "block-view-type": "side",
		"props": fields{"a": 1, "b": fields{"c/d": []int{1}, "http://x": "y"}},
	}})
	w.must("data.block.create", fields{"location": fields{"parent-uid": "look00001", "order": "last"}, "block": fields{"uid": "refs00001", "string": "((look00001)) [[a [[Alpha]]]]"}})
	w.must("data.page.addShortcut", "beta00001")
	w.must("data.page.addShortcut", "alpha0001")
	w.must("data.page.addShortcut", "aalpha001")
	w.advance()
}

// close ends all but the journal's file.
func (w *rebuildWorld) closeServers() {
	for _, agent := range w.agents {
		_ = agent.Close()
	}
	for _, server := range w.servers {
		server.Close()
	}
}

func (w *rebuildWorld) close() {
	for _, end := range slices.Backward(w.closing) {
		end()
	}
}

// choice returns what there is to choose from.
func (w *rebuildWorld) choice(seed uint64) *choice {
	c := &choice{Rand: rand.New(rand.NewPCG(seed, 7))}
	type row struct {
		e    int64
		page bool
		rebuildThing
	}
	var rows []row
	for _, q := range []string{
		`[:find ?e ?u ?t ?p :where [?e :node/title ?t] [?e :block/uid ?u] [(ground "") ?p]]`,
		`[:find ?e ?u ?s ?pu :where [?e :block/string ?s] [?e :block/uid ?u] [?p :block/children ?e] [?p :block/uid ?pu]]`,
	} {
		var found [][4]any
		if json.Unmarshal(w.must("q", q), &found) != nil {
			w.t.Fatal("the graph can't be read")
		}
		for _, f := range found {
			rows = append(rows, row{int64(f[0].(float64)), f[3] == "", rebuildThing{f[1].(string), f[2].(string), f[3].(string)}})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return int(a.e - b.e) })
	for _, r := range rows {
		if r.text == "Sandbox user (AI)" { // the page of who writes, which the sandbox makes again at once
			continue
		}
		if r.page {
			c.pages = append(c.pages, r.rebuildThing)
		} else {
			c.blocks = append(c.blocks, r.rebuildThing)
		}
	}
	return c
}

// do makes a call.
func (w *rebuildWorld) do(op rebuildOp) {
	w.advance()
	kinds := w.kinds[op.Agent]
	kind := kinds[op.Kind%len(kinds)]
	args, ok := kind.args(w.choice(op.Seed))
	if !ok {
		return
	}
	result, err := w.agents[op.Agent].CallTool(w.ctx, &mcp.CallToolParams{Name: kind.tool, Arguments: args})
	text, _ := json.Marshal(args)
	said := ""
	if err != nil {
		said = " fails: " + err.Error()
	} else if result.IsError {
		said = " fails: " + fmt.Sprint(result.Content[0].(*mcp.TextContent).Text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, fmt.Sprintf("agent %d: %s %s%s", op.Agent, kind.tool, text, said))
}

// rebuildRun makes the writes of a plan, takes them back, and returns what is not as it
// was, and the calls that were made.
func rebuildRun(t *testing.T, plan rebuildPlan) (problems, calls []string) {
	t.Helper()
	w := newRebuildWorld(t, plan)
	defer w.close()
	var broken []string // of the sandbox
	read := func() rebuild.Graph {
		g, err := rebuild.Read(w.ctx, w.ask)
		if err != nil {
			broken = append(broken, err.Error())
		}
		return g
	}
	states := map[int64]rebuild.Graph{0: read()} // by the newest call that was made until then
	if !plan.steps {
		w.doAll(plan)
	} else {
		for _, op := range plan.ops {
			w.do(op)
			states[w.newest()] = read()
		}
	}
	graph := read()
	w.closeServers()
	if broken != nil {
		return broken, w.calls
	}
	return w.compare(graph, states), w.calls
}

// newest returns the number of the newest call in the journal.
func (w *rebuildWorld) newest() int64 {
	page, err := w.reader.Calls(w.ctx, history.Filter{Limit: 1})
	require.NoError(w.t, err)
	if len(page.Calls) == 0 {
		return 0
	}
	return page.Calls[0].ID
}

// changes returns all that is in the journal, newest first.
func (w *rebuildWorld) changes() (changes []history.ChangeRecord) {
	page, err := w.reader.Calls(w.ctx, history.Filter{Limit: 10_000})
	require.NoError(w.t, err)
	for _, call := range page.Calls {
		record, ok, err := w.reader.Record(w.ctx, call.ID)
		require.NoError(w.t, err)
		if !ok {
			w.t.Fatalf("there is no call %d", call.ID)
		}
		changes = append(changes, record.Changes...)
	}
	slices.SortFunc(changes, func(a, b history.ChangeRecord) int { return cmp.Compare(b.ID, a.ID) })
	return changes
}

// compare takes a graph back, change by change, and says where it is not what it was.
func (w *rebuildWorld) compare(graph rebuild.Graph, states map[int64]rebuild.Graph) []string {
	changes := w.changes()
	for i, c := range changes {
		if was, known := states[c.Call]; known && (i == 0 || changes[i-1].Call != c.Call) {
			if problems := rebuild.Differences(graph, was); len(problems) > 0 {
				return append([]string{fmt.Sprintf("after call %d:", c.Call)}, problems...)
			}
		}
		if lacks := rebuild.Lacks(c); c.State == history.StateDone && len(lacks) > 0 {
			return lacks
		}
		if err := graph.Undo(c); err != nil {
			return []string{fmt.Sprintf("change %d.%d (%s, %s) can't be taken back: %v", c.Call, c.Seq, c.Action, c.Class, err)}
		}
	}
	return rebuild.Differences(graph, states[0])
}
