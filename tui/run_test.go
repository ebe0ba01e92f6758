package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/exchange"
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

// lockedBuffer is an output that may be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
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
	out := &lockedBuffer{}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), *h.ports, Options{Input: in, Output: out, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, Sandbox: true})
	}()
	if _, err := keys.Write([]byte("\r\r\r\r")); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(2 * time.Minute) // a slow machine is no failure
	for !strings.Contains(h.store.log(), "save Demo") {
		if time.Now().After(deadline) {
			t.Fatalf("no token was saved: %s", h.store.log())
		}
		time.Sleep(time.Millisecond)
	}
	// Until the program knows that it is saved, ctrl+c asks again, and t does nothing.
	for len(proven) == 0 {
		if time.Now().After(deadline) {
			t.Fatal("the token that is saved can't be tested")
		}
		if _, err := keys.Write([]byte("t")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if _, err := keys.Write([]byte{3}); err != nil { // ctrl+c
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("Run: %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("ctrl+c does not end the program")
	}
	if strings.Contains(out.String(), "SECRET") {
		t.Error("the token is in the output")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	h := prepare(t, configured)
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe()
	out := &lockedBuffer{}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, *h.ports, Options{Input: in, Output: out, Environ: []string{"TERM=xterm-256color"}})
	}()
	deadline := time.Now().Add(2 * time.Minute) // a slow machine is no failure
	for !strings.Contains(out.String(), "\x1b[?1049h") && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v, want the end of the context", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the end of the context does not end the program")
	}
	if !strings.Contains(out.String(), "\x1b[?1049l") {
		t.Error("the alternate screen was not left")
	}
}
