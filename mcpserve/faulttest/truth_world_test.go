package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/calllog"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/rebuild"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/mcpserve"
)

var truthGraph = localapi.Graph{Name: "truth", Type: localapi.Hosted}

// truthWorld is a server with a journal over a sandbox with a small graph.
type truthWorld struct {
	t       testing.TB
	ctx     context.Context
	box     *faultroam.Roam
	calls   calllog.Log      // of box
	around  *localapi.Client // past the wire
	token   localapi.Token
	wire    *truthWire
	clock   *truthClock
	journal *history.Journal // of a reader
	session *mcp.ClientSession
	end     func()            // ends the server, when what its last writes left is in the journal
	data    string            // folder of the sandbox
	cards   syncbuffer.Buffer // what the extension has made
	closing []func()
}

// truthClock is the time of the server and of the sandbox, which goes on by itself, and by
// what the server waits, without anybody waiting.
type truthClock struct {
	mu     sync.Mutex
	start  time.Time
	waited time.Duration
}

func (c *truthClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, time.November, 22, 9, 0, 0, 0, time.UTC).Add(time.Since(c.start) + c.waited)
}

func (c *truthClock) wait(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited += d
	return c.waited
}

// newTruthWorld makes one, for a profile.
func newTruthWorld(t testing.TB, profile string, large bool) *truthWorld {
	t.Helper()
	home, err := os.MkdirTemp("", "truth")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	w := &truthWorld{t: t, ctx: ctx, clock: &truthClock{start: time.Now()}, data: filepath.Join(home, "graphs")}
	w.closing = append(w.closing, func() { stop(); _ = os.RemoveAll(home) })
	none := func(func(graphdb.Datom, error) bool) {}
	w.box, err = faultroam.Start(ctx, sandbox.Options{
		Home: home, Data: w.data, Policy: desk.Allow, Now: w.clock.Now, InMemory: []sandbox.InMemory{{Graph: truthGraph, Datoms: none}}, Extensions: []actions.Extension{w.extension()}, Log: w.calls.Logger(),
	})
	require.NoError(t, err)
	w.closing = append(w.closing, func() { require.NoError(t, w.box.Close(context.Background())) })
	port := localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}
	w.around = localapi.New(localapi.Options{PortFile: port})
	w.closing = append(w.closing, w.around.CloseIdleConnections)
	grant, err := w.box.Desk().RequestAccess(ctx, desk.Access{Graph: truthGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	require.NoError(t, err)
	w.token = grant.Token
	w.must("batchActions", map[string]any{"actions": truthFixture()})
	if large {
		w.must("batchActions", map[string]any{"actions": largePage()})
	}
	w.must("data.page.addShortcut", "beta00001")
	w.wire = &truthWire{world: w, under: &http.Transport{}}
	w.closing = append(w.closing, w.wire.under.CloseIdleConnections)
	w.serve(profile, home, port)
	return w
}

// serve starts the server and connects a client to it.
func (w *truthWorld) serve(profile, home string, port localapi.PortFile) {
	w.t.Helper()
	store := configstore.New(filepath.Join(home, "roam-mcp.json"))
	require.NoError(w.t, store.Save(w.ctx, configstore.Entry{
		Name: truthGraph.Name, Type: truthGraph.Type, Token: w.token, Nickname: "truth", AccessLevel: localapi.Full, History: configstore.On,
	}))
	folder := journaltest.Folder(w.t, filepath.Join(home, "history"))
	journal := func() *history.Journal {
		return history.New(history.Options{Folder: folder, Kind: history.KindStdio, Program: "test", Now: w.clock.Now})
	}
	server, err := mcpserve.New(w.ctx, mcpserve.Options{
		Store: store, Roam: localapi.New(localapi.Options{PortFile: port, Transport: w.wire}), Profile: profile, Version: "test", Now: w.clock.Now,
		Journal: journal(), Toolsets: []string{"all"}, Timeouts: patientTimeouts(w.wait),
	})
	require.NoError(w.t, err)
	w.end = sync.OnceFunc(server.Close)
	w.closing = append(w.closing, func() { w.end() })
	w.journal = journal()
	w.closing = append(w.closing, func() { require.NoError(w.t, w.journal.Close(context.Background())) })
	w.session = connect(w.ctx, w.t, server, nil)
	w.closing = append(w.closing, func() { _ = w.session.Close() })
}

func (w *truthWorld) close() {
	for _, end := range slices.Backward(w.closing) {
		end()
	}
}

// truthLate is how late writes land where the fault late is on, by the clock of the
// world.
const truthLate = 4 * time.Second

// wait is how the server waits between two looks: not at all, unless a late write would
// have landed by then.
func (w *truthWorld) wait(ctx context.Context, d time.Duration) bool {
	if w.clock.wait(d) >= truthLate {
		w.wire.landed()
	}
	return ctx.Err() == nil
}

func (w *truthWorld) must(action string, args ...any) json.RawMessage {
	w.t.Helper()
	reply, err := w.around.Call(w.ctx, truthGraph, w.token, action, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", action, err)
	}
	return reply.Result
}

// turn sets faults of the sandbox.
func (w *truthWorld) turn(settings ...string) {
	w.t.Helper()
	require.NoError(w.t, w.box.Turn(settings...))
}

// extension has a tool that makes something which is no part of the graph.
func (w *truthWorld) extension() actions.Extension {
	return actions.Extension{ID: "cards", Name: "Cards", Tools: []actions.ExtensionTool{{
		Name: "make", Description: "Makes a card.", Scope: desk.Append,
		Run: func(_ context.Context, args map[string]any) (any, error) {
			fmt.Fprintf(&w.cards, "card %v;", args["front"])
			return map[string]any{"made": args["front"]}, nil
		},
	}}}
}

// outside is the uid of what stands in a graph for its files, and for what an extension
// has made.
const outside = "outside01"

// graph reads all of the graph, past the wire and past the server's ways of reading.
func (w *truthWorld) graph() rebuild.Graph {
	w.t.Helper()
	g, err := rebuild.Read(w.ctx, func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		reply, err := w.around.Call(ctx, truthGraph, w.token, action, args...)
		return reply.Result, err
	})
	require.NoError(w.t, err)
	files, err := filepath.Glob(filepath.Join(w.data, "*.files", "*"))
	require.NoError(w.t, err)
	g.Nodes[outside] = &rebuild.Node{Attrs: map[string]string{"files": fmt.Sprint(len(files)), "cards": w.cards.String()}}
	return g
}

