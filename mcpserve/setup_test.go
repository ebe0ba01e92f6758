package mcpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/mcpserve/transport"
)

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }

// plainReply is a reply as a golden file has it: readable, and without what
// differs from run to run.
func plainReply(r toolReply) string {
	var out bytes.Buffer
	require.NoError(r.t, json.Indent(&out, []byte(r.text), "", "  "))
	text := out.String()
	for pattern, put := range map[string]string{`127\.0\.0\.1:\d+`: "127.0.0.1:PORT", `"secondsLeft": \d+`: `"secondsLeft": 0`} {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, put)
	}
	return text + "\n"
}

func TestEveryEndingOfSettingUpAGraphIsTold(t *testing.T) {
	patient := func(b *boxed) {}
	until := func(state exchange.State) func(*boxed) { return func(b *boxed) { b.limitAt(b.at(state)) } }
	for name, c := range map[string]struct {
		code    problem.Code // empty: success
		on      []string     // switches
		prepare func(*boxed)
	}{
		"granted":     {"", []string{"exchange=allow"}, patient},
		"lowered":     {"", []string{"exchange=read-only"}, patient},
		"waiting":     {"", nil, until(exchange.Waiting)},
		"rejected":    {localapi.CodeUserRejected, []string{"exchange=deny"}, patient},
		"blocked":     {localapi.CodeGraphBlocked, []string{"exchange=never"}, patient},
		"timed-out":   {localapi.CodeTimeout, []string{"exchange=timeout"}, patient},
		"busy":        {localapi.CodeRequestInProgress, []string{"exchange=busy"}, until(exchange.Busy)},
		"cancelled":   {localapi.CodeCancelled, []string{"exchange=cancelled"}, patient},
		"no-token":    {localapi.CodeInvalidReply, []string{"exchange=no-token"}, patient},
		"failed":      {localapi.CodeInternal, []string{"exchange=error"}, patient},
		"disabled":    {localapi.CodeDisabled, []string{"disabled"}, patient},
		"signed-out":  {localapi.CodeGraphNotListed, []string{"signed-out"}, patient},
		"not-roam":    {localapi.CodeNotRoam, []string{"reply=html"}, patient},
		"unreachable": {localapi.CodeConnectionFailed, nil, func(b *boxed) { b.stop() }},
	} {
		for _, era := range eras() {
			t.Run(name+" in "+era, func(t *testing.T) {
				b := newBoxed(t, func(box *sandbox.Options, _ *Options) {
					if name == "timed-out" {
						box.AnswerLimit = 50 * time.Millisecond
					}
				})
				b.turn(c.on...)
				c.prepare(b)
				progress := &heard{}
				reply := b.connectVersion(era, progress.options()).callWithProgress(t.Context(), setupTool, `{"graph":"notes"}`)
				if c.code == "" {
					reply.ok()
				} else if reply.fails(c.code); reply.failure["hint"] == nil {
					t.Errorf("no next step: %s", reply.text)
				}
				golden.GrowingFile(t, "testdata/setup/"+name+".golden", func() string { return progress.text() + "\n" + plainReply(reply) })
				if progress.wrong {
					t.Error("the progress does not grow")
				}
			})
		}
	}
}

func TestSettingUpAGraphMakesItUsableAtOnce(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			b := newBoxed(t)
			changed := make(chan struct{}, 8)
			c := b.connectVersion(era, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
			c.call("get_page", `{"title":"x"}`).fails(configstore.CodeConfigNotFound)
			listed := c.call(setupTool, `{}`).ok()
			if available, _ := json.Marshal(listed.fields["available_graphs"]); string(available) != `[{"name":"notes","open":true,"type":"hosted"},{"name":"diary","open":true,"type":"offline"}]` {
				t.Errorf("available: %s", available)
			}
			b.turn("exchange=allow")
			c.call(setupTool, `{"graph":"diary","nickname":"My diary","accessLevel":"read-append"}`).ok().has("status", "connected")
			if e := b.entry("my DIARY"); e.Graph() != diaryGraph || e.AccessLevel != localapi.ReadAppend || e.LastKnownTokenStatus != localapi.TokenActive {
				t.Errorf("saved as %+v", e)
			}
			c.call("create_page", `{"title":"Bread"}`).ok().has("graph", "My diary")
			<-changed
			await.Condition(t, "the list for one graph", func() bool { return !strings.Contains(strings.Join(toolNames(t, c), " "), "list_graphs") })
			c.call(setupTool, `{"graph":"diary"}`).ok().has("status", "already_configured")
			c.call(setupTool, `{"graph":"My diary"}`).ok().has("status", "already_configured")
			if b.asked() != 1 {
				t.Errorf("Roam was asked %d times", b.asked())
			}
			listed = c.call(setupTool, `{}`).ok()
			if text := string(rawjson.Encode(listed.fields["already_configured"])); !strings.Contains(text, `"nickname":"My diary"`) {
				t.Errorf("configured: %s", text)
			}
		})
	}
}

