package mcpserve_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/activity"
)

// leaving is the way to a Roam during whose next write, or after it, the client leaves.
type leaving struct {
	*localapi.Client
	at    atomic.Int32 // a moment
	leave context.CancelFunc
	wrote atomic.Int32
}

// The moments at which a client leaves.
const (
	never         = iota
	beforeItCame  // the write never reaches Roam
	beforeItsWord // it is done, and its reply is lost
	afterwards    // the reply has come
	staying       // it is done, and its reply is lost, and the client does not leave
)

// Call implements API.
func (l *leaving) Call(ctx context.Context, graph localapi.Graph, token localapi.Token, action string, args ...any) (localapi.Reply, error) {
	if !isWrite(action) {
		return l.Client.Call(ctx, graph, token, action, args...)
	}
	moment := l.at.Swap(never)
	var reply localapi.Reply
	var err error
	if moment != beforeItCame {
		l.wrote.Add(1)
		reply, err = l.Client.Call(ctx, graph, token, action, args...)
	}
	if moment == never {
		return reply, err
	}
	if moment == staying {
		return localapi.Reply{}, &problem.Error{Code: localapi.CodeInternal, Message: "Roam says: Unexpected failure.", Call: &problem.Call{Action: action, Sent: true, Status: 500, Text: "Unexpected failure"}}
	}
	l.leave()
	<-ctx.Done()
	if moment == afterwards {
		return reply, err
	}
	return localapi.Reply{}, &problem.Error{Code: localapi.CodeCancelled, Message: "The call was cancelled.", Call: &problem.Call{Action: action, Sent: true}, Err: ctx.Err()}
}

func isWrite(action string) bool {
	return (strings.HasPrefix(action, "data.block.") || strings.HasPrefix(action, "data.page.")) && !strings.Contains(action, "fromMarkdownPreview") || action == "batchActions" || action == "data.block.addComment"
}

// unheardCalls are calls that, made twice, would write twice.
var unheardCalls = []struct{ profile, tool, arguments string }{
	{"roam", "create_block", `{"parentUid":"ap0000001","markdown":"- One\n  - Two"}`},
	{"roam", "append_to_daily_note", `{"markdown":"Tea at five"}`},
	{"roam", "create_page", `{"title":"New","markdown":"- One"}`},
	{"roam", "add_comment", `{"blockUid":"ap0000001","comment":"Really?"}`},
	{"roam", "update_block", `{"uid":"ap0000002","string":"Budget is ample"}`},
	{"roam", "move_block", `{"uid":"ap0000002","parentUid":"ap0000003","order":0}`},
	{"roam", "delete_block", `{"uid":"ap0000001"}`},
	{"roam", "update_page", `{"uid":"saturnv01","title":"Saturn"}`},
	{"graph", "create_node", `{"title":"New","content":"One"}`},
	{"notes", "create_note", `{"title":"New","content":"One"}`},
	{"notes", "create_note", `{"content":"A quick one"}`},
	{"wiki", "create_note", `{"path":"New","title":"New","content":"One"}`},
	{"outline", "create_page", `{"title":"New","content":"- One"}`},
	{"outline", "create_block", `{"page_name":"Saturn V","content":"One"}`},
}

// TestUnheardCallsAreNotMadeTwice has a client leave in the middle of a call, and make it again.
func TestUnheardCallsAreNotMadeTwice(t *testing.T) {
	suites := map[string]*profiletest.Suite{}
	var roam *leaving
	for _, tc := range unheardCalls {
		if suites[tc.profile] == nil {
			suites[tc.profile] = profiletest.NewSuite(t, profiletest.Options{Profile: tc.profile, History: true, Server: func(o *mcpserve.Options) {
				roam = &leaving{Client: o.Roam.(*localapi.Client)}
				o.Roam, o.OverwriteUnread = roam, true
			}})
		}
		for moment, name := range map[int32]string{beforeItCame: "before the write came", beforeItsWord: "before its reply came", afterwards: "after its reply came"} {
			t.Run(tc.profile+" "+tc.tool+" "+name, func(t *testing.T) {
				w := suites[tc.profile].World(t)
				c := w.Connect(profiletest.Ways()[0])
				ctx, leave := context.WithCancel(t.Context())
				roam.leave = leave
				roam.at.Store(moment)
				before := contents(t, w)
				callAndLeave(ctx, t, w, c, tc.tool, tc.arguments)
				between := contents(t, w)
				if slices.Equal(before, between) != (moment == beforeItCame) {
					t.Fatalf("the graph was\n%v\nand is\n%v", before, between)
				}
				wrote := roam.wrote.Load()
				w.Clock.Advance(time.Minute) // so that nothing is on its way any more
				again := c.CallAtOnce(t.Context(), tc.tool, tc.arguments)
				after := contents(t, w)
				repeated := strings.Contains(again.String(), "repeated")
				if !repeated && (again.IsError || again.RPC != nil) {
					t.Fatal(again)
				}
				if moment == beforeItCame && (repeated || slices.Equal(between, after)) || moment != beforeItCame && (!repeated || !slices.Equal(between, after) || roam.wrote.Load() != wrote) {
					t.Errorf("%s\nrepeated: %v, %d writes. The graph was\n%v\nand is\n%v", again, repeated, roam.wrote.Load()-wrote, between, after)
				}
				if c.CallAtOnce(t.Context(), tc.tool, tc.arguments); strings.Contains(tc.tool, "create_block") && slices.Equal(after, contents(t, w)) {
					t.Error("a call whose answer arrived is taken for one whose answer did not")
				}
			})
		}
	}
}

