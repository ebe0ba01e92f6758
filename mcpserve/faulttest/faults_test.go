package faulttest

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/profile/wiki"
)

var faultSeed = flag.Uint64("fault-seed", 0, "seed of the faults between server and Roam; 0: the same in everyday tests, another one each time in a campaign")

// faultyWorld is a server that reaches a sandbox only through a proxy with
// faults, and a client that goes around it.
type faultyWorld struct {
	t      *testing.T
	log    *syncbuffer.Buffer
	server *mcpserve.Server
	proxy  *faultproxy.Proxy
	// direct calls the sandbox itself.
	direct func(action string, args ...any) json.RawMessage
}

var demoGraph = localapi.Graph{Name: "demo", Type: localapi.Hosted}

// newFaultyWorld makes one; an empty profile is the default one.
func newFaultyWorld(t *testing.T, profile string, choose func(faultproxy.Request) faultproxy.Fault) *faultyWorld {
	t.Helper()
	home := t.TempDir()
	roam, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, Policy: desk.Allow})
	require.NoError(t, err)
	t.Cleanup(func() { _ = roam.Close(t.Context()) })
	grant, err := roam.Desk().RequestAccess(t.Context(), desk.Access{Graph: demoGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)

	portFile := filepath.Join(t.TempDir(), localapi.PortFileName)
	proxy, err := faultproxy.Start(faultproxy.Options{Backend: roam.Port(), PortFile: portFile, Choose: choose})
	require.NoError(t, err)
	t.Cleanup(proxy.Close)

	w := &faultyWorld{t: t, log: new(syncbuffer.Buffer), proxy: proxy}
	store := configstore.New(filepath.Join(t.TempDir(), "roam-mcp.json"))
	require.NoError(t, store.Save(t.Context(), configstore.Entry{Name: demoGraph.Name, Type: demoGraph.Type, Token: grant.Token, Nickname: "Demo", AccessLevel: localapi.Full}))
	// However slow the machine is, a write that was on its way when its reply was
	// lost has arrived at the second look.
	settle := func(ctx context.Context, _ time.Duration) bool { return proxy.Settle(ctx) == nil }
	options := mcpserve.Options{
		Store: store, Profile: profile, Version: "test", Timeouts: patientTimeouts(settle), Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Roam: localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFile, Strict: true}}),
	}
	if profile == wiki.Name { // its notes have versions
		options.Toolsets = []string{"core", "more"}
		options.Journal = history.New(history.Options{Folder: journaltest.Folder(t, t.TempDir()), Kind: history.KindStdio})
	}
	w.server, err = mcpserve.New(t.Context(), options)
	require.NoError(t, err)
	around := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	t.Cleanup(around.CloseIdleConnections)
	w.direct = func(action string, args ...any) json.RawMessage {
		reply, err := around.Call(t.Context(), demoGraph, grant.Token, action, args...)
		if err != nil {
			t.Errorf("%s, around the faults: %v", action, err)
		}
		return reply.Result
	}
	return w
}