func TestARevokedTokenLeadsToANewOne(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			b := newBoxed(t)
			before := b.connected(notesGraph, "Work", localapi.ReadAppend)
			c := b.connectVersion(era)
			c.call("get_page", `{"title":"x"}`).ok()
			_, err := b.box.Desk().Revoke(notesGraph, before.Token.Hint()[len("…"):])
			require.NoError(t, err)
			refused := c.call("get_page", `{"title":"x"}`).fails(localapi.CodeTokenNotFound)
			if refused.failure["suggested_next_tool"] != setupTool || !strings.Contains(refused.text, `with graph \"notes\"`) {
				t.Errorf("%s", refused.text)
			}
			if e := b.entry("Work"); e.LastKnownTokenStatus != localapi.TokenRevoked {
				t.Errorf("the status is %q", e.LastKnownTokenStatus)
			}
			b.turn("exchange=allow")
			c.call(setupTool, `{"graph":"notes"}`).ok().has("status", "connected")
			c.call("get_page", `{"title":"x"}`).ok().has("graph", "Work")
			if e := b.entry("Work"); e.LastKnownTokenStatus != localapi.TokenActive || e.AccessLevel != localapi.ReadAppend || e.Token == before.Token {
				t.Errorf("saved as %+v", e)
			}
		})
	}
}

func TestAConnectedGraphThatRoamDoesNotList(t *testing.T) {
	b := newBoxed(t)
	b.connected(notesGraph, "Work", localapi.ReadOnly)
	c := b.connect()
	for _, name := range []string{"notes", "Work"} {
		b.turn("public=notes")
		c.call(setupTool, fmt.Sprintf(`{"graph":%q}`, name)).ok().has("status", "already_configured")
		b.turn("signed-out", "fail="+localapi.GuidelinesAction+":Graph notes not found")
		gone := c.call(setupTool, fmt.Sprintf(`{"graph":%q}`, name)).fails(localapi.CodeGraphNotFound)
		demand(t, "a graph that is gone", gone.text, []string{"deleted or renamed", "what became of the graph"}, []string{"token works"})
		b.box.Clear()
	}
}

func TestMoreAccessCanBeAskedFor(t *testing.T) {
	b := newBoxed(t)
	b.connected(notesGraph, "Work", localapi.ReadOnly)
	c := b.connect()
	await.Condition(t, "the tools of a graph that is only read", func() bool { return !strings.Contains(strings.Join(toolNames(t, c), " "), "create_page") })
	c.call("create_page", `{"title":"x"}`).fails(CodeReadOnly)
	c.call(setupTool, `{"graph":"notes","accessLevel":"read-only"}`).ok().has("status", "already_configured")
	c.call(setupTool, `{"graph":"notes","accessLevel":"all"}`).fails(surface.CodeInvalidParams)
	b.turn("exchange=allow")
	c.call(setupTool, `{"graph":"notes","accessLevel":"Full"}`).ok().has("status", "connected")
	c.call("create_page", `{"title":"x"}`).ok()
}

func TestCancellingTheCallClosesTheDialog(t *testing.T) {
	for _, era := range eras() {
		t.Run(era, func(t *testing.T) {
			b := newBoxed(t)
			c := b.connectVersion(era)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: setupTool, Arguments: rawJSON(`{"graph":"notes"}`)})
			}()
			b.dialog()
			cancel()
			await.Condition(t, "the dialog to close", func() bool { return len(b.box.Desk().Pending()) == 0 })
			<-done
			b.turn("exchange=allow")
			c.call(setupTool, `{"graph":"notes"}`).ok().has("status", "connected")
		})
	}
}

