package mcpserve

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// silentRoam takes requests in and answers none but those for guidelines.
type silentRoam struct {
	mu   sync.Mutex
	sent []string // actions
}

func (s *silentRoam) Call(ctx context.Context, _ localapi.Graph, _ localapi.Token, action string, _ ...any) (localapi.Reply, error) {
	if action == localapi.GuidelinesAction {
		return localapi.Reply{Result: []byte(`{"guidelines":null}`)}, nil
	}
	s.mu.Lock()
	s.sent = append(s.sent, action)
	s.mu.Unlock()
	<-ctx.Done()
	failed := &problem.Error{Code: localapi.CodeCancelled, Message: "The call was cancelled.", Call: &problem.Call{Action: action, Sent: true}, Err: ctx.Err()}
	if ctx.Err() == context.DeadlineExceeded {
		failed.Code, failed.Message = localapi.CodeTimeout, "No answer came in time."
	}
	return localapi.Reply{}, failed
}

func (s *silentRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	return localapi.TokenInfo{Status: localapi.TokenUnknown}
}

func TestACallThatRoamDoesNotAnswerEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(configText("Work")), 0o600))
	for name, tc := range map[string]struct {
		tool, arguments string
		sent            string // the action
		code            problem.Code
		says            []string
		timeout         time.Duration
		patience        time.Duration // beyond timeout
	}{
		"a read": {"get_page", `{"title":"x"}`, "data.ai.getPage", localapi.CodeTimeout,
			[]string{"Roam has not answered within 50 seconds.", `"retryable":true`, "it may be waiting for something, or hang"}, DefaultCallTimeouts().Read, 0},
		"a write, which is looked for": {"create_page", `{"title":"x"}`, "data.page.fromMarkdown", ops.CodeOutcomeUnknown,
			[]string{"The write was sent, but its reply was lost. Roam has not answered within 5 minutes.", `"applied":null`, "It can't be looked at now"}, DefaultCallTimeouts().Write, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				roam := &silentRoam{}
				session, progress := connectTo(ctx, t, path, roam)
				defer session.Close()
				params := callOf(tc.tool, tc.arguments)
				params.SetProgressToken("p")
				began := time.Now()
				result, err := session.CallTool(ctx, params)
				require.NoError(t, err)
				reply := newToolReply(t, result).fails(tc.code)
				for _, each := range tc.says {
					if !strings.Contains(reply.text, each) {
						t.Errorf("the reply does not say %s: %s", each, reply.text)
					}
				}
				if took := time.Since(began); took < tc.timeout || took > tc.timeout+tc.patience {
					t.Errorf("it took %v", took)
				}
				synctest.Wait()
				if told := progress.text(); !strings.Contains(told, "It has 45 seconds left to answer.") || strings.Contains(told, "65 seconds") {
					t.Errorf("progress is %s", told)
				}
				if sent := strings.Join(roam.sent, " "); strings.Count(sent, tc.sent) != 1 {
					t.Errorf("%s is to be sent once: %s", tc.sent, sent)
				}
			})
		})
	}
}

// connectTo connects a client, which hears progress, to a server of a configuration
// and a Roam. The server ends with ctx.
func connectTo(ctx context.Context, t *testing.T, path string, roam API) (*mcp.ClientSession, *heard) {
	t.Helper()
	server, err := New(ctx, Options{Store: configstore.New(path), Roam: roam, EditGuidelines: true, EditCode: true}) // whose protection would wait before the call
	require.NoError(t, err)
	progress := &heard{}
	return connectClient(ctx, t, server, progress.options()), progress
}

// connectClient connects a client to a server, in memory.
func connectClient(ctx context.Context, t *testing.T, server *Server, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	_, err := server.Connect(ctx, serverEnd)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, options).
		Connect(ctx, clientEnd, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	return session
}

func TestACallEndsWhateverItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := &Server{timeouts: DefaultTimeouts()}, time.Now()
		ctx, end := s.limitCall(t.Context())
		defer end()
		<-ctx.Done()
		err := ctx.Err()
		if took := time.Since(began); took != callTimeout || Explained(err).Code != localapi.CodeTimeout {
			t.Errorf("it ended after %v with %v", took, err)
		}
	})
}

func TestAWriteThatWaitsForItsTurnTellsOfIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(configText("Work")), 0o600))
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		session, progress := connectTo(ctx, t, path, slowRoam{0})
		defer session.Close()
		params := callOf("create_page", `{"title":"x"}`)
		params.SetProgressToken("p")
		for range 250 { // more than go out at once
			result, err := session.CallTool(ctx, params)
			require.NoError(t, err)
			if result.IsError {
				t.Fatal(newToolReply(t, result).text)
			}
		}
		synctest.Wait()
		if told := progress.text(); !strings.Contains(told, "Waiting for a turn: Roam takes 1,500 writes a minute.") {
			t.Errorf("progress is %s", told)
		}
	})
}
