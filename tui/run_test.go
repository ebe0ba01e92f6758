package tui

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"roam-mcp/exchange"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/localapi"
)

// grantingRoam allows every request at once.
type grantingRoam struct{ *fakeRoam }

func (grantingRoam) RequestToken(_ context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
	return localapi.TokenGrant{Graph: r.Graph, Token: secret("real"), AccessLevel: r.AccessLevel}, nil
}

func (grantingRoam) VerifyToken(context.Context, localapi.Graph, localapi.Token) (localapi.AccessLevel, error) {
	return localapi.Full, nil
}

// TestRunFromStartToASavedToken drives the whole program with its own exchange,
// with all keys typed before the first frame.
func TestRunFromStartToASavedToken(t *testing.T) {
	h := prepare(t, fresh)
	roam := grantingRoam{h.roam}
	h.ports.Exchange = func(ctx context.Context, r exchange.Request) Exchange {
		return exchange.Start(ctx, roam, nil, r, exchange.Policy{Wait: true})
	}
	proven := make(chan struct{}, 100)
	h.ports.Prove = func(context.Context, string) (Proof, error) {
		proven <- struct{}{}
		return Proof{}, nil
	}
	in, keys := io.Pipe()
	out := new(syncbuffer.Buffer)
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), *h.ports, Options{Input: in, Output: out, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, Sandbox: true})
	}()
	if _, err := keys.Write([]byte("\r\r\r\r")); err != nil {
		t.Fatal(err)
	}
	await.Condition(t, "a saved token", func() bool { return strings.Contains(h.store.log(), "save Demo") })
	// Until the program knows that it is saved, ctrl+c asks again, and t does nothing.
	await.Condition(t, "a test of the token that is saved", func() bool {
		_, err := keys.Write([]byte("t"))
		return err != nil || len(proven) > 0
	})
	if _, err := keys.Write([]byte{3}); err != nil { // ctrl+c
		t.Fatal(err)
	}
	if err := await.Value(t, "the end that ctrl+c asks for", ended); err != nil {
		t.Errorf("Run: %v", err)
	}
	if strings.Contains(out.String(), "SECRET") {
		t.Error("the token is in the output")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	h := prepare(t, configured)
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	out := new(syncbuffer.Buffer)
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, *h.ports, Options{Input: in, Output: out, Environ: []string{"TERM=xterm-256color"}})
	}()
	await.Condition(t, "the alternate screen", func() bool { return strings.Contains(out.String(), "\x1b[?1049h") })
	cancel()
	if err := await.Value(t, "the end of the program with its context", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v, want the end of the context", err)
	}
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the alternate screen was not left")
	}
}