// slowToClose is a Roam whose dialogs take a while to close.
type slowToClose struct {
	*localapi.Client
	closing, closed chan struct{}
}

func (r slowToClose) RequestToken(ctx context.Context, request localapi.TokenRequest) (localapi.TokenGrant, error) {
	grant, err := r.Client.RequestToken(ctx, request)
	if ctx.Err() != nil {
		close(r.closing)
		<-r.closed
	}
	return grant, err
}

func TestACallThatComesWhileADialogClosesAsksAnew(t *testing.T) {
	slow := slowToClose{closing: make(chan struct{}), closed: make(chan struct{})}
	defer close(slow.closed)
	b := newBoxed(t, func(_ *sandbox.Options, o *Options) {
		slow.Client = o.Roam.(*localapi.Client)
		o.Roam = slow
	})
	c := b.connect()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = c.CallTool(ctx, &mcp.CallToolParams{Name: setupTool, Arguments: rawJSON(`{"graph":"notes"}`)})
	}()
	b.dialog()
	cancel()
	<-slow.closing
	b.turn("exchange=allow")
	c.call(setupTool, `{"graph":"notes","accessLevel":"read-only"}`).ok().has("status", "connected")
	if e := b.entry("notes"); e.AccessLevel != localapi.ReadOnly {
		t.Errorf("saved as %+v", e)
	}
}

// waiting counts the calls that wait.
func (a *tokenRequest) waiting() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls
}

func TestTwoCallsForOneGraphShareOneDialog(t *testing.T) {
	b := newBoxed(t)
	c, other := b.connect(), b.connectVersion(statelessVersion)
	replies := make(chan toolReply, 2)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { replies <- c.call(setupTool, `{"graph":"notes"}`) }()
	b.dialog()
	gone := make(chan struct{})
	go func() { // one that leaves does not take the dialog along
		defer close(gone)
		_, _ = other.CallTool(ctx, &mcp.CallToolParams{Name: setupTool, Arguments: rawJSON(`{"graph":"notes"}`)})
	}()
	await.Condition(t, "the second call to join", func() bool {
		open, found := b.server.tokenRequests.find("notes")
		return found && open.waiting() == 2
	})
	cancel()
	<-gone
	await.Condition(t, "the second call to leave", func() bool {
		open, found := b.server.tokenRequests.find("notes")
		return found && open.waiting() == 1
	})
	other.call(setupTool, `{"graph":"notes","accessLevel":"read-only"}`).fails(localapi.CodeRequestInProgress)
	go func() { replies <- other.call(setupTool, `{"graph":"notes"}`) }()
	await.Condition(t, "the third call to join", func() bool {
		open, found := b.server.tokenRequests.find("notes")
		return found && open.waiting() == 2
	})
	b.answer(desk.Decision{Verdict: desk.Grants})
	for range 2 {
		(<-replies).ok().has("status", "connected")
	}
	if b.asked() != 1 {
		t.Errorf("Roam was asked %d times", b.asked())
	}
}

func TestADialogOutlivesTheCallThatOpenedIt(t *testing.T) {
	for name, c := range map[string]struct {
		decision desk.Decision
		check    func(toolReply)
	}{
		"and is granted":  {desk.Decision{Verdict: desk.Grants}, func(r toolReply) { r.ok().has("status", "connected") }},
		"and is rejected": {desk.Decision{Verdict: desk.Rejects}, func(r toolReply) { r.fails(localapi.CodeUserRejected) }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBoxed(t)
			client := b.connect()
			b.limitAt(func() bool { return b.at(exchange.Waiting)() && len(b.box.Desk().Pending()) == 1 })
			client.call(setupTool, `{"graph":"notes"}`).ok().has("status", "waiting")
			client.call(setupTool, `{"graph":"notes"}`).ok().has("status", "waiting")
			b.answer(c.decision)
			await.Condition(t, "the end", func() bool {
				open, found := b.server.tokenRequests.find("notes")
				return found && open.state().over
			})
			b.limitAt(func() bool { return false })
			c.check(client.call(setupTool, `{"graph":"notes"}`))
			if b.asked() != 1 {
				t.Errorf("Roam was asked %d times", b.asked())
			}
		})
	}
}

