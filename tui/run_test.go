package tui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"roam-mcp/exchange"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/manage"
)

// grantingRoam allows every request at once.
type grantingRoam struct{ *fakeRoam }

func (grantingRoam) RequestToken(_ context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
	return localapi.TokenGrant{Graph: r.Graph, Token: secret("real"), AccessLevel: r.AccessLevel}, nil
}

func (grantingRoam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return localapi.Full, nil
}

// running is the program itself, with its own terminal.
type running struct {
	out   *syncbuffer.Buffer
	ended chan error
	next  *Next // what Run has returned, once it has ended
	keys  io.Writer
}

func run(ctx context.Context, h *harness) running {
	in, keys := io.Pipe()
	r := running{&syncbuffer.Buffer{}, make(chan error, 1), new(Next), keys}
	go func() {
		next, err := Run(ctx, *h.ports, Options{Input: in, Output: r.out, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, Sandbox: true})
		*r.next = next
		r.ended <- err
	}()
	return r
}

func (r running) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(r.keys, keys); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	t.Run("from the start to a saved token, with all keys typed before the first frame", func(t *testing.T) {
		h := prepare(t, fresh)
		roam := grantingRoam{h.roam}
		h.graphs.Exchange = func(ctx context.Context, r exchange.Request) manage.Exchange {
			return exchange.Start(ctx, roam, nil, r, exchange.Policy{Wait: true})
		}
		proven := make(chan struct{}, 100)
		h.ports.Prove = func(context.Context, string, func(install.ProofStep)) (install.Proof, error) {
			proven <- struct{}{}
			return install.Proof{}, nil
		}
		r := run(t.Context(), h)
		r.press(t, "\r\r\r\r")
		await.Condition(t, "a saved token", func() bool { return strings.Contains(h.store.log(), "save Demo") })
		// Until the program knows that it is saved, ctrl+c asks again, and t does nothing.
		await.Condition(t, "a test of the saved token", func() bool { r.press(t, "t"); return len(proven) > 0 })
		r.press(t, "\x03")
		if err := await.Value(t, "the end after ctrl+c", r.ended); err != nil {
			t.Errorf("Run: %v", err)
		}
		if strings.Contains(r.out.String(), "SECRET") {
			t.Error("the token is in the output")
		}
	})
	t.Run("to the key that leaves the sandbox", func(t *testing.T) {
		r := run(t.Context(), prepare(t, fresh))
		r.press(t, "b")
		if err := await.Value(t, "the end after b", r.ended); err != nil || *r.next != LeaveSandbox {
			t.Errorf("Run: %v, %v", *r.next, err)
		}
	})
	t.Run("to the end of its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := run(ctx, prepare(t, configured))
		await.Condition(t, "the alternate screen", func() bool { return strings.Contains(r.out.String(), "\x1b[?1049h") })
		cancel()
		if err := await.Value(t, "the end of the program", r.ended); !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v, want the end of the context", err)
		}
		if !strings.Contains(r.out.String(), "\x1b[?1049l") {
			t.Error("the alternate screen was not left")
		}
	})
}
