package mcpserve

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/localapi"
	"roam-mcp/sandbox"
	"roam-mcp/sandbox/desk"
)

var faultSeed = flag.Uint64("fault-seed", 0, "seed of the faults between server and Roam; 0: another one each time")

// faultyWorld is a server that reaches a sandbox only through a proxy with
// faults, and a client that goes around it.
type faultyWorld struct {
	*world
	proxy *faultproxy.Proxy
	// direct calls the sandbox itself.
	direct func(action string, args ...any) json.RawMessage
}

var demoGraph = localapi.Graph{Name: "demo", Type: localapi.Hosted}

func newFaultyWorld(t *testing.T, choose func(faultproxy.Request) faultproxy.Fault) *faultyWorld {
	t.Helper()
	home := t.TempDir()
	roam, err := sandbox.Start(t.Context(), sandbox.Options{Home: home, Policy: desk.Allow})
	must(t, err)
	t.Cleanup(func() { _ = roam.Close(t.Context()) })
	grant, err := roam.Desk().RequestAccess(t.Context(), desk.Access{Graph: demoGraph, AccessLevel: localapi.Full, Description: "a test", AI: true})
	must(t, err)

	portFile := filepath.Join(t.TempDir(), localapi.PortFileName)
	proxy, err := faultproxy.Start(faultproxy.Options{Backend: roam.Port(), PortFile: portFile, Choose: choose})
	must(t, err)
	t.Cleanup(proxy.Close)

	w := &faultyWorld{world: &world{t: t, path: filepath.Join(t.TempDir(), "roam-mcp.json"), log: new(syncbuffer.Buffer)}, proxy: proxy}
	w.configure(fmt.Sprintf(`{"version":1,"graphs":[{"name":"demo","token":%q,"nickname":"Demo","accessLevel":"full"}]}`, grant.Token.Reveal()))
	w.store = configstore.New(w.path)
	w.server, err = New(t.Context(), Options{
		Store: w.store, Version: "test", Log: slog.New(slog.NewTextHandler(w.log, nil)),
		Roam: localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: portFile, Strict: true}}),
	})
	must(t, err)
	waits := patientWaits()
	// However slow the machine is, a write that was on its way when its reply was
	// lost has arrived at the second look.
	waits.between = func(ctx context.Context, _ time.Duration) bool { return proxy.Settle(ctx) == nil }
	setWaits(w.server, waits)
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

// faults chooses at random: many for writes, a few for the reads with which the
// server looks what became of them.
type faults struct{ random *rand.Rand }

func (f *faults) choose(request faultproxy.Request) faultproxy.Fault {
	isWrite := strings.HasPrefix(request.Action, "data.block.") || strings.HasPrefix(request.Action, "data.page.")
	if chance := f.random.IntN(100); isWrite && chance >= 60 || !isWrite && chance >= 10 {
		return faultproxy.Fault{}
	}
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
	seed := *faultSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-fault-seed %d", seed)
	broken := &faults{rand.New(rand.NewPCG(seed, 0))}
	w := newFaultyWorld(t, broken.choose)
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