// truthWire sends the server's requests to the sandbox, and keeps those that write.
type truthWire struct {
	world *truthWorld
	under *http.Transport

	mu    sync.Mutex
	armed bool
	cut   int // the write whose reply is lost, from 1; 0: none
	since time.Time
	sent  []truthWrite
}

// truthWrite is a request that writes.
type truthWrite struct {
	action        string
	before, after rebuild.Graph
}

// changed reports whether the graph was another one after the request.
func (w truthWrite) changed() bool { return len(rebuild.Differences(w.after, w.before)) > 0 }

// arm begins to keep requests, and cuts off the reply to one of them.
func (r *truthWire) arm(cut int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.armed, r.cut, r.since, r.sent = true, cut, time.Now(), nil
}

var errCut = errors.New("connection reset by the test")

// RoundTrip implements http.RoundTripper.
func (r *truthWire) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	request.Body, request.GetBody = io.NopCloser(strings.NewReader(string(body))), nil
	var called struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal(body, &called) // what is no action is none that writes
	r.mu.Lock()
	if !r.armed || !faultroam.Writes(called.Action) {
		r.mu.Unlock()
		return r.under.RoundTrip(request)
	}
	defer r.mu.Unlock()
	write := truthWrite{action: called.Action, before: r.world.graph()}
	response, err := r.under.RoundTrip(request)
	write.after = r.world.graph()
	r.sent = append(r.sent, write)
	if err == nil && len(r.sent) == r.cut {
		_ = response.Body.Close()
		return nil, errCut
	}
	return response, err
}

