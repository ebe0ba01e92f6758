package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"roam-mcp/exchange"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/testutil/syncbuffer"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/problem"
	"roam-mcp/tui"
)

// awaitAfter waits until a text stands behind a mark, and returns all behind it.
func awaitAfter(t *testing.T, out *syncbuffer.Buffer, mark, text string) string {
	t.Helper()
	var behind string
	err := await.NoError(2*time.Minute, func() error {
		_, behind, _ = strings.Cut(out.String(), mark)
		if !strings.Contains(behind, text) || !strings.HasSuffix(behind, "\n") || len(behind) <= 1 {
			return fmt.Errorf("there is no %q behind %q in:\n%s", text, mark, out)
		}
		return nil
	})
	require.NoError(t, err)
	return behind
}

// fakeDesk is a desk with requests that the test makes.
type fakeDesk struct {
	updates   chan []tui.AccessRequest
	answers   chan tui.Decision
	unblocked chan localapi.Graph
	err       error
}

func newFakeDesk() *fakeDesk {
	return &fakeDesk{updates: make(chan []tui.AccessRequest, 8), answers: make(chan tui.Decision, 8), unblocked: make(chan localapi.Graph, 8)}
}

func (f *fakeDesk) Watch(context.Context) <-chan []tui.AccessRequest { return f.updates }

func (f *fakeDesk) Answer(_ string, d tui.Decision) error {
	f.answers <- d
	return f.err
}

func (f *fakeDesk) Unblock(graph localapi.Graph) error {
	f.unblocked <- graph
	return f.err
}

func request(id, graph string) tui.AccessRequest {
	return tui.AccessRequest{ID: id, Graph: hosted(graph), Description: "an agent\x1b[31m", AccessLevel: localapi.Full}
}

// withDesk is a world whose desk has requests for other graphs.
func withDesk(t *testing.T, requests ...tui.AccessRequest) (*world, *fakeDesk) {
	w, desk := newWorld(t), newFakeDesk()
	w.ports.Desk = desk
	if len(requests) > 0 {
		desk.updates <- requests
	}
	return w, desk
}

func TestDesk(t *testing.T) {
	for answer, want := range map[string]tui.Decision{
		"allow": tui.Allow, "1": tui.Allow, "a": tui.Allow, "LOWER": tui.AllowReadOnly, "3": tui.Deny, "": tui.Deny, "never": tui.Never, "!": tui.Never,
	} {
		t.Run("tells of a request, which its job answers with "+answer, func(t *testing.T) {
			w, desk := withDesk(t, request("1", "elsewhere"), request("2", "elsewhere-too"))
			w.says([]string{"answer", answer}, `Roam (sandbox): "an agent" asks for full access to elsewhere (hosted).`, "To answer it, choose: answer.")
			if got := <-desk.answers; got != want {
				t.Errorf("the answer is %v, want %v", got, want)
			}
		})
	}
	t.Run("unblocks what it was told to never allow, and asks again", func(t *testing.T) {
		w, desk := withDesk(t)
		asked := 0
		w.roam.ask = func(_ context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
			if asked++; asked == 1 {
				return localapi.TokenGrant{}, &problem.Error{Code: localapi.CodeGraphBlocked, Message: "Blocked."}
			}
			return localapi.TokenGrant{Graph: r.Graph, Token: secret("wxyz"), AccessLevel: r.AccessLevel}, nil
		}
		printed, _ := w.run(connecting("unblock")...)
		w.has(printed, "unblock: unblock it in the sandbox, and ask again", "Connected.", "Next, have an AI client start roam-mcp")
		if got := <-desk.unblocked; got != hosted("archive") {
			t.Errorf("unblocked is %v", got)
		}
	})
	t.Run("says why it refuses an answer", func(t *testing.T) {
		w, desk := withDesk(t, request("1", "elsewhere"))
		desk.err = errors.New("that request is over")
		w.says([]string{"answer", "allow"}, "That request is over.")
	})
	t.Run("tells of a request once, and it may go away", func(t *testing.T) {
		w, desk := withDesk(t)
		var out syncbuffer.Buffer
		reader, writer := io.Pipe()
		w.options.Input, w.options.Output = reader, &out
		ended := make(chan error, 1)
		go func() { ended <- Run(t.Context(), w.ports, w.options) }()
		awaitAfter(t, &out, "help: list these again", "What to do")
		desk.updates <- []tui.AccessRequest{request("1", "elsewhere")}
		awaitAfter(t, &out, "help: list these again", "access to elsewhere")
		desk.updates <- []tui.AccessRequest{request("1", "elsewhere"), request("2", "there")}
		awaitAfter(t, &out, "help: list these again", "access to there")
		desk.updates <- nil
		_, _ = io.WriteString(writer, "graphs\nanswer\nquit\n")
		require.NoError(t, <-ended)
		w.has(out.String(), "No request is open.")
		if n := strings.Count(out.String(), "access to elsewhere"); n != 1 {
			t.Errorf("one request was told %d times:\n%s", n, out.String())
		}
	})
	t.Run("ends the exchange where the input ends at its question", func(t *testing.T) {
		w, desk := withDesk(t)
		gone := make(chan struct{})
		w.roam.ask = func(ctx context.Context, r localapi.TokenRequest) (localapi.TokenGrant, error) {
			desk.updates <- []tui.AccessRequest{{ID: "1", Graph: r.Graph, Description: r.Description, AccessLevel: r.AccessLevel}}
			defer close(gone)
			return silent(ctx, r)
		}
		printed, err := w.run(connecting("perhaps")...)
		w.has(printed, "That is none of the choices: allow, lower, deny, never.")
		<-gone
		if !endedAt(err, "Answer") || len(w.config().Entries) != 2 {
			t.Errorf("the error is %v, the entries are %v", err, w.config().Entries)
		}
	})
	// The desk and the exchange tell of the same request through channels of their own,
	// and either may be first.
	t.Run("asks about a request that it tells before the exchange does", func(t *testing.T) {
		w := newWorld(t)
		w.options.Input, w.options.Output = strings.NewReader(""), io.Discard
		s := newSession(t.Context(), w.ports, w.options)
		waiting := &wait{connector: connector{s}, authorization: manage.Authorization{Request: exchange.Request{Graph: hosted("archive")}}}
		waiting.heard([]tui.AccessRequest{request("1", "recipes"), request("2", "archive")}, true)
		if waiting.shown.ID != "2" {
			t.Errorf("the request that is asked about is %q", waiting.shown.ID)
		}
	})
}
