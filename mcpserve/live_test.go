package mcpserve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
)

func TestARoamThatRestartsElsewhereIsFoundAgain(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			b := newBoxed(t)
			b.connected(notesGraph, "Work", localapi.Full)
			c := b.connectVersion(era)
			c.call("create_page", `{"title":"Before"}`).ok()
			before := b.box.Port()
			b.stop()
			c.call("get_page", `{"title":"Before"}`).fails(localapi.CodeConnectionFailed)
			// The old port is taken by something else, so that Roam has to move.
			b.options.Port = 0
			b.start()
			if b.box.Port() == before {
				t.Skip("the system gave the same port again")
			}
			c.call("get_page", `{"title":"Before"}`).ok().has("graph", "Work")
			c.call("create_page", `{"title":"After"}`).ok()
		})
	}
}

func TestARoamThatRestartsInPlaceIsFoundAgain(t *testing.T) {
	b := newBoxed(t)
	b.connected(notesGraph, "Work", localapi.Full)
	c := b.connect()
	c.call("create_page", `{"title":"Before"}`).ok()
	b.options.Port = b.box.Port()
	b.stop()
	b.start()
	c.call("create_page", `{"title":"After"}`).ok()
	if text := c.call("get_page", `{"title":"After"}`).ok().text; !strings.Contains(text, "# After") {
		t.Errorf("%s", text)
	}
}

func TestATokenThatWorksAgainIsNoLongerCalledRevoked(t *testing.T) {
	b := newBoxed(t)
	b.connected(notesGraph, "Work", localapi.Full)
	c := b.connect()
	b.turn("tokens=revoked")
	c.call("get_page", `{"title":"x"}`).fails(localapi.CodeTokenNotFound)
	if e := b.entry("Work"); e.LastKnownTokenStatus != localapi.TokenRevoked {
		t.Errorf("the status is %q", e.LastKnownTokenStatus)
	}
	b.box.Clear()
	c.call("get_page", `{"title":"x"}`).ok()
	if e := b.entry("Work"); e.LastKnownTokenStatus != localapi.TokenActive {
		t.Errorf("the status is %q", e.LastKnownTokenStatus)
	}
}

func TestOnlyRoamsOwnWordMakesATokenRevoked(t *testing.T) {
	for _, fault := range []string{"tokens=wrong-type", "tokens=cloud", "tokens=corrupt-file", "disabled", "reply=html"} {
		b := newBoxed(t)
		b.connected(notesGraph, "Work", localapi.Full)
		b.turn(fault)
		c := b.connect()
		if reply := c.call("get_graph_guidelines", `{}`); !reply.isError {
			t.Errorf("%s: %s", fault, reply.text)
		}
		c.call("get_page", `{"title":"x"}`)
		if e := b.entry("Work"); e.LastKnownTokenStatus == localapi.TokenRevoked {
			t.Errorf("%s: the token is called revoked", fault)
		}
	}
}

// tokenLevel lets the fake Roam say what level every token has.
func (f *fakeRoam) tokenLevel(level localapi.AccessLevel) {
	f.on("tokens/info", func(roamRequest) (int, string) {
		return 200, fmt.Sprintf(`{"success":true,"grantedAccessLevel":%q}`, level)
	})
}

func TestALevelThatChangesInRoamIsNotedAndShown(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			w := newWorld(t, strings.Replace(configText("Work"), `"nickname"`, `"colour":"blue","nickname"`, 1))
			changed := make(chan struct{}, 8)
			c := w.connectVersion(era, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
			writes := func() bool { return strings.Contains(strings.Join(toolNames(t, c), " "), "create_page") }
			level := func(want localapi.AccessLevel) {
				t.Helper()
				w.roam.tokenLevel(want)
				await.Condition(t, "the level in the configuration", func() bool { // tokens/info may be slower than the guidelines
					c.call("get_graph_guidelines", `{}`).ok()
					e, _ := w.server.currentView().find("Work")
					return e.AccessLevel == want
				})
			}
			level(localapi.ReadOnly)
			<-changed
			await.Condition(t, "a list without writes", func() bool { return !writes() })
			c.call("create_page", `{"title":"x"}`).fails(CodeReadOnly)
			level(localapi.Full)
			<-changed
			await.Condition(t, "a list with writes", writes)
			text, err := os.ReadFile(w.path)
			require.NoError(t, err)
			if !strings.Contains(string(text), `"colour": "blue"`) && !strings.Contains(string(text), `"colour":"blue"`) {
				t.Errorf("another program's field is lost: %s", text)
			}
		})
	}
}

func TestAWriteThatTheTokenForbidsNotesItsLevel(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.tokenLevel(localapi.ReadAppend)
	w.roam.fails("data.block.update", 403, `{"success":false,"error":{"code":"INSUFFICIENT_SCOPE","message":"edit is needed"}}`)
	refused := w.connect().call("update_block", `{"uid":"b","string":"x"}`).fails(localapi.CodeInsufficientScope)
	if hint, _ := refused.failure["hint"].(string); !strings.Contains(hint, setupTool) {
		t.Errorf("%s", refused.text)
	}
	config, err := w.store.Load(t.Context())
	require.NoError(t, err)
	if e, _ := config.Find("Work"); e.AccessLevel != localapi.ReadAppend {
		t.Errorf("the level is %q", e.AccessLevel)
	}
}

func TestNotesAndOtherWritersLoseNothingOfEachOther(t *testing.T) {
	const rounds = 20
	w := newWorld(t, configText("Work", "Home"))
	c := w.connect()
	other := configstore.New(w.path) // as another process would
	var all sync.WaitGroup
	all.Go(func() {
		for n := range rounds {
			w.roam.tokenLevel([]localapi.AccessLevel{localapi.ReadAppend, localapi.Full}[n%2])
			c.call("get_graph_guidelines", `{"graph":"home"}`)
		}
	})
	all.Go(func() {
		var failed error
		for n := range rounds {
			failed = errors.Join(failed, other.SetDisabled(t.Context(), "Work", n%2 == 0))
		}
		if failed = errors.Join(failed, other.Rename(t.Context(), "Work", "Job")); failed != nil {
			t.Error(failed)
		}
	})
	all.Wait()
	config, err := other.Load(t.Context())
	require.NoError(t, err)
	job, renamed := config.Find("Job")
	home, _ := config.Find("Home")
	if !renamed || job.Disabled || home.LastKnownTokenStatus != localapi.TokenActive || len(config.Problems) > 0 {
		t.Errorf("%+v", config)
	}
}

func TestListsChangeForEveryClientInEitherEra(t *testing.T) {
	w := newWorld(t, configText("Work"))
	type listener struct {
		*client
		changed chan struct{}
	}
	var listeners []listener
	for _, era := range append(eras(), eras()...) {
		changed := make(chan struct{}, 8)
		listeners = append(listeners, listener{w.connectVersion(era, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }}), changed})
	}
	w.configure(configText("Work", "Home"))
	for _, each := range listeners {
		<-each.changed
		await.Condition(t, "the tools for several graphs", func() bool { return strings.Contains(strings.Join(toolNames(t, each.client), " "), "select_graph") })
	}
}