func TestTheEndOfTheServerClosesTheDialog(t *testing.T) {
	b := newBoxed(t)
	client := b.connect()
	b.limitAt(b.at(exchange.Waiting))
	client.call(setupTool, `{"graph":"notes"}`).ok().has("status", "waiting")
	b.server.Close()
	await.Condition(t, "the dialog to close", func() bool { return len(b.box.Desk().Pending()) == 0 })
	client.call(setupTool, `{"graph":"diary"}`).fails(localapi.CodeRequestInProgress)
}

func TestWhatTheUserHasRuledOutIsNotAskedFor(t *testing.T) {
	b := newBoxed(t, func(_ *sandbox.Options, o *Options) { o.Graphs = []string{"notes"} })
	b.connected(notesGraph, "Work", localapi.Full)
	c := b.connect()
	c.call(setupTool, `{"graph":"diary"}`).fails(configstore.CodeGraphNotConfigured)
	c.call(setupTool, `{"graph":"no/graph"}`).fails(surface.CodeInvalidParams)
	require.NoError(t, b.store.SetDisabled(t.Context(), "Work", true))
	c.call(setupTool, `{"graph":"notes"}`).fails(CodeGraphDisabled)
	if b.asked() != 1 { // by connected
		t.Errorf("Roam was asked %d times", b.asked())
	}
	readOnly := newBoxed(t, func(_ *sandbox.Options, o *Options) { o.ReadOnly = true })
	readOnly.connect().call(setupTool, `{"graph":"notes"}`).fails(CodeReadOnly)
}

func TestNicknamesAreCheckedBeforeAnybodyIsAsked(t *testing.T) {
	b := newBoxed(t)
	b.connected(diaryGraph, "Work", localapi.Full)
	c := b.connect()
	c.call(setupTool, `{"graph":"notes","nickname":"work"}`).fails(configstore.CodeNicknameTaken)
	c.call(setupTool, `{"graph":"notes","nickname":"a\u0007b"}`).fails(configstore.CodeNicknameInvalid)
	for _, nickname := range []string{"a $(touch x)", "a\u200bb", "a\u3164b", "a\U000e0041b"} {
		c.call(setupTool, string(rawjson.With("graph", "notes").With("nickname", nickname).JSON())).fails(configstore.CodeNicknameInvalid)
	}
	c.call(setupTool, `{"graph":"notes","nickname":"Wоrk"}`).fails(configstore.CodeNicknameTaken)
	c.call(setupTool, `{"graph":"elsewhere"}`).fails(localapi.CodeGraphNotListed)
	for _, secret := range []string{localapi.TokenPrefix + strings.Repeat("x", 29), transport.NewToken().Reveal()} {
		if refused := c.call(setupTool, `{"graph":"`+secret+`"}`).fails(surface.CodeInvalidParams); strings.Contains(refused.text, secret) {
			t.Errorf("the token is repeated: %s", refused.text)
		}
	}
	if b.asked() != 1 {
		t.Errorf("Roam was asked %d times", b.asked())
	}
}

func TestANicknameThatIsAnotherGraphsNameIsNotMistakenForIt(t *testing.T) {
	b := newBoxed(t)
	b.connected(diaryGraph, "notes", localapi.Full) // the nickname is the name of a graph that is not connected
	b.turn("exchange=allow")
	c := b.connect()
	c.call(setupTool, `{"graph":"notes"}`).ok().has("status", "connected")
	if e := b.entry("Notes 2"); e.Graph() != notesGraph {
		t.Errorf("connected %+v", e)
	}
	if e := b.entry("notes"); e.Graph() != diaryGraph {
		t.Errorf("replaced by %+v", e)
	}
}

func TestARoamThatCantBeAskedForTokensIsNotAsked(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.Roam = slowRoam{} })
	c := w.connect()
	if strings.Contains(strings.Join(toolNames(t, c), " "), setupTool) || strings.Contains(w.server.promptList().instructions(), setupTool) {
		t.Error("the tool is offered")
	}
	c.call(setupTool, `{}`).fails(CodeToolNotOffered)
	w.server.Close()
}