func (w *faultyWorld) connect() *mcp.ClientSession {
	w.t.Helper()
	session := connect(context.WithoutCancel(w.t.Context()), w.t, w.server, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	w.t.Cleanup(func() { _ = session.Close() })
	return session
}

// faults chooses at random: many for writes, a few for the reads with which the
// server looks what became of them.
type faults struct{ random *rand.Rand }

func (f *faults) choose(request faultproxy.Request) faultproxy.Fault {
	isWrite := writes(request)
	if chance := f.random.IntN(100); isWrite && chance >= 60 || !isWrite && chance >= 10 {
		return faultproxy.Fault{}
	}
	return f.fault()
}

// writes reports whether a request changes blocks or pages.
func writes(request faultproxy.Request) bool {
	return strings.HasPrefix(request.Action, "data.block.") || strings.HasPrefix(request.Action, "data.page.") || request.Action == "batchActions"
}

// fault chooses a fault of any kind.
func (f *faults) fault() faultproxy.Fault {
	delay := time.Duration(f.random.IntN(20)) * time.Millisecond
	pick := func(list []faultproxy.Refusal) faultproxy.Refusal { return list[f.random.IntN(len(list))] }
	kinds := []faultproxy.Kind{
		faultproxy.ResetBefore, faultproxy.ResetBefore, faultproxy.HTMLBefore, faultproxy.Fail, faultproxy.Fail, faultproxy.ResetMeanwhile,
		faultproxy.ResetAfter, faultproxy.ResetAfter, faultproxy.Truncate, faultproxy.Half, faultproxy.HTMLAfter, faultproxy.FailAfter, faultproxy.None,
	}
	if f.random.IntN(12) == 0 {
		return faultproxy.Fault{Kind: faultproxy.Restart, Delay: delay}
	}
	fault := faultproxy.Fault{Kind: kinds[f.random.IntN(len(kinds))], Delay: delay}
	switch fault.Kind {
	case faultproxy.HTMLBefore, faultproxy.HTMLAfter:
		fault.Status = []int{200, 500, 502}[f.random.IntN(3)]
	case faultproxy.Fail:
		refusal := pick(slices.Concat(faultproxy.Refusals(), faultproxy.Doubts()))
		fault.Status, fault.Text = refusal.Status, refusal.Text
	case faultproxy.FailAfter:
		doubt := pick(faultproxy.Doubts())
		fault.Status, fault.Text = doubt.Status, doubt.Text
	}
	return fault
}

func TestWritesUnderFaultsHappenOnceAndAsTheyWereReported(t *testing.T) {
	const callers = 4
	seed := seedOf(*faultSeed)
	t.Logf("-fault-seed %d", seed)
	broken := &faults{rand.New(rand.NewPCG(seed, 0))}
	w := newFaultyWorld(t, "", broken.choose)
	var all []*faultyCaller
	var running sync.WaitGroup
	for n := range callers {
		c := newFaultyCaller(w, n, rand.New(rand.NewPCG(seed, uint64(n)+1)))
		all = append(all, c)
		running.Go(func() {
			for range faultyWrites / callers {
				c.write()
			}
		})
	}
	running.Wait()
	w.proxy.Close() // what is still on its way arrives first
	graph := readGraph(w)
	lost, open := 0, 0
	verdicts := map[string]int{}
	for _, c := range all {
		c.compare(graph)
		for verdict, n := range c.verdicts {
			verdicts[verdict] += n
			if strings.HasPrefix(verdict, "lost") {
				lost += n
			}
		}
		open += c.verdicts["lost, unknown"]
	}
	t.Logf("faults: %v; replies: %v", w.proxy.Counts(), verdicts)
	if lost == 0 || open*mostLeftOpen > lost {
		t.Errorf("of %d lost replies %d are left open", lost, open)
	}
	if strings.Contains(w.log.String(), localapi.TokenPrefix) {
		t.Error("a token is in the log")
	}
	for _, c := range all {
		for _, note := range c.open {
			t.Log(note)
		}
	}
}

// Here are the writes under faults that faults_model_test.go has not.

func (c *faultyCaller) appendToDailyNote() {
	text := c.text()
	reply, done, notDone := c.call("append_to_daily_note", map[string]any{"markdown": "- " + text, "nestUnder": "Said today"})
	c.made(&thing{origin: text, uid: firstUID(reply)}, state{true, text, anywhere, 0, false}, done, notDone)
}

func (c *faultyCaller) addComment() {
	x := c.someBlock()
	if x == nil {
		c.createBlock()
		return
	}
	text := c.text()
	key := []string{"comment", "commentMarkdown"}[c.random.IntN(2)]
	_, done, notDone := c.call("add_comment", map[string]any{"blockUid": x.uid, key: text})
	c.made(&thing{origin: text}, state{true, text, anywhere, 0, false}, done, notDone)
}

// item is what a batch's reply says of one thing.
func item(reply toolReply, uid string) (done, notDone, told bool) {
	of := reply.fields
	if reply.isError {
		of = reply.failure
	}
	results, _ := of["results"].([]any)
	for _, each := range results {
		fields, _ := each.(map[string]any)
		if fields["uid"] != uid {
			continue
		}
		done, _ = fields["ok"].(bool)
		notDone = !done
		if fields["code"] == string(ops.CodeOutcomeUnknown) {
			done, notDone = fields["applied"] != false, fields["applied"] != true
		}
		return done, notDone, true
	}
	return false, false, false
}

// batch calls a batch tool and notes what may be the case of each thing.
func (c *faultyCaller) batch(tool string, arguments map[string]any, of []*thing, wanted []state) {
	reply, done, notDone := c.call(tool, arguments)
	for i, x := range of {
		if itemDone, itemNotDone, told := item(reply, x.uid); told {
			c.changed(x, wanted[i], itemDone, itemNotDone)
			continue
		}
		c.changed(x, wanted[i], done, notDone)
	}
}

func (c *faultyCaller) updateBlocks() {
	blocks := c.some(1+c.random.IntN(4), false)
	if len(blocks) == 0 {
		c.createBlock()
		return
	}
	var updates []any
	var wanted []state
	for _, x := range blocks {
		after := x.states[0]
		after.text = c.text()
		updates = append(updates, map[string]any{"uid": x.uid, "string": after.text})
		wanted = append(wanted, after)
	}
	c.batch("update_blocks", map[string]any{"updates": updates}, blocks, wanted)
}

func (c *faultyCaller) deleteBlocks() {
	blocks := c.some(1+c.random.IntN(3), false)
	if len(blocks) == 0 {
		c.createBlock()
		return
	}
	var uids []string
	for _, x := range blocks {
		uids = append(uids, x.uid)
	}
	c.batch("delete_blocks", map[string]any{"uids": uids}, blocks, make([]state, len(blocks)))
}

// onPage calls a tool about a page of which all is known.
func (c *faultyCaller) onPage(tool string, arguments map[string]any, after func(*state)) {
	pages := c.some(1, true)
	if len(pages) == 0 {
		c.createPage()
		return
	}
	wanted := pages[0].states[0]
	after(&wanted)
	arguments["uid"] = pages[0].uid
	if tool == "update_page" {
		arguments["title"] = wanted.text
	}
	_, done, notDone := c.call(tool, arguments)
	c.changed(pages[0], wanted, done, notDone)
}

func (c *faultyCaller) updatePage() {
	c.onPage("update_page", map[string]any{}, func(s *state) { s.text = c.name + " title " + c.text() })
}

func (c *faultyCaller) addShortcut() {
	c.onPage("add_shortcut", map[string]any{}, func(s *state) { s.shortcut = true })
}

func (c *faultyCaller) removeShortcut() {
	c.onPage("remove_shortcut", map[string]any{}, func(s *state) { s.shortcut = false })
}

// deletePage takes a page that has nothing on it.
func (c *faultyCaller) deletePage() {
	if c.random.IntN(3) > 0 {
		c.addShortcut()
		return
	}
	title := c.name + " short-lived " + c.text()
	reply, done, notDone := c.call("create_page", map[string]any{"title": title})
	uid, _ := reply.fields["uid"].(string)
	x := &thing{origin: title, uid: uid, isPage: true}
	c.made(x, state{true, title, "", 0, false}, done, notDone)
	if x.settled() {
		_, done, notDone = c.call("delete_page", map[string]any{"uid": uid})
		c.changed(x, state{}, done, notDone)
	}
}
