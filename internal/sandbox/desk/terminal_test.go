package desk

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/syncbuffer"
)

// sit runs AskTerminal and gives the keyboard and the screen.
func sit(t *testing.T, d *Desk) (keyboard io.WriteCloser, shown *syncbuffer.Buffer) {
	t.Helper()
	in, keyboard := io.Pipe()
	shown = new(syncbuffer.Buffer)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ended <- AskTerminal(ctx, d, in, shown) }()
	t.Cleanup(func() {
		cancel()
		keyboard.Close()
		if err := <-ended; err != nil {
			t.Errorf("AskTerminal: %v", err)
		}
	})
	return keyboard, shown
}

func wants(t *testing.T, shown *syncbuffer.Buffer, parts ...string) {
	t.Helper()
	synctest.Wait()
	for _, part := range parts {
		if !strings.Contains(shown.String(), part) {
			t.Errorf("the screen lacks %q:\n%s", part, shown)
		}
	}
}

func TestTheTerminalAsks(t *testing.T) {
	for line, want := range map[string]struct {
		level localapi.AccessLevel
		code  problem.Code
		said  string
	}{
		"a": {localapi.Full, "", "Allowed full access to demo."},
		"r": {localapi.ReadAppend, "", "Allowed read + append access to demo."},
		"l": {localapi.ReadOnly, "", "Allowed read only access to demo."},
		"n": {"", localapi.CodeUserRejected, "Denied access to demo."},
		"!": {"", localapi.CodeGraphBlocked, "type: unblock demo"},
	} {
		t.Run(line, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, Options{})
				keyboard, shown := sit(t, d)
				done := ask(t.Context(), d, access(demo))
				wants(t, shown, "“a test” asks for full access to the graph demo (hosted)", "l allow read only")
				io.WriteString(keyboard, "what\n\n "+line+" \n")
				got := <-done
				if got.grant.AccessLevel != want.level || problem.CodeOf(got.err) != want.code {
					t.Errorf("%+v", got)
				}
				wants(t, shown, `"what" is no answer`, want.said)
			})
		})
	}
}

// gate is a screen that can be held up, and with it the terminal.
type gate struct {
	syncbuffer.Buffer
	held atomic.Pointer[chan struct{}]
}

func (g *gate) Write(p []byte) (int, error) {
	if held := g.held.Load(); held != nil {
		<-*held
	}
	return g.Buffer.Write(p)
}

func TestAnAnswerIsNeverTakenForARequestThatWasNotShownYet(t *testing.T) {
	for range 20 { // what the terminal hears of first is left to chance
		synctest.Test(t, func(t *testing.T) {
			d := open(t, Options{})
			in, keyboard := io.Pipe()
			defer keyboard.Close()
			shown := &gate{}
			go func() { _ = AskTerminal(t.Context(), d, in, shown) }()
			ctx, leave := context.WithCancel(t.Context())
			first := ask(ctx, d, access(demo))
			synctest.Wait()
			second := ask(t.Context(), d, access(offline))
			synctest.Wait()

			held := make(chan struct{})
			shown.held.Store(&held)
			io.WriteString(keyboard, "what\na\n") // and "a" is for the first
			synctest.Wait()
			time.Sleep(time.Second)
			leave()
			<-first
			synctest.Wait()
			shown.held.Store(nil)
			close(held)
			synctest.Wait()

			if pending := d.Pending(); len(pending) != 1 || pending[0].Graph != offline {
				t.Fatalf("pending: %+v\n%s", pending, shown)
			}
			io.WriteString(keyboard, "l\n")
			if got := <-second; got.grant.AccessLevel != localapi.ReadOnly {
				t.Errorf("%+v\n%s", got, shown)
			}
		})
	}
}

func TestTheTerminalOffersNoMoreThanWasAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		keyboard, shown := sit(t, d)
		asked := access(demo)
		asked.AccessLevel = localapi.ReadOnly
		done := ask(t.Context(), d, asked)
		synctest.Wait()
		if strings.Contains(shown.String(), "read + append") {
			t.Errorf("more is offered than was asked:\n%s", shown)
		}
		io.WriteString(keyboard, "r\n")
		wants(t, shown, `"r" is no answer`)
		io.WriteString(keyboard, "a\n")
		if got := <-done; got.grant.AccessLevel != localapi.ReadOnly {
			t.Errorf("%+v", got)
		}
	})
}

func TestTheTerminalSaysWhenARequestIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		keyboard, shown := sit(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		ask(ctx, d, access(demo))
		synctest.Wait()
		ask(t.Context(), d, access(offline))
		synctest.Wait()
		cancel()
		wants(t, shown, "the asker went away", "demo (offline)")
		time.Sleep(5 * time.Minute)
		wants(t, shown, "nobody answered it in time")
		io.WriteString(keyboard, "a\n")
		wants(t, shown, "No request is open.")
	})
}

func TestTheTerminalLiftsABlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		keyboard, shown := sit(t, d)
		done := ask(t.Context(), d, access(demo))
		synctest.Wait()
		io.WriteString(keyboard, "!\n")
		<-done
		io.WriteString(keyboard, "unblock other\nunblock demo\n")
		wants(t, shown, `No blocked graph is named "other".`, "Requests for demo are asked about again.")
		ask(t.Context(), d, access(demo))
		synctest.Wait()
		if len(d.Pending()) != 1 {
			t.Error("the graph is still blocked")
		}
	})
}

func TestTheTerminalTakesTokensBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		keyboard, shown := sit(t, d)
		allow := func() string {
			done := ask(t.Context(), d, access(demo))
			synctest.Wait()
			io.WriteString(keyboard, "a\n")
			return (<-done).grant.Token.Reveal()
		}
		first := allow()
		io.WriteString(keyboard, "revoke other\nrevoke demo\n")
		wants(t, shown, `No token is granted for a graph named "other".`, "The token of demo is revoked.")
		second, third := allow(), allow()
		if _, err := d.Check(second, demo); err != nil {
			t.Errorf("a token that was granted afterwards: %v", err)
		}
		io.WriteString(keyboard, "revoke demo\n")
		wants(t, shown, "The 2 tokens of demo are revoked.")
		for _, secret := range []string{first, second, third} {
			if _, err := d.Check(secret, demo); problem.CodeOf(err) != localapi.CodeTokenNotFound {
				t.Errorf("a revoked token: %v", err)
			}
		}
	})
}

func TestTheTerminalOutlivesItsInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		keyboard, shown := sit(t, d)
		keyboard.Close()
		wants(t, shown, "The input has ended")
		ask(t.Context(), d, access(demo))
		wants(t, shown, "asks for full access")
	})
}

func TestAStrangersWordsMoveNothingOnTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		_, shown := sit(t, d)
		asked := access(demo)
		asked.Description = "evil\x1b[2J\r\nGranted.\u202e"
		ask(t.Context(), d, asked)
		wants(t, shown, "“evil [2J Granted.”")
	})
}

type brokenScreen struct{}

func (brokenScreen) Write([]byte) (int, error) { return 0, errors.New("the terminal is gone") }

func TestAskTerminalEndsWhenNothingCanBeShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{})
		if err := AskTerminal(t.Context(), d, strings.NewReader(""), brokenScreen{}); err == nil {
			t.Error("no error although nothing can be shown")
		}
	})
}
