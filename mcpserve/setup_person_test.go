package mcpserve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/manage"
)

// asksThePerson is a client that shows forms.
func asksThePerson(answer func(*mcp.ElicitParams) (*mcp.ElicitResult, error)) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return answer(r.Params)
	}}
}

func TestThePersonIsAskedForTheNicknameWhereTheClientCan(t *testing.T) {
	accept := func(nickname string) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"nickname": nickname}}
	}
	for name, c := range map[string]struct {
		arguments string
		said      *mcp.ElicitResult
		code      problem.Code
		nickname  string
		forms     int
	}{
		"and gives one":              {`{"graph":"notes"}`, accept("  Küche  "), "", "Küche", 1},
		"and takes the suggestion":   {`{"graph":"notes"}`, accept("Notes"), "", "Notes", 1},
		"and gives one that's taken": {`{"graph":"notes"}`, accept("diary"), configstore.CodeNicknameTaken, "", 1},
		"and declines":               {`{"graph":"notes"}`, &mcp.ElicitResult{Action: "decline"}, localapi.CodeCancelled, "", 1},
		"and closes the form":        {`{"graph":"notes"}`, &mcp.ElicitResult{Action: "cancel"}, localapi.CodeCancelled, "", 1},
		"unless the agent names one": {`{"graph":"notes","nickname":"Mine"}`, nil, "", "Mine", 0},
	} {
		for _, era := range eras() {
			t.Run(name+" in "+era, func(t *testing.T) {
				b := newBoxed(t)
				b.connected(diaryGraph, "Diary", localapi.Full)
				b.turn("exchange=allow")
				var forms []*mcp.ElicitParams
				client := b.connectVersion(era, asksThePerson(func(p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					forms = append(forms, p)
					return c.said, nil
				}))
				reply := client.call(setupTool, c.arguments)
				if len(forms) != c.forms {
					t.Fatalf("%d forms", len(forms))
				}
				if c.code != "" {
					reply.fails(c.code)
					if b.asked() != 1 { // by connected
						t.Error("Roam was asked all the same")
					}
					return
				}
				reply.ok().has("status", "connected")
				if e := b.entry("notes"); e.Nickname != c.nickname {
					t.Errorf("the nickname is %q", e.Nickname)
				}
				if c.forms > 0 && !strings.Contains(forms[0].Message, "notes with full access: it could read, add, change and delete") {
					t.Errorf("the form says: %s", forms[0].Message)
				}
			})
		}
	}
}

func TestAFormThatFailsDoesNotEndTheSetup(t *testing.T) {
	b := newBoxed(t)
	b.turn("exchange=allow")
	client := b.connect(asksThePerson(func(*mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, errors.New("no window") }))
	client.call(setupTool, `{"graph":"notes"}`).ok().has("status", "connected")
	if e := b.entry("notes"); e.Nickname != "Notes" {
		t.Errorf("the nickname is %q", e.Nickname)
	}
}

func TestAFormThatNobodyAnswersEndsInTime(t *testing.T) {
	b := newBoxed(t)
	asked, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	client := b.connect(asksThePerson(func(*mcp.ElicitParams) (*mcp.ElicitResult, error) {
		close(asked)
		<-release
		return nil, errors.New("late")
	}))
	b.limitAt(func() bool {
		select {
		case <-asked:
			return true
		default:
			return false
		}
	})
	client.call(setupTool, `{"graph":"notes"}`).fails(localapi.CodeTimeout)
	if b.asked() != 0 {
		t.Error("Roam was asked all the same")
	}
}

func TestAnAnswerThatComesAsTheTimeRunsOutCounts(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, tc := range map[string]struct {
		said mcp.InputResponseMap
		want string
	}{
		"of a person":                 {mcp.InputResponseMap{nicknameQuestion: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"nickname": "Küche"}}}, "Küche"},
		"where nobody could be asked": {nil, "Notes"},
	} {
		c := &call{server: w.server, request: &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{InputResponses: tc.said}}}
		nickname, err := c.setup().askNickname(ctx, manage.Authorization{Request: exchange.Request{Graph: notesGraph}, Entry: configstore.Entry{Nickname: "Notes"}})
		if err != nil || nickname != tc.want {
			t.Errorf("%s: %q, %v", name, nickname, err)
		}
	}
}

// brokenStore fails where keep or check says so.
type brokenStore struct {
	*configstore.Store
	keep, check bool
}

func (s brokenStore) elsewhere() *configstore.Store {
	return configstore.New(filepath.Join(filepath.Dir(s.Path()), "missing", "config.json"))
}

func (s brokenStore) CheckWritable(ctx context.Context) error {
	if s.check {
		return s.elsewhere().CheckWritable(ctx)
	}
	return s.Store.CheckWritable(ctx)
}

func (s brokenStore) SaveGrant(ctx context.Context, e configstore.Entry, renews bool) (configstore.Entry, error) {
	if s.keep {
		return s.elsewhere().SaveGrant(ctx, e, renews)
	}
	return s.Store.SaveGrant(ctx, e, renews)
}

func TestNobodyIsAskedWhereTheTokenCouldNotBeSaved(t *testing.T) {
	b := newBoxed(t, func(_ *sandbox.Options, o *Options) {
		o.Store = brokenStore{Store: o.Store.(*configstore.Store), check: true}
	})
	b.connect().call(setupTool, `{"graph":"notes"}`).fails(configstore.CodeConfigUnwritable)
	if b.asked() != 0 {
		t.Error("Roam was asked all the same")
	}
}

func TestATokenThatCantBeSavedIsRescued(t *testing.T) {
	b := newBoxed(t, func(_ *sandbox.Options, o *Options) {
		o.Store = brokenStore{Store: o.Store.(*configstore.Store), keep: true}
	})
	b.turn("exchange=allow")
	reply := b.connect().callWithProgress(t.Context(), setupTool, `{"graph":"notes"}`).fails(configstore.CodeConfigUnwritable)
	files, err := filepath.Glob(filepath.Join(b.rescue, "*.json"))
	require.NoError(t, err)
	if len(files) != 1 || !strings.Contains(reply.text, "roam-mcp import "+files[0]) {
		t.Fatalf("%v: %s", files, reply.text)
	}
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	if !leaked(string(text)) {
		t.Error("the file holds no token")
	}
}

func TestRoamsDialogSaysWhoAsks(t *testing.T) {
	b := newBoxed(t)
	client := b.connect()
	go func() {
		_, _ = client.CallTool(t.Context(), &mcp.CallToolParams{Name: setupTool, Arguments: rawJSON(`{"graph":"notes","accessLevel":"read-append"}`)})
	}()
	if d := b.dialog(); d.Description != "roam-mcp for test" || d.AccessLevel != localapi.ReadAppend || !d.AI || d.Graph != notesGraph {
		t.Errorf("%+v", d)
	}
	b.answer(desk.Decision{Verdict: desk.Rejects})
}

func TestARoamThatGoesAwayWhileItAsksIsSaid(t *testing.T) {
	w := newWorld(t, "")
	for _, route := range []string{"open", "available"} {
		w.roam.result(route, `[{"name":"notes","type":"hosted"}]`)
	}
	w.roam.on("tokens/request", func(roamRequest) (int, string) { return 0, "" })
	failed := w.connect().call(setupTool, `{"graph":"notes"}`).fails(localapi.CodeConnectionFailed)
	if hint, _ := failed.failure["hint"].(string); !strings.Contains(hint, "went away while it was asking") {
		t.Errorf("%s", failed.text)
	}
	if n := len(w.roam.requests("tokens/request")); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
}