// writes returns what was sent since arm.
func (r *truthWire) writes() []truthWrite {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sent)
}

// landed waits until the sandbox has done all writes that it was sent, also those that the
// fault late has postponed. The graph is as it is then.
func (r *truthWire) landed() {
	r.mu.Lock()
	sent, since := len(r.sent), r.since
	r.mu.Unlock()
	if !r.world.box.Has("late") {
		return
	}
	await.Condition(r.world.t, "late writes land", func() bool {
		return r.world.calls.Count(func(call calllog.Call) bool { return faultroam.Writes(call.Action) && !call.Began.Before(since) }) >= sent
	})
}

// changes returns the changes that the newest call has in the journal, in their order.
func (w *truthWorld) changes() []history.ChangeRecord {
	w.t.Helper()
	page, err := w.journal.Calls(w.ctx, history.Filter{Limit: 1})
	require.NoError(w.t, err)
	if len(page.Calls) == 0 {
		return nil
	}
	record, ok, err := w.journal.Record(w.ctx, page.Calls[0].ID)
	require.NoError(w.t, err)
	if !ok {
		w.t.Fatalf("there is no call %d", page.Calls[0].ID)
	}
	return record.Changes
}

// truthFixture is the graph before each call.
func truthFixture() []map[string]any {
	var steps []map[string]any
	page := func(uid, title string) {
		steps = append(steps, map[string]any{"action": "create-page", "page": map[string]any{"title": title, "uid": uid}})
	}
	block := func(parent, uid, text string, more ...any) {
		fields := map[string]any{"uid": uid, "string": text}
		for i := 0; i+1 < len(more); i += 2 {
			fields[fmt.Sprint(more[i])] = more[i+1]
		}
		steps = append(steps, map[string]any{"action": "create-block", "location": map[string]any{"parent-uid": parent, "order": "last"}, "block": fields})
	}
	page("alpha0001", "Alpha")
	page("beta00001", "Beta")
	page("proj00001", "Projects/Apollo")
	page("sbuser001", "Sandbox user (AI)")
	page("gamma0001", "Gamma") // this and the next would else be made where they are mentioned
	page("status001", "Status")
	page("stub00001", "Stub")
	page("todo00001", "TODO")
	block("alpha0001", "aintro001", "Intro with [[Beta]] and #Gamma")
	block("aintro001", "abelow001", "below one")
	block("abelow001", "adeep0001", "deep ((afive0001))")
	block("alpha0001", "asect0001", "Section", "heading", 2)
	block("asect0001", "aunder001", "under section one")
	block("asect0001", "aunder002", "under section two")
	block("alpha0001", "atodo0001", "{{[[TODO]]}} buy milk")
	block("alpha0001", "astat0001", "Status:: open")
	block("alpha0001", "afive0001", "plain five")
	block("alpha0001", "asix00001", "plain six")
	block("asix00001", "achild001", "six child")
	block("alpha0001", "aseven001", "plain seven")
	block("beta00001", "blinks001", "links to [[Alpha]] and [[Stub]]")
	block("beta00001", "brefs0001", "((afive0001)) is five")
	block("proj00001", "pone00001", "one of Apollo")
	block("proj00001", "ptwo00001", "two of Apollo")
	return steps
}

// largePage makes a page with more blocks than a pull gives unless it is asked for all.
func largePage() []map[string]any {
	steps := []map[string]any{{"action": "create-page", "page": map[string]any{"title": "Large", "uid": "large0001"}}}
	for i := range 1002 {
		steps = append(steps, map[string]any{
			"action": "create-block", "location": map[string]any{"parent-uid": "large0001", "order": i},
			"block": map[string]any{"uid": fmt.Sprintf("large%04d", i+2), "string": fmt.Sprintf("line %d", i)},
		})
	}
	return steps
}
