package localapi_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/hostile"
	"roam-mcp/internal/testutil/require"
)

const (
	secretPart = "Zz9-secret-part-of-the-token-"
	// hangLimit is how long the caller waits for a peer that never ends.
	hangLimit = 30 * time.Millisecond
	// slack is for slow machines.
	slack = 20 * time.Second
	// mostMemory is what a call may allocate in all, and the peer with it, in bytes.
	mostMemory = 32 << 20
)

func TestAHostilePeerInThePlaceOfRoam(t *testing.T) {
	token, err := localapi.ParseToken(localapi.TokenPrefix + secretPart)
	require.NoError(t, err)
	for _, kind := range hostile.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			peer := hostile.Start(t, kind)
			path := filepath.Join(t.TempDir(), localapi.PortFileName)
			require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, `{"port": %d}`, peer.Port), 0o600))
			client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: path}, MaxReply: 1 << 20})
			defer client.CloseIdleConnections()
			limit := slack
			if kind.Hangs {
				limit = hangLimit
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			_, err := client.Call(ctx, localapi.Graph{Name: "work", Type: localapi.Hosted}, token, "data.block.create", "once")
			took := time.Since(started)
			runtime.ReadMemStats(&after)

			if (err == nil) != kind.Good {
				t.Errorf("error %v", err)
			}
			if took > limit+slack || kind.Hangs != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("it took %v, and ended with %v", took, err)
			}
			if n := peer.Sent("data.block.create"); n > 1 || n == 0 && !kind.Early && !kind.Hangs { // a slow machine may have no time to send it
				t.Errorf("the write was sent %d times", n)
			}
			if n := peer.CalledElsewhere(); n > 0 {
				t.Errorf("a stranger was called %d times", n)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > mostMemory {
				t.Errorf("it allocated %d MiB", used>>20)
			}
			if err == nil {
				return
			}
			e, ok := problem.AsCall(err)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			for _, text := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", e), fmt.Sprintf("%#v", e.Call), problem.World{}.Say(e.Hint), fmt.Sprint(errors.Unwrap(err))} {
				if strings.Contains(text, secretPart) {
					t.Errorf("the token shows in %q", text)
				}
			}
		})
	}
}