// TestOtherCallsThanUnheardOnesAreMade has a client leave after a write was done, and something
// else be called.
func TestOtherCallsThanUnheardOnesAreMade(t *testing.T) {
	const tool, arguments = "append_to_daily_note", `{"markdown":"Tea at five"}`
	for name, tc := range map[string]struct {
		client    string
		arguments string
		later     time.Duration
		writes    int32
	}{
		"the same call":                             {"test", ` {"markdown" : "Tea at five"}`, time.Minute, 0},
		"the same call of another client":           {"other", arguments, time.Minute, 1},
		"the same call after more than two minutes": {"test", arguments, 3 * time.Minute, 1},
		"another call":                              {"test", `{"markdown":"Tea at six"}`, time.Minute, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var roam *leaving
			w, c := profiletest.Connect(t, profiletest.Options{Server: func(o *mcpserve.Options) {
				roam = &leaving{Client: o.Roam.(*localapi.Client)}
				o.Roam = roam
			}})
			ctx, leave := context.WithCancel(t.Context())
			roam.leave = leave
			roam.at.Store(beforeItsWord)
			callAndLeave(ctx, t, w, c, tool, arguments)
			wrote := roam.wrote.Load()
			w.Clock.Advance(tc.later)
			if tc.client != "test" {
				c = w.ConnectAs(profiletest.Ways()[0], tc.client)
			}
			if r := c.CallAtOnce(t.Context(), tool, tc.arguments); r.IsError || roam.wrote.Load()-wrote != tc.writes {
				t.Errorf("%d writes: %s", roam.wrote.Load()-wrote, r)
			}
		})
	}
}

// TestAnUnheardCallIsMadeAgainAfterAnotherOne makes a call whose answer is not heard or is a doubt,
// one that takes back what it did, and the first again: it is meant anew.
func TestAnUnheardCallIsMadeAgainAfterAnotherOne(t *testing.T) {
	type call struct{ tool, arguments string }
	for name, tc := range map[string]struct{ first, other call }{
		"a text":     {call{"update_block", `{"uid":"ap0000002","string":"Budget is ample"}`}, call{"update_block", `{"uid":"ap0000002","string":"Budget is short"}`}},
		"a place":    {call{"move_block", `{"uid":"ap0000002","parentUid":"ap0000003","order":0}`}, call{"move_block", `{"uid":"ap0000002","parentUid":"ap0000001","order":0}`}},
		"a title":    {call{"update_page", `{"uid":"saturnv01","title":"Saturn"}`}, call{"update_page", `{"uid":"saturnv01","title":"Saturn V"}`}},
		"a shortcut": {call{"add_shortcut", `{"uid":"saturnv01"}`}, call{"remove_shortcut", `{"uid":"saturnv01"}`}},
	} {
		for moment, how := range map[int32]string{beforeItsWord: "was not heard", staying: "was a doubt"} {
			t.Run(name+" whose answer "+how, func(t *testing.T) {
				var roam *leaving
				w, c := profiletest.Connect(t, profiletest.Options{History: true, Server: func(o *mcpserve.Options) {
					roam = &leaving{Client: o.Roam.(*localapi.Client)}
					o.Roam = roam
				}})
				ctx, leave := context.WithCancel(t.Context())
				roam.leave = leave
				roam.at.Store(moment)
				if moment == staying {
					c.CallAtOnce(t.Context(), tc.first.tool, tc.first.arguments)
				} else {
					callAndLeave(ctx, t, w, c, tc.first.tool, tc.first.arguments)
				}
				w.Clock.Advance(10 * time.Second)
				if r := c.CallAtOnce(t.Context(), tc.other.tool, tc.other.arguments); r.IsError {
					t.Fatal(r)
				}
				wrote := roam.wrote.Load()
				if r := c.CallAtOnce(t.Context(), tc.first.tool, tc.first.arguments); r.IsError || strings.Contains(r.String(), "repeated") || roam.wrote.Load() != wrote+1 {
					t.Errorf("%d writes: %s", roam.wrote.Load()-wrote, r)
				}
			})
		}
	}
}

// callAndLeave makes a call whose client leaves, and waits for its end.
func callAndLeave(ctx context.Context, t *testing.T, w *profiletest.World, c *profiletest.Client, tool, arguments string) {
	t.Helper()
	calls := w.Server.Activity().Subscribe(activity.SubscribeOptions{})
	defer calls.Close()
	if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}); err == nil {
		t.Fatal("the client has not left")
	}
	for !await.Value(t, "the end of the call", calls.Events()).Ended {
	}
}

// contents returns all pages and blocks, with what they say.
func contents(t *testing.T, w *profiletest.World) []string {
	t.Helper()
	var rows [][2]string
	require.NoError(t, json.Unmarshal(w.Roam("q", `[:find ?u ?s :where [?e :block/uid ?u] (or [?e :block/string ?s] [?e :node/title ?s])]`), &rows))
	var all []string
	for _, row := range rows {
		all = append(all, row[0]+" "+row[1])
	}
	slices.Sort(all)
	return all
}
