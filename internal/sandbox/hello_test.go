package sandbox

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
)

// A listener says hello once (LOCAL_API.md 1.2), in the form of every build.
func TestTheSandboxSaysHelloOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells one listener from another")
	}
	for name, on := range map[string][]Setting{
		"as Roam is today":          nil,
		"as the API's first Roam":   {{build, buildAPI009}},
		"where nobody is signed in": {{signedOut, "on"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, log := startLogged(t, Options{Policy: desk.Allow, Import: []Import{smallGraph}, Switches: on})
			client, token := clientOf(t, s), tokenFor(t, s, small, localapi.Full)
			ctx := localapi.Expecting(t.Context(), localapi.AnyVersion)
			call := func() {
				if _, err := client.Call(ctx, small, token, "data.ai.getPage", map[string]string{"title": "x"}); err != nil {
					t.Error(err)
				}
			}
			var calling sync.WaitGroup
			for range 20 {
				calling.Go(call)
			}
			calling.Wait()
			client.CloseIdleConnections() // as after a pause
			for range 5 {
				call()
			}
			hellos, calls := strings.Count(log.String(), "action=graphs/open "), strings.Count(log.String(), "action=data.ai.getPage ")
			if hellos != 1 || calls != 25 {
				t.Errorf("%d hellos for %d calls", hellos, calls)
			}
		})
	}
}
