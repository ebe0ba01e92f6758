package mcpserve

import (
	"context"
	"errors"
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
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// knowingRoam answers questions about a token with info, and fails all other calls with
// call.
type knowingRoam struct {
	mu    sync.Mutex
	info  localapi.TokenInfo
	asked int // about the token
	call  error
}

func notThere() error {
	return &problem.Error{Code: localapi.CodeConnectionFailed, Message: "Nothing answers.", Hint: problem.Say("Start %s.", problem.Roam), Call: &problem.Call{}, Err: errors.New("refused")}
}

func (r *knowingRoam) Call(context.Context, localapi.Graph, localapi.Token, string, ...any) (localapi.Reply, error) {
	return localapi.Reply{}, r.call
}

func (r *knowingRoam) TokenInfo(context.Context, localapi.Graph, localapi.Token) localapi.TokenInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return r.info
}

func (r *knowingRoam) set(info localapi.TokenInfo, call error) (asked int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.info, r.call, asked = info, call, r.asked
	r.asked = 0
	return asked
}

// exchangingRoam can be asked for tokens, so that a server with it would open Roam.
type exchangingRoam struct{ *knowingRoam }

func (exchangingRoam) OpenGraphs(context.Context) ([]localapi.Graph, error) { return nil, notThere() }
func (exchangingRoam) AvailableGraphs(context.Context) ([]localapi.Graph, error) {
	return nil, notThere()
}
func (exchangingRoam) RequestToken(context.Context, localapi.TokenRequest) (localapi.TokenGrant, error) {
	return localapi.TokenGrant{}, notThere()
}
func (exchangingRoam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return "", notThere()
}

// standingOf connects to a server of the profile outline, in a bubble of synctest.
func standingOf(t *testing.T, config string, roam API) (call func(tool string) string) {
	t.Helper()
	server, err := New(t.Context(), Options{
		Store: configstore.New(config), Roam: roam, Profile: "outline", Version: "1.2.3",
		OpenRoam: func(context.Context, localapi.Graph) error { t.Error("Roam was opened"); return nil },
	})
	require.NoError(t, err)
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	_, err = server.Connect(t.Context(), serverEnd)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return func(tool string) string {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
		require.NoError(t, err)
		return result.Content[0].(*mcp.TextContent).Text
	}
}

func configFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// The clock of a bubble stands still unless somebody waits.
func TestPing(t *testing.T) {
	one, two, none := configFile(t, configText("Work")), configFile(t, configText("Work", "Home")), configFile(t, "{")
	active, lowered := localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.Full}, localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: localapi.ReadAppend}
	for name, tc := range map[string]struct {
		config string
		info   localapi.TokenInfo
		want   string
	}{
		"with Roam open is ok":                     {one, active, `{"status":"ok","roam":"reachable","latency_ms":0,"graph":"Work","server_version":"1.2.3"}`},
		"with a token that was lowered says so":    {one, lowered, `{"status":"degraded","roam":"reachable","latency_ms":0,"graph":"Work","server_version":"1.2.3","cause":"INSUFFICIENT_SCOPE","message":"The token for the graph \"Work\" permits less than before: read-append.",`},
		"with Roam closed waits for nothing":       {one, localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: notThere()}, `{"status":"degraded","roam":"unreachable","graph":"Work","server_version":"1.2.3","cause":"CONNECTION_FAILED","message":"Nothing answers.","hint":"Start Roam Desktop."}`},
		"of a Roam without the route is ok":        {one, localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: &problem.Error{Code: "NOT_FOUND", Call: &problem.Call{Status: 404}}}, `{"status":"ok","roam":"reachable",`},
		"of something that is not Roam says so":    {one, localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: &problem.Error{Code: localapi.CodeInvalidReply, Message: "It is HTML.", Call: &problem.Call{Status: 502}}}, `{"status":"degraded","roam":"unreachable","graph":"Work","server_version":"1.2.3","cause":"INVALID_REPLY","message":"It is HTML."}`},
		"with a token that is revoked says so":     {one, localapi.TokenInfo{Status: localapi.TokenRevoked, Reason: &problem.Error{Code: localapi.CodeTokenNotFound, Message: "No such token.", Call: &problem.Call{Status: 401}}}, `{"status":"degraded","roam":"reachable","latency_ms":0,"graph":"Work","server_version":"1.2.3","cause":"TOKEN_NOT_FOUND","message":"No such token.","hint":"Ask the user to re-authorize the graph \"Work\", in roam-mcp or with: roam-mcp reauth Work"}`},
		"where no graph is chosen says what to do": {two, active, `{"status":"degraded","roam":"unknown","server_version":"1.2.3","cause":"GRAPH_NOT_SELECTED",`},
		"without a good configuration is no error": {none, active, `{"status":"degraded","roam":"unknown","server_version":"1.2.3","cause":"CONFIG_INVALID",`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				call := standingOf(t, tc.config, exchangingRoam{&knowingRoam{info: tc.info}})
				before := time.Now()
				if got := call("ping"); !strings.HasPrefix(got, tc.want) {
					t.Errorf("got %s\nwant %s", got, tc.want)
				}
				if waited := time.Since(before); waited != 0 {
					t.Errorf("it waited for %v", waited)
				}
			})
		})
	}
}

func TestGetCapabilities(t *testing.T) {
	config := configFile(t, configText("Work"))
	synctest.Test(t, func(t *testing.T) {
		roam := &knowingRoam{}
		call := standingOf(t, config, exchangingRoam{roam})
		active := func(level localapi.AccessLevel) localapi.TokenInfo {
			return localapi.TokenInfo{Status: localapi.TokenActive, AccessLevel: level}
		}
		check := func(what string, asked int, parts ...string) {
			t.Helper()
			got := call("get_capabilities")
			for _, part := range parts {
				if !strings.Contains(got, part) {
					t.Errorf("%s: it lacks %s: %s", what, part, got)
				}
			}
			if n := roam.set(roam.info, roam.call); n != asked {
				t.Errorf("%s: Roam was asked %d times", what, n)
			}
		}
		roam.set(localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: notThere()}, nil)
		check("with Roam closed it is what the configuration says", 1, `"disabled":[]`, `"roam":"unreachable"`, `"hint":"Start Roam Desktop."`)
		roam.set(active(localapi.ReadAppend), nil)
		check("the token's level counts", 1, `"disabled":["pages.delete","blocks.update","blocks.delete","blocks.move"]`, `"access_level":"read-append","roam":"reachable"}`,
			`"blocks.move":{"enabled":false,"reason":"The token for the graph \"Work\" permits reading and adding, not changing or deleting.","remedy":"For more access the user can run: roam-mcp reauth Work"}`)
		time.Sleep(59 * time.Second)
		check("within a minute nobody asks again", 0, `"disabled":["pages.delete"`)
		roam.set(active(localapi.Full), nil)
		time.Sleep(time.Second)
		check("after a minute somebody does", 1, `"disabled":[]`)

		roam.set(active(localapi.Full), &problem.Error{Code: localapi.CodeUnknownAction, Message: "Unknown action: data.ai.search", Call: &problem.Call{Status: 400, Sent: true}})
		failing := func() {
			if got := call("list_pages"); !strings.Contains(got, `"code":"CAPABILITY_MISSING"`) {
				t.Errorf("list_pages answered %s", got)
			}
		}
		failing()
		check("what Roam lacks is not there", 0, `"disabled":["pages.list"]`, `"remedy":"Ask the user to update Roam Desktop`)
		time.Sleep(10 * time.Minute)
		check("after ten minutes it may be", 1, `"disabled":[]`)
	})
}
