package mcpserve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

func TestAClosedRoamIsOpenedOnceForAllCallsThatFindItSo(t *testing.T) {
	var opened []localapi.Graph
	var mu sync.Mutex
	var b *boxed
	b = newBoxed(t, func(_ *sandbox.Options, o *Options) {
		o.OpenRoam = func(_ context.Context, graph localapi.Graph) error {
			mu.Lock()
			defer mu.Unlock()
			opened = append(opened, graph)
			b.start()
			return nil
		}
	})
	b.connected(notesGraph, "Work", localapi.Full)
	b.stop()
	progress := &heard{}
	c := b.connect(progress.options())
	c.callWithProgress(t.Context(), "get_page", `{"title":"x"}`).ok()
	// A client may hear of what comes before a reply after it.
	await.Condition(t, "word of the opening", func() bool { return strings.Contains(progress.text(), "Roam is closed: opening it.") })
	b.stop()
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() { c.call("create_page", `{"title":"x"}`) }) // the first succeeds; none fails to reach Roam
	}
	calls.Wait()
	c.call("get_page", `{"title":"x"}`).ok().has("graph", "Work")
	mu.Lock()
	defer mu.Unlock()
	if len(opened) != 2 || opened[0] != notesGraph {
		t.Errorf("opened %v", opened)
	}
}

func TestAClosedRoamStaysClosedUnlessOpeningIsAllowed(t *testing.T) {
	b := newBoxed(t)
	b.connected(notesGraph, "Work", localapi.Full)
	b.stop()
	c := b.connect()
	for _, tool := range []string{"get_graph_guidelines", setupTool} {
		c.call(tool, `{}`).fails(localapi.CodeConnectionFailed)
	}
}

// closedRoam is a Roam that never comes.
type closedRoam struct{ slowRoam }

func (closedRoam) refuse() error {
	return &problem.Error{Code: localapi.CodeConnectionFailed, Call: &problem.Call{}, Message: "Nothing answers.", Hint: problem.Say("Start it.")}
}

func (r closedRoam) Call(context.Context, localapi.Graph, localapi.Token, string, ...any) (localapi.Reply, error) {
	return localapi.Reply{}, r.refuse()
}

func (r closedRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) { return nil, r.refuse() }
func (r closedRoam) AvailableGraphs(context.Context) ([]localapi.Graph, error) {
	return nil, r.refuse()
}

func (r closedRoam) RequestToken(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
	return localapi.TokenGrant{}, r.refuse()
}

func (r closedRoam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return "", r.refuse()
}

// callClosed calls a tool while Roam is closed, and gives the reply, the
// progress and the time that it took, by a clock that does not wait.
func callClosed(t *testing.T, roam API, open func(context.Context, localapi.Graph) error, tool, arguments string) (toolReply, string, time.Duration) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(configText("Work")), 0o600))
	var reply toolReply
	var progress string
	var took time.Duration
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server, err := New(ctx, Options{Store: configstore.New(path), Roam: roam, OpenRoam: open})
		require.NoError(t, err)
		serverEnd, clientEnd := mcp.NewInMemoryTransports()
		_, err = server.Connect(ctx, serverEnd)
		require.NoError(t, err)
		heard := &heard{}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, heard.options()).
			Connect(ctx, clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		require.NoError(t, err)
		defer session.Close()
		began := time.Now()
		reply = (&client{t, session}).callWithProgress(ctx, tool, arguments)
		took = time.Since(began)
		synctest.Wait()
		progress = heard.text()
	})
	return reply, progress, took
}

func TestWaitingForRoamToOpenEndsBeforeClientsGiveUp(t *testing.T) {
	var opened atomic.Int32
	open := func(context.Context, localapi.Graph) error { opened.Add(1); return nil }
	for tool, arguments := range map[string]string{"get_page": `{"title":"x"}`, "create_page": `{"title":"x"}`, "get_graph_guidelines": `{}`, setupTool: `{}`} {
		opened.Store(0)
		reply, progress, took := callClosed(t, closedRoam{}, open, tool, arguments)
		if failure := reply.fields["error"].(map[string]any); failure["code"] != string(localapi.CodeConnectionFailed) || !strings.Contains(reply.text, "within 45 seconds") {
			t.Errorf("%s: %s", tool, reply.text)
		}
		if took >= 60*time.Second || took < 40*time.Second || opened.Load() != 1 {
			t.Errorf("%s: %v, opened %d times", tool, took, opened.Load())
		}
		if strings.TrimPrefix(progress, lookingForRoam+"\n") != "Roam is closed: opening it.\nWaiting for Roam to start.\n" {
			t.Errorf("%s: heard %q", tool, progress)
		}
	}
}

func TestRoamThatCantBeOpenedIsSaidAtOnce(t *testing.T) {
	open := func(context.Context, localapi.Graph) error { return errors.New("no handler for roam:") }
	reply, _, took := callClosed(t, closedRoam{}, open, "get_page", `{"title":"x"}`)
	if took != 0 || !strings.Contains(reply.text, "no handler for roam:") {
		t.Errorf("%v: %s", took, reply.text)
	}
}

// hangingRoam accepts the question for its graphs and says nothing.
type hangingRoam struct{ closedRoam }

func (hangingRoam) OpenGraphs(ctx context.Context) ([]localapi.Graph, error) {
	<-ctx.Done()
	return nil, &problem.Error{Code: localapi.CodeTimeout, Call: &problem.Call{Sent: true}, Message: "No answer came in time.", Err: ctx.Err()}
}

func TestARoamThatHangsIsSaidInTime(t *testing.T) {
	reply, _, took := callClosed(t, hangingRoam{}, nil, setupTool, `{"graph":"notes"}`)
	if took != probeTimeout || !strings.Contains(reply.text, "did not answer within 5 seconds") || !strings.Contains(reply.text, `"retryable":true`) {
		t.Errorf("%v: %s", took, reply.text)
	}
}

// slowRoam takes its time for every action.
type slowRoam struct{ delay time.Duration }

func (s slowRoam) Call(ctx context.Context, _ localapi.Graph, _ localapi.Token, _ string, _ ...any) (localapi.Reply, error) {
	select {
	case <-time.After(s.delay):
		return localapi.Reply{Result: []byte(pageResult)}, nil
	case <-ctx.Done():
		return localapi.Reply{}, ctx.Err()
	}
}

func (s slowRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Status: localapi.TokenUnknown}
}

func TestWaitingForRoamIsReportedWhereTheClientAsksForIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(configText("Work")), 0o600))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server, err := New(ctx, Options{Store: configstore.New(path), Roam: slowRoam{3*5*time.Second + time.Second}})
		require.NoError(t, err)
		serverEnd, clientEnd := mcp.NewInMemoryTransports()
		_, err = server.Connect(ctx, serverEnd)
		require.NoError(t, err)
		var heard atomic.Int32
		session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { heard.Add(1) },
		}).Connect(ctx, clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		require.NoError(t, err)
		defer session.Close()
		params := &mcp.CallToolParams{Name: "get_page", Arguments: map[string]any{"title": "x"}}
		_, err = session.CallTool(ctx, params)
		require.NoError(t, err)
		if heard.Load() != 0 {
			t.Error("progress is sent to a client that did not ask")
		}
		params.SetProgressToken("p")
		_, err = session.CallTool(ctx, params)
		require.NoError(t, err)
		synctest.Wait()
		if n := heard.Load(); n != 3 {
			t.Errorf("%d notifications, want 3", n)
		}
	})
}
